"""Direction of a change of a metric."""

from __future__ import annotations

from typing import Literal

Direction = Literal["better", "worse", "neither"]
"""``neither`` of a metric that is better neither higher nor lower."""
