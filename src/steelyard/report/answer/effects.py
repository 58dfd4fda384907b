"""Effects of the factors as text: a table with bars, the largest first, and sentences on interactions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from steelyard.report.answer.effect_words import format_interactions, format_step_text, leads, name_effect
from steelyard.report.answer.words import is_speed
from steelyard.report.text.cells import note_omitted, render_interval_cell, render_p_cell, render_ratio_cell
from steelyard.report.text.digits import bounds, quantity, ratio
from steelyard.report.text.label import columns as columns_of
from steelyard.report.text.label import named_levels, plural, printable
from steelyard.report.text.line import Line, Span, render_paragraph
from steelyard.report.text.table import Column, table
from steelyard.results.analysis import Answer
from steelyard.results.effects import Effect, Factorial

if TYPE_CHECKING:
    from steelyard.core.units import Metric
    from steelyard.results.analysis import Answer
    from steelyard.results.effects import ContrastEffect, Effect, Factorial, LevelEffect, LogEstimate

MOST_ROWS: Final = 15
_LONG_NAME: Final = 34
"""Columns of a terminal beyond which a name is shortened; before that, bars give way."""
_SHOWN: Final = 0.0005
"""Share of the variation that a line of its own is for."""
_BAR: Final = 6
"""Columns that all of the variation would take."""


def lines(answer: Answer, width: int) -> list[Line]:
    """One part for each stratum; nothing where no factors are crossed."""
    output: list[Line] = []
    for effect in answer.effects:
        if output:
            output.append(())
        output += render_paragraph(caption(effect), width, style="heading", only_first=True)
        output += _render_part(effect, width, sentences_lead=leads(answer))
    if output and any(not type_b.measured for type_b in answer.declared.type_b):
        output += _wrap("Errors declared in type_b are part of speedups, not of effects.", width)
    return output


def _render_part(factorial: Factorial, width: int, *, sentences_lead: bool) -> Iterator[Line]:
    """Yield the findings, without their sentences where ``sentences_lead`` says that these stand above."""
    if factorial.undefined is not None:
        text = f"No effects of the factors: {factorial.undefined.words}."
        yield from _wrap(text, width)
        return
    largest = sorted(factorial.effects, key=lambda effect: -effect.share)[:MOST_ROWS]
    yield from table(render_effect_columns(factorial, largest), width)
    if len(factorial.effects) > MOST_ROWS:
        yield (Span(f"… and {len(factorial.effects) - MOST_ROWS} smaller; --json has all."),)
    for sentence in (*(() if sentences_lead else format_interactions(factorial)), *notes(factorial)):
        yield from _wrap(sentence, width)
    yield from _render_level_table(factorial, width)
    yield from _render_contrast_table(factorial, width)


def caption(factorial: Factorial) -> str:
    """Return the metric and stratum, and what effects are estimated from."""
    text = named_levels({**factorial.stratum, **factorial.labels})
    units = "run" if factorial.by == "launch" else factorial.by
    suffix = " of each" if factorial.by == "launch" else ""
    words = f"Effects on {printable(factorial.metric.name)}{f', {text}' if text else ''}"
    rest = f": {plural(factorial.treatments, 'treatment')}"
    if factorial.units:
        rest += f", {plural(factorial.units, units)}{suffix}; ratios of geometric means"
    return words + rest


def render_effect_columns(factorial: Factorial, effects: Sequence[Effect]) -> list[Column]:
    """Return the columns of these effects, and what is left to chance."""
    axes = {axis.name: axis for axis in factorial.axes}
    unassigned = "not assigned" if factorial.kind == "screening" else "other interactions"
    further = {"chance": factorial.rest, unassigned: factorial.unassigned}
    rest = [name for name, share in further.items() if share > _SHOWN]
    shares = [*(effect.share for effect in effects), *(further[name] for name in rest)]
    blank = [Span("") for _ in rest]
    columns = [
        Column(
            "effect",
            [*(Span(name_effect(effect, axes)) for effect in effects), *(Span(name, "dim") for name in rest)],
            right=False,
            is_name=max(columns_of(name_effect(effect, axes)) for effect in effects) > _LONG_NAME,
        ),
        Column(
            _format_ratio_title(factorial.metric),
            [*(render_ratio_cell(_compute_value(e.ratio), e.ci95) for e in effects), *blank],
        ),
    ]
    if any(effect.ci95 for effect in effects):
        columns.append(
            Column(
                "95 % CI",
                [*(render_interval_cell(_compute_value(e.ratio), e.ci95) for e in effects), *blank],
                right=False,
                give_way=1,
            )
        )
    if any(effect.p is not None for effect in effects):
        columns.append(Column("p Holm", [*(_format_p(e) for e in effects), *blank]))
    columns += [
        Column.numbers("variation", (f"{100 * share:.1f} %" for share in shares), give_way=2),
        Column("", [Span(_format_bar(share), "dim") for share in shares], right=False, give_way=3),
    ]
    return columns


def _render_level_table(factorial: Factorial, width: int) -> list[Line]:
    """Levels of factors that have more than two, against their first."""
    if not factorial.levels:
        return []
    effects = factorial.levels[:MOST_ROWS]
    return [
        (),
        *table(render_level_columns(factorial, effects), width),
        *note_omitted(len(factorial.levels) - len(effects)),
    ]


def format_level_name(factorial: Factorial, effect: LevelEffect) -> str:
    """``threads: 1 → 4``."""
    axis = next(axis for axis in factorial.axes if axis.name == effect.factor)
    return f"{printable(axis.name)}: {format_step_text(axis, 0)} → {format_step_text(axis, effect.step)}"


def render_level_columns(factorial: Factorial, effects: Sequence[LevelEffect]) -> list[Column]:
    """Return the columns of these levels."""
    return [
        Column.words("levels", (format_level_name(factorial, effect) for effect in effects), is_name=True),
        Column(
            _format_ratio_title(factorial.metric),
            [render_ratio_cell(_compute_value(effect.ratio), effect.ci95) for effect in effects],
        ),
        Column(
            "95 % CI",
            [render_interval_cell(_compute_value(effect.ratio), effect.ci95) for effect in effects],
            right=False,
            give_way=1,
        ),
    ]


def _render_contrast_table(factorial: Factorial, width: int) -> list[Line]:
    if not factorial.contrasts:
        return []

    def column(effect: ContrastEffect) -> Span:
        return render_ratio_cell(_compute_value(effect.ratio), effect.ci95)

    contrasts = factorial.contrasts
    return [
        (),
        *table(
            [
                Column.words(
                    "contrast",
                    (printable(contrast_effect.name) for contrast_effect in contrasts),
                    is_name=True,
                ),
                Column("ratio", [column(contrast_effect) for contrast_effect in contrasts]),
                Column(
                    "95 % CI",
                    [render_interval_cell(_compute_value(e.ratio), e.ci95) for e in contrasts],
                    right=False,
                    give_way=1,
                ),
                Column("p Holm", [_format_p(contrast_effect) for contrast_effect in contrasts]),
            ],
            width,
        ),
    ]


def notes(factorial: Factorial) -> Iterator[str]:
    """Sentences on what was not judged, and on what cannot be told apart."""
    if factorial.censored:
        yield ("Nothing is judged: runs failed or timed out (not missing at random), or were oversubscribed.")
    elif factorial.effects and all(effect.p is None for effect in factorial.effects):
        if factorial.units == 1:
            yield (
                "One value of each treatment gives no error term: no interval, no test"
                ' (run more blocks, or set unreplicated = "lenth" in [analysis]).'
            )
        else:
            yield "The values do not differ between blocks: without an error term, nothing is tested."
    elif any(effect.method == "lenth-pseudo-se" for effect in factorial.effects):
        yield "Judged by Lenth's pseudo standard error, as declared: most effects are assumed negligible."
    if any(effect.confounded for effect in factorial.effects):
        yield "Effects joined by “or” are one contrast: this fraction cannot tell which of them it is."
    if factorial.kind == "screening":
        yield "A Plackett-Burman design: interactions are not estimated and hide in the main effects."
    if factorial.unmatched:
        lack, count = ("lacks", "counts") if factorial.unmatched == 1 else ("lack", "count")
        yield (
            f"{plural(factorial.unmatched, 'block')} {lack} a value of some treatment and {count} for none."
        )


def _format_ratio_title(metric: Metric) -> str:
    return "speedup" if is_speed(metric) else "× better"


def _format_p(tested: Effect | ContrastEffect) -> Span:
    return render_p_cell(tested.p_holm, "" if tested.resolved else "open")


def _compute_value(ratio: LogEstimate | None) -> float | None:
    return None if ratio is None else ratio.value


def _format_bar(share: float) -> str:
    full, part = divmod(round(8 * _BAR * share), 8)
    return "█" * full + ("▏▎▍▌▋▊▉"[part - 1] if part else "")


def _wrap(text: str, width: int) -> list[Line]:
    return render_paragraph(text, width, rest="  ")


MOST_METRICS: Final = 8
MOST_EFFECTS: Final = 4
"""Of one metric."""
_SHOWN_BESIDE: Final = 0.01
"""Share of the variation from which on an effect is shown; the largest is in any case."""


def render_beside(answer: Answer, width: int) -> list[Line]:
    """Yield for each metric the range of its means, and below it its effects, the largest first."""
    factorials = answer.effects_beside[:MOST_METRICS]
    rows = [
        row
        for factorial in factorials
        for row in (_Row(_format_heading(factorial, answer)), *_make_largest_effects(factorial))
    ]
    columns = [
        Column.words("also measured", (row.name for row in rows), is_name=True),
        Column("× better", [row.ratio for row in rows]),
        Column("95 % CI", [row.interval for row in rows], right=False, give_way=1),
        Column("variation", [row.share for row in rows], give_way=2),
    ]
    rest = note_omitted(len(answer.effects_beside) - len(factorials))
    return [*table(columns, width), *rest]


class _Row:
    """A metric, or one of its effects."""

    def __init__(self, name: str, effect: Effect | None = None) -> None:
        self.name = name
        self.ratio = self.interval = self.share = Span("")
        if effect is not None:
            value = effect.ratio.value if effect.ratio is not None else None
            self.share = Span(f"{100 * effect.share:.1f} %")
            self.ratio = Span("–" if value is None else ratio(value, effect.ci95))
            self.interval = Span("–" if value is None or effect.ci95 is None else bounds(value, effect.ci95))


def _format_heading(factorial: Factorial, answer: Answer) -> str:
    text = named_levels({**factorial.stratum, **factorial.labels})
    return ", ".join(filter(None, [printable(factorial.metric.name), text, _format_means(factorial, answer)]))


def _format_means(factorial: Factorial, answer: Answer) -> str:
    """``4.59 ms to 9.18 ms``."""
    summaries = [
        sample.summary
        for sample in answer.samples
        if sample.metric.name == factorial.metric.name
        and dict(sample.labels) == dict(factorial.labels)
        and all(sample.treatment.levels.get(name) == level for name, level in factorial.stratum.items())
    ]
    means = sorted((summary.mean, summary.u) for summary in summaries if summary.mean is not None)
    if not means:
        return "no mean"
    ends = [quantity(mean, factorial.metric.unit, u) for mean, u in (means[0], means[-1])]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def _make_largest_effects(factorial: Factorial) -> Sequence[_Row]:
    axes = {axis.name: axis for axis in factorial.axes}
    largest = sorted(factorial.effects, key=lambda effect: -effect.share)
    effects = [effect for i, effect in enumerate(largest) if i == 0 or effect.share >= _SHOWN_BESIDE][
        :MOST_EFFECTS
    ]
    return [_Row(f"  {name_effect(effect, axes)}", effect) for effect in effects]
