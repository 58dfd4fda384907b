"""Samples by hand, as tests of statistics have them."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "stats"))

from small_samples import sample

__all__ = ["sample"]
