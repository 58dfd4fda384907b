"""Factors: what each explains of the variation, how strong it is, and which interact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from steelyard.report.answer.effect_words import format_interactions, format_step_text
from steelyard.report.answer.effect_words import name_effect as effect_name
from steelyard.report.answer.effects import (
    caption,
    format_level_name,
    notes,
    render_effect_columns,
    render_level_columns,
)
from steelyard.report.page.chart import (
    ACCENT,
    GRID,
    MOST_INSIDE,
    Chart,
    Section,
    data,
    draw_rows_axis,
    name_shared,
    number,
    place_at_end,
    rows_px,
    tooltip,
)
from steelyard.report.page.forest import Estimated, forest, render_forest_columns, rows
from steelyard.report.page.marks import colour_scale, mark
from steelyard.report.text.label import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steelyard.report.text.line import Style
    from steelyard.results.analysis import Answer
    from steelyard.results.effects import Effect, Factorial, LogEstimate
    from steelyard.results.interval import Interval

MOST: Final = 30
"""Effects of a chart, the largest first; the table has all."""
_CHANCE: Final = "chance"


def section(answer: Answer) -> Section | None:
    """One set of charts for each stratum; ``None`` where no factors are crossed."""
    if not answer.effects:
        return None
    charts = tuple(
        chart
        for i, factorial in enumerate(answer.effects, 1)
        if factorial.effects
        for chart in _draw_charts(factorial, i)
    )
    sentences_of = tuple(
        f"{caption(effect)}: {effect.undefined.words}."
        for effect in answer.effects
        if effect.undefined is not None
    )
    about = (
        sentence for effect in answer.effects for sentence in (*format_interactions(effect), *notes(effect))
    )
    return Section("factors", "Factors and interactions", (*sentences_of, *dict.fromkeys(about)), charts)


def _draw_charts(factorial: Factorial, i: int) -> Iterator[Chart]:
    axes = {axis.name: axis for axis in factorial.axes}
    largest = sorted(factorial.effects, key=lambda effect: -effect.share)
    yield _draw_variation(factorial, largest, i)
    estimated = [
        row
        for effect in largest[:MOST]
        if (row := _make_row(effect_name(effect, axes), effect.ratio, effect.ci95, _make_style(effect)))
        is not None
    ]
    if estimated:
        chart = Chart(
            name=f"effects-of-factors-{i}",
            title="How strong each is",
            about="Right of 1 the second level is better; of an interaction, by how much the speedup of one"
            " factor grows with the other. Thick: 95 % confidence interval; grey: not resolved.",
            spec=forest(estimated, "ratio"),
            data={"rows": rows(estimated)},
            columns=render_forest_columns(estimated, "effect"),
        )
        yield name_shared(chart, [row.name for row in estimated])
    levels = [
        row
        for level in factorial.levels
        if (row := _make_row(format_level_name(factorial, level), level.ratio, level.ci95)) is not None
    ]
    if levels:
        chart = Chart(
            name=f"levels-{i}",
            title="Levels against the first",
            about="Over all levels of the other factors; intervals of 95 %, no verdicts.",
            spec=forest(levels[:MOST], "ratio"),
            data={"rows": rows(levels[:MOST])},
            columns=tuple(render_level_columns(factorial, factorial.levels)),
        )
        yield name_shared(chart, [row.name for row in levels[:MOST]])
    conditional = []
    for conditional_effect in factorial.conditional:
        first, second = axes[conditional_effect.factor], axes[conditional_effect.at]
        name = (
            f"{printable(first.name)}: {format_step_text(first, 0)} → {format_step_text(first, 1)}"
            f"  at  {printable(second.name)} = {format_step_text(second, conditional_effect.step)}"
        )
        if (row := _make_row(name, conditional_effect.ratio, conditional_effect.ci95)) is not None:
            conditional.append(row)
    if conditional:
        chart = Chart(
            name=f"interactions-{i}",
            title="Factors that interact: one at each level of the other",
            about="Without an interaction, the dots of a factor would lie in one line. Intervals of 95 %.",
            spec=forest(conditional[:MOST], "ratio"),
            data={"rows": rows(conditional[:MOST])},
            columns=render_forest_columns(conditional, "factor"),
        )
        yield name_shared(chart, [row.name for row in conditional[:MOST]])


def _draw_variation(factorial: Factorial, largest: list[Effect], i: int) -> Chart:
    axes = {axis.name: axis for axis in factorial.axes}
    bars: list[dict[str, Any]] = [
        {"name": effect_name(e, axes), "share": e.share, "kind": "effect"} for e in largest[:MOST]
    ]
    if (rest := sum(effect.share for effect in largest[MOST:])) > 0:
        bars.append({"name": "all smaller ones", "share": rest, "kind": "rest"})
    bars.append({"name": _CHANCE, "share": factorial.rest, "kind": "rest"})
    if factorial.unassigned > 0:
        bars.append({"name": "not assigned to an effect", "share": factorial.unassigned, "kind": "rest"})
    for bar in bars:
        bar["says"] = f"{100 * bar['share']:.1f} %"
    x = number("share", "share of the variation", axis={"format": "%", "tickCount": 5}, scale={"zero": True})
    y = draw_rows_axis([bar["name"] for bar in bars])
    colour = colour_scale("kind", {"effect": ACCENT, "rest": GRID}, legend=None)
    bar_of = {"x": x, "y": y, "color": colour, "tooltip": tooltip(name="effect", says="share")}
    few = len(bars) <= MOST_INSIDE
    says = mark("text", {"x": x, "y": y, "text": {"field": "says"}}, align="left", dx=5)
    layers = [
        mark("bar", bar_of, height={"band": 0.3 if few else 0.7}),
        place_at_end("says", y) if few else says,
    ]
    chart = Chart(
        name=f"variation-{i}",
        title=caption(factorial),
        about="What each effect explains of the variation of the logarithms.",
        spec={"data": data("rows"), "height": rows_px(len(bars)), "layer": layers},
        data={"rows": bars},
        columns=tuple(render_effect_columns(factorial, largest)),
    )
    return name_shared(chart, [bar["name"] for bar in bars])


def _make_row(
    name: str, estimate: LogEstimate | None, interval: Interval | None, style: Style | None = None
) -> Estimated | None:
    if estimate is None or estimate.value is None:
        return None
    excludes = interval is not None and interval.excludes(1)
    colour: Style = ("good" if estimate.value > 1 else "bad") if excludes else "open"
    return Estimated(name, estimate.value, interval, colour if style is None else style)


def _make_style(effect: Effect) -> Style:
    if not effect.resolved or effect.ratio is None:
        return "open"
    return "good" if effect.ratio.log > 0 else "bad"
