"""``Asked``: what a command of data has read, the options included."""

from __future__ import annotations

import msgspec

from steelyard.scaling.question import Question
from steelyard.series import Series


class Asked(msgspec.Struct, frozen=True):
    """Series, what is asked of them, and the rules between them."""

    series: tuple[Series, ...]
    question: Question
    rules: tuple[str, ...]
    litmus: str | None
