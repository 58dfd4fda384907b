"""``Judgement``: whether a statement about a ratio holds, fails, or is not resolved, and at which level."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from steelyard.core.estimand import Estimand
from steelyard.results.comparison import Decider, Speedup
from steelyard.results.interval import Interval
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.slow_mode import runs_to_trust
from steelyard.stats.hypothesis.holm import Tested, holm

Outcome = Literal["holds", "fails", "not_resolved", "not_judged"]
"""Of every gate. ``not_resolved``: the values do not decide it; ``not_judged``: nothing could, for want of a
value, because runs failed, or since times are the work of all ranks together. Neither is green.
"""


TYPICAL: Final = 0.25
"""Of the level, what a test beside the mean has. Both call a true statement false with at most 1.25 times the
probability of the mean alone, which spends half of the level on that side: 3.1 % of 5."""


class Judgement(msgspec.Struct, frozen=True):
    """A statement about one ratio, judged by an interval.

    Attributes
    ----------
    outcome : {"holds", "fails", "not_resolved"}
        Not resolved where the interval at ``level`` has a bound on the other side, or does not exist.
    indicated : {"holds", "fails"} or None
        Which way it goes as soon as it is resolved; ``None`` without a ratio.
    p : float or None
        The smallest two-sided level at which the interval decides the statement: small is resolved. What Holm
        adjusts where several statements are one family. ``None`` without a ratio.
    p_holm : float or None
        The same, adjusted; equal to ``p`` where the statement is alone.
    level : float
        At which it was judged: alpha, or that of its step of Holm.
    interval : Interval or None
        Of the ratio, at ``level``; at twice that where two one-sided tests show it.
    one_sided : bool
        Whether two one-sided tests at ``level`` each would show it.
    by : {"mean", "typical", "least"}
        What it rests on: what was declared, the typical run beside it, or the least that a mean can be.
    distance : float or None
        Of a statement that nothing is worse than a bound: logarithm from the ratio to the nearest bound over
        which slow runs that did not show would carry it. ``None`` of other statements.
    runs_to_show : int or None
        Runs of each treatment that would show such slow runs, where there are fewer: with them the statement
        would hold, without them it is not resolved.
    """

    outcome: Outcome
    indicated: Literal["holds", "fails"] | None
    p: float | None
    p_holm: float | None
    level: float
    interval: Interval | None
    one_sided: bool = False
    by: Decider = "mean"
    distance: float | None = None
    runs_to_show: int | None = None


def judge_at_least(ratio: Speedup | Undefined, by: float, alpha: float = 0.05) -> Judgement:
    """Better by the factor ``by``: holds where the interval lies above ``by``, fails where it lies below."""
    if isinstance(ratio, Undefined):
        return _make_unknown(alpha)
    judgement = _judge(ratio, "holds" if ratio.value > by else "fails", ratio.p_of(by), alpha)
    return replace(judgement, distance=ratio.log - math.log(by)) if by < 1 else judgement


def judge_at_most(ratio: Speedup | Undefined, by: float, alpha: float = 0.05) -> Judgement:
    """Better by less than ``by``: holds where the interval lies below it, fails where it lies above."""
    if isinstance(ratio, Undefined):
        return _make_unknown(alpha)
    judgement = _judge(ratio, "holds" if ratio.value < by else "fails", ratio.p_of(by), alpha)
    return replace(judgement, distance=math.log(by) - ratio.log) if by > 1 else judgement


def judge_within(
    ratio: Speedup | Undefined, bound: float, alpha: float = 0.05, *, one_sided: bool = False
) -> Judgement:
    """Judge whether treatments are equivalent within ``bound``.

    They are where the interval lies inside 1 - bound to 1 + bound (two one-sided tests at half of ``alpha``
    each, or at ``alpha`` where ``one_sided``: Schuirmann 1987, DOI 10.1007/BF01068419). The claim fails where
    it lies wholly outside.
    """
    if isinstance(ratio, Undefined):
        return _make_unknown(alpha)
    low, high = 1 - bound, 1 + bound
    if ratio.value > high:
        return _judge(ratio, "fails", ratio.p_of(high), alpha)
    if ratio.value < low:
        return _judge(ratio, "fails", ratio.p_of(low), alpha)
    p = max(ratio.p_of(low), ratio.p_of(high))
    judgement = _judge(ratio, "holds", p, alpha)
    if one_sided:
        outcome: Outcome = "holds" if p / 2 <= alpha else "not_resolved"
        judgement = Judgement(
            outcome, "holds", p / 2, p / 2, alpha, ratio.interval(2 * alpha), one_sided=True
        )
    return replace(judgement, distance=min(math.log(high) - ratio.log, ratio.log - math.log(low)))


def close_by(by: Decider, mean: Judgement, beside: Judgement, alpha: float = 0.05) -> Judgement:
    """Judge a statement twice: it fails where either judgement says so, and holds by the mean.

    So what stands beside the mean, the typical run, can refute, and never confirms. Where the mean confirms
    what that refutes at ``alpha``, the statement fails.
    """
    if beside.indicated != "fails" or beside.p is None:
        return mean
    p = share_of_level(beside.p)
    is_surer = p < mean.p if mean.indicated == "fails" and mean.p is not None else p <= alpha
    if mean.p is not None and not is_surer:
        return mean
    return replace(beside, outcome="fails" if p <= alpha else "not_resolved", p=p, p_holm=p, by=by)


def wait_for_slow_runs(judgement: Judgement, runs: int, estimand: Estimand) -> Judgement:
    """Judge that nothing is worse than a bound no earlier than slow runs would have shown.

    Those are runs that carry the mean of ``runs`` runs of each treatment over the bound.
    """
    if judgement.indicated != "holds" or not judgement.distance:
        return judgement
    needed = runs_to_trust(judgement.distance, estimand)
    if runs >= needed:
        return judgement
    to_show = needed if judgement.outcome == "holds" else None
    return replace(judgement, outcome="not_resolved", p=1.0, p_holm=1.0, runs_to_show=to_show)


def share_of_level(p: float) -> float:
    """Return p of a test that has ``TYPICAL`` of the level, as the whole level counts it."""
    return min(1.0, p / TYPICAL)


def judge_together(
    judgements: Sequence[Judgement],
    ratios: Sequence[Speedup | Undefined],
    alpha: float = 0.05,
    adjust: Callable[[Sequence[float], float], tuple[Tested, ...]] = holm,
) -> tuple[Judgement, ...]:
    """Return the same statements as one family: each again at the level that ``adjust`` leaves it.

    With Holm, any wrong one among them has a probability of at most ``alpha``. Those without a ratio are in
    no family.
    """
    numbers = [i for i, judgement in enumerate(judgements) if judgement.p is not None]
    results = dict(
        zip(
            numbers,
            adjust([p for judgement in judgements if (p := judgement.p) is not None], alpha),
            strict=True,
        )
    )
    adjusted: list[Judgement] = []
    for i, (judgement, ratio) in enumerate(zip(judgements, ratios, strict=True)):
        if i not in results or judgement.indicated is None:
            adjusted.append(judgement)
            continue
        result = results[i]
        level = (1 + judgement.one_sided) * result.level
        adjusted.append(
            replace(
                judgement,
                outcome=judgement.indicated if result.rejected else "not_resolved",
                p_holm=result.p_holm,
                level=result.level,
                interval=None if isinstance(ratio, Undefined) else ratio.interval(level),
            )
        )
    return tuple(adjusted)


def _judge(ratio: Speedup, indicated: Literal["holds", "fails"], p: float, alpha: float) -> Judgement:
    outcome: Outcome = indicated if p <= alpha else "not_resolved"
    return Judgement(outcome, indicated, p, p, alpha, ratio.interval(alpha))


def _make_unknown(alpha: float) -> Judgement:
    return Judgement("not_resolved", None, None, None, alpha, None)
