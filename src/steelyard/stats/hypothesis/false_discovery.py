"""Control of the false discovery rate: the expected fraction of wrong findings among all findings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.stats.hypothesis.holm import Tested


def benjamini_hochberg(p_values: Sequence[float], q: float = 0.05) -> tuple[Tested, ...]:
    """Return the family in the order given (Benjamini and Hochberg 1995).

    DOI 10.1111/j.2517-6161.1995.tb02031.x; at a rate of ``q`` for tests that are independent or positively
    dependent.

    ``level`` is R q / m with R rejected of m, and q / m without any: intervals at 1 - ``level`` of the
    rejected ones miss the truth in an expected fraction of at most ``q`` (Benjamini and Yekutieli 2005, DOI
    10.1198/016214504000001907), and an interval excludes the hypothesis exactly when it was rejected.
    """
    p = np.asarray(p_values, dtype=np.float64)
    m = p.size
    if m == 0:
        return ()
    order = np.argsort(p, kind="stable")
    raised = p[order] * m / np.arange(1, m + 1)
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(raised[::-1])[::-1])
    rejected = adjusted <= q
    level = max(1, int(rejected.sum())) * q / m
    return tuple(
        Tested(float(item), float(a), bool(r), level)
        for item, a, r in zip(p, adjusted, rejected, strict=True)
    )
