"""Steelyard: a laboratory for performance experiments.

The Python API is ``steelyard.spec`` and ``steelyard.lab``; importing the package itself costs nothing.
"""

from __future__ import annotations

__version__ = "0.1.0"
