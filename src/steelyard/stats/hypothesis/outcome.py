"""``TestOutcome``: a statistic, its p value and how that was found; and which way a hypothesis points."""

from __future__ import annotations

from typing import Literal

Alternative = Literal["two-sided", "less", "greater"]
"""What the first sample is, compared with the second, if the hypothesis of no difference is wrong."""
