"""The answer of the protocol as text: a headline, and a row for each pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from msgspec.structs import replace

from steelyard.core.sample import Treatment
from steelyard.core.units import Metric, Scalar
from steelyard.extensions.protocol_2014.programs import format_levels_within
from steelyard.extensions.protocol_2014.results import NAME, ProtocolAnswer, ProtocolPair, Test
from steelyard.extensions.protocol_2014.tables import render_program_tables
from steelyard.report.answer.words import format_comparative, is_speed, verdict
from steelyard.report.text.cells import (
    name_cell,
    note_omitted,
    render_interval_cell,
    render_p_cell,
    render_ratio_cell,
)
from steelyard.report.text.factor_columns import render_baseline_column, render_treatment_columns, varying
from steelyard.report.text.label import format_level_text, plural, printable
from steelyard.report.text.line import Line, Span, Style, render_paragraph
from steelyard.report.text.table import GAP, MOST_ROWS, Column, table
from steelyard.results.analysis import Answer
from steelyard.results.comparison import Comparison
from steelyard.results.undefined import Undefined

TESTS: Final[dict[Test, str]] = {"student": "Student", "welch": "Welch", "mann-whitney": "M-W"}

_VERDICT: Final = 23
"""Columns of a terminal that ``p Holm`` and the verdict take, with the gaps before them."""
_AGAINST: Final = 14
"""Columns of a terminal that the baseline takes at least, with the gap before it."""

_MEANINGS: Final = {
    "of means": "ratio of means, above 1 where better",
    "P(better)": "of a run of each, how often the treatment's is the better one",
    "paired": "the verdict block by block",
}


def headline(answer: Answer, width: int) -> list[Line]:
    """Return the number of pairs that differ, before and after Holm, and the tests that found it."""
    protocol = answer.protocol
    if not isinstance(protocol, ProtocolAnswer):
        return []
    pairs, rules = protocol.pairs, protocol.rules
    before, after = sum(pair.before for pair in pairs), sum(pair.after for pair in pairs)
    side = "two-sided" if rules.direction == "two-sided" else "one-sided (faster)"
    text = (
        f"{NAME}: {after} of {plural(len(pairs), 'pair')} "
        f"{'differs' if after == 1 else 'differ'} after Holm, {before} before  "
        f"(alpha {rules.alpha:g}, {side}; {_describe_used(protocol)})"
    )
    if refused := sum("too_few" in pair.flags for pair in pairs):
        text += (
            f". Refused: {plural(refused, 'pair')} of so few runs that no order of their values has"
            f" p ≤ {rules.alpha:g}; it takes {rules.fewest} of each"
        )
    return render_paragraph(text, width, rest="  ")


def pair_table(answer: Answer, width: int) -> list[Line]:
    """One row for each pair, with what the paired analysis of the same runs says in the last column."""
    protocol = answer.protocol
    if not isinstance(protocol, ProtocolAnswer) or not protocol.pairs:
        return []
    pairs = protocol.pairs[:MOST_ROWS]
    rest = note_omitted(len(protocol.pairs) - len(pairs))
    return [*table(pair_columns(answer, protocol, pairs, width), width), *rest]


def pair_columns(
    answer: Answer, protocol_answer: ProtocolAnswer, pairs: Sequence[ProtocolPair], width: int
) -> list[Column]:
    """Return the columns of these pairs."""
    paired = {(c.baseline.id, c.treatment.id, *sorted(c.labels.items())): c for c in answer.judged}
    beside = [paired.get((p.baseline.id, p.treatment.id, *sorted(p.labels.items()))) for p in pairs]
    by_blocks = answer.design.order != "sequential"
    strata = _render_strata(pairs)
    return [
        *strata,
        *_render_treatments(answer, pairs, width - sum(column.width + len(GAP) for column in strata)),
        Column("test", [_test(p) for p in pairs], right=False, give_way=1),
        Column("p", [render_p_cell(p.p) for p in pairs], give_way=4),
        Column("p Holm", [render_p_cell(p.p_holm) for p in pairs]),
        Column("of means", [_render_ratio(p) for p in pairs], give_way=2),
        Column("95 % CI", [_render_interval(p) for p in pairs], right=False, give_way=6),
        Column("P(better)", [_render_better(p, protocol_answer.metric) for p in pairs], give_way=5),
        Column("verdict", [_render_verdict(p, protocol_answer.metric) for p in pairs], right=False),
        *([Column("paired", [_pair(c) for c in beside], right=False, give_way=3)] if by_blocks else []),
    ]


def _render_strata(pairs: Sequence[ProtocolPair]) -> list[Column]:
    return [
        *_render_columns([pair.stratum for pair in pairs], "factor"),
        *_render_columns([pair.labels for pair in pairs], "label"),
    ]


def _render_columns(rows: Sequence[Mapping[str, Scalar]], kind: Literal["factor", "label"]) -> list[Column]:
    names = dict.fromkeys(name for row in rows for name in row)
    cells = {name: [name_cell(str(row.get(name, "")) or "''") for row in rows] for name in names}
    return [Column(printable(name), cells[name], right=False, is_name=True, kind=kind) for name in names]


def _render_treatments(answer: Answer, pairs: Sequence[ProtocolPair], room: int) -> list[Column]:
    """Both sides of a comparison, except what the stratum says already.

    Where there are several factors, each has a column, as in every table.
    """
    names = {name for pair in pairs for name in pair.stratum}
    varied = varying([sample.treatment for sample in answer.samples])
    factors = [name for name in varied if name not in names]
    if not factors:
        return [
            Column(
                "treatment",
                [name_cell(_name_treatment(p, p.treatment)) for p in pairs],
                right=False,
                is_name=True,
            ),
            Column(
                "against",
                [name_cell(_name_treatment(p, p.baseline)) for p in pairs],
                right=False,
                is_name=True,
            ),
        ]
    named = render_treatment_columns([pair.treatment for pair in pairs], factors, room - _VERDICT - _AGAINST)
    if any(column.kind != "factor" for column in named):
        # Labels of several factors are long, and look alike when they are shortened.
        bare = [name_cell(_format_bare(pair.treatment, factors)) for pair in pairs]
        named = [Column("treatment", bare, right=False, is_name=True)]
    count = room - _VERDICT - sum(column.width + len(GAP) for column in named)
    against = render_baseline_column([(pair.treatment, pair.baseline) for pair in pairs], factors)
    if against.narrowest_apart > count:
        against = replace(against, cells=[name_cell(_format_bare(pair.baseline, factors)) for pair in pairs])
    return [*named, against]


def _format_bare(treatment: Treatment, factors: Sequence[str]) -> str:
    """Its levels, in the order of the factors."""
    return ",".join(format_level_text(treatment.levels[name]) for name in factors)


def _name_treatment(pair: ProtocolPair, treatment: Treatment) -> str:
    return format_levels_within(treatment, pair.stratum) if pair.stratum else treatment.label


def programs(answer: Answer, width: int) -> list[Line]:
    """Return the paper's tables, where there are several programs."""
    protocol = answer.protocol
    return (
        render_program_tables(protocol.programs, width)
        if isinstance(protocol, ProtocolAnswer) and protocol.programs
        else []
    )


def _describe_used(protocol_answer: ProtocolAnswer) -> str:
    counts = [
        (name, sum(pair.test == test for pair in protocol_answer.pairs)) for test, name in TESTS.items()
    ]
    return ", ".join(f"{name} {count}" for name, count in counts if count) or "no test"


def _test(pair: ProtocolPair) -> Span:
    if pair.test is None:
        return Span("–")
    mark = {"order": " ‡", "degenerate": " †"}.get(str(pair.path), "")
    return Span(TESTS[pair.test] + mark)


def _render_ratio(pair: ProtocolPair) -> Span:
    means = pair.effects.ratio_of_means if pair.effects else None
    return render_ratio_cell(means.value, means.ci95) if means else Span("–")


def _render_interval(pair: ProtocolPair) -> Span:
    means = pair.effects.ratio_of_means if pair.effects else None
    return render_interval_cell(means.value, means.ci95) if means else Span("–")


def _render_better(pair: ProtocolPair, metric: Metric) -> Span:
    above = pair.effects.above if pair.effects else None
    if above is None:
        return Span("–")
    share = above.value if metric.better == "higher" else 1 - above.value
    return Span(f"{100 * share:.0f} %")


def _render_verdict(pair: ProtocolPair, metric: Metric) -> Span:
    if isinstance(pair.path, Undefined):
        return Span("not tested", "open")
    if "too_few" in pair.flags:
        return Span("too few runs", "open")
    if pair.difference == "not_resolved":
        return Span("not resolved", "open")
    better = pair.difference == "faster"
    style: Style = "" if metric.better == "neither" else "good" if better else "bad"
    return Span(format_comparative(metric, better=better), style)


def _pair(comparison: Comparison | None) -> Span:
    return Span("–") if comparison is None else Span(*verdict(comparison))


def marks(answer: Answer, heading: Line, width: int) -> list[Line]:
    """Meanings of the columns of this heading, and of the marks that are used."""
    protocol = answer.protocol
    if not isinstance(protocol, ProtocolAnswer):
        return []
    used = {str(pair.path) for pair in protocol.pairs}
    notes = {
        "order": "‡ Shapes differ (Kolmogorov-Smirnov, centred): the rank test says which runs tend to be "
        f"{'faster' if is_speed(protocol.metric) else 'larger'}, not of a shift.",
        "degenerate": "† A sample is constant or has fewer than three values; only a rank test is left.",
    }
    titles = {span.text.strip() for span in heading}
    columns = [f"{title}: {meaning}" for title, meaning in _MEANINGS.items() if title in titles]
    if any(pair.test == "mann-whitney" for pair in protocol.pairs):
        columns = ["M-W: Mann-Whitney", *columns]
    texts = ["; ".join(columns) + "."] if columns else []
    texts += [note for path, note in notes.items() if path in used]
    if any("vetoed" in pair.flags for pair in protocol.pairs):
        texts.append("Pairs marked ‡ are not counted, as declared (ks_policy).")
    return [line for note in texts for line in render_paragraph(note, width, rest="  ", style="dim")]


def lines(answer: Answer, width: int) -> list[list[Line]]:
    """All parts, to stand after what was measured."""
    rows = pair_table(answer, width)
    return [[*rows, *(marks(answer, rows[0], width) if rows else [])], programs(answer, width)]
