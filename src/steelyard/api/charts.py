"""Charts as specifications of Vega-Lite, in the colours of the pages, and as SVG."""

from __future__ import annotations

from steelyard.extensions.observe.page import Changed, draw_changes_chart
from steelyard.extensions.page.figures import draw_figure, draw_figure_spec, draw_svg
from steelyard.extensions.page.sweeps import lines as line_chart
from steelyard.report.page.chart import ACCENT, BETTER, INK, MUTED, OPEN, SERIES, WORSE, Chart, Rows
from steelyard.report.page.chart import data as data_set
from steelyard.report.page.chart import number as numeric
from steelyard.report.page.chart import rows_px as height_of_rows
from steelyard.report.page.forest import Estimated, forest
from steelyard.report.page.forest import rows as forest_rows
from steelyard.report.page.marks import colour_scale, line_at, mark, point, series_scale
from steelyard.report.page.ratio_axis import Directions, make_ratio_axis

__all__ = [
    "ACCENT",
    "BETTER",
    "INK",
    "MUTED",
    "OPEN",
    "SERIES",
    "WORSE",
    "Changed",
    "Chart",
    "Directions",
    "Estimated",
    "Rows",
    "colour_scale",
    "data_set",
    "draw_changes_chart",
    "draw_figure",
    "draw_figure_spec",
    "draw_svg",
    "forest",
    "forest_rows",
    "height_of_rows",
    "line_at",
    "line_chart",
    "make_ratio_axis",
    "mark",
    "numeric",
    "point",
    "series_scale",
]
