"""Upper bound on the frequency of a value that n draws have not shown."""

from __future__ import annotations

import math

from steelyard.stats.distributions.absence import UNSEEN


def unseen_share(n: int) -> float:
    """Return the largest share of a mode (or a kind of context) that can go unseen.

    It shows in none of ``n`` draws with a probability of 5 %.
    """
    return 1.0 if n < 1 else -math.expm1(math.log(UNSEEN) / n)
