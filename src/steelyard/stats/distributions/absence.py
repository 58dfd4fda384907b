"""How many draws show a value of a given frequency: it is absent from n of them with (1 - share)^n."""

from __future__ import annotations

import math
from typing import Final

UNSEEN: Final = 0.05
"""Probability with which a value that is that frequent shows in none of the draws."""


def runs_to_show(share: float) -> int:
    """Return the draws from which on a value of this share, above 0, goes unseen in at most 5 %."""
    return 1 if share >= 1 else max(1, math.ceil(math.log(UNSEEN) / math.log1p(-share)))
