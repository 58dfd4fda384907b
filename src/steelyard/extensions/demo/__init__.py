"""The demo: three experiments on real programs that show, in about a minute, how run times lie."""

from __future__ import annotations

from pathlib import Path
from typing import Final

SOURCES: Final = Path(__file__).parent / "programs"
"""Directory of its C programs."""
