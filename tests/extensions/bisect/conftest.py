"""Noise of histories, which the search for a commit meets too."""

from __future__ import annotations

from drawn_noise import noise_of

__all__ = ["noise_of"]
