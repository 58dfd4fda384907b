"""``limit``: a bound of a metric, at levels that were measured or at a scale that is foretold."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.errors import UsageError
from steelyard.spec.cells import Cell
from steelyard.spec.check.levels import find_level
from steelyard.spec.claims.claim import Limit
from steelyard.spec.claims.question import (
    Question,
    check_label,
    check_metric,
    check_parameter,
)
from steelyard.spec.claims.tables import Bound, LimitTable
from steelyard.spec.text.origin import Origin, Path
from steelyard.spec.text.toml import shown
from steelyard.units import Scalar, is_number, parse_duration, parse_size


def read_limit(table: LimitTable, question: Question, origin: Origin, path: Path) -> Limit:
    """The claim, its bound in the unit of the metric."""
    check_metric(table.limit, question, origin, (*path, "limit"))
    bounds = [key for key in ("max", "min") if getattr(table, key) is not None]
    if len(bounds) != 1:
        what = "both max and min are given, which are two claims" if bounds else "there is no bound"
        raise origin.error(path, what, "write either max = … or min = …")
    if table.at and table.parameter is not None:
        what = "at says already for which treatments the limit stands"
        raise origin.error((*path, "parameter"), what, "leave out parameter, or at")
    at: Cell = {}
    for name, level in table.at.items():
        place = (*path, "at", name)
        measured = question.levels.get(name)
        if measured is None:
            check_label(name, table.limit, question, origin, place)
            at[name] = level
        elif _foretold(level, measured):
            at[name] = level
        else:
            at[name] = find_level(name, measured, level, origin, place)
    if table.parameter is not None:
        check_parameter(table.parameter, table.limit, question, origin, (*path, "parameter"))
    unit = question.metrics[table.limit].unit
    bound = {key: _bound(getattr(table, key), unit, origin, (*path, key)) for key in bounds}
    return Limit(table.limit, at, bound.get("max"), bound.get("min"), table.parameter, table.name)


def _foretold(level: Scalar, measured: Sequence[Scalar]) -> bool:
    """Whether this is a scale that was not measured, of a factor whose levels are numbers."""
    return is_number(level) and not any(level == each for each in measured) and all(map(is_number, measured))


def _bound(value: Bound, unit: str, origin: Origin, path: Path) -> float:
    try:
        if unit == "B":
            return float(parse_size(value))
        if unit == "s":
            return parse_duration(value)
        return float(value)
    except UsageError as error:
        raise origin.placed(path, error) from None
    except ValueError:
        what = f"{shown(value)} is no number, and only sizes and times may have a unit"
        raise origin.error(path, what, f"write a number{f' of {unit}' if unit else ''}") from None
