"""Metrics found by a regular expression: every match is an iteration, its first group the number.

Named groups are labels: ``(?P<nb>[0-9]+)`` keeps the values of each block size apart. The number is the group
``value``, or else the first without a name. Lines of a table are told apart by its columns of whole numbers.

``^`` and ``$`` match at every line. Python's ``re`` may take time exponential in the length of a text for a
pattern such as ``(a+)+$``, and no guard against that is exact; so a pattern never sees more than
``MOST_BYTES``, and such a pattern is the spec's own. Extraction runs between batches, so it can delay an
experiment but disturb no trial.
"""

from __future__ import annotations

import math
import re
from typing import Final, Literal

from steelyard.core.units import Scalar
from steelyard.run.measure.extract.missing import MissingValueError
from steelyard.run.measure.extract.series import Column, ReportedSeries, canonical, label_key
from steelyard.run.measure.extract.table_columns import Match, find_configurations
from steelyard.run.measure.output import Output

MOST_BYTES: Final = 1 << 20
"""Longest text that a pattern is searched in."""

VALUE: Final = "value"
"""Name of the group that is the number."""
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
"""A decimal number as programs print it. Other forms that ``float`` takes (``1_000``, ``inf``) do not count.
"""
_WHOLE: Final = re.compile(r"0|[1-9][0-9]{0,15}")


class Pattern:
    """A metric's pattern, compiled."""

    def __init__(self, metric: str, pattern: str, source: Literal["stdout", "stderr"]) -> None:
        self.metric = metric
        self.source = source
        self._pattern = re.compile(pattern, re.MULTILINE)
        names = self._pattern.groupindex
        nameless = (group for group in range(1, self._pattern.groups + 1) if group not in names.values())
        self._number = names.get(VALUE) or next(nameless, 1)
        self._labels = [name for name, group in names.items() if group != self._number]

    def column(self, output: Output) -> Column:
        """Every match, in order.

        Raises
        ------
        MissingValueError
            No match, a first group that is not a finite number, or an output of which a part may hold further
            matches unseen.
        """
        refuse_cut(self.metric, output)
        if len(output.head) > MOST_BYTES:
            raise MissingValueError(
                self.metric,
                f"{output.name} has {len(output.head):,} bytes, of which a pattern sees {MOST_BYTES:,}",
            )
        text = output.text()
        matches = list(self._pattern.finditer(text))
        numbers = [self._read_number(match, output) for match in matches]
        if not numbers:
            raise MissingValueError(self.metric, f"{self._describe()} matches nothing in {output.describe()}")
        places = [Match(*match.span(self._number)) for match in matches]
        labels = (
            [{name: _read_level(match[name]) for name in self._labels if match[name]} for match in matches]
            if self._labels
            else find_configurations(text, places)
        )
        column: Column = {}
        for number, of_number in zip(numbers, labels, strict=True):
            ordered = canonical(of_number)
            column.setdefault(label_key(ordered), ReportedSeries(ordered)).numbers.append(number)
        return column

    def _read_number(self, match: re.Match[str], output: Output) -> float:
        text = match[self._number]
        if text is None:
            raise MissingValueError(
                self.metric,
                f"the first group of {self._describe()} took no part in the match {match[0][:80]!r}",
            )
        value = float(text) if _NUMBER.fullmatch(text := text.strip()) else math.nan
        if not math.isfinite(value):
            problem = "is too large for a number" if math.isinf(value) else "is not a number"
            raise MissingValueError(
                self.metric, f"{text[:80]!r}, found by {self._describe()}, {problem} in {output.describe()}"
            )
        return value

    def _describe(self) -> str:
        return f"pattern {self._pattern.pattern!r}"


def _read_level(text: str) -> Scalar:
    """Return the whole number that a label is, or its text."""
    return int(text) if _WHOLE.fullmatch(text) else text


def refuse_cut(metric: str, output: Output) -> None:
    """Raise ``MissingValueError`` where output was lost: values from the rest would be a selection."""
    if output.cut:
        raise MissingValueError(
            metric,
            f"only {len(output.head):,} of the {output.total_bytes:,} bytes of {output.name} were kept; "
            "let the program report less, or through the file that $STEELYARD_METRICS names",
        )
