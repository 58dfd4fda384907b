"""Metrics that a tool of valgrind counts, found in the summary that it writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.run.launch.valgrind import totals
from steelyard.run.measure.extract.missing import MissingValueError
from steelyard.run.measure.extract.series import Column, constant
from steelyard.spec.valgrind import EVENTS, Tool

if TYPE_CHECKING:
    from steelyard.run.runner.journal import RawTrial


class CountedEvent:
    """One event of a tool."""

    def __init__(self, metric: str, tool: Tool, event: str) -> None:
        self.metric = metric
        self._tool = tool
        self._line = EVENTS[tool][event]

    def column(self, raw: RawTrial) -> Column:
        """Return the total of the program.

        Raises
        ------
        MissingValueError
            The summary does not hold it: the program replaced itself by another, or valgrind failed.
        """
        counts = totals(raw.metrics)
        if self._line not in counts:
            message = f"{self._tool} wrote no line {self._line!r} of its summary"
            reason = "it has none of a program that replaces itself by another, as env does"
            raise MissingValueError(self.metric, f"{message}; {reason}")
        return constant(float(counts[self._line]))
