"""What tests of claims share: experiments with values by hand, judged as ``check`` judges a record."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from judged_values import bench, noise, perfect_passes

__all__ = ["bench", "noise", "perfect_passes"]
