"""Answers as text: quantities, lines, progress."""

from __future__ import annotations

from steelyard.core.units import Scalar, format_quantity
from steelyard.report.text.line import Style
from steelyard.report.text.line import plain as as_plain_text
from steelyard.report.text.progress import ProgressLine

__all__ = [
    "ProgressLine",
    "Scalar",
    "Style",
    "as_plain_text",
    "format_quantity",
]
