"""How frequent a value can be that n draws have not shown, and how many draws would have shown one."""

from __future__ import annotations

import math
from typing import Final

UNSEEN: Final = 0.05
"""Probability with which a mode that is that frequent shows in none of the draws."""


def unseen_share(n: int) -> float:
    """Return the largest share of a mode (or a kind of context) that can go unseen.

    It shows in none of ``n`` draws with a probability of 5 %.
    """
    return 1.0 if n < 1 else -math.expm1(math.log(UNSEEN) / n)


def runs_to_show(share: float) -> int:
    """Return the draws from which on a mode of this share, above 0, goes unseen in at most 5 %."""
    return 1 if share >= 1 else max(1, math.ceil(math.log(UNSEEN) / math.log1p(-share)))
