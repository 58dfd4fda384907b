"""The line protocol: one JSON object a line, in the file that ``$STEELYARD_METRICS`` names or else on stdout.

``{"steelyard": 1, "metric": NAME, "unit": UNIT, "labels": {NAME: SCALAR, …}, "values": [NUMBER, …]}``;
without ``unit`` the value is a pure number, without ``labels`` it is the whole trial's. Other members are
allowed and ignored. In the file every line counts; on stdout those that begin with ``{"steelyard"``. Lines
of one metric with equal labels continue each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from steelyard.run.measure.extract.missing import MissingValueError
from steelyard.run.measure.extract.pattern import refuse_cut
from steelyard.run.measure.extract.pointer import UNREADABLE
from steelyard.run.measure.extract.series import Column, ReportedSeries, canonical, label_key
from steelyard.run.measure.output import Output, excerpt
from steelyard.spec.experiment import UserMetric

if TYPE_CHECKING:
    from steelyard.run.runner.journal import RawTrial

VERSION: Final = 1
"""History: 1, the first."""

_MARK: Final = b'{"steelyard"'


class _Version(msgspec.Struct):
    steelyard: int


class _Line(msgspec.Struct):
    steelyard: int
    metric: str
    values: list[float]
    unit: str = ""
    labels: dict[str, str | int | float | bool] = {}


class Lines:
    """The metrics of an experiment that come by the line protocol; lines of other metrics are passed over."""

    def __init__(self, metrics: Sequence[UserMetric]) -> None:
        self._units = {metric.name: metric.unit for metric in metrics}
        self._line = msgspec.json.Decoder(_Line)
        self._version = msgspec.json.Decoder(_Version)

    def columns(self, raw: RawTrial) -> dict[str, Column]:
        """Return the values of each metric in the trial.

        Raises
        ------
        MissingValueError
            A line that cannot be read, of an unknown version or in another unit; a metric of which no line
            speaks.
        """
        if not self._units:
            return {}
        output, lines = self._find_source(raw)
        columns: dict[str, Column] = {name: {} for name in self._units}
        for number, text in lines:
            place = f"line {number} of {output.name}"
            line = self._decode(place, text)
            if line.metric in columns:
                self._add(columns[line.metric], line, place)
        for name, column in columns.items():
            if not column:
                raise MissingValueError(name, f"no line gives a value in {output.describe()}")
        return columns

    def _find_source(self, raw: RawTrial) -> tuple[Output, Iterable[tuple[int, bytes]]]:
        """Return the output that holds the protocol, and its lines by their numbers from 1."""
        if raw.metrics:
            output = Output("the metrics file", raw.metrics, raw.metrics_bytes)
        else:
            output = Output.make(raw, "stdout")
        refuse_cut(self._show_some(), output)
        lines = enumerate(output.head.splitlines(), start=1)
        if raw.metrics:
            return output, ((number, line) for number, line in lines if line.strip())
        return output, ((number, line) for number, line in lines if line.startswith(_MARK))

    def _decode(self, place: str, text: bytes) -> _Line:
        try:
            line = self._line.decode(text)
            version = line.steelyard
        except UNREADABLE as error:
            version = self._read_version(text)
            if version == VERSION:
                raise MissingValueError(
                    self._show_some(), f"{place} cannot be read: {error}: {excerpt(text)}"
                ) from None
        if version != VERSION:
            raise MissingValueError(
                self._show_some(),
                f"{place} is of version {version}, and only {VERSION} is known: {excerpt(text)}",
            )
        return line

    def _read_version(self, text: bytes) -> int:
        """Return the version of a line that is wrong otherwise; where it says none, the one known here."""
        try:
            return self._version.decode(text).steelyard
        except UNREADABLE:
            return VERSION

    def _add(self, column: Column, line: _Line, place: str) -> None:
        text = self._units[line.metric]
        if text and line.unit != text:
            unit_words = f"has the unit {line.unit!r}" if line.unit else "has no unit"
            raise MissingValueError(line.metric, f"{place} {unit_words}, and the spec says {text!r}")
        unprintable = next((name for name in line.labels if not (name and name.isprintable())), None)
        if unprintable is not None:
            raise MissingValueError(line.metric, f"{place} has a label named {unprintable[:80]!r}")
        if line.values:
            labels = canonical(line.labels)
            column.setdefault(label_key(labels), ReportedSeries(labels)).numbers.extend(line.values)

    def _show_some(self) -> str:
        # A line that cannot be read cannot say whose it is: it is held against the first.
        return next(iter(self._units))
