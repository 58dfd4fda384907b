"""The cost of observing, as text: a table of changes, a figure for each metric, and correlations.

The figures are those of Mytkowicz et al. 2008 (DOI 10.1109/IPDPS.2008.4536408): changes in percent against no
probe (Figure 1), or against the share of instructions that the probe adds (Figure 2). No line joins the
probes: more of a probe is not more of its effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from steelyard.answers.observation import AnyLevel, Change, Observation, Perturbation, Probed
from steelyard.report.observe.traces import traced
from steelyard.report.text.axis import axis_of
from steelyard.report.text.digits import decimals, percent, probability
from steelyard.report.text.label import counted, listed, pad, printable, shorten
from steelyard.report.text.line import Line, Span, Style, paragraph
from steelyard.report.text.table import Column, table
from steelyard.units import Metric, format_quantity

_VERDICTS: Final[dict[Perturbation, tuple[str, Style]]] = {
    "unperturbed": ("within {within}", "good"),
    "perturbed": ("perturbed", "bad"),
    "not_resolved": ("not resolved", "open"),
}
_NAME: Final = 24
"""Columns of the name of a probe in a figure."""
_LONGEST: Final = 32
"""Columns of it in a table."""
_FEW: Final = 6
"""Pairs of metrics that are shown."""


def lines(found: Observation, width: int = 80) -> list[Line]:
    """Everything, in at most ``width`` columns."""
    shown = paragraph(_headline(found), width, rest="  ")
    if found.metrics:
        shown += [(), *paragraph(_caption(found), width, style="dim", rest="  ")]
    tests = {test.metric.name: test for test in found.any_level}
    for place, metric in enumerate(found.metrics):
        shown += [(), *_of_metric(metric, found, width)]
        if (test := tests.get(metric.name)) is not None:
            shown += paragraph(_any_level(test, found), width, rest="  ")
        elif len(rows := _rows(metric, found)) > 1 and found.any_level:
            text = f"any of {counted(len(rows) + 1, 'level')}: no test, since nothing varies between blocks"
            shown += paragraph(text, width, rest="  ")
        if not place:
            shown += [(), *_figure(_rows(metric, found), width)]
    for probe in found.probes:
        if probe.differs:
            text = f"{printable(probe.name)}: the program behaves differently: {probe.differs}. Not compared."
            shown += [(), *paragraph(text, width, rest="  ", style="bad")]
    shown += traced(found, width)
    return shown + _foretold(found, width) + _notes(found, width)


def _headline(found: Observation) -> str:
    metric = found.metrics[0].name if found.metrics else ""
    first = [
        (probe, change) for probe in found.probes for change in probe.changes if change.metric.name == metric
    ]
    if not first and any(probe.differs is None for probe in found.probes):
        return "No complete block was measured, so that nothing was compared: --max-time gives it more."
    if not first:
        return "No probe leaves the program as it is, so that nothing was compared."
    by = {
        kind: [printable(probe.name) for probe, change in first if change.perturbation == kind]
        for kind in _VERDICTS
    }
    worst, change = max(first, key=lambda each: abs(each[1].percent))
    parts = []
    if by["perturbed"]:
        parts.append(f"perturbed by {listed(by['perturbed'])}")
    if by["unperturbed"]:
        parts.append(f"unperturbed within {percent(found.within)} by {listed(by['unperturbed'])}")
    if by["not_resolved"]:
        parts.append(f"not resolved for {listed(by['not_resolved'])}")
    return (
        f"{metric} is {'; '.join(parts)}. The largest change: {_change(change)} with {printable(worst.name)}."
    )


def _caption(found: Observation) -> str:
    contexts = ", each in a context of its own" if found.contexts else ", all in one context"
    return (
        f"{shorten(printable(found.command), 40)}: {counted(found.blocks, 'randomised block')}{contexts},"
        f" seed {found.seed}; changes against no probe, intervals 95 %; within: two one-sided tests at 5 %"
    )


def _rows(metric: Metric, found: Observation) -> list[tuple[Probed, Change]]:
    """The probes that have the metric, in the order of what they add where that was counted."""
    rows = [
        (probe, change)
        for probe in found.probes
        for change in probe.changes
        if change.metric.name == metric.name
    ]
    if any(probe.added is not None for probe, _ in rows):
        rows.sort(key=lambda each: -1.0 if each[0].added is None else each[0].added)
    return rows


def _of_metric(metric: Metric, found: Observation, width: int) -> list[Line]:
    rows = _rows(metric, found)
    verdicts = [_VERDICTS[change.perturbation] for _, change in rows]
    title = f"{metric.name}, {format_quantity(found.typical[metric.name], metric.unit)} without a probe"
    return [
        (Span(title, "heading"),),
        *table(
            [
                Column(
                    "probe",
                    [Span(shorten(printable(probe.name), _LONGEST)) for probe, _ in rows],
                    right=False,
                ),
                Column("instructions", _added([probe for probe, _ in rows]), give_way=1),
                Column("change", [Span(_change(change)) for _, change in rows]),
                Column("95 % CI", [Span(_interval(change)) for _, change in rows], give_way=2),
                Column("p Holm", [Span(probability(change.p_holm)) for _, change in rows], give_way=3),
                Column(
                    "verdict",
                    [Span(text.format(within=percent(found.within)), style) for text, style in verdicts],
                    right=False,
                ),
            ],
            width,
        ),
    ]


def _any_level(test: AnyLevel, found: Observation) -> str:
    said = "at least one of them differs" if test.p < found.alpha else "not resolved"
    how = "Welch-James" if test.unit == "launch" else "Box"
    return (
        f"any of {counted(test.levels, 'level')}: F({test.nu1:.1f}, {test.nu2:.1f}) = {test.f:.3g}, p"
        f" {probability(test.p)} ({how}, {counted(test.n, test.unit)}): {said}"
    )


def _added(probes: Sequence[Probed]) -> list[Span]:
    """Nothing at all where none was counted."""
    if all(probe.added is None for probe in probes):
        return []
    return [Span("–" if probe.added is None else f"{100 * probe.added:+.3g} %") for probe in probes]


def _figure(rows: Sequence[tuple[Probed, Change]], width: int) -> list[Line]:
    """One row a probe: its interval, its estimate ``o``, and ``|`` where nothing would change."""
    axis = axis_of((bound for _, change in rows for bound in _ends(change)), width - _NAME - 1)
    shown: list[Line] = []
    for probe, change in rows:
        cells = [" "] * axis.width
        low, high = _ends(change)[0], _ends(change)[-1]
        for column in range(axis.place(low), axis.place(high) + 1):
            cells[column] = "-"
        cells[axis.place(0.0)] = "|"
        cells[axis.place(change.percent)] = "o"
        name = pad(shorten(printable(probe.name), _NAME), _NAME)
        shown.append((Span(f"{name} {''.join(cells).rstrip()}"),))
    shown.append((Span(" " * (_NAME + 1) + axis.labels(), "dim"),))
    return shown


def _ends(change: Change) -> tuple[float, ...]:
    """The bounds of a change in percent; the change itself where it has none."""
    if change.ci95 is None:
        return (change.percent,)
    return 100 * (change.ci95.low - 1), 100 * (change.ci95.high - 1)


def _foretold(found: Observation, width: int) -> list[Line]:
    if not found.correlations:
        return []
    texts = []
    for each in found.correlations[:_FEW]:
        around = f" (95 % CI {each.ci95.low:.2f} to {each.ci95.high:.2f})" if each.ci95 else ""
        told = "it does" if each.ci95 is not None and each.ci95.excludes(0) else "not resolved"
        texts.append(
            f"{each.metrics[0]} and {each.metrics[1]}: rank correlation {each.rho:.2f}{around} over"
            f" {counted(each.probes, 'probe')}: {told}"
        )
    shown: list[Line] = [(), (Span("Does the change of one metric foretell that of another?", "heading"),)]
    for text in texts:
        shown += paragraph(text, width, first="- ", rest="  ")
    return shown


def _notes(found: Observation, width: int) -> list[Line]:
    texts = []
    if not found.outputs_compared:
        texts.append("The program does not print the same twice, so that only exit codes could be compared.")
    if any(metric.kind == "counter" for metric in found.metrics):
        texts.append(
            "A processor has few counters. Under a probe that counts too, they take turns, and what is shown"
            " of them is an estimate from a part of the run."
        )
    return [line for text in texts for line in [(), *paragraph(text, width, style="dim", rest="  ")]]


def _change(change: Change) -> str:
    places = 1 if change.ci95 is None else max(0, decimals(50 * (change.ci95.high - change.ci95.low)))
    return f"{change.percent:+.{min(places, 3)}f} %"


def _interval(change: Change) -> str:
    if change.ci95 is None:
        return "–"
    low, high = 100 * (change.ci95.low - 1), 100 * (change.ci95.high - 1)
    places = min(3, max(0, decimals((high - low) / 2)))
    return f"{low:+.{places}f} to {high:+.{places}f} %"


def _plain(line: str) -> Line:
    return (Span(line),)


def _dim(line: str) -> Line:
    return (Span(line, "dim"),)
