"""Figures for papers: every chart as SVG, PNG and PDF, on white, at the width of one column."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from steelyard.extensions.page.chosen_names import choose_names
from steelyard.extensions.page.converter import converter
from steelyard.extensions.page.drawing.frame import Look
from steelyard.extensions.page.drawing.picture import Hints, draw_picture
from steelyard.extensions.page.sections import sections_of
from steelyard.files.writing import write_output
from steelyard.report.page.chart import CHOSEN, COLOURS, LIGHT, Chart, config

if TYPE_CHECKING:
    from steelyard.extensions.page.contents import Shown

SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.json"
"""What the charts are written in: a name, which nothing fetches."""
COLUMN_PX: Final = 336
"""3.5 inches, or 89 mm: a column of a paper in two columns."""
POINTS: Final = 72 / 96
"""Of a pixel: the converter takes one for the other."""
FONT: Final = "Liberation Sans, Arial, Helvetica, sans-serif"
"""The first is part of the converter, which embeds it in PDF; others have its metrics."""
SIZE: Final = 9
"""Of the font, in pixels."""
MOST_MARKS: Final = 160
"""Runs that a figure shows one by one: a vector for each of 3,000 would be megabytes."""
NAME_PX: Final = 230
"""Of a name above its row; what stands at the end of the row has the rest."""
_SIZE: Final = re.compile(r'(width|height)="([0-9.]+)"')
_COLOUR: Final = re.compile(r"var\(--(\w+)\)")


def draw_figure_spec(chart: Chart, width: int = COLUMN_PX) -> dict[str, Any]:
    """Return a chart as one Vega-Lite document with its data, its colours written out."""
    return _adapt_to_paper(
        {
            **chart.spec,
            "width": width,
            "autosize": {"type": "fit-x", "contains": "padding"},
            "datasets": chart.data,
            "params": [{"name": CHOSEN, "value": ""}],
        }
    )


def _adapt_to_paper(spec: Mapping[str, Any]) -> dict[str, Any]:
    look = config(FONT, 10)
    look["axisY"]["labelLimit"] = NAME_PX
    full = {
        "$schema": SCHEMA,
        **spec,
        "config": look | {"aria": False},
        "background": "white",
    }
    text = _COLOUR.sub(lambda match: LIGHT[match.group(1)], json.dumps(full, allow_nan=False))
    drawn: dict[str, Any] = json.loads(text)
    return drawn


def draw_svg(spec: Mapping[str, Any]) -> str:
    """Draw a document of Vega-Lite that has its data and its size."""
    svg: str = converter().vegalite_to_svg(_adapt_to_paper(spec))
    return svg


def draw_figure(chart: Chart, width: int = COLUMN_PX) -> str:
    """Draw a chart as a figure: as the page has it, on white, with its heading."""
    hints = Hints(name=chart.name, title=chart.title, about=chart.about, heading=chart.heading)
    return draw_picture(chart.spec, chart.data, Look(width, SIZE, FONT, COLOURS), hints)


def _convert_to_points(svg: str) -> str:
    """Return the drawing at the size that a pixel of PDF, which is a point, makes of it."""
    return _SIZE.sub(lambda size: f'{size[1]}="{float(size[2]) * POINTS:g}"', svg, count=2)


def charts(every: Sequence[Shown], most: int = MOST_MARKS) -> Iterator[tuple[str, Chart]]:
    """All charts that draw something, with the names of their files."""
    for number, contents in enumerate(every, 1):
        prefix = f"{number}-" if len(every) > 1 else ""
        for section in sections_of(contents, most):
            yield from ((f"{prefix}{chart.name}", chart) for chart in section.charts if not chart.empty)


def write_figures(every: Sequence[Shown], directory: Path, only: Sequence[str] = ()) -> list[Path]:
    """Write ``NAME.svg``, ``NAME.png`` (300 dots an inch) and ``NAME.pdf``; return the files.

    Parameters
    ----------
    only : sequence of str
        Names of figures; all of them where it is empty.

    Raises
    ------
    UsageError
        No figure has one of these names.
    """
    figures = dict(charts(every))
    names = choose_names(figures, only, "figure")
    directory.mkdir(parents=True, exist_ok=True)
    draw = converter()
    written: list[Path] = []
    for name in names:
        svg = draw_figure(figures[name])
        contents = {
            ".svg": svg.encode(),
            ".png": bytes(draw.svg_to_png(svg, scale=POINTS, ppi=300)),
            ".pdf": bytes(draw.svg_to_pdf(_convert_to_points(svg))),
        }
        for suffix, content in contents.items():
            file = directory / f"{name}{suffix}"
            write_output(file, content)
            written.append(file)
    return written
