"""Random draws that depend on a seed and on what is drawn, never on what was drawn before.

So a plan that is continued after a crash equals one that was not interrupted. ``random.Random`` seeded with a
text (by its SHA-512) and ``random()`` are promised to stay the same in later versions of Python; ``shuffle``
and ``randrange`` are not, so the permutation is ours (Fisher and Yates; Knuth, The Art of Computer
Programming, vol. 2, algorithm 3.4.2 P).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


def generator(seed: int, purpose: str, *index: int | str) -> random.Random:
    """Return a generator of its own for each purpose and index."""
    return random.Random("/".join(("steelyard", str(seed), purpose, *map(str, index))))


def permutation(items: Sequence[Item], draw: random.Random) -> list[Item]:
    """Return the items in random order, every order equally likely."""
    shuffled = list(items)
    for last in range(len(shuffled) - 1, 0, -1):
        count = int(draw.random() * (last + 1))
        shuffled[last], shuffled[count] = shuffled[count], shuffled[last]
    return shuffled
