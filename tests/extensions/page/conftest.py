"""The answers that tests of ``report`` present are shown on pages, too."""

from __future__ import annotations

from presented_answers import case, presented

__all__ = ["case", "presented"]
