"""What tests of extensions share with those of the lab, of the store and of reports."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "store"))
sys.path.insert(0, str(Path(__file__).parents[1] / "lab"))

from small_experiments import made, run_in

__all__ = ["made", "run_in"]
