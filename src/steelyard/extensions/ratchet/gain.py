"""The gain of a change, estimated and judged by the steps of a comparison."""

from __future__ import annotations

import math
from functools import partial

import msgspec

from steelyard.core.analysis import Analysis
from steelyard.core.errors import ProgramError
from steelyard.core.sample import Sample
from steelyard.extensions.ratchet.builds import BuildSpread
from steelyard.results.comparison import Comparison
from steelyard.results.interval import Interval
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.comparison import admissible, intervals, judge_beside
from steelyard.stats.compare.judgement import Judgement, judge_at_least
from steelyard.stats.compare.slow_mode import runs_to_trust


class Gain(msgspec.Struct, frozen=True):
    """A gain, and what speaks against its being chance.

    Attributes
    ----------
    value : float
        Time of the best over that of the change.
    ci95 : Interval or None
    p : float
        One-sided, of "the mean is not faster by more than the margin".
    is_win : bool
        At the level that was asked for: the mean is faster by more than the margin, and neither the typical
        run nor slow runs of unknown share speak against it.
    why : str
        What speaks against it although the mean is that fast; empty where nothing does.
    blocks : int
    """

    value: float
    ci95: Interval | None
    p: float
    is_win: bool
    why: str
    blocks: int


def judge_gain(
    before: Sample,
    after: Sample,
    *,
    margin: float,
    level: float = 0.025,
    spread: BuildSpread | None = None,
    screens: bool = False,
) -> Gain:
    """Judge whether a change is faster by more than a margin, one-sided at ``level``.

    Parameters
    ----------
    before, after : Sample
        Of the best and of the change, in blocks that both share.
    spread : BuildSpread or None
        By how much builds differ, where all blocks compare two of them.
    screens : bool
        Whether it only chooses what is measured again, and few blocks need no allowance.

    Raises
    ------
    ProgramError
        There is no ratio.
    """
    metric = before.metric.name
    declared = Analysis(
        metric=metric,
        alpha=2 * level,
        baseline=before.treatment.levels,
        type_b=() if spread is None else (spread.make_error(),),
    )
    is_at_bound = margin > 0 and not screens
    (compared,) = intervals([before, after], declared, metric=metric, beside=True, at_bound=is_at_bound)
    ratio = compared.speedup
    if isinstance(ratio, Undefined):
        raise ProgramError(f"{metric}: no ratio, since {ratio.words}", hint="choose another --metric")
    judge = partial(judge_at_least, by=1 + margin, alpha=declared.alpha)
    mean = judge(ratio)
    p = (mean.p or 0.0) / 2 if mean.indicated == "holds" else 1 - (mean.p or 0.0) / 2
    why = _explain_doubt(judge_beside(judge, compared, declared), compared, declared)
    is_fast = mean.outcome == "holds"
    return Gain(ratio.value, ratio.interval(), p, is_fast and not why, why if is_fast else "", ratio.n)


def count_runs_to_show(gain: Gain, margin: float) -> int:
    """Count the runs that would show slow ones which take a win away.

    That is a mode, up to twice as long, which is frequent enough to carry the mean below the margin.
    """
    distance = math.log(gain.value) - math.log1p(margin)
    return runs_to_trust(distance) if distance > 0 else 0


def _explain_doubt(judged: Judgement, compared: Comparison, declared: Analysis) -> str:
    if judged.by == "typical" and judged.outcome == "fails":
        return "a typical run is not faster"
    if not admissible(compared.flags, declared):
        return "slow runs of one of both, whose share is not known, decide"
    return ""
