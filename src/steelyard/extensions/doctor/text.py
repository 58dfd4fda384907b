"""A report on a machine as text: findings, their meaning, and their cures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from steelyard.core.units import Scalar
from steelyard.extensions.doctor.results import HostReport, Weight
from steelyard.report.text.label import pad, printable, wrap
from steelyard.report.text.line import Line, Span, Style, render_paragraph

_STYLES: Final[dict[Weight, Style]] = {"problem": "bad", "limitation": "open", "ok": "good"}


def lines(report: HostReport, width: int = 80) -> list[Line]:
    """Return the machine in a line, then the findings in their order.

    Each finding says what it means and what cures it.
    """
    output: list[Line] = render_paragraph(_format_machine(report.facts), width, rest="  ", style="heading")
    output.append(())
    topics = max(len(finding.topic) for finding in report.findings)
    weights = max(len(weight) for weight in _STYLES)
    indent, deep = " " * (weights + 2), " " * (weights + topics + 4)
    for host_finding in report.findings:
        first, *rest = wrap(printable(host_finding.observed), width, first=deep, rest=deep)
        weight = Span(pad(host_finding.weight, weights), _STYLES[host_finding.weight])
        output.append(
            (weight, Span(f"  {pad(host_finding.topic, topics)}  "), Span(first.removeprefix(deep)))
        )
        output += [(Span(line),) for line in rest]
        if host_finding.means:
            output += render_paragraph(host_finding.means, width, first=indent, rest=indent, style="dim")
        if host_finding.cure:
            # In one line, however wide, so that it can be copied.
            output.append((Span(f"{indent}try: {host_finding.cure}"),))
    return output


def _format_machine(facts: Mapping[str, Scalar]) -> str:
    names = ("cpu_model", "kernel", "distribution")
    parts = [printable(str(facts[name])) for name in names if name in facts]
    return ", ".join([*parts[:1], f"{facts.get('cpus_online', '?')} CPUs online", *parts[1:]])
