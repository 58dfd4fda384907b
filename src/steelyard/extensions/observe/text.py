"""The cost of observing, as text: a table of changes, a figure for each metric, and correlations.

The figures are those of Mytkowicz et al. 2008 (DOI 10.1109/IPDPS.2008.4536408): changes in percent against no
probe (Figure 1), or against the share of instructions that the probe adds (Figure 2). No line joins the
probes: more of a probe is not more of its effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from steelyard.core.units import Metric, format_quantity
from steelyard.extensions.observe.axis import axis_of
from steelyard.extensions.observe.results import AnyLevel, Change, Observation, Perturbation, Probed
from steelyard.extensions.observe.traces import render_traces
from steelyard.report.text.digits import bounds, decimals, percent, percent_bounds, probability, ratio
from steelyard.report.text.label import join_names, pad, plural, printable, shorten
from steelyard.report.text.line import Line, Span, Style, render_paragraph
from steelyard.report.text.table import Column, table
from steelyard.results.interval import Interval

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


def lines(observation: Observation, width: int = 80) -> list[Line]:
    """Everything, in at most ``width`` columns."""
    output = render_paragraph(headline(observation), width, rest="  ")
    if observation.metrics:
        output += [(), *render_paragraph(_format_caption(observation), width, style="dim", rest="  ")]
    tests = {test.metric.name: test for test in observation.any_level}
    for place, metric in enumerate(observation.metrics):
        output += [(), *_render_metric(metric, observation, width)]
        if (test := tests.get(metric.name)) is not None:
            output += render_paragraph(_format_any_level(test, observation), width, rest="  ")
        elif len(rows := rows_of(metric, observation)) > 1 and observation.any_level:
            text = f"any of {plural(len(rows) + 1, 'level')}: no test: nothing varies between blocks"
            output += render_paragraph(text, width, rest="  ")
        if not place:
            output += [(), *_render_figure(rows_of(metric, observation), width)]
    for probe in observation.probes:
        if probe.differs:
            text = f"{printable(probe.name)}: the program behaves differently: {probe.differs}. Not compared."
            output += [(), *render_paragraph(text, width, rest="  ", style="bad")]
    output += _render_contests(observation, width)
    output += render_traces(observation, width)
    return output + _predict(observation, width) + _render_notes(observation, width)


def headline(observation: Observation) -> str:
    """Return what perturbs the first metric, and by how much at most."""
    metric = observation.metrics[0].name if observation.metrics else ""
    first = [
        (probe, change)
        for probe in observation.probes
        for change in probe.changes
        if change.metric.name == metric
    ]
    if not first and any(probe.differs is None for probe in observation.probes):
        return "No complete block was measured, so nothing was compared; raise --max-time."
    if not first:
        return "Every probe changes the program's behaviour, so nothing was compared."
    by = {
        kind: [printable(probe.name) for probe, change in first if change.perturbation == kind]
        for kind in _VERDICTS
    }
    worst, change = max(first, key=lambda pair: abs(pair[1].percent))
    parts = []
    if by["perturbed"]:
        parts.append(f"perturbed by {join_names(by['perturbed'])}")
    if by["unperturbed"]:
        parts.append(f"unperturbed within {percent(observation.within)} by {join_names(by['unperturbed'])}")
    if by["not_resolved"]:
        parts.append(f"not resolved for {join_names(by['not_resolved'])}")
    largest = f"The largest change: {_change(change)} with {printable(worst.name)}."
    text = f"{metric} is {'; '.join(parts)}. {largest}"
    if failing := [printable(probe.name) for probe in observation.probes if probe.differs]:
        text += f" The program behaves differently under {join_names(failing)}."
    if moved := list(
        dict.fromkeys(trace.level for trace in observation.traces if trace.differing(observation.alpha))
    ):
        text += f" Its course differs with {join_names([printable(name) for name in moved])} (traces)."
    if turned := [printable(contest.probe) for contest in observation.contests if contest.reversed]:
        text += f" Under {join_names(turned)} the order of the two programs reverses."
    return text


def _render_contests(observation: Observation, width: int) -> list[Line]:
    """One program over the other, probe by probe."""
    if observation.versus is None:
        return []
    if not observation.contests:
        both = f"{printable(observation.command)} and {printable(observation.versus)}"
        text = f"{both} cannot be compared: no block of both is complete."
        return [(), *render_paragraph(text, width)]
    alone, *_ = observation.contests
    title = (
        f"{alone.metric.name} of {printable(observation.versus)} over that of"
        f" {printable(observation.command)}"
    )
    columns = [
        Column.words(
            "probe", (shorten(printable(contest.probe), _LONGEST) for contest in observation.contests)
        ),
        Column.numbers("ratio", (ratio(contest.ratio, contest.ci95) for contest in observation.contests)),
        Column.numbers(
            "95 % CI",
            (
                "–" if contest.ci95 is None else bounds(contest.ratio, contest.ci95)
                for contest in observation.contests
            ),
            give_way=1,
        ),
        Column.numbers(
            "p Holm",
            (
                "–" if contest.p_holm is None else probability(contest.p_holm)
                for contest in observation.contests
            ),
            give_way=2,
        ),
        Column(
            "order",
            [
                Span("reversed", "bad")
                if contest.reversed
                else Span("" if contest is alone else "no reversal shown")
                for contest in observation.contests
            ],
            right=False,
        ),
    ]
    compared = {contest.probe for contest in observation.contests}
    left_out = [
        printable(probe.name)
        for probe in observation.probes
        if not probe.differs and probe.name not in compared
    ]
    text = (
        f"Not compared, because one program behaves differently there: {join_names(left_out)}."
        if left_out
        else ""
    )
    rows = table(columns, width)
    return [
        (),
        *render_paragraph(title, width, rest="  ", style="heading"),
        *rows,
        *(render_paragraph(text, width) if text else ()),
    ]


def _format_caption(observation: Observation) -> str:
    contexts = ", each in a context of its own" if observation.contexts else ", all in one context"
    return (
        f"{shorten(printable(observation.command), 40)}:"
        f" {plural(observation.blocks, 'randomised block')}{contexts},"
        f" seed {observation.seed}; changes against no probe, intervals 95 %; within: two one-sided"
        " tests at 5 %"
    )


def rows_of(metric: Metric, observation: Observation) -> list[tuple[Probed, Change]]:
    """Return the probes that have the metric, in the order of what they add where that was counted."""
    rows = [
        (probe, change)
        for probe in observation.probes
        for change in probe.changes
        if change.metric.name == metric.name
    ]
    if any(probe.added is not None for probe, _ in rows):
        rows.sort(key=lambda row: -1.0 if row[0].added is None else row[0].added)
    return rows


def _render_metric(metric: Metric, observation: Observation, width: int) -> list[Line]:
    title = (Span(format_metric_title(metric, observation), "heading"),)
    return [title, *table(change_columns(rows_of(metric, observation), observation), width)]


def format_metric_title(metric: Metric, observation: Observation) -> str:
    """Return the metric, and what it is without a probe."""
    return f"{metric.name}, {format_quantity(observation.typical[metric.name], metric.unit)} without a probe"


def change_columns(rows: Sequence[tuple[Probed, Change]], observation: Observation) -> list[Column]:
    """Return the columns of the changes of one metric."""
    verdicts = [verdict_of(change, observation.within) for _, change in rows]
    names = [Span(shorten(printable(probe.name), _LONGEST)) for probe, _ in rows]
    columns = [
        Column("probe", names, right=False),
        Column("instructions", _collect_added([probe for probe, _ in rows]), give_way=1),
        Column.numbers("change", (_change(change) for _, change in rows)),
        Column.numbers("95 % CI", (_format_interval(change) for _, change in rows), give_way=2),
        Column.numbers("p Holm", (probability(change.p_holm) for _, change in rows), give_way=3),
        Column("verdict", verdicts, right=False),
    ]
    return [column for column in columns if column.cells]


def verdict_of(change: Change, within: float) -> Span:
    """Whether the probe perturbs the metric, as one cell."""
    text, style = _VERDICTS[change.perturbation]
    return Span(text.format(within=percent(within)), style)


def _format_any_level(test: AnyLevel, observation: Observation) -> str:
    text = "at least one of them differs" if test.p < observation.alpha else "not resolved"
    how = "Welch-James" if test.unit == "launch" else "Box"
    return (
        f"any of {plural(test.levels, 'level')}: F({test.nu1:.1f}, {test.nu2:.1f}) = {test.f:.3g}, p"
        f" {probability(test.p)} ({how}, {plural(test.n, test.unit)}): {text}"
    )


def _collect_added(probes: Sequence[Probed]) -> list[Span]:
    """Return what a probe adds; nothing at all where none was counted."""
    if all(probe.added is None for probe in probes):
        return []
    return [Span("–" if probe.added is None else f"{100 * probe.added:+.3g} %") for probe in probes]


def _render_figure(rows: Sequence[tuple[Probed, Change]], width: int) -> list[Line]:
    """One row a probe: its interval, its estimate ``o``, and ``|`` where nothing would change."""
    axis = axis_of((bound for _, change in rows for bound in _compute_ends(change)), width - _NAME - 1)
    figure: list[Line] = []
    for probe, change in rows:
        cells = [" "] * axis.width
        low, high = _compute_ends(change)[0], _compute_ends(change)[-1]
        for column in range(axis.place(low), axis.place(high) + 1):
            cells[column] = "-"
        cells[axis.place(0.0)] = "|"
        cells[axis.place(change.percent)] = "o"
        name = pad(shorten(printable(probe.name), _NAME), _NAME)
        figure.append((Span(f"{name} {''.join(cells).rstrip()}"),))
    figure.append((Span(" " * (_NAME + 1) + axis.labels(), "dim"),))
    return figure


def _compute_ends(change: Change) -> tuple[float, ...]:
    """Return the bounds of a change in percent; the change itself where it has none."""
    if change.ci95 is None:
        return (change.percent,)
    return 100 * (change.ci95.low - 1), 100 * (change.ci95.high - 1)


def _predict(observation: Observation, width: int) -> list[Line]:
    if not observation.correlations:
        return []
    texts = []
    for correlation in observation.correlations[:_FEW]:
        around = (
            f" (95 % CI {correlation.ci95.low:.2f} to {correlation.ci95.high:.2f})"
            if correlation.ci95
            else ""
        )
        answer = "yes" if correlation.ci95 is not None and correlation.ci95.excludes(0) else "not resolved"
        texts.append(
            f"{correlation.metrics[0]} and {correlation.metrics[1]}: rank correlation"
            f" {correlation.rho:.2f}{around} over"
            f" {plural(correlation.probes, 'probe')}: {answer}"
        )
    output: list[Line] = [(), (Span("Does a change in one metric predict a change in another?", "heading"),)]
    for text in texts:
        output += render_paragraph(text, width, first="- ", rest="  ")
    return output


def _render_notes(observation: Observation, width: int) -> list[Line]:
    texts = [_compare(observation)]
    if observation.uncompared:
        reasons = "; ".join(f"{printable(name)} ({why})" for name, why in observation.uncompared.items())
        texts.append(f"Not compared: {reasons}.")
    if any(metric.kind == "counter" for metric in observation.metrics):
        texts.append(
            "A processor has few counters. Under a probe that counts too, they take turns, and what is shown"
            " of them is an estimate from a part of the run."
        )
    return [line for text in texts for line in [(), *render_paragraph(text, width, style="dim", rest="  ")]]


def _compare(observation: Observation) -> str:
    if not observation.compared:
        return "Compared in every run: how it ends, and nothing that it writes."
    names = [printable(name) for name in observation.compared[:_FEW]]
    if len(observation.compared) > _FEW:
        names.append(f"{plural(len(observation.compared) - _FEW, 'more file')}")
    return f"Compared in every run, byte for byte: {join_names(names)}."


def _change(change: Change) -> str:
    places = 1 if change.ci95 is None else max(0, decimals(50 * (change.ci95.high - change.ci95.low)))
    return f"{change.percent:+.{min(places, 3)}f} %"


def _format_interval(change: Change) -> str:
    if change.ci95 is None:
        return "–"
    interval = Interval(change.ci95.low - 1, change.ci95.high - 1)
    places = min(3, max(0, decimals(50 * (interval.high - interval.low))))
    return f"{percent_bounds(interval, places)} %"
