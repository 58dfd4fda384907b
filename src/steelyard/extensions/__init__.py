"""Steelyard's extensions: each a folder that holds a feature whole. The core names none of them.

The order is that of ``steelyard --help``.
"""

from __future__ import annotations

from typing import Final

from steelyard.core.extension import Extension

EXTENSIONS: Final = (
    Extension(
        name="history",
        purpose="what changed over records of many commits, and at which",
        after_run={"summary": "steelyard.lab.summary.condensing:write_summary"},
    ),
)
