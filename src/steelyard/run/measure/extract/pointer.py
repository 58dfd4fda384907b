"""Metrics found by a JSON pointer (RFC 6901) in an output that is one document.

The decoder refuses NaN, infinities, numbers beyond a double and bytes that are not UTF-8; it stops at the
depth that Python's own recursion limit sets (1,000), and the size is that of the captured output.
"""

from __future__ import annotations

import re
from typing import Any, Final, Literal

import msgspec

from steelyard.run.measure.extract.missing import MissingValueError
from steelyard.run.measure.extract.pattern import refuse_cut
from steelyard.run.measure.extract.series import Column, ReportedSeries
from steelyard.run.measure.output import Output

_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,17}")
"""RFC 6901, section 4: no sign and no leading zero; ``-``, the place behind the last one, holds nothing."""

UNREADABLE: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""Errors that decoding unacceptable JSON raises."""


class Pointer:
    """A metric's pointer, taken apart."""

    def __init__(self, metric: str, pointer: str, source: Literal["stdout", "stderr"]) -> None:
        self.metric = metric
        self.source = source
        self._pointer = pointer
        self._tokens = tuple(token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:])

    def column(self, output: Output) -> Column:
        """Return the number, or the numbers of the array, that the pointer leads to.

        Raises
        ------
        MissingValueError
            The output is not JSON, or the pointer leads nowhere, or to something that is not a number.
        """
        refuse_cut(self.metric, output)
        try:
            value = msgspec.json.decode(output.head)
        except UNREADABLE as error:
            raise MissingValueError(
                self.metric, f"no JSON document in {output.describe()}: {error}"
            ) from None
        for token in self._tokens:
            value = self._make_step(value, token, output)
        items = value if isinstance(value, list) else [value]
        if not items:
            raise MissingValueError(
                self.metric, f"{self._describe()} leads to an empty array in {output.describe()}"
            )
        return {(): ReportedSeries(numbers=[self._read_number(item, output) for item in items])}

    def _make_step(self, value: Any, token: str, output: Output) -> Any:
        if isinstance(value, dict) and token in value:
            return value[token]
        if isinstance(value, list) and _INDEX.fullmatch(token) and int(token) < len(value):
            return value[int(token)]
        raise MissingValueError(
            self.metric, f"{self._describe()} matches nothing: no {token!r} in {output.describe()}"
        )

    def _read_number(self, item: Any, output: Output) -> float:
        if isinstance(item, bool) or not isinstance(item, int | float):
            kind = "null" if item is None else type(item).__name__
            raise MissingValueError(
                self.metric, f"{self._describe()} leads to {kind}, not to a number, in {output.describe()}"
            )
        try:
            return float(item)
        except OverflowError:
            raise MissingValueError(
                self.metric, f"{self._describe()} leads to a whole number that is too large"
            ) from None

    def _describe(self) -> str:
        return f"JSON pointer {self._pointer!r}"
