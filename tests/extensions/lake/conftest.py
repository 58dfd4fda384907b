"""Makes ``simulated_machines``, of the tests of ``merge``, importable for the tests beside it."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "lab" / "merge"))
