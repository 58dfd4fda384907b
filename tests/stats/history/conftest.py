"""What tests of histories share: series that are drawn."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from drawn_series import made_series, noise_of

__all__ = ["made_series", "noise_of"]
