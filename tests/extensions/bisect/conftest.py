"""Noise of histories, which the search for a commit meets too."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "history"))

from drawn_series import noise_of

__all__ = ["noise_of"]
