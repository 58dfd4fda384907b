"""At which level an extended experiment is judged, so that extending until something shows stays honest.

The first answer used up ``alpha``. The j-th extension is judged over all blocks at alpha / (10 * 2^j): with
5 %, at 0.25, 0.125, 0.0625 … %. However many extensions there are, of whatever size, and whatever made
somebody ask for them, all of them together add at most a tenth of alpha (the union bound), so that the same
program is called different in at most 5.5 % of cases (docs/decisions/028-extending.md).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

PARTS: Final = 10
"""Parts of alpha, one of which is spent on all extensions together."""


def level_after(alpha: float, extensions: int) -> float:
    """The familywise level of a record that was extended so often; ``alpha`` where it was not."""
    return _times(alpha, Fraction(1, PARTS * 2**extensions)) if extensions else alpha


def level_before(alpha: float, extensions: int) -> float:
    """What was declared, of the level of a record that was extended so often."""
    return _times(alpha, Fraction(PARTS * 2**extensions)) if extensions else alpha


def _times(level: float, factor: Fraction) -> float:
    # The decimal number that was declared is what is divided, so that 5 % / 20 is 0.0025 and not next to it.
    return float(Fraction(str(level)) * factor)
