"""Series from a data frame: pandas, polars, an Arrow table, or a mapping of columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from steelyard.core.errors import UsageError
from steelyard.core.series import Series, series_of


def series_of_frame(
    frame: Any, value: str, parameters: Sequence[str], by: Sequence[str] = (), unit: str = ""
) -> tuple[Series, ...]:
    """One series for each combination of the columns ``by``; one row is one launch.

    No library is imported: a column is ``frame[name]``, read by its own ``to_list``, ``tolist`` or
    ``to_pylist``.

    Raises
    ------
    UsageError
        A column is missing, or a parameter is not a number.
    """
    columns = {name: _find_column(frame, name) for name in (value, *parameters, *by)}
    groups: dict[tuple[Any, ...], tuple[list[list[float]], list[list[float]]]] = {}
    for row in range(len(columns[value])):
        at, values = groups.setdefault(tuple(columns[name][row] for name in by), ([], []))
        at.append([_number(columns[name][row], name) for name in parameters])
        values.append([_number(columns[value][row], value)])
    return tuple(
        series_of(
            "/".join(map(str, key)), parameters, at, values, metric=value, unit=unit,
            labels=dict(zip(by, key, strict=True)),
        )
        for key, (at, values) in groups.items()
    )  # fmt: skip


def _find_column(frame: Any, name: str) -> list[Any]:
    texts = [str(column) for column in _make_names(frame)]
    if name not in texts:
        close = get_close_matches(name, texts, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"columns: {', '.join(texts) or 'none'}"
        raise UsageError(f"the frame has no column {name!r}", hint=hint)
    column = frame[name]
    for method in ("to_list", "tolist", "to_pylist"):
        if hasattr(column, method):
            return list(getattr(column, method)())
    return list(column)


def _make_names(frame: Any) -> Iterable[Any]:
    for attribute in ("column_names", "columns"):
        names = getattr(frame, attribute, None)
        if names is not None:
            return list(names) if attribute == "columns" else names
    return list(frame)


def _number(cell: Any, name: str) -> float:
    try:
        return float(cell)
    except (TypeError, ValueError):
        raise UsageError(
            f"column {name!r} has {cell!r}, which is not a number", hint="leave such rows out"
        ) from None
