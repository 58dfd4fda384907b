"""``TestOutcome``: a statistic, its p value and how that was found; and which way a hypothesis points."""

from __future__ import annotations

from typing import Literal

import msgspec

Alternative = Literal["two-sided", "less", "greater"]
"""What the first sample is, compared with the second, if the hypothesis of no difference is wrong."""


class TestOutcome(msgspec.Struct, frozen=True):
    """What one test of two samples came to.

    Attributes
    ----------
    method : str
        How p was found, where a test has several ways: ``exact``, ``exact-ties``, ``normal``, ``t``.
    nu : float or None
        Degrees of freedom, where the distribution has them.
    """

    __test__ = False  # its name begins as a test's does

    statistic: float
    p: float
    method: str
    nu: float | None = None
