"""``Standing``: how far a question is answered at a look of the stop rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import msgspec

from steelyard.core.look_schedule import Until
from steelyard.results.comparison import Comparison, Speedup
from steelyard.results.flags import EARLY, ENOUGH, EarlyDoubt
from steelyard.results.interval import Interval
from steelyard.stats.planning.precision import Precision, halfwidth_of

NARROW: Final = 0.01
"""Relative half-width that is narrow whatever the effect is."""
PART: Final = 0.1
"""Half-width that is narrow against an effect, as a fraction of it."""


class Standing(msgspec.Struct, frozen=True):
    """Answer so far, and the precision that it lacks most.

    Attributes
    ----------
    halfwidth, target : float or None, float
        Relative half-width reached and wanted, of the interval that is farthest from its target; ``None``
        while one is unbounded.
    decided : bool
        Every verdict is; true too where the rule asks for none.
    until : {"size", "verdict"}
        Whether a half-width has to be reached as well.
    doubts, floor : tuple of {"bimodal", "autocorrelated"}, float
        As of ``Precision``.
    speedup, interval : float or None, Interval or None
        Of the first comparison, for the progress line of the run.
    """

    halfwidth: float | None
    target: float
    decided: bool = True
    doubts: tuple[EarlyDoubt, ...] = ()
    floor: float = 0.0
    speedup: float | None = None
    interval: Interval | None = None
    until: Until = "size"

    @property
    def answered(self) -> bool:
        """Whether nothing is left to wait for."""
        if self.until == "verdict":
            return self.decided
        return self.decided and self.halfwidth is not None and self.halfwidth <= self.target

    def relied_on(self, blocks: int, *, verdicts: bool) -> bool:
        """Whether an answer of so many blocks may end the run.

        Few must not be doubtful, and must reach a part of the half-width wanted, unless the rule asks for
        ``verdicts``, which hold over all looks by themselves.
        """
        if not self.answered or blocks >= ENOUGH:
            return self.answered
        return not self.doubts and (verdicts or (self.halfwidth or 0.0) <= EARLY * self.target)


def standing(
    precision: Precision,
    judged: Sequence[Comparison],
    target: float | None,
    *,
    rel_effect: float | None = None,
    until: Until = "size",
) -> Standing:
    """Standing of comparisons, or of means or effects where there are none.

    Parameters
    ----------
    judged : sequence of Comparison
        At this look, with intervals that hold over all looks where the rule asks for verdicts.
    target : float or None
        Relative half-width wanted of all that was ``precision``; ``None`` to ask for verdicts, with intervals
        that are narrow against their effects.
    rel_effect : float or None
        Fraction of an effect that is narrow enough where it is more than ``target``.
    until : {"size", "verdict"}
        Whether verdicts that are ``judged`` have to be narrow as well; means and effects always have.
    """
    least, fraction = (NARROW, PART) if target is None else (target, rel_effect)
    target_of = (
        [(halfwidth_of(comparison), narrow(comparison, least, fraction)) for comparison in judged]
        if fraction is not None and judged
        else [(halfwidth, target or NARROW) for halfwidth in precision.halfwidths]
    )
    farthest, runs = max(
        target_of,
        key=lambda pair: math.inf if pair[0] is None else pair[0] / pair[1],
        default=(None, target or NARROW),
    )
    first = judged[0].speedup if judged else None
    return Standing(
        halfwidth=farthest,
        target=runs,
        decided=target is not None or all(comparison.verdict != "not_resolved" for comparison in judged),
        doubts=precision.doubts,
        floor=precision.floor,
        speedup=first.value if isinstance(first, Speedup) else None,
        interval=judged[0].ci95 if judged else None,
        until=until if judged else "size",
    )


def narrow(comparison: Comparison, least: float = NARROW, fraction: float = PART) -> float:
    """Return the relative half-width at which the interval is narrow against the effect.

    It is a tenth of the effect, at least 1 %, or another ``fraction`` and ``least``.

    The effect is that of the larger over the smaller, so that a ratio and its reciprocal ask for the same.
    """
    ratio = comparison.speedup
    effect = -math.expm1(-abs(ratio.log)) if isinstance(ratio, Speedup) else 0.0
    return max(least, fraction * effect)
