"""``Frame``: where a plot lies in its picture, its two scales, and what its axes say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from steelyard.extensions.page.drawing.elements import CENTRE, Label, measure, shorten_to
from steelyard.extensions.page.drawing.expressions import compile_expression
from steelyard.extensions.page.drawing.numerals import format_number
from steelyard.extensions.page.drawing.scales import Numeric, Rows, make_numeric
from steelyard.report.text.label import shorten_apart

Spec = Mapping[str, Any]
Scale = Numeric | Rows

APART_PX: Final = 8
"""Between two labels of an axis."""
TICK_PX: Final = 70
"""Of an axis, for each tick by default."""
LEAST_TICKS: Final = 3
"""Of an axis; where fewer of the values that it names are in sight, others are added."""
LETTER: Final = 0.6
"""Width of an average letter, of the size of the font."""


class Look(msgspec.Struct, frozen=True):
    """What all pictures of one kind share.

    Attributes
    ----------
    width : float
        Of the whole picture.
    size : float
        Of the font of labels; titles are larger by one.
    colours : Mapping[str, str]
        What names of colours, such as ``var(--ink)``, are written as.
    """

    width: float
    size: float
    font: str
    colours: Mapping[str, str]

    def colour(self, name: str) -> str:
        """Return a colour as it is written."""
        return self.colours.get(name, name)


class Field(msgspec.Struct, frozen=True):
    """One axis of a chart, as all layers that use it describe it.

    Attributes
    ----------
    kind : str
        ``quantitative``, or of names.
    values : tuple
        All that is drawn on it.
    """

    kind: str
    title: str
    scale: Spec
    axis: Spec | None
    values: tuple[Any, ...]

    @property
    def named(self) -> bool:
        """Whether it is an axis of names."""
        return self.kind != "quantitative"

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the axis, in their order."""
        return tuple(map(str, self.scale.get("domain") or dict.fromkeys(self.values)))

    def above(self) -> float | None:
        """Distance of names from the middle of their rows, where they stand above these."""
        offset = (self.axis or {}).get("labelOffset")
        return None if offset is None else float(offset)


class Frame:
    """A plot within a picture.

    Parameters
    ----------
    ends : float
        Width of the longest text at the right end of a row, which shares the line of its name.
    """

    def __init__(self, x: Field | None, y: Field | None, spec: Spec, look: Look, ends: float = 0.0) -> None:
        self.look, self.x, self.y, self.ends = look, x, y, ends
        self.height = self._measure_height(spec.get("height", 200))
        self.top, self.bottom, self.start = 6.0, 6.0, 2.0
        self.end = look.width - 8.0
        self.labels: list[Label] = []
        self.y_ticks: list[float] = []
        self.x_ticks: list[float] = []
        if x is not None and x.axis is not None and x.axis.get("orient") == "top":
            self.top += self._measure_turned(x)
        if y is not None and not y.named and y.axis is not None and y.title:
            self.top += look.size + 8
        self.y_scale = self._fit_y()
        self.x_scale = self._fit_x()

    def _measure_height(self, height: Any) -> float:
        if isinstance(height, Mapping):
            return float(height["step"]) * len(self.y.names if self.y is not None else ())
        return float(height)

    def move_down(self, height: float) -> None:
        """Make room above the plot."""
        self.top += height

    def _label_text(self, field: Field, value: Any, text: str) -> str:
        expression = (field.axis or {}).get("labelExpr")
        if not expression:
            return text
        scope = {"datum": {"value": value, "label": text}, "width": self.end - self.start}
        short = compile_expression(expression)(scope)
        return text if short is None else str(short)

    def _list_ticks(self, field: Field, scale: Numeric, length: float) -> list[tuple[float, str]]:
        axis = field.axis or {}
        fitting = max(2, int(length / TICK_PX))
        low, high = scale.domain
        span = 1e-9 * (high - low)
        inside = [value for value in axis.get("values", ()) if low - span <= value <= high + span]
        if "values" not in axis or (len(inside) < LEAST_TICKS and "labelExpr" not in axis):
            listed = scale.ticks(min(int(axis.get("tickCount", fitting)), max(3, fitting + 1)))
            rounded = [value for value in listed if low - span <= value <= high + span]
            inside = max(inside, rounded, key=len)
        return [
            (value, self._label_text(field, value, format_number(value, axis.get("format", ""))))
            for value in inside
        ]

    def _fit_y(self) -> Scale | None:
        field, look = self.y, self.look
        if field is None:
            return None
        if field.named:
            return self._fit_rows(field)
        scale = make_numeric(field.values, field.scale, (self.height, 0.0))
        if field.axis is None:
            return scale
        listed = [
            (scale.place(value), text) for value, text in self._list_ticks(field, scale, 1.4 * self.height)
        ]
        ticks = _drop_near(listed, look.size + 4)
        self.start += max((measure(text, look.size) for _, text in ticks), default=0.0) + 6
        self.y_ticks = [place for place, _ in ticks]
        color = look.colour("var(--muted)")
        self.labels += [
            Label(text, self.start - 6, place + CENTRE * look.size, look.size, color, "end")
            for place, text in ticks
        ]
        if field.title:
            self.labels.append(Label(field.title, 2, -10, look.size + 1, color))
        return scale

    def _fit_rows(self, field: Field) -> Rows:
        look, axis = self.look, field.axis or {}
        names = field.names
        rows = Rows(names, 0.0, self.height / max(1, len(names)))
        color = look.colour(axis.get("labelColor", "var(--ink)"))
        above = field.above()
        room = self.end - self.ends - 10 if above is not None else min(300.0, 0.42 * look.width)
        labels = {name: self._label_text(field, name, name) for name in names}
        if max(measure(text, look.size) for text in labels.values()) > room:
            fitting = max(6, int(room / (LETTER * look.size)))
            short = shorten_apart([*labels.values()], fitting, 2 * fitting)
            labels = {name: shorten_to(short[text], look.size, room) for name, text in labels.items()}
        if above is None:
            self.start += max(measure(text, look.size) for text in labels.values()) + 8
        for name, text in labels.items():
            y = rows.middle(name) + (above or 0.0) + CENTRE * look.size
            x, anchor = (self.start, "start") if above is not None else (self.start - 8, "end")
            self.labels.append(Label(text, x, y, look.size, color, anchor))
        return rows

    def _fit_x(self) -> Scale | None:
        field, look = self.x, self.look
        if field is None:
            return None
        if field.named:
            scale: Scale = Rows(field.names, self.start, (self.end - self.start) / max(1, len(field.names)))
        else:
            # The last label may reach half of its width beyond the plot.
            self.end -= 10
            scale = make_numeric(field.values, field.scale, (self.start, self.end))
        if field.axis is None:
            return scale
        below = self._label_x(field, scale)
        if field.title:
            color = look.colour("var(--muted)")
            y = self.height + below + look.size + 4
            self.labels.append(
                Label(field.title, (self.start + self.end) / 2, y, look.size + 1, color, "middle")
            )
            below += look.size + 8
        self.bottom += below
        return scale

    def _label_x(self, field: Field, scale: Scale) -> float:
        """Label the ticks; return the height that this takes below the plot."""
        look, axis = self.look, field.axis or {}
        color = look.colour(axis.get("labelColor", "var(--muted)"))
        angle = float(axis.get("labelAngle", 0))
        limit = float(axis.get("labelLimit", 180))
        if isinstance(scale, Rows):
            ticks = [(scale.middle(name), self._label_text(field, name, name)) for name in scale.domain]
            if not angle:
                limit = scale.step - 6
        else:
            numbers = self._list_ticks(field, scale, self.end - self.start)
            ticks = [(scale.place(value), text) for value, text in numbers]
            self.x_ticks = [place for place, _ in ticks]
        ticks = [(place, shorten_to(text, look.size, limit)) for place, text in ticks]
        top = axis.get("orient") == "top"
        y = -8.0 if top else self.height + look.size + 6
        anchor = "middle" if not angle else "start" if top else "end"
        labels = [Label(text, place, y, look.size, color, anchor, angle=angle) for place, text in ticks]
        if angle:
            labels = _drop_touching([label for label in labels if label.box().start >= 0], 1.7 * look.size)
        else:
            labels = _drop_overlapping([keep_inside(label, look.width) for label in labels])
        self.labels += labels
        return (
            0.0 if top else max((label.box().bottom for label in labels), default=self.height) - self.height
        )

    def _measure_turned(self, field: Field) -> float:
        axis = field.axis or {}
        limit = float(axis.get("labelLimit", 180))
        labels = [
            Label(shorten_to(name, self.look.size, limit), 0, 0, self.look.size, "", angle=axis["labelAngle"])
            for name in field.names
        ]
        return max((-label.box().top for label in labels), default=0.0) + 8


def _drop_near(ticks: Sequence[tuple[float, str]], apart: float) -> list[tuple[float, str]]:
    """Leave out ticks that are too near to one that stands before them in the list."""
    readable: list[tuple[float, str]] = []
    for place, text in ticks:
        if all(abs(place - neighbour) >= apart for neighbour, _ in readable):
            readable.append((place, text))
    return readable


def keep_inside(label: Label, width: float) -> Label:
    """Move a text along its line until it ends within the picture."""
    box = label.box()
    shift = max(0.0, 1 - box.start) - max(0.0, box.end - width + 1)
    return msgspec.structs.replace(label, x=label.x + shift)


def _drop_overlapping(labels: Sequence[Label]) -> list[Label]:
    """Leave out labels that touch one that stands before them in the list."""
    readable: list[Label] = []
    for label in labels:
        box = label.box()
        if all(
            box.end + APART_PX <= neighbour.box().start or neighbour.box().end + APART_PX <= box.start
            for neighbour in readable
        ):
            readable.append(label)
    return readable


def _drop_touching(labels: Sequence[Label], apart: float) -> list[Label]:
    """Leave out turned labels that begin too near to the one before."""
    readable: list[Label] = []
    for label in labels:
        if not readable or label.x - readable[-1].x >= apart:
            readable.append(label)
    return readable
