"""Problem instances: what of the spread is theirs and what that of runs, and which instance stands out.

Table 1 of Firoz et al. 2016 (DOI 10.1145/2851553.2851573), and the question of its § 5.2.4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from steelyard.extensions.page.columns import described_name
from steelyard.report.answer.tables import primary
from steelyard.report.page.chart import (
    ACCENT,
    GRID,
    MOST_INSIDE,
    SERIES,
    WORSE,
    Chart,
    Section,
    data,
    draw_rows_axis,
    name_shared,
    number,
    place_at_end,
    rows_px,
    tooltip,
    unless_chosen,
)
from steelyard.report.page.marks import colour_scale, line_at, point
from steelyard.report.text.digits import percent, quantity
from steelyard.report.text.label import format_level_text, printable
from steelyard.report.text.table import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steelyard.report.answer.words import Names
    from steelyard.results.analysis import Answer
    from steelyard.results.samples import Described, Drill

MOST: Final = 30
"""Treatments of a chart; the tables have all."""

_Drilled = tuple[str, "Described", "Drill"]
"""A sample by its short name."""


def section(answer: Answer, called: Names) -> Section | None:
    """Both charts; ``None`` where no sample holds several instances."""
    drilled: list[_Drilled] = [
        (described_name(description, called), description, description.drill)
        for description in primary(answer)
        if description.drill is not None
    ]  # fmt: skip
    if not drilled:
        return None
    factor = printable(drilled[0][2].factor)
    rest = (f"The first {MOST} of {len(drilled)} treatments are drawn; the tables have all.",)
    notes = rest if len(drilled) > MOST else ()
    return Section(
        "instances", "Problem instances", notes, (_draw_parts(drilled, factor), _draw_each(drilled, factor))
    )


def _draw_parts(drilled: Sequence[_Drilled], factor: str) -> Chart:
    """Return the sum of squares by instance and by run."""
    text = f"{factor} (instances)" if factor in ("runs", "rest") else factor
    parts = {text: SERIES[0], "runs": SERIES[1], "rest": GRID}
    rows: list[dict[str, Any]] = [
        {
            "name": name,
            "treatment": sample.treatment.label,
            "part": part,
            "share": share,
            "order": order,
            "says": percent(share),
        }
        for name, sample, drill in drilled[:MOST]
        for order, (part, share) in enumerate(
            zip(parts, (drill.between, drill.runs, drill.rest), strict=True)
        )
    ]
    y = draw_rows_axis([name for name, *_ in drilled[:MOST]])
    few = len(drilled) <= MOST_INSIDE
    chart = Chart(
        name="spread-by-instance",
        title=f"What the spread is made of: {factor} against runs",
        about="Shares of the sum of squares around the mean: of the instances, of what all instances of a run"
        " share, and of the rest, which differs from run to run and from instance to instance.",
        spec={
            "data": data("rows"),
            "height": rows_px(min(MOST, len(drilled))),
            "mark": {"type": "bar", "height": {"band": 0.3 if few else 0.7}},
            "encoding": {
                "x": number(
                    "share",
                    "share of the sum of squares",
                    stack="zero",
                    axis={"format": "%", "tickCount": 5},
                    scale={"zero": True, "domain": [0, 1]},
                ),
                "y": y,
                "color": colour_scale("part", parts),
                "order": {"field": "order", "type": "quantitative"},
                "opacity": unless_chosen(1.0, 0.2),
                "tooltip": tooltip(name="treatment", part="part", says="share"),
            },
        },
        data={"rows": rows},
        columns=(
            Column.words("treatment", (name for name, *_ in drilled)),
            Column.numbers(factor, (percent(drill.between) for *_, drill in drilled)),
            Column.numbers("runs", (percent(drill.runs) for *_, drill in drilled)),
            Column.numbers("rest", (percent(drill.rest) for *_, drill in drilled)),
        ),
        rows_of=tuple(sample.treatment.label for _, sample, _ in drilled),
    )
    return name_shared(chart, [name for name, *_ in drilled[:MOST]])


def _draw_each(drilled: Sequence[_Drilled], factor: str) -> Chart:
    """Each instance against the mean of all, the one that carries most of the spread named."""
    rows: list[dict[str, Any]] = []
    facts: list[dict[str, Any]] = []
    for name, sample, drill in drilled[:MOST]:
        common = {"name": name, "treatment": sample.treatment.label}
        rows += [common | row for row in _draw_rows(sample, drill)]
        most = drill.largest
        says = f"{format_level_text(most.level)} carries {percent(most.share)}"
        facts.append(common | {"says": says})
    y = draw_rows_axis([name for name, *_ in drilled[:MOST]])

    def x(field: str) -> dict[str, Any]:
        return number(field, "against the mean of all instances (%)", axis={"tickCount": 6})

    hover = tooltip(name="treatment", instance=factor, mean="mean", says="against all", share="of the spread")
    colour = colour_scale("most", {"most": WORSE, "less": ACCENT}, legend=None)
    dots = {"x": x("against"), "y": y, "color": colour, "opacity": unless_chosen(0.9, 0.08), "tooltip": hover}
    layers = [line_at(0, "x", x), point(dots, 55, rows="rows")]
    if len(facts) <= MOST_INSIDE:
        layers.append({"data": data("told"), **place_at_end("says", y)})
    flat = [(name, sample, row) for name, sample, drill in drilled for row in _draw_rows(sample, drill)]
    chart = Chart(
        name="each-instance",
        title=f"Each {factor}",
        about="A dot is the mean of one instance over its runs; orange: the one that carries most of the"
        " spread.",
        spec={"height": rows_px(len(facts)), "layer": layers},
        data={"rows": rows, "told": facts},
        columns=(
            Column.words("treatment", (name for name, *_ in flat)),
            Column.words(factor, (row["instance"] for *_, row in flat)),
            Column.numbers("mean", (row["mean"] for *_, row in flat)),
            Column.numbers("against the mean of all", (row["says"] for *_, row in flat)),
            Column.numbers("share of the spread", (row["share"] for *_, row in flat)),
        ),
        rows_of=tuple(sample.treatment.label for _, sample, _ in flat),
    )
    return name_shared(chart, [name for name, *_ in drilled[:MOST]])


def _draw_rows(sample: Described, drill: Drill) -> list[dict[str, Any]]:
    mean = sample.summary.mean or 0.0
    points = []
    for share in drill.shares:
        against = 100 * (share.mean / mean - 1) if mean else 0.0
        points.append(
            {
                "instance": format_level_text(share.level),
                "against": against,
                "says": f"{against:+.1f} %",
                "mean": quantity(share.mean, sample.metric.unit, abs(share.mean) * 1e-3),
                "share": percent(share.share),
                "most": "most" if share is drill.largest else "less",
            }
        )
    return points
