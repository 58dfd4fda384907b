"""Lenth's pseudo standard error: a test of unreplicated effects, if most are negligible.

1989, Technometrics 31, 469-473, DOI 10.1080/00401706.1989.10488595.
"""

from __future__ import annotations

import msgspec
import numpy as np

from steelyard.core.arrays import Floats


class PseudoError(msgspec.Struct, frozen=True):
    """A standard error of each effect, and the degrees of freedom to use with it."""

    se: float
    nu: float


def pseudo_error(effects: Floats) -> PseudoError | None:
    """s_0 = 1.5 median |c|, PSE = 1.5 median of the |c| below 2.5 s_0.

    The degrees of freedom are nu = m / 3. ``None`` for fewer than three effects, or where most of them are 0.
    """
    sizes = np.abs(effects)
    if sizes.size < 3:
        return None
    start = 1.5 * float(np.median(sizes))
    small = sizes[sizes < 2.5 * start]
    if not small.any():
        return None
    return PseudoError(1.5 * float(np.median(small)), sizes.size / 3)
