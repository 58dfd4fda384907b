"""The values that a program reports, out of what it wrote. All of it is input that nobody vouches for."""

from __future__ import annotations

from steelyard.run.measure.extract.extractor import Extractor
from steelyard.run.measure.extract.missing import MissingValueError

__all__ = ["Extractor", "MissingValueError"]
