"""Figures and tables that are asked for by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from steelyard.core.errors import UsageError


def choose_names(names: Iterable[str], only: Sequence[str], kind: str) -> list[str]:
    """List the names in ``only``, or all where that is empty, in the order of ``names``.

    Raises
    ------
    UsageError
        One is not among the names; the hint lists these.
    """
    available = list(names)
    for name in only:
        if name not in available:
            raise UsageError(f"there is no {kind} {name!r}", hint=f"{kind}s: {', '.join(available)}")
    return [name for name in available if not only or name in only]
