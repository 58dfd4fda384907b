"""Answers to present, and golden files."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from presented_answers import case, golden, presented

__all__ = ["case", "golden", "presented"]
