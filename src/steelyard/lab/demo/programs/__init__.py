"""The C programs of the demo, as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Final

SOURCES: Final = Path(__file__).parent
