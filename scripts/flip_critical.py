"""Make stats/hypothesis/sign_flip_table.py: by how much more than t's the critical value of flipped
signs is, for normal differences.

``python scripts/flip_critical.py [--draws N] [--seed S] [--sizes N …] [--write]`` prints the module, or
writes it. Of n differences with mean m and standard deviation s, flipped signs
reject 0 where the k-th largest mean of a subset of the differences minus their mean is below m. Over
s / sqrt(n) that is a critical value for t which depends on where the differences lie about their mean, in
units of s, and on nothing else: for normal differences independently of m and s. So only that is drawn; power
is the mean of the power of t over these critical values, by quadrature, and what is tabled is the one
critical value that has 80 % power where they have it together.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from steelyard.core.arrays import Floats
from steelyard.stats.distributions.student import t_quantile
from steelyard.stats.hypothesis.sign_flip import ENUMERATED, subset_means
from steelyard.stats.planning.power import POWER, t_power

TABLE: Final = Path(__file__).parents[1] / "src" / "steelyard" / "stats" / "hypothesis" / "sign_flip_table.py"
SIZES: Final = (7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 20, 28, 40, 64)
REACHED: Final = (1, 2, 3, 4, 5, 6, 8, 12, 16, 32, 64, 128, 256, 512)
BELOW: Final = (0, 0.5, 1, 1.5, 2, 3, 4, 6, 8, 12)
DRAWS: Final = {14: 20_000, 28: 4_000, 64: 1_000}
"""By the most differences that have so many: what is counted on a lattice takes milliseconds a draw."""
SEED: Final = 64


def order_statistics(n: int, draws: int, seed: int) -> Floats:
    """Critical values, a row for each of ``draws`` sets of n normal differences, a column for each of the
    largest means of subsets, which are looked at from both ends.
    """
    rng = np.random.default_rng([seed, n])
    most = min(REACHED[-1], 2 ** (n - 2))
    rows = np.empty((draws, most))
    for at in range(0, draws, 2):
        d = rng.normal(size=n)
        d = (d - d.mean()) / d.std(ddof=1)
        means = subset_means(d, seed=at) * math.sqrt(n)
        rows[at] = means[: -most - 1 : -1]
        rows[at + 1] = -means[:most]
    return rows


def excess(criticals: Floats, n: int, level: float) -> float:
    """The critical value that has the power of all these together, over that of t at ``level``, minus 1."""
    # Few distinct values are as good, and the quadrature is as often done.
    middles = np.sort(criticals).reshape(200, -1).mean(axis=1)
    nu = n - 1
    shift = _root(lambda c: sum(t_power(c, nu, x) for x in middles) / middles.size - POWER, 0, 60)
    alone = _root(lambda x: POWER - t_power(shift, nu, x), 0, 60)
    return alone / t_quantile(nu, level) - 1


def draws_of(n: int) -> int:
    """The draws of a row of ``DRAWS``."""
    return next(draws for most, draws in DRAWS.items() if n <= most)


def row(n: int, draws: int, seed: int = SEED) -> tuple[list[float], list[float]]:
    """The excess at the levels that patterns reach, and at those below the least of them."""
    least = 2.0 ** (1 - min(n, ENUMERATED))
    values = order_statistics(n, draws, seed)
    reached = [excess(values[:, k - 1], n, k * least) for k in REACHED if k <= values.shape[1]]
    below = []
    for halvings in BELOW:
        level = least / 2**halvings
        below.append(excess(np.maximum(values[:, 0], t_quantile(n - 1, level)), n, level))
    return reached, below


def module(rows: dict[int, tuple[list[float], list[float]]], draws: dict[int, int], seed: int) -> str:
    """The table as Python, in thousandths; what falls with the level falls there too."""
    result = ", ".join(f"{count:,} to {most}" for most, count in draws.items())
    lines = [
        '"""Table made by ``scripts/flip_critical.py``.',
        "",
        (
            "It says by how many thousandths the critical value of flipped signs exceeds that of t; normal"
            " differences,"
        ),
        "80 % power.",
        "",
        f"Draws a row, by the number of differences: {result}; seed {seed}.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import Final",
        "",
        f"REACHED: Final = {REACHED}",
        '"""The columns of ``AT``: the level in shares of the least that the patterns reach."""',
        f"BELOW: Final = {BELOW}",
        '"""The columns of ``UNDER``: how often the least level was halved."""',
        "",
        "AT: Final[dict[int, tuple[int, ...]]] = {",
        *(f"    {n}: {_thousandths(reached)}," for n, (reached, _) in rows.items()),
        "}",
        '"""By the number of differences."""',
        "UNDER: Final[dict[int, tuple[int, ...]]] = {",
        *(f"    {n}: {_thousandths(below)}," for n, (_, below) in rows.items()),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _thousandths(values: Sequence[float]) -> tuple[int, ...]:
    return tuple(max(0, round(1000 * value)) for value in np.minimum.accumulate(values))


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Of a function that rises through 0."""
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return (low + high) / 2


def main() -> None:
    """Print the module, or write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--draws", type=int, help="of every row; by default as DRAWS says")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    draws = {max(options.sizes): options.draws} if options.draws else DRAWS
    rows = {n: row(n, options.draws or draws_of(n), options.seed) for n in options.sizes}
    text = module(rows, draws, options.seed)
    if options.write:
        TABLE.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
