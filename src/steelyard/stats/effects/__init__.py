"""Factorial analysis: effects and interactions of the factors of a design, on the scale of logarithms."""

from __future__ import annotations
