"""Units for a verdict at a ratio other than 1: few are allowed for a likeness that none of them shows."""

from __future__ import annotations

from collections.abc import Callable

from steelyard.stats.describe.dependence import AT_BOUND, FEWEST, allowance_under


def units_at_bound(units_of: Callable[[float], int | None]) -> int | None:
    """Return the units that decide: ``FEWEST``, for which nothing is allowed, or fewer with the allowance.

    Parameters
    ----------
    units_of : callable
        Units for a spread that is so many times what it is; ``None`` where no number is enough.
    """
    units = units_of(1.0)
    if units is None or units >= FEWEST:
        return units
    return min(FEWEST, units_of(allowance_under(AT_BOUND, FEWEST).factor) or FEWEST)
