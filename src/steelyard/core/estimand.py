"""What a speedup is an estimate of, and which kinds of interval exist for each; what failed runs do to it."""

from __future__ import annotations

from typing import Final, Literal

Estimand = Literal["geomean_ratio", "ratio_of_means", "median_ratio", "quantile"]
"""``geomean_ratio``: exp of the mean log ratio. ``ratio_of_means``: of arithmetic means. ``median_ratio``:
the median of the units' ratios; of medians where nothing pairs them. ``quantile``: of a quantile of each."""

IntervalKind = Literal["sign-flip", "log-delta", "fieller", "gum-s1", "bootstrap-t", "sign", "mover"]

INTERVALS: Final[dict[Estimand, tuple[IntervalKind, ...]]] = {
    "geomean_ratio": ("sign-flip", "log-delta", "bootstrap-t"),
    "ratio_of_means": ("log-delta", "fieller", "gum-s1", "bootstrap-t"),
    "median_ratio": ("sign",),
    "quantile": ("mover",),
}
"""For each estimand the kinds that apply to it; the first is the default."""


def choose_interval(estimand: Estimand, interval: IntervalKind | None) -> IntervalKind:
    """Return the kind of interval that is declared by these."""
    return interval or INTERVALS[estimand][0]


PROPAGATED: Final[frozenset[IntervalKind]] = frozenset({"sign-flip", "log-delta"})
"""Kinds that have a place for stated uncertainties."""

Uncertainty = Literal["mean", "sample"]
"""What stands behind an adjusted speedup: the uncertainty of the mean, or the spread of single runs."""

OnFailures = Literal["refuse", "ignore", "as-limit"]
"""Runs that failed or timed out leave no verdict, are left out, or count as at least the limit."""
