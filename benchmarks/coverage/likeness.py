"""Coverage of 95 % intervals where neighbours in time resemble each other: by t, and with the product's
allowance; what that costs where they do not; what few blocks that seem alike still show; and what withholding
few of them can reach at best. By t, for many experiments at once.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from noises import autoregressive
from scipy.special import stdtrit
from stopping import allowances, likeness, suspected

from steelyard.core.arrays import Floats

SIZES = (5, 8, 10, 15, 19, 20, 30, 100)
EFFECTS = (1, 2, 4, 8, 16)
"""Differences of the means, in standard deviations of a block."""


def of_machine(rng: np.random.Generator, phi: float, count: int, n: int) -> Floats:
    """Differences of two equal programs in random order within blocks, on a machine that is like that."""
    slots = autoregressive(rng, phi, count, 2 * n).reshape(count, n, 2)
    turned: Floats = (slots[:, :, 0] - slots[:, :, 1]) * rng.choice((-1, 1), (count, n))
    return turned


@dataclass(frozen=True, slots=True)
class Series:
    """Many series: means, half-widths by t and with the allowance, and which seem alike."""

    means: Floats
    plain: Floats
    allowed: Floats
    alike: npt.NDArray[np.bool_]


def series(d: Floats) -> Series:
    """Experiments by blocks, as the product sees them."""
    n = d.shape[1]
    se, r1 = d.std(axis=1, ddof=1) / math.sqrt(n), likeness(d)
    alike = suspected(r1, n)
    plain = -stdtrit(n - 1, 0.025) * se
    factor, nu = allowances(r1, n)
    allowed = np.where(alike, np.maximum(plain, -stdtrit(nu, 0.025) * factor * se), plain)
    return Series(d.mean(axis=1), plain, allowed, alike)


def at_best(rng: np.random.Generator, phi: float, n: int, withheld: float, experiments: int) -> float:
    """Percent of series with this ``phi`` that t holds or that are withheld, where the most powerful test of
    independence that is invariant to mean and scale (King 1980), made for this very ``phi``, withholds this
    part of independent ones.
    """
    covariance = phi ** np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    inverse = np.linalg.inv(covariance)
    ones = inverse.sum(axis=0)
    inverse -= np.outer(ones, ones) / ones.sum()

    def statistic(d: Floats) -> Floats:
        deviations = d - d.mean(axis=1, keepdims=True)
        ratio: Floats = ((deviations @ inverse) * deviations).sum(axis=1) / (deviations**2).sum(axis=1)
        return ratio

    independent = rng.normal(size=(experiments, n))
    d = autoregressive(rng, phi, experiments, n)
    is_answered = statistic(d) > np.quantile(statistic(independent), withheld)
    half = -float(stdtrit(n - 1, 0.025)) * d.std(axis=1, ddof=1) / math.sqrt(n)
    return 100 * float(1 - (is_answered & (np.abs(d.mean(axis=1)) > half)).mean())


def percent(share: npt.NDArray[np.bool_]) -> float:
    """Of those that are true."""
    return 100 * float(share.mean()) if share.size else math.nan


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Intervals where neighbours resemble each other")
    parser.add_argument("--experiments", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=57)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    count = options.experiments
    print(f"{count} experiments a row, seed {options.seed}; percent held by t, held with the allowance; that")
    print("seem alike; that seem alike and are called different; mean width over that by t")
    for name, make, phis in (
        ("independent", autoregressive, (0.0,)),
        ("the machine, in blocks", of_machine, (0.5, 0.8)),
        ("the difference itself", autoregressive, (0.3, 0.5, 0.8, 0.9)),
    ):
        for phi in phis:
            for n in SIZES:
                result = series(make(rng, phi, count, n))
                out = np.abs(result.means) > result.allowed
                print(
                    f"{name:<24} AR(1) {phi:.1f}  n {n:>3}: "
                    f" {percent(np.abs(result.means) <= result.plain):.1f},"
                    f" {percent(~out):.1f}; {percent(result.alike):.1f}; {percent(result.alike & out):.1f};"
                    f" {float((result.allowed / result.plain).mean()):.2f} ×",
                    flush=True,
                )
    print(f"percent shown of differences of {', '.join(map(str, EFFECTS))} s, of series that seem alike:")
    for phi in (0.0, 0.5, 0.8):
        for n in SIZES:
            result = series(autoregressive(rng, phi, count, n))
            means, allowed = result.means[result.alike], result.allowed[result.alike]
            scale = 1 / math.sqrt(1 - phi**2)
            powers = (percent(np.abs(means + effect * scale) > allowed) for effect in EFFECTS)
            print(f"AR(1) {phi:.1f}  n {n:>3}: {', '.join(f'{item:.0f}' for item in powers)}")
    print("percent held or withheld, where the best test withholds 3, 10, 20, 36 % of independent series:")
    for n in (10, 15, 20):
        for phi in (0.3, 0.5, 0.8):
            best = (at_best(rng, phi, n, share, count) for share in (0.03, 0.1, 0.2, 0.36))
            print(f"AR(1) {phi:.1f}  n {n:>3}: {', '.join(f'{power:.1f}' for power in best)}")


if __name__ == "__main__":
    main()
