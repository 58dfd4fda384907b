"""``SeriesChart``: one metric of one treatment over the records of a history."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from steelyard.extensions.history.results import Change, History, Kind, Point, SeriesHistory
from steelyard.extensions.history.words import format_level_words, format_series_name, locate
from steelyard.report.page.chart import (
    ACCENT,
    BETTER,
    INK,
    MUTED,
    OPEN,
    WORSE,
    Chart,
    Rows,
    number,
    relabel,
    tooltip,
    unless_chosen,
)
from steelyard.report.page.marks import colour_scale, diamond, mark, series_scale
from steelyard.report.text.change import short_hash
from steelyard.report.text.digits import percent, scale
from steelyard.report.text.label import join_names, printable
from steelyard.report.text.line import Span
from steelyard.report.text.table import Column

TICKS: Final = 10
MOST_BREAKS: Final = 12
"""Changes of the machine that are drawn; where machines take turns, colours say which is which."""
_MEANS: Final = {"worse": WORSE, "better": BETTER, "neither": OPEN}
_ABOUT: Final[Mapping[Kind, str]] = {
    "level": "A dot is the median of one record, with one standard error up and down.",
    "spread": "A dot is the standard deviation of one record's ordinary runs.",
    "slow_runs": "A dot is the fraction of slow runs of one record.",
}
_OF: Final[Mapping[Kind, str]] = {"level": "", "spread": "scatter of ", "slow_runs": "slow runs of "}

Group = tuple[SeriesHistory, ...]
"""The series of one metric, treatment and labels, one for each machine."""


class SeriesChart:
    """The records of a group: level, or another kind of change, of the latest ``most``."""

    def __init__(self, history: History, group: Group, kind: Kind, most: int) -> None:
        self.history, self.group, self.kind = history, group, kind
        self.places = {commit: place for place, commit in enumerate(history.commits)}
        self.first = max(0, len(history.commits) - most)
        self.name = printable(group[0].metric.name)
        self.factor, self.title = self._scale()

    def _scale(self) -> tuple[float, str]:
        """Return what values are divided by, and the title of their axis."""
        if self.kind == "spread":
            return 0.01, "σ of ordinary runs (%)"
        if self.kind == "slow_runs":
            return 0.01, "slow runs (%)"
        if self.history.reference:
            return 1.0, f"{self.name} over that of {printable(self.history.reference)}"
        medians = [point.median for history in self.group for point in history.points]
        unit = scale([max(medians, default=0.0)], [], self.group[0].metric.unit)
        return unit.factor, f"median {self.name}{f' ({unit.unit})' if unit.unit else ''}"

    def chart(self, name: str) -> Chart:
        """Dots, levels, where changes may lie, and where the machine changes."""
        rows = [row for history in self.group for row in self._draw_points(history)]
        bands = [row for history in self.group for row in self._draw_bands(history)]
        levels = [row for history in self.group for row in self._draw_levels(history)]
        machines = list(dict.fromkeys(row["machine"] for row in rows))
        breaks = self._draw_breaks() if len(machines) > 1 else []
        about = _ABOUT[self.kind]
        if bands:
            about += (
                " Lines: the levels. Shaded: from the last record before to the last of the commits, one of"
                " which made the change with 95 % probability."
            )
        if breaks:
            about += " Upright: another machine, which nothing is compared across."
        layers = [
            *([_shade(self._encode_x)] if bands else []),
            *([_draw_upright(self._encode_x)] if breaks else []),
            *self._draw_dots(rows, machines),
            *([self._draw_level_lines()] if levels else []),
        ]
        return Chart(
            name=name,
            title=f"{_OF[self.kind]}{self.name} of {format_series_name(self.group[0])}",
            about=about,
            spec={"height": 220, "layer": layers},
            data={"points": rows, "bands": bands, "levels": levels, "breaks": breaks},
            columns=self._render_columns(rows, machines),
            rows_of=tuple(row["treatment"] for row in rows),
            empty="" if rows else "No record has a value of this.",
        )

    def _get_value(self, point: Point) -> float | None:
        if self.kind == "level":
            return point.median
        return point.digest.s if self.kind == "spread" else point.digest.slow / point.digest.n

    def _draw_points(self, series: SeriesHistory) -> Iterator[dict[str, Any]]:
        changed: dict[str, list[str]] = {}
        for change in series.changes:
            changed.setdefault(change.first, []).append(f"{change.kind.replace('_', ' ')} changes")
        for point in series.points:
            place, value = self.places[point.commit], self._get_value(point)
            if value is None or place < self.first:
                continue
            outlying = point.commit in series.outliers
            remarks = [*changed.get(point.commit, []), *(["outlying: moves nothing"] if outlying else [])]
            row: dict[str, Any] = {
                "place": place,
                "commit": short_hash(point.commit),
                "treatment": series.treatment,
                "machine": f"machine {series.machine}",
                "value": value / self.factor,
                "says": format_level_words(self.history, series, point.median),
                "runs": point.digest.n,
                "u": percent(point.u) if point.u else "–",
                "s": "–" if point.digest.s is None else percent(point.digest.s),
                "slow": point.digest.slow,
                "remark": "; ".join(remarks) or "–",
                "outlying": outlying,
            }
            if self.kind == "level" and point.u:
                row |= {
                    "low": row["value"] * math.exp(-point.u),
                    "high": row["value"] * math.exp(point.u),
                }
            yield row

    def _list_changes(self, series: SeriesHistory) -> list[Change]:
        return [change for change in series.changes if change.kind == self.kind]

    def _draw_bands(self, series: SeriesHistory) -> Iterator[dict[str, Any]]:
        """Where each step lies: behind the last record before it, up to the last commit of the set."""
        texts = [point.commit for point in series.points]
        for change in self._list_changes(series):
            inside = [place for place, commit in enumerate(texts) if commit in change.commits]
            end = self.places[texts[inside[-1]]]
            if end >= self.first:
                yield {
                    "from": max(self.first, self.places[texts[max(0, inside[0] - 1)]]),
                    "to": end,
                    "means": change.direction,
                    "says": locate(self.history, change),
                    "treatment": series.treatment,
                }

    def _draw_levels(self, series: SeriesHistory) -> Iterator[dict[str, Any]]:
        """Yield the level before, between and after the changes."""
        changes = self._list_changes(series)
        if not changes:
            return
        starts = [series.points[0].commit, *(change.first for change in changes)]
        ends = [*(change.last_before for change in changes), series.points[-1].commit]
        values = [changes[0].before, *(change.after for change in changes)]
        for start, end, value in zip(starts, ends, values, strict=True):
            if self.places[end] >= self.first:
                yield {
                    "from": max(self.first, self.places[start]),
                    "to": self.places[end],
                    "level": value / self.factor,
                    "treatment": series.treatment,
                }

    def _draw_breaks(self) -> list[dict[str, Any]]:
        """Between which records the machine changes; none where it does so all the time."""
        breaks = [
            {
                "place": (self.places[machine_break.last_before] + self.places[machine_break.first]) / 2,
                "differs": join_names([printable(text) for text in machine_break.differs]),
            }
            for machine_break in self.history.breaks
            if self.places[machine_break.first] > self.first
        ]
        return breaks if len(breaks) <= MOST_BREAKS else []

    def _encode_x(self, field: str) -> dict[str, Any]:
        """Place records at equal distances; a few of them carry their commits."""
        count = len(self.history.commits) - self.first
        values = list(range(self.first, len(self.history.commits), math.ceil(count / TICKS)))
        labels = {place: short_hash(self.history.commits[place]) for place in values}
        axis = {
            "values": values,
            "labelExpr": relabel(labels, "datum.value"),
            "labelLimit": 110,
            "labelAngle": -35,
            "grid": False,
        }
        return number(field, None, scale={"nice": False, "padding": 10}, axis=axis)

    def _draw_dots(self, rows: Rows, machines: Sequence[str]) -> Iterator[dict[str, Any]]:
        colour: dict[str, Any] = {"value": ACCENT}
        if len(machines) > 1:
            colour = series_scale("machine", machines)
        hover = tooltip(
            commit="record",
            says="median",
            u="standard_error",
            runs="runs",
            s="σ",
            slow="slow runs",
            remark="remark",
        )
        at = {"x": self._encode_x("place"), "y": number("value", self.title)}
        if any("low" in row for row in rows):
            ends = {"y": number("low", self.title), "y2": {"field": "high"}}
            bars = {**at, **ends, "color": colour, "opacity": unless_chosen(0.55, 0.06)}
            yield mark("rule", bars, rows="points", condition="low", strokeWidth=1)
        dots = {**at, "color": colour, "opacity": unless_chosen(1.0, 0.12), "tooltip": hover}
        yield mark("circle", dots, rows="points", size=30)
        if any(row["outlying"] for row in rows):
            yield diamond({**at, "tooltip": hover}, "datum.outlying", 90, OPEN, rows="points")

    def _draw_level_lines(self) -> dict[str, Any]:
        along = {"x": self._encode_x("from"), "x2": {"field": "to"}, "y": number("level", self.title)}
        return mark("rule", along, rows="levels", strokeWidth=2, color=INK, opacity=0.8)

    def _render_columns(self, rows: Rows, machines: Sequence[str]) -> tuple[Column, ...]:
        def cells(field: str) -> list[Span]:
            return [Span(str(row[field])) for row in rows]

        text = "commit" if self.history.order == "git" else "record"
        return (
            Column(text, cells("commit"), right=False),
            *([Column("machine", cells("machine"), right=False)] if len(machines) > 1 else []),
            Column("runs", cells("runs")),
            Column("median", cells("says")),
            Column("standard error", cells("u")),
            Column("σ", cells("s")),
            Column("slow runs", cells("slow")),
            Column("remark", cells("remark"), right=False),
        )


def _shade(x: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    band = {"x": x("from"), "x2": {"field": "to"}, "fill": colour_scale("means", _MEANS, legend=None)}
    return mark("rect", band | {"tooltip": tooltip(says="95 % set")}, rows="bands", opacity=0.16)


def _draw_upright(x: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    place = {"x": x("place"), "tooltip": tooltip(differs="another machine")}
    return mark("rule", place, rows="breaks", color=MUTED, strokeDash=[4, 3])
