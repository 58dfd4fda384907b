"""What the default says of so many blocks: how often it withholds its verdict, and how often it is wrong. By
``compare`` itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from noises import NOISES, samples, slow_runs, true_log

from steelyard.core.analysis import Analysis
from steelyard.stats.compare.comparison import compare

ALIKE: Final = (10, 15, 30)
ROWS: Final[dict[str, tuple[int, ...]]] = {
    **{name: ALIKE for name, noise in NOISES.items() if noise.keeps_level and not noise.mode},
    "one arm, a tenth × 1.5": (8, 10, 15, 30, 60),
    **{name: (10, 20, 30, 100) for name, noise in NOISES.items() if not noise.keeps_level},
}
"""Noises, and the blocks at which they are judged."""


@dataclass(frozen=True, slots=True)
class Said:
    """Percent of experiments.

    Attributes
    ----------
    withheld : float
        Without a verdict.
    wrong : float
        Called different, or judged with an interval that misses 1: of all runs, as if every mode had shown.
    missed : float
        Judged, with an interval that misses the ratio of what could show (``true_log``).
    """

    withheld: float
    wrong: float
    missed: float

    @property
    def held(self) -> float:
        """Judged, with an interval that holds what could show; of those that are judged."""
        return 100 * (1 - self.missed / (100 - self.withheld)) if self.withheld < 100 else 100.0

    @property
    def right(self) -> float:
        """Held, or withheld."""
        return 100 - self.missed


def count_outcomes(name: str, n: int, experiments: int, seed: int) -> Said:
    """Compare treatments with equal geometric means."""
    noise = NOISES[name]
    rng = np.random.default_rng([seed, n])
    withheld = wrong = missed = 0
    for old, new in zip(*noise.draw(rng, experiments, n), strict=True):
        (result,) = compare(samples(old, new), Analysis())
        if result.refused:
            withheld += 1
            continue
        truth = true_log(slow_runs(old)) if noise.mode else 0.0
        wrong += result.ci95 is not None and result.ci95.excludes(1.0)
        missed += result.ci95 is not None and result.ci95.excludes(math.exp(truth))
    return Said(*(100 * item / experiments for item in (withheld, wrong, missed)))
