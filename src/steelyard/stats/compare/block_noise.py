"""``BlockNoise``: what blocks alone leave of the error of a mean over contexts, or machines, that return.

The mean over K contexts of n_k blocks each has the variance (S^2 + s^2 mean(1/n_k)) / K. Few contexts
estimate the sum with K - 1 degrees of freedom, and blocks the second part with all of theirs. Two contexts
that agree by chance seem to leave less than their blocks can.
"""

from __future__ import annotations

import math

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.results.comparison import Speedup
from steelyard.stats.describe.dependence import Hull
from steelyard.stats.distributions.student import LogT


class BlockNoise(msgspec.Struct, frozen=True):
    """Standard error of the mean over contexts if contexts did not differ, and its degrees of freedom."""

    se: float
    nu: int


def find_block_noise(differences: Floats, contexts: npt.NDArray[np.int64]) -> BlockNoise | None:
    """Estimate it from differences of blocks, pooled over contexts.

    ``None`` where no context has two blocks, or a difference is not finite.
    """
    if not np.isfinite(differences).all():
        return None
    _, place, counts = np.unique(contexts, return_inverse=True, return_counts=True)
    nu = differences.size - counts.size
    if nu < 1:
        return None
    means = np.bincount(place, differences) / counts
    variance = float(((differences - means[place]) ** 2).sum()) / nu
    return BlockNoise(math.sqrt(variance * float((1 / counts).mean()) / counts.size), nu)


def allow_for_blocks(ratio: Speedup, noise: BlockNoise | None) -> Speedup:
    """Return the same estimate, at least as careful as blocks alone make it."""
    if noise is None or not ratio.se or not noise.se:
        return ratio
    distribution = Hull(ratio.distribution, LogT(ratio.log, noise.se, noise.nu))
    return replace(
        ratio,
        se=max(ratio.se, noise.se),
        p=distribution.p_of(1.0),
        distribution=distribution,
        allowances=(*ratio.allowances, "blocks"),
    )
