"""The section of the page: contributions with intervals, and both flame graphs, coloured where resolved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from steelyard.core.units import format_duration
from steelyard.extensions.explain.flame import Block, lay_out
from steelyard.extensions.explain.results import Contribution, Explanation
from steelyard.extensions.explain.text import (
    format_value,
    list_cautions,
    name_source,
    write_headline,
    write_trust,
    write_validation,
)
from steelyard.report.page.chart import (
    BETTER,
    MOST_INSIDE,
    OPEN,
    PAGE,
    WORSE,
    Chart,
    Section,
    Spec,
    data,
    draw_rows_axis,
    number,
    place_at_end,
    rows_px,
    tooltip,
)
from steelyard.report.page.marks import colour_scale, line_at, mark, point
from steelyard.report.text.label import printable, shorten
from steelyard.report.text.table import Column

_MOST_ROWS: Final = 12
_DEEPEST: Final = 24
_NARROWEST: Final = 0.004
_ROW_PX: Final = 19
_CHARACTERS: Final = 56
"""That fit into the width of a chart on the narrowest page."""
_MEANS: Final = {"slower": WORSE, "faster": BETTER, "not resolved": OPEN}


def section(explanation: Explanation) -> Section:
    """Return the section of an explanation."""
    charts = [_draw_contributions(explanation)] if explanation.contributions else []
    for by_new in (True, False):
        blocks = _lay_out(explanation, by_new=by_new)
        charts += [_draw_flames(explanation, blocks, by_new=by_new)] if blocks else []
    return Section(
        "explanation",
        "Why",
        tuple(
            f"{text[0].upper()}{text[1:]}."
            for text in (
                write_headline(explanation),
                write_trust(explanation),
                *map(write_validation, explanation.validations),
            )
        ),
        tuple(charts),
        notes=tuple(list_cautions(explanation)),
    )


def _means(entry: Contribution | None, explanation: Explanation) -> str:
    if entry is None or entry not in explanation.named:
        return "not resolved"
    return "slower" if entry.value > 0 else "faster"


def _draw_contributions(explanation: Explanation) -> Chart:
    entries = explanation.contributions[:_MOST_ROWS]
    names = _list_names(entries)
    rows = [
        {
            "name": name,
            "value": 100 * entry.value,
            "low": 100 * (entry.ci95.low if entry.ci95 else entry.value),
            "high": 100 * (entry.ci95.high if entry.ci95 else entry.value),
            "means": _means(entry, explanation),
            "says": format_value(entry.value, None if entry.ci95 is None else entry.ci95),
        }
        for name, entry in zip(names, entries, strict=True)
    ]
    y = draw_rows_axis(names)
    used = {row["means"] for row in rows}
    color = colour_scale("means", {name: colour for name, colour in _MEANS.items() if name in used})

    def encode(field: str) -> dict[str, Any]:
        return number(field, "% of the time of the old program")

    shared = {"y": y, "color": color}
    spec: Spec = {
        "data": data("rows"),
        "height": rows_px(len(rows)),
        "layer": [
            line_at(0, "x", encode),
            mark(
                "rule",
                {**shared, "x": encode("low"), "x2": {"field": "high"}},
                strokeWidth=5,
                strokeCap="round",
            ),
            point(
                {**shared, "x": encode("value"), "tooltip": tooltip(name="function", says="contribution")},
                75,
                opacity=1,
            ),
            *([place_at_end("says", y)] if len(rows) <= MOST_INSIDE else []),
        ],
    }
    return Chart(
        name="contributions",
        title="What each function adds to the difference",
        about="Own time, with 95 % intervals; those of named functions allow for their being named.",
        spec=spec,
        data={"rows": rows},
        columns=_list_columns(explanation),
    )


def _list_names(entries: Sequence[Contribution]) -> list[str]:
    """List names that tell functions apart."""
    names = [printable(entry.name) for entry in entries]
    return [
        f"{name} ({name_source(entry) or i})" if names.count(name) > 1 else name
        for i, (name, entry) in enumerate(zip(names, entries, strict=True), 1)
    ]


def _list_columns(explanation: Explanation) -> tuple[Column, ...]:
    entries = explanation.contributions
    return (
        Column.words("function", (printable(entry.name) for entry in entries)),
        Column.words("place", (printable(name_source(entry)) for entry in entries)),
        Column.numbers("contribution", (format_value(entry.value, entry.ci95) for entry in entries)),
        Column.words("verdict", (_means(entry, explanation) for entry in entries)),
        Column.numbers("own, old", (format_duration(entry.old_s) for entry in entries)),
        Column.numbers("own, new", (format_duration(entry.new_s) for entry in entries)),
        Column.numbers("inclusive, old", (format_duration(entry.inclusive_old_s) for entry in entries)),
        Column.numbers("inclusive, new", (format_duration(entry.inclusive_new_s) for entry in entries)),
        Column.numbers("p (family)", (f"{entry.p:.3f}" for entry in entries)),
    )


def _lay_out(explanation: Explanation, *, by_new: bool) -> list[Block]:
    chains = ((node.chain, node.old_s, node.new_s) for node in explanation.chains)
    return lay_out(chains, by_new=by_new, narrowest=_NARROWEST, deepest=_DEEPEST)


def _draw_flames(explanation: Explanation, blocks: Sequence[Block], *, by_new: bool) -> Chart:
    by_name = {(entry.name, entry.place): entry for entry in explanation.contributions}
    depths = [str(depth) for depth in range(1 + max(block.depth for block in blocks))]
    rows = [
        {
            "depth": str(block.depth),
            "start": 100 * block.start,
            "end": 100 * block.end,
            "middle": 50 * (block.start + block.end),
            "name": printable(block.function.name),
            "label": _fit(printable(block.function.name), block.end - block.start),
            "means": _means(by_name.get((block.function.name, block.function.place)), explanation),
            "times": f"{format_duration(block.old_s)} in OLD, {format_duration(block.new_s)} in NEW",
        }
        for block in blocks
    ]
    arm = "new" if by_new else "old"
    y = {
        "field": "depth",
        "type": "nominal",
        "sort": None,
        "axis": None,
        "scale": {"type": "band", "paddingInner": 0, "paddingOuter": 0, "domain": depths},
    }
    x = number(
        "start",
        f"time of the {arm} program (%)",
        scale={"nice": False, "domain": [0, 100]},
        axis={"grid": False},
    )
    used = {row["means"] for row in rows}
    color = colour_scale("means", {name: colour for name, colour in _MEANS.items() if name in used})
    says = tooltip(name="function", times="time with what it calls", means="own time")
    spec: Spec = {
        "data": data("rows"),
        "height": _ROW_PX * len(depths),
        "layer": [
            mark(
                "rect",
                {"x": x, "x2": {"field": "end"}, "y": y, "color": color, "tooltip": says},
                height=_ROW_PX - 2,
                binSpacing=1,
                cornerRadius=1,
            ),
            mark(
                "text",
                {"x": {**x, "field": "middle"}, "y": y, "text": {"field": "label"}},
                condition="datum.label != ''",
                color=PAGE,
                align="center",
            ),
        ],
    }
    return Chart(
        name=f"flames-{arm}",
        title=f"Call chains of the {arm} program",
        about="Callers above what they call; as wide as the time with what is called. Coloured where a"
        " function's own time is shown to differ, grey where it is not.",
        spec=spec,
        data={"rows": rows},
        columns=(
            Column.words(
                "function",
                ("· " * block.depth + printable(shorten(block.function.name, 48)) for block in blocks),
            ),
            Column.numbers("old", (format_duration(block.old_s) for block in blocks)),
            Column.numbers("new", (format_duration(block.new_s) for block in blocks)),
            Column.words("own time", (str(row["means"]) for row in rows)),
        ),
    )


def _fit(name: str, share: float) -> str:
    """Return as much of a name as its rectangle has room for, if any is worth it."""
    room = int(share * _CHARACTERS)
    return shorten(name, room) if room >= 4 else ""
