"""``Budget``: what the uncertainty of a speedup is made of."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from functools import lru_cache

from steelyard.results.budget import Budget, Component, Side
from steelyard.results.comparison import Speedup
from steelyard.stats.compare.contrast import Contrast, Units
from steelyard.stats.compare.contributions import Contribution
from steelyard.stats.distributions.student import LogT
from steelyard.stats.hypothesis.sign_flips import SignFlips
from steelyard.stats.uncertainty.propagation import expand


def budget(
    contrast: Contrast, ratio: Speedup, allowed: Speedup, parts: Sequence[Contribution]
) -> Budget | None:
    """Return the budget of an estimate whose uncertainty was propagated.

    By t on log S, or by flipped signs, whose quantiles are not quite those of t. ``None`` for others, which
    have no sum of components. By what the likeness of neighbours widens it, ``allowed`` exceeds ``ratio``.
    """
    propagated = isinstance(ratio.distribution, LogT | SignFlips)
    if not propagated or ratio.nu is None or ratio.estimand in ("median_ratio", "quantile"):
        return None
    logs = ratio.estimand == "geomean_ratio"
    old = _make_runs_component("baseline", contrast.old, contrast.sign, logs=logs)
    new = _make_runs_component("treatment", contrast.new, -contrast.sign, logs=logs)
    lines = [old, new]
    if contrast.paired:
        # What is left of the variance of the pairs is their covariance, -2 u(a, b).
        pairs = ratio.se**2 - sum(part.u**2 for part in parts)
        both = pairs - old.variance - new.variance
        root = math.sqrt(abs(both) / 2)
        lines.append(Component("covariance of pairs", "A", "both", None, root, True, 1.0, both, old.nu))
    for part in parts:
        side_value = {"baseline": old.value, "treatment": new.value}.get(part.side)
        type_b = part.component
        lines.append(
            Component(
                type_b.name,
                "B",
                part.side,
                side_value,
                type_b.standard,
                type_b.relative,
                part.sensitivity,
                part.u**2,
                type_b.nu,
            )
        )
    nu = ratio.nu if allowed.nu is None else allowed.nu
    if allowed.se > ratio.se:
        widened = allowed.se**2 - ratio.se**2
        lines.append(
            Component("likeness of neighbours", "A", "both", None, math.sqrt(widened), True, 1.0, widened, nu)
        )
    return Budget(tuple(lines), expand(allowed.se, nu))


@lru_cache(maxsize=2)
def _make_runs_component(side: Side, units: Units, sign: int, *, logs: bool) -> Component:
    """Return the mean of one treatment's units.

    A mean of logarithms is told as a geometric mean. That of a baseline is asked for again and again.
    """
    values = units.logs if logs else units.raws
    value = math.exp(float(values.mean())) if logs else float(values.mean())
    # Over the mean, so that squares stay in range.
    relative = float((values if logs else values / value).std(ddof=1)) / math.sqrt(values.size)
    return Component(
        f"mean of {side}",
        "A",
        side,
        value,
        relative * value,
        relative=False,
        sensitivity=sign / value if value >= sys.float_info.min else 0.0,
        variance=relative**2,
        nu=values.size - 1.0,
    )
