"""Coverage of 95 % intervals where neighbours in time resemble each other: as they are, and widened by the
number of independent values that is left.
"""

from __future__ import annotations

import argparse
import math

import numpy as np
from scipy.special import stdtrit

from steelyard.arrays import Floats
from steelyard.stats.describe.autocorrelation import autocorrelation

SIZES = (10, 30, 100)


def autoregressive(rng: np.random.Generator, phi: float, n: int) -> Floats:
    """x_i = phi x_(i-1) + e_i, from the stationary law on."""
    x = rng.normal(size=n)
    x[0] /= math.sqrt(1 - phi**2)
    for i in range(1, n):
        x[i] += phi * x[i - 1]
    return x


def of_machine(rng: np.random.Generator, phi: float, n: int) -> Floats:
    """Differences of two equal programs in random order within blocks, on a machine that is like that."""
    slots = autoregressive(rng, phi, 2 * n).reshape(n, 2)
    turned: Floats = (slots[:, 0] - slots[:, 1]) * rng.choice((-1, 1), n)
    return turned


def intervals(d: Floats) -> tuple[bool, bool, bool, float, bool]:
    """Whether the interval holds 0: as it is, widened where it is flagged, widened always; how much wider it
    is then; whether it is flagged.
    """
    n, mean, s = d.size, abs(float(d.mean())), float(d.std(ddof=1))
    found = autocorrelation(d)
    n_eff, flagged = (found.n_eff, found.significant) if found else (float(n), False)
    plain = -float(stdtrit(n - 1, 0.025)) * s / math.sqrt(n)
    wide = -float(stdtrit(n_eff - 1, 0.025)) * s / math.sqrt(n_eff) if n_eff > 1 else math.inf
    return mean <= plain, mean <= (wide if flagged else plain), mean <= wide, wide / plain, flagged


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Intervals where neighbours resemble each other")
    parser.add_argument("--experiments", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=57)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    print(f"{options.experiments} experiments a row, seed {options.seed}; percent covered:")
    print("as it is, widened where flagged, widened always; median width of the last; percent flagged")
    for name, make, phis in (
        ("independent", autoregressive, (0.0,)),
        ("the machine, in blocks", of_machine, (0.5, 0.9)),
        ("the difference itself", autoregressive, (0.3, 0.5, 0.8)),
    ):
        for phi in phis:
            for n in SIZES:
                table = np.array([intervals(make(rng, phi, n)) for _ in range(options.experiments)])
                shares = ", ".join(f"{100 * share:.1f}" for share in table[:, :3].mean(axis=0))
                width, flagged = float(np.median(table[:, 3])), 100 * float(table[:, 4].mean())
                print(f"{name:<24} AR(1) {phi:.1f}  n {n:>3}: {shares}; {width:.2f} ×; {flagged:.1f}")


if __name__ == "__main__":
    main()
