"""The unit that a comparison tests, and the test that judges it."""

from __future__ import annotations

from typing import Literal

Unit = Literal["block", "context", "instance", "run"]
Judge = Literal["t", "sign-flip", "sign"]
"""By which the units are tested: their mean, their mean by 7 to 64 flipped signs, or their median."""
