"""What ``doctor`` says: findings with what they mean and what cures them, as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, Protocol

import msgspec

from steelyard.answers.document import written
from steelyard.report.text.label import pad, printable, wrap
from steelyard.report.text.line import Line, Span, Style
from steelyard.units import Scalar

FORMAT: Final = "steelyard/doctor"
VERSION: Final = 2

Weight = Literal["problem", "limitation", "ok"]

_STYLES: Final[dict[Weight, Style]] = {"problem": "bad", "limitation": "open", "ok": "good"}


class Finding(Protocol):
    """What was found about one topic; ``means`` and ``cure`` are ``None`` where there is nothing to say."""

    @property
    def topic(self) -> str:
        """A word or two."""

    @property
    def weight(self) -> Weight:
        """How bad it is."""

    @property
    def found(self) -> str:
        """With its value."""

    @property
    def means(self) -> str | None:
        """For results."""

    @property
    def cure(self) -> str | None:
        """One command."""


class FindingEntry(msgspec.Struct, frozen=True):
    """One finding of the document."""

    topic: str
    weight: Weight
    found: str
    means: str | None
    cure: str | None


class DoctorDocument(msgspec.Struct, frozen=True):
    """The document ``steelyard/doctor``.

    History: 1, the first; 2, weights are problem, limitation, ok (were spoils, limits, fine).
    """

    format: str
    version: int
    able: bool
    findings: tuple[FindingEntry, ...]
    facts: Mapping[str, Scalar]


def render_json(findings: Sequence[Finding], facts: Mapping[str, Scalar], *, able: bool) -> str:
    """The findings and the facts as one JSON document."""
    entries = tuple(
        FindingEntry(each.topic, each.weight, each.found, each.means, each.cure) for each in findings
    )
    document = DoctorDocument(FORMAT, VERSION, able, entries, dict(sorted(facts.items())))
    return written(document)


def lines(findings: Sequence[Finding], facts: Mapping[str, Scalar], width: int = 80) -> list[Line]:
    """The machine in a line, then the findings in their order, each with what it means and what cures it."""
    said: list[Line] = [(Span(line, "heading"),) for line in wrap(_machine(facts), width, rest="  ")]
    said.append(())
    topics = max(len(each.topic) for each in findings)
    weights = max(len(weight) for weight in _STYLES)
    indent, deep = " " * (weights + 2), " " * (weights + topics + 4)
    for each in findings:
        first, *rest = wrap(printable(each.found), width, first=deep, rest=deep)
        weight = Span(pad(each.weight, weights), _STYLES[each.weight])
        said.append((weight, Span(f"  {pad(each.topic, topics)}  "), Span(first.removeprefix(deep))))
        said += [(Span(line),) for line in rest]
        if each.means:
            said += [(Span(line, "dim"),) for line in wrap(each.means, width, first=indent, rest=indent)]
        if each.cure:
            # In one line, however wide, so that it can be copied.
            said.append((Span(f"{indent}try: {each.cure}"),))
    return said


def _machine(facts: Mapping[str, Scalar]) -> str:
    names = ("cpu_model", "kernel", "distribution")
    parts = [printable(str(facts[name])) for name in names if name in facts]
    return ", ".join([*parts[:1], f"{facts.get('cpus_online', '?')} CPUs online", *parts[1:]])
