"""Charts of a study."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from steelyard.api.charts import (
    BETTER,
    OPEN,
    WORSE,
    Chart,
    Rows,
    colour_scale,
    data_set,
    height_of_rows,
    line_chart,
    make_ratio_axis,
    mark,
    numeric,
    point,
    series_scale,
)

_NUMBER: Final = re.compile(r"[-+]?[\d,]*\.?\d+(e[-+]?\d+)?")
RANKS: Final = {"match": BETTER, "approximate": OPEN, "none": WORSE}


def value(cell: str) -> float | None:
    """The first number of a cell; ``None`` without one."""
    match = _NUMBER.search(cell)
    return float(match.group().replace(",", "")) if match else None


def read_number(cell: str) -> float:
    """The first number of a cell that has one.

    Raises
    ------
    ValueError
        It has none.
    """
    result = value(cell)
    if result is None:
        raise ValueError(f"there is no number in {cell!r}")
    return result


def points(
    rows: Iterable[Mapping[str, str]], columns: Mapping[str, float], series: Sequence[str]
) -> list[dict[str, Any]]:
    """Points of lines: of each row the columns, at their ``x``; ``series`` name its line."""
    return [
        {"series": ", ".join(row[name] for name in series), "x": x, "y": y}
        for row in rows
        for column, x in columns.items()
        if (y := value(row.get(column, ""))) is not None
    ]


def _colour_series(rows: Rows) -> dict[str, Any]:
    """A colour for each series of the rows, in their order."""
    return series_scale("series", (row["series"] for row in rows), legend={"columns": 2})


def over(
    name: str,
    rows: Rows,
    across: str,
    title: str,
    *,
    scale: Mapping[str, Any] | None = None,
    axis: Mapping[str, Any] | None = None,
) -> Chart:
    """A chart of lines."""
    spec = line_chart(rows, across, title, [], scale=scale, axis=axis)
    return Chart(name=name, title=name, about="", spec=spec, data={"rows": rows})


LOG: Final = {"type": "log"}


def beside_published(name: str, ours: Rows, published: Rows, across: str, title: str) -> Chart:
    """Draw our points, and dashed what a paper published of the same ``series``, in the same frame.

    Parameters
    ----------
    ours, published : Rows
        ``series``, ``x`` and ``y``; both on logarithmic axes.
    """
    colour = _colour_series([*ours, *published])
    x = numeric("x", across, scale={"type": "log", "base": 2, "nice": False, "padding": 12})
    y = numeric("y", title, scale={"type": "log", "nice": False, "padding": 12})
    encoding = {"x": x, "y": y, "color": colour}
    layers = [
        mark("line", encoding, rows="published", strokeDash=[5, 4], strokeWidth=1.4),
        mark("line", encoding, rows="rows", strokeWidth=1.2),
        point(encoding, 40, rows="rows"),
    ]
    spec = {"height": 260, "layer": layers}
    return Chart(name=name, title=name, about="", spec=spec, data={"rows": ours, "published": published})


def ranks(name: str, cells: Sequence[Mapping[str, str]]) -> Chart:
    """How cells of tables are ranked: ``row``, ``column``, ``rank`` and the text of each."""
    axis = {"title": None, "labelAngle": 0, "domain": False, "ticks": False, "labelLimit": 200}
    rows = list(dict.fromkeys(cell["row"] for cell in cells))
    columns = list(dict.fromkeys(cell["column"] for cell in cells))
    place = {
        "x": {"field": "column", "type": "nominal", "sort": columns, "axis": {**axis, "orient": "top"}},
        "y": {"field": "row", "type": "nominal", "sort": rows, "axis": axis},
    }
    layers = [
        mark("rect", {**place, "fill": colour_scale("rank", RANKS)}, opacity=0.28),
        mark("text", {**place, "text": {"field": "text"}}, fontSize=9),
    ]
    spec = {"data": data_set("rows"), "height": {"step": 20}, "layer": layers}
    return Chart(name=name, title=name, about="", spec=spec, data={"rows": [*map(dict, cells)]})


def dots(
    name: str,
    rows: Rows,
    across: str,
    *,
    colours: Mapping[str, str],
    domain: Sequence[float],
    scale: str = "linear",
) -> Chart:
    """A row for each ``name``, on it a dot for each ``what``, coloured by it, at ``x``."""
    names = list(dict.fromkeys(row["name"] for row in rows))
    axis = {"title": None, "labelLimit": 330, "grid": True}
    at = {
        "x": numeric("x", across, scale={"type": scale, "domain": [*domain]}),
        "y": {"field": "name", "type": "nominal", "sort": names, "axis": axis},
        "color": colour_scale("what", colours),
    }
    height = max(height_of_rows(len(names)) // 2, 24 * len(names))
    spec = {"height": height, **point(at, 70, rows="rows", opacity=0.9)}
    return Chart(name=name, title=name, about="", spec=spec, data={"rows": rows})


def bars(
    name: str,
    rows: Rows,
    across: str,
    title: str,
    *,
    band: Sequence[float] = (),
    log: bool = False,
    wide: bool = False,
) -> Chart:
    """Points with bars from ``low`` to ``high``, and a band that a paper publishes.

    Parameters
    ----------
    rows : Rows
        ``series``, ``x``, ``y``, ``low`` and ``high``; a row without bars has neither.
    band : sequence of float
        Lower and upper end.
    log, wide : bool
        Logarithmic values; logarithmic places.
    """
    along = {"type": "log"} if wide else {"zero": False}
    x = numeric("x", across, scale={"nice": False, "padding": 14, **along}, axis={"tickMinStep": 1})
    scale = {"type": "log", "nice": False} if log else {"nice": False, "zero": True}
    colour = _colour_series(rows)

    def y(field: str) -> dict[str, Any]:
        return numeric(field, title, scale={**scale, "padding": 8})

    ends = {"y": y("low"), "y2": {"field": "high"}}
    layers = [
        mark(
            "rule",
            {"x": x, **ends, "color": colour},
            rows="rows",
            condition="low",
            strokeWidth=1.2,
            opacity=0.7,
        ),
        point({"x": x, "y": y("y"), "color": colour}, 26, rows="rows"),
    ]
    datasets: dict[str, Rows] = {"rows": rows}
    if band:
        low, high = band
        datasets["published"] = [{"low": low, "high": high}]
        layers.insert(0, mark("rect", ends, rows="published", color=WORSE, opacity=0.16))
    return Chart(name=name, title=name, about="", spec={"height": 260, "layer": layers}, data=datasets)


def strips(name: str, rows: Rows, marks: Rows, across: str, *, colours: Mapping[str, str]) -> Chart:
    """Draw a tick for each of many values of a ``name``, and named points on the same line.

    Parameters
    ----------
    rows : Rows
        ``name`` and ``x``, a positive ratio.
    marks : Rows
        ``name``, ``x`` and ``what``.
    colours : mapping
        Of each ``what``.
    """
    names = list(dict.fromkeys(row["name"] for row in (*rows, *marks)))
    place = {"field": "name", "type": "nominal", "sort": names, "axis": {"title": None, "labelLimit": 330}}
    x = make_ratio_axis("x", across, [row["x"] for row in (*rows, *marks)])
    legend = {"columns": 2}
    layers = [
        mark("tick", {"x": x, "y": place}, rows="rows", thickness=1.4, size=22, opacity=0.75),
        point(
            {"x": x, "y": place, "color": colour_scale("what", colours, legend=legend)},
            70,
            rows="marks",
            opacity=0.95,
        ),
    ]
    spec = {"height": max(height_of_rows(len(names)) // 2, 34 * len(names)), "layer": layers}
    return Chart(name=name, title=name, about="", spec=spec, data={"rows": rows, "marks": marks})
