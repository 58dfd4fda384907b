"""``[[analysis.type_b]]``: errors that repetition does not show."""

from __future__ import annotations

import math
from collections.abc import Sequence

from steelyard.estimand import INTERVALS, PROPAGATED
from steelyard.spec.experiment import StatedError
from steelyard.spec.tables.analysis import AnalysisTable, TypeBTable
from steelyard.spec.text.origin import Origin, Path


def read_type_b(table: AnalysisTable, origin: Origin) -> tuple[StatedError, ...]:
    """Each as a standard uncertainty; ``half_width`` and ``step`` of rectangular distributions.

    Raises
    ------
    SpecError
    """
    path: Path = ("analysis", "type_b")
    kind = table.interval or INTERVALS[table.estimand][0]
    if table.type_b and kind not in PROPAGATED:
        what = f"an interval by {kind} has no place for a stated uncertainty"
        raise origin.error(path, what, 'write interval = "log-delta", or leave type_b out')
    names = [each.name for each in table.type_b]
    found = []
    for i, each in enumerate(table.type_b):
        if each.name in names[:i]:
            raise origin.error((*path, i, "name"), f"{each.name} is stated twice", "leave one out")
        found.append(_read(each, origin, (*path, i)))
    return tuple(found)


def _read(table: TypeBTable, origin: Origin, path: Path) -> StatedError:
    sizes = {"u": table.u, "half_width": table.half_width, "step": table.step}
    given = {name: value for name, value in sizes.items() if value is not None}
    if len(given) != 1:
        what = f"{' and '.join(given)} are both its size" if given else f"{table.name} has no size"
        raise origin.error(path, what, "give one of u, half_width and step")
    return StatedError(table.name, _standard(given), table.relative, table.shared, table.nu)


def _standard(given: dict[str, float]) -> float:
    """A / sqrt(3) for a value anywhere within -a to a (GUM 4.3.7), step / sqrt(12) for a rounded one."""
    ((name, value),) = given.items()
    return value / {"u": 1.0, "half_width": math.sqrt(3), "step": math.sqrt(12)}[name]


def as_tables(errors: Sequence[StatedError]) -> list[dict[str, object]]:
    """What reads back to them."""
    default = StatedError("", 0.0)
    return [
        {"name": each.name, "u": each.u}
        | {
            key: value
            for key in ("relative", "shared", "nu")
            if (value := getattr(each, key)) != getattr(default, key)
        }
        for each in errors
    ]
