"""``Chart``: one picture as Vega-Lite, the rows that it draws, and the table that says the same.

Colours are names (``var(--better)``), which the page defines for light, dark and paper, and figures replace:
blue and orange are told apart by every kind of colour vision, and meaning never hangs on colour alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from steelyard.report.text.label import elide_shared, shorten_apart
from steelyard.report.text.table import Column

Rows = Sequence[Mapping[str, Any]]
"""What a chart draws: each row a mapping of fields."""
Spec = Mapping[str, Any]
WIDE: Final = 10_000
"""Columns of a terminal of which no table needs more: nothing gives way."""

BETTER: Final = "var(--better)"
"""Colour of what is better."""
WORSE: Final = "var(--worse)"
"""Colour of what is worse."""
OPEN: Final = "var(--open)"
"""Colour of what is not resolved."""
INK: Final = "var(--ink)"
"""Colour of text."""
MUTED: Final = "var(--muted)"
"""Colour of axes and of what is compared with."""
GRID: Final = "var(--grid)"
ACCENT: Final = "var(--accent)"
"""Colour of a single series."""
PAGE: Final = "var(--page)"
SERIES: Final = tuple(f"var(--series{i})" for i in range(1, 7))
"""Colours of up to six series, after Okabe and Ito."""
LIGHT: Final[Mapping[str, str]] = {
    "better": "#0b62b0",
    "worse": "#b8500c",
    "open": "#6b7280",
    "ink": "#16191d",
    "muted": "#5b636e",
    "grid": "#e3e6ea",
    "accent": "#0b62b0",
    "page": "#ffffff",
    "series1": "#0b62b0",
    "series2": "#b8500c",
    "series3": "#00805f",
    "series4": "#9b4a86",
    "series5": "#7a6a00",
    "series6": "#4b5563",
}
DARK: Final[Mapping[str, str]] = {
    "better": "#6cb6ff",
    "worse": "#f5a35c",
    "open": "#9aa4b2",
    "ink": "#e8ebef",
    "muted": "#a4adb8",
    "grid": "#2d333b",
    "accent": "#6cb6ff",
    "page": "#14171b",
    "series1": "#6cb6ff",
    "series2": "#f5a35c",
    "series3": "#45c9a0",
    "series4": "#d896c6",
    "series5": "#d8c34a",
    "series6": "#aab4c0",
}
COLOURS: Final[Mapping[str, str]] = {f"var(--{name})": color for name, color in LIGHT.items()}
"""Names of colours as charts have them, and what they are on white."""
FONT: Final = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"
CHOSEN: Final = "chosen"
"""The parameter that holds the treatment which the reader has chosen; empty: all of them."""


def config(font: str = FONT, size: int = 12) -> dict[str, Any]:
    """Return the look that all charts share."""
    axis = {
        "labelColor": MUTED,
        "titleColor": MUTED,
        "labelFontSize": size - 1,
        "titleFontSize": size,
        "titleFontWeight": "normal",
        "gridColor": GRID,
        "domainColor": GRID,
        "tickColor": GRID,
        "labelOverlap": True,
    }
    return {
        "font": font,
        "view": {"stroke": None},
        "axis": axis,
        "axisY": {"domain": False, "ticks": False, "labelPadding": 6, "labelLimit": 300},
        "text": {"color": INK, "fontSize": size - 1},
        "rule": {"color": MUTED},
        "legend": {
            "labelColor": INK,
            "titleColor": MUTED,
            "titleFontWeight": "normal",
            "labelFontSize": size - 1,
            "titleFontSize": size - 1,
            "orient": "top",
            "symbolType": "circle",
            "labelLimit": 300,
        },
    }


class Chart(msgspec.Struct, frozen=True):
    """A picture.

    Attributes
    ----------
    name : str
        Of its file and of its place in the page: letters, digits and hyphens.
    title, about : str
        A heading, and how to read it.
    spec : Mapping
        Vega-Lite without width, look and data.
    data : Mapping[str, Rows]
        The rows of each named data set; on a page, ``runs`` are made from its columns instead.
    columns : tuple of Column
        The table below it.
    rows_of : tuple of str
        The treatment of each row, by which the page is filtered; empty where rows have none.
    empty : str
        Why nothing is drawn.
    heading : str
        Above a figure, which has no caption: function and model, or what all labels share.
    """

    name: str
    title: str
    about: str
    spec: Spec
    data: Mapping[str, Rows]
    columns: tuple[Column, ...] = ()
    rows_of: tuple[str, ...] = ()
    empty: str = ""
    heading: str = ""


class Section(msgspec.Struct, frozen=True):
    """A heading, sentences, charts and tables.

    Attributes
    ----------
    sentences : tuple of str
        Paragraphs, before the charts.
    tables : tuple of (str, columns, treatments)
        That belong to no chart: caption, columns, and the treatment of each row where it has one.
    """

    name: str
    title: str
    sentences: tuple[str, ...] = ()
    charts: tuple[Chart, ...] = ()
    tables: tuple[tuple[str, tuple[Column, ...], tuple[str, ...]], ...] = ()
    notes: tuple[str, ...] = ()


def data(name: str) -> dict[str, str]:
    """Return a named data set."""
    return {"name": name}


def number(field: str, title: str | None, **options: Any) -> dict[str, Any]:
    """Return an encoding of numbers that need not begin at 0."""
    scale = {"nice": True, **options.pop("scale", {})}
    if scale.get("type") != "log":
        scale.setdefault("zero", False)
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, **options}


def make_quantity_axis(unit: str, **axis: Any) -> dict[str, Any]:
    """Label an axis with prefix and unit at each tick: ``40 ms``, not ``40m``."""
    suffix = {"s": "s", "B": "B", "1/s": "/s", "B/s": "B/s"}.get(unit)
    if suffix is None:
        return {"format": "~g", **axis}
    prefixed = f"replace(format(datum.value, '~s'), regexp('([^0-9.]?)$'), ' $1{suffix}')"
    # Nobody counts in kiloseconds.
    plain = f"format(datum.value, '~g') + ' {suffix}'"
    return {"labelExpr": f"datum.value < 1 ? {prefixed} : {plain}" if unit == "s" else prefixed, **axis}


def tooltip(**fields: str) -> list[dict[str, str]]:
    """Return what hovering says: fields and their titles."""
    return [
        {"field": field, "type": "nominal", "title": title.replace("_", " ")}
        for field, title in fields.items()
    ]


def unless_chosen(visible: float, hidden: float = 0.08) -> dict[str, Any]:
    """Return an opacity that steps back where the reader has chosen another treatment."""
    return {
        "condition": {
            "test": f"{CHOSEN} == '' || !isValid(datum.treatment) || datum.treatment == {CHOSEN}",
            "value": visible,
        },
        "value": hidden,
    }


ABOVE_PX: Final = 18
"""From the middle of a row to that of the name above it."""
MOST_INSIDE: Final = 14
"""Rows up to which names stand above them; more have theirs at the left, so that they take less room."""


NARROW_PX: Final = 520
"""Width of a chart below which names above rows are shortened."""
ABOVE: Final = (34, 48)
BESIDE: Final = (28, 36)
"""Columns of a shortened name above its row and at its left, and of those that would be alike with fewer."""


def draw_rows_axis(names: Sequence[str], field: str = "name") -> dict[str, Any]:
    """Return a row for each name, in this order.

    Names stand above their rows while these are few, so that little is cut off on a narrow page. What all
    share is left out (``name_shared`` says it once); what is cut off beyond is never what tells them apart.
    """
    domain = list(dict.fromkeys(names))
    elided = elide_shared(domain).labels
    axis: dict[str, Any] = {"title": None, "labelColor": INK, "grid": False}
    if len(names) <= MOST_INSIDE:
        axis |= {"labelAlign": "left", "labelOffset": -ABOVE_PX, "labelPadding": 0, "zindex": 1}
        short = _shorten(elided, *ABOVE)
        condition = f"width > {NARROW_PX} ? {_relabel_apart(elided)} : "
    else:
        axis["labelLimit"] = 240
        short, condition = _shorten(elided, *BESIDE), ""
    if any(name != label for name, label in short.items()):
        axis["labelExpr"] = condition + _relabel_apart(short)
    scale = {"type": "band", "paddingInner": 0, "paddingOuter": 0, "domain": domain}
    return {"field": field, "type": "nominal", "sort": None, "axis": axis, "scale": scale}


def _shorten(labels: Mapping[str, str], width: int, most: int) -> dict[str, str]:
    short = shorten_apart([*labels.values()], width, most)
    return {name: short[label] for name, label in labels.items()}


def _relabel_apart(labels: Mapping[str, str]) -> str:
    changed = any(name != label for name, label in labels.items())
    return relabel(labels, "datum.label") if changed else "datum.label"


def name_shared(chart: Chart, names: Sequence[str]) -> Chart:
    """Return the chart with a sentence on what all names of its rows share, which their labels leave out."""
    shared = elide_shared(names).shared
    if not shared:
        return chart
    text = f"All: {shared}"
    return msgspec.structs.replace(chart, about=f"{chart.about} {text}.".strip(), heading=text)


def relabel(labels: Mapping[Any, str], value: str) -> str:
    """Return an expression of Vega for the label of a value, by its place in a list.

    An object would take "constructor" for something of its own.
    """
    return f"({json.dumps([*labels.values()])})[indexof({json.dumps([*labels])}, {value})]"


def rows_px(count: int) -> int:
    """Height of this many rows."""
    return count * (46 if count <= MOST_INSIDE else 20)


def place_at_end(field: str, y: Mapping[str, Any]) -> dict[str, Any]:
    """Return a text at the right end of each row, on the line of its name."""
    return {
        "mark": {"type": "text", "align": "right", "dy": -ABOVE_PX, "fontWeight": 600},
        "encoding": {"x": {"value": "width"}, "y": y, "text": {"field": field}},
    }
