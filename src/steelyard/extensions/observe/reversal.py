"""Whether a probe turns round which of two programs is better."""

from __future__ import annotations

import math
from collections.abc import Sequence

from steelyard.extensions.observe.results import Change, Contest
from steelyard.results.undefined import Undefined
from steelyard.stats.hypothesis.holm import holm


def reversals(
    names: Sequence[str], changes: Sequence[Change | Undefined], *, alpha: float
) -> tuple[Contest, ...]:
    """One program over the other without a probe, the first, and under each probe.

    A reversal is two statements, each of which must be shown: one ratio is below 1 and the other above. Its p
    is the larger of the two (intersection-union test: Berger 1982, DOI 10.1080/00401706.1982.10487790),
    adjusted over the probes by Holm; 1 where both ratios lie on one side.
    """
    estimated = {
        name: change for name, change in zip(names, changes, strict=True) if not isinstance(change, Undefined)
    }
    alone = estimated.get(names[0])
    ps = [
        max(alone.p_holm, change.p_holm)
        if alone is not None and math.log(alone.ratio) * math.log(change.ratio) < 0
        else 1.0
        for change in estimated.values()
    ]
    if alone is None:
        return ()
    tested = holm(ps[1:], alpha)
    adjusted = [None, *tested]
    return tuple(
        Contest(
            probe=name,
            metric=change.metric,
            ratio=change.ratio,
            ci95=change.ci95,
            blocks=change.blocks,
            p_holm=None if test is None else test.p_holm,
            reversed=test is not None and test.rejected,
        )
        for (name, change), test in zip(estimated.items(), adjusted, strict=True)
    )
