"""The algebra of factorial designs: what varies, signs, fractions and what they confound.

It uses the standard library only, since a question must be laid out before numpy is loaded.
"""

from __future__ import annotations

from steelyard.core.factorial.axis import Axis
from steelyard.core.factorial.fraction import Fraction, Generator
from steelyard.core.factorial.layout import Kind, Layout
from steelyard.core.factorial.words import Word

__all__ = ["Axis", "Fraction", "Generator", "Kind", "Layout", "Word"]
