"""Sweeps: a metric, its speedups and its uncertainty over a numeric factor.

There is a line for each combination of the others. Where several numbers grow together, as a problem does
with the ranks that work on it, that is weak scaling: Figures 4 to 12 of Firoz et al. 2016 (DOI
10.1145/2851553.2851573).
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import msgspec

from steelyard.core.units import is_number
from steelyard.report.answer.tables import primary
from steelyard.report.page.chart import (
    ACCENT,
    SERIES,
    Chart,
    Rows,
    Section,
    data,
    number,
    tooltip,
    unless_chosen,
)
from steelyard.report.page.marks import colour_scale, mark, point, series_scale
from steelyard.report.page.ratio_axis import make_ratio_axis
from steelyard.report.text.digits import percent, quantity, ratio, scale
from steelyard.report.text.label import format_level_text, named_levels, printable
from steelyard.report.text.table import Column

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from steelyard.core.units import Scalar
    from steelyard.report.answer.words import Names
    from steelyard.results.analysis import Answer
    from steelyard.results.samples import Described

    Levels = Mapping[str, Scalar]

LEAST: Final = 3
"""Levels from which on a line says more than a row for each."""
MOST_LINES: Final = 2 * len(SERIES)
"""Lines that are told apart: by colour, and from the seventh on by dashes too."""
LONG: Final = 24
"""Letters of a name from which on each has a line of the legend to itself."""


class Sweep(msgspec.Struct, frozen=True):
    """Numeric factors whose levels come in the same order: one of them, or several that are linked.

    Attributes
    ----------
    names : tuple of str
        The first is the one that charts go along.
    varied : tuple of str
        The other factors that have several levels.
    """

    names: tuple[str, ...]
    varied: tuple[str, ...]

    @property
    def along(self) -> str:
        """The title of the axis."""
        first, *rest = map(printable, self.names)
        return f"{first}, and {', '.join(rest)} with it" if rest else first

    def x(self, levels: Levels) -> Scalar:
        """Where a treatment stands."""
        return levels[self.names[0]]

    def series(self, levels: Levels) -> str:
        """Return the line that a treatment is of."""
        return ", ".join(f"{printable(k)}={format_level_text(levels[k])}" for k in self.varied if k in levels)

    def link_levels(self, levels: Levels) -> str:
        """Return the levels that are linked with that of the axis."""
        return named_levels({name: levels[name] for name in self.names[1:]})


def sections(answer: Answer, called: Names) -> Iterator[Section]:
    """Weak scaling, where numbers grow together, and every other numeric factor that is swept."""
    samples = [description for description in primary(answer) if description.summary.mean is not None]
    sweeps = list(_list_sweeps([_get_levels(sample.treatment.levels, sample.labels) for sample in samples]))
    for name, title, members in (
        ("weak-scaling", "Weak scaling", [sweep for sweep in sweeps if len(sweep.names) > 1]),
        ("sweeps", "Sweeps", [sweep for sweep in sweeps if len(sweep.names) == 1]),
    ):
        charts = [chart for sweep in members for chart in _draw_charts(answer, samples, sweep, called)]
        if charts:
            yield Section(name, title, charts=tuple(charts))


def _draw_charts(
    answer: Answer, samples: Sequence[Described], sweep: Sweep, called: Names
) -> Iterator[Chart]:
    yield _draw_means(answer, samples, sweep, called)
    if (speedups := _draw_speedups(answer, sweep, called)) is not None:
        yield speedups
    if len(sweep.names) > 1:
        yield _draw_uncertainties(samples, sweep, called)


def _get_levels(levels: Levels, labels: Levels) -> dict[str, Scalar]:
    return {**levels, **labels}


def _list_sweeps(every: Sequence[Levels]) -> Iterator[Sweep]:
    """Yield the numeric factors with enough levels.

    Those whose levels belong to each other in order come together.
    """
    names = list(dict.fromkeys(name for levels in every for name in levels))
    texts = [name for name in names if _swept([levels.get(name) for levels in every])]
    varied = [
        name for name in names if len({format_level_text(levels.get(name, "")) for levels in every}) > 1
    ]
    while texts:
        first, *rest = texts
        linked = (first, *(name for name in rest if _grow_together(every, first, name)))
        texts = [name for name in rest if name not in linked]
        yield Sweep(linked, tuple(name for name in varied if name not in linked))


def _swept(levels: Sequence[Scalar | None]) -> bool:
    numbers = {level for level in levels if level is not None and is_number(level)}
    return len(numbers) >= LEAST and all(level is not None and is_number(level) for level in levels)


def _grow_together(every: Sequence[Levels], first: str, second: str) -> bool:
    pairs = sorted({(float(levels[first]), float(levels[second])) for levels in every})
    return all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(pairs))


def _draw_means(answer: Answer, samples: Sequence[Described], sweep: Sweep, called: Names) -> Chart:
    unit = scale([sample.summary.mean or 0 for sample in samples], [], answer.metric.unit)
    rows: list[dict[str, Any]] = []
    for description in samples:
        mean, s = description.summary.mean or 0.0, description.summary.s or 0.0
        says = {"says": quantity(mean, answer.metric.unit, description.summary.u)}
        rows.append(
            _draw_row(description, sweep, called)
            | {"y": mean / unit.factor, "low": (mean - s) / unit.factor, "high": (mean + s) / unit.factor}
            | says
            | {"s": quantity(s, answer.metric.unit, s)}
        )
    title = f"mean {printable(answer.metric.name)}{f' ({unit.unit})' if unit.unit else ''}"
    return _draw_chart(
        f"sweep-{_format_plain(sweep.names[0])}",
        f"{printable(answer.metric.name)} over {sweep.along}",
        "Means; lines reach one standard deviation σ of single runs up and down.",
        rows,
        sweep,
        title,
        {"says": "mean", "s": "σ"},
    )


def _draw_speedups(answer: Answer, sweep: Sweep, called: Names) -> Chart | None:
    speedups = [
        (comparison, comparison.adjusted) for comparison in answer.judged if comparison.adjusted is not None
    ]
    every = [_get_levels(comparison.treatment.levels, comparison.labels) for comparison, _ in speedups]
    if not _swept([levels.get(sweep.names[0]) for levels in every]):
        return None
    rows: list[dict[str, Any]] = []
    for (speedup, it), levels in zip(speedups, every, strict=True):
        row = {
            "x": sweep.x(levels),
            "with": sweep.link_levels(levels),
            "y": it.value,
            "series": sweep.series(levels),
            "treatment": speedup.treatment.label,
            "called": called[speedup.treatment.label],
            "says": ratio(it.value, it.ci95) + " ×",
            "u": f"{it.u:.2g}",
            "spread": f"{it.spread:.2g}" if math.isfinite(it.spread) else "–",
        }
        if math.isfinite(it.spread):
            row |= {"low": it.value - it.spread, "high": it.value + it.spread}
        rows.append(row)
    ends = [row[name] for row in rows for name in ("low", "y", "high") if name in row]
    return _draw_chart(
        f"speedup-over-{_format_plain(sweep.names[0])}",
        f"Adjusted speedup over {sweep.along}",
        "The ratio of means; lines reach the spread that one future run of each would have (with its standard"
        " error in the table of adjusted speedups).",
        rows,
        sweep,
        "adjusted speedup",
        {"says": "ratio of means", "u": "standard error", "spread": "spread of one run of each"},
        make_ratio_axis("y", None, ends),
    )


def _draw_uncertainties(samples: Sequence[Described], sweep: Sweep, called: Names) -> Chart:
    rows = [
        _draw_row(sample, sweep, called)
        | {"y": 100 * sample.summary.rsu, "says": percent(sample.summary.rsu)}
        for sample in samples
        if sample.summary.rsu is not None
    ]
    chart = _draw_chart(
        f"rsu-over-{_format_plain(sweep.names[0])}",
        f"Relative standard uncertainty over {sweep.along}",
        "RSU: the standard uncertainty of a mean over the mean. Where it leaps, single runs or instances"
        " differ from the others.",
        rows,
        sweep,
        "RSU (%)",
        {"says": "RSU"},
    )
    return msgspec.structs.replace(chart, empty="" if rows else "No mean has an uncertainty.")


def _draw_row(sample: Described, sweep: Sweep, called: Names) -> dict[str, Any]:
    levels = _get_levels(sample.treatment.levels, sample.labels)
    return {
        "x": sweep.x(levels),
        "with": sweep.link_levels(levels),
        "series": sweep.series(levels),
        "treatment": sample.treatment.label,
        "called": called[sample.treatment.label],
    }


def _draw_chart(
    name: str,
    title: str,
    about: str,
    rows: Rows,
    sweep: Sweep,
    y: str,
    fields: Mapping[str, str],
    look: Mapping[str, Any] | None = None,
) -> Chart:
    of_y = {key: look[key] for key in ("scale", "axis")} if look else {}
    linked = {"with": "with"} if len(sweep.names) > 1 else {}
    return Chart(
        name=name,
        title=title,
        about=about,
        spec=lines(rows, sweep.along, y, tooltip(called="treatment", **linked, **fields), **of_y),
        data={"rows": rows},
        columns=(
            Column.words("treatment", (row["called"] for row in rows)),
            Column.numbers(printable(sweep.names[0]), (f"{row['x']:g}" for row in rows)),
            *([Column.words("with", (row["with"] for row in rows))] if linked else []),
            *(Column.numbers(head, (row[field] for row in rows)) for field, head in fields.items()),
        ),
        rows_of=tuple(row["treatment"] for row in rows),
    )


def lines(
    rows: Rows,
    across: str,
    title: str,
    hover: list[dict[str, str]],
    *,
    scale: Mapping[str, Any] | None = None,
    axis: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a line for each ``series`` of the rows, over ``x``.

    Lines have bars where rows have ``low`` and ``high``.

    Parameters
    ----------
    scale, axis : Mapping, optional
        Of ``y``, linear by default.
    """
    of_y = {"scale": dict(scale or {}), **({"axis": dict(axis)} if axis else {})}
    names = list(dict.fromkeys(row["series"] for row in rows))
    xs = sorted({row["x"] for row in rows})
    wide = {"type": "log", "base": 2} if xs and xs[0] > 0 and xs[-1] >= 8 * xs[0] else {"type": "linear"}
    x = number("x", across, scale={**wide, "nice": False, "padding": 12}, axis={"values": xs[:24]})
    looks: dict[str, Any] = {"color": {"value": ACCENT}}
    if 1 < len(names) <= MOST_LINES:
        looks = _draw_looks(names)
    dashes = {"strokeDash": looks.pop("strokeDash")} if "strokeDash" in looks else {}
    shared = {"x": x, **looks, "detail": {"field": "series"}}
    y, low = (number(field, title, **of_y) for field in ("y", "low"))
    bars = {**shared, "y": low, "y2": {"field": "high"}, "opacity": unless_chosen(0.6, 0.1)}
    dots = {**shared, "y": y, "opacity": unless_chosen(1.0, 0.15), "tooltip": hover}
    layers = [
        *(
            [mark("rule", bars, condition="low", strokeWidth=1.4)]
            if any("low" in row for row in rows)
            else []
        ),
        mark("line", {**shared, **dashes, "y": y}, strokeWidth=1.6, opacity=0.8),
        point(dots, 48),
    ]
    return {"data": data("rows"), "height": 260, "layer": layers}


def _draw_looks(names: Sequence[str]) -> dict[str, Any]:
    """Return a colour for each line, and from the seventh on dashes."""
    count = len(SERIES)
    strokes = {"symbolType": "stroke", "symbolStrokeWidth": 2} if len(names) > count else {}
    legend = {"columns": 1 if max(map(len, names)) > LONG else 3} | strokes
    looks = {"color": series_scale("series", names, legend=legend)}
    if len(names) > count:
        dashes = {name: [1, 0] if i < count else [4, 3] for i, name in enumerate(names)}
        looks["strokeDash"] = colour_scale("series", dashes, legend=legend)
    return looks


def _format_plain(name: str) -> str:
    """Return a name for files and places of a page."""
    return "".join(char if char.isascii() and char.isalnum() else "-" for char in name).lower()
