"""What a stop rule does to the interval at its end: how often it holds the truth, or the verdict is withheld.
When a run ends is the arithmetic of the product by t, for many experiments at once (``same_as_the_product``
holds it against the product itself); what is said at its end is said by ``compare``.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from noises import RARE, SLOW, autoregressive, in_blocks, samples, slow_runs, true_log
from scipy.special import stdtr, stdtrit

from steelyard.core.analysis import Analysis
from steelyard.core.arrays import Floats
from steelyard.results.flags import EARLY, ENOUGH
from steelyard.stats.compare.comparison import compare
from steelyard.stats.compare.lopsided import LEVEL
from steelyard.stats.describe.dependence import FEW_FACTOR, FEWEST, LARGEST, MORE, threshold
from steelyard.stats.planning.precision import precision
from steelyard.stats.sequential.looks import Looks

BY_T: Final = Analysis(interval="log-delta")
CAP: Final = 600

Shape = Callable[[np.random.Generator, int, int], tuple[Floats, Floats]]
"""Logarithms of old and of new values, experiments by blocks, of equal means."""


def _normal(s: float) -> Shape:
    def draw(rng: np.random.Generator, count: int, n: int) -> tuple[Floats, Floats]:
        old, new = rng.normal(0, s / math.sqrt(2), (2, count, n))
        return old, new

    return draw


def _lognormals(rng: np.random.Generator, count: int, n: int) -> tuple[Floats, Floats]:
    old, new = 0.1 * rng.lognormal(0, 0.5, (2, count, n))
    return old, new


def _one_lognormal(rng: np.random.Generator, count: int, n: int) -> tuple[Floats, Floats]:
    return 0.1 * (rng.lognormal(0, 0.5, (count, n)) - math.exp(0.125)), np.zeros((count, n))


def _student(rng: np.random.Generator, count: int, n: int) -> tuple[Floats, Floats]:
    old, new = 0.05 / math.sqrt(2) * rng.standard_t(3, (2, count, n))
    return old, new


def _rare(rng: np.random.Generator, count: int, n: int) -> tuple[Floats, Floats]:
    old, new = _normal(0.02)(rng, count, n)
    return old + ((rng.random((count, n)) < RARE) - RARE) * SLOW, new


def _autocorrelated(rng: np.random.Generator, count: int, n: int) -> tuple[Floats, Floats]:
    return in_blocks(rng, 0.05 * autoregressive(rng, 0.5, count, n))


ROWS: Final[dict[str, tuple[Shape, float]]] = {
    "normal s 2 %": (_normal(0.02), 0.01),
    "normal s 2.5 %": (_normal(0.025), 0.01),
    "normal s 3.5 %": (_normal(0.035), 0.01),
    "normal s 5 %": (_normal(0.05), 0.01),
    "difference of two lognormal": (_lognormals, 0.02),
    "t with 3 degrees of freedom": (_student, 0.02),
    "one arm lognormal": (_one_lognormal, 0.02),
    "one arm, a tenth × 1.5": (_rare, 0.02),
    "AR(1) 0.5": (_autocorrelated, 0.02),
}
"""Two treatments, by name, and the relative half-width wanted."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """Percent of experiments without a verdict at the end, and of those that have one or whose 95 % interval
    holds the ratio of what could show (``noises.true_log``); and the mean number of blocks.
    """

    withheld: float
    right: float
    blocks: float


def looks(first: int, cap: int) -> Iterator[int]:
    """At each 1.25-fold, rounded down; the last at the cap."""
    look, k = first, 0
    while look < cap:
        yield look
        k += 1
        look = math.floor(first * 1.25**k)
    yield cap


def ends(old: Floats, new: Floats, halfwidth: float, first: int) -> Floats:
    """Blocks at which each experiment ends by the rule with its first look at ``first``."""
    count, cap = old.shape
    at = np.full(count, cap)
    for look in looks(first, cap - 1):
        result = np.flatnonzero(at == cap)
        enough = halfwidth * (EARLY if look < ENOUGH else 1)
        at[result[halfwidths(old[result, :look], new[result, :look]) <= enough]] = look
    return at


def stop(shape: Shape, halfwidth: float, first: int, experiments: int, seed: int) -> Stopped:
    """What the product says at the end of so many experiments."""
    old, new = shape(np.random.default_rng(seed), experiments, CAP)
    at = ends(old, new, halfwidth, first)
    withheld = missed = 0
    for base, head, n in zip(old, new, at, strict=True):
        (result,) = compare(samples(base[:n], head[:n]), BY_T, looks=Looks((int(n),), int(n)))
        truth = true_log(slow_runs(base[:n])) if shape is _rare else 0.0
        withheld += result.refused
        missed += not result.refused and result.ci95 is not None and result.ci95.excludes(math.exp(truth))
    return Stopped(100 * withheld / experiments, 100 - 100 * missed / experiments, float(at.mean()))


def halfwidths(old: Floats, new: Floats) -> Floats:
    """Relative half-widths of the intervals by t: with the allowance for likeness of neighbours where it is
    suspected, and for the tail of the treatment that varies more.
    """
    d = old - new
    n = d.shape[1]
    se, nu = d.std(axis=1, ddof=1) / math.sqrt(n), np.full(len(d), n - 1.0)
    plain = _t(nu) * se
    deviations = d - d.mean(axis=1, keepdims=True)
    squares = (deviations**2).sum(axis=1)
    r1 = likeness(d)
    alike = suspected(r1, n)
    factor, degrees = allowances(r1[alike], n)
    se[alike] *= factor
    nu[alike] = degrees
    half = np.maximum(plain, _t(nu) * se)
    skewness = np.sqrt(n) * (deviations**3).sum(axis=1) / squares**1.5
    side = _restless(old, new)
    a = side * (side * skewness + math.sqrt(6 / n)) / math.sqrt(n)
    skewed = side * a > 0
    down, up = half.copy(), half.copy()
    down[skewed] = np.maximum(half, _hall(a, _t(nu), se))[skewed]
    up[skewed] = np.maximum(half, -_hall(a, -_t(nu), se))[skewed]
    widths: Floats = (np.exp(up) - np.exp(-down)) / 2
    return widths


def likeness(d: Floats) -> Floats:
    """Autocorrelation r1 of each row."""
    deviations = d - d.mean(axis=1, keepdims=True)
    r1: Floats = (deviations[:, 1:] * deviations[:, :-1]).sum(axis=1) / (deviations**2).sum(axis=1)
    return r1


def suspected(r1: Floats, n: int) -> npt.NDArray[np.bool_]:
    """``stats.compare.dependence.suspected`` of many."""
    return np.asarray(r1 > threshold(n))


def allowances(r1: Floats, n: int) -> tuple[Floats, Floats]:
    """``stats.compare.dependence.allowance`` of many."""
    if n < FEWEST:
        return np.full_like(r1, FEW_FACTOR), np.full_like(r1, n - 1.0)
    r = np.clip(r1 + (1 + 3 * r1) / n, 0, 0.98)
    phi = np.minimum(r + MORE * np.sqrt((1 - r * r) / n), LARGEST)[:, None]
    lags = np.arange(1, n)
    powers = phi**lags
    of_mean = 1 + 2 * powers @ (n - lags) / n
    rows = (1 + phi - phi ** np.arange(1, n + 1) - phi ** np.arange(n, 0, -1)) / (1 - phi)
    trace = n - of_mean
    squared = n + 2 * powers**2 @ (n - lags) - 2 * (rows**2).sum(axis=1) / n + of_mean**2
    return np.sqrt(of_mean * (n - 1) / trace), trace**2 / squared


def _restless(old: Floats, new: Floats) -> Floats:
    """1 where old varies more by Pitman and Morgan's test, -1 where new does, else 0."""
    n = old.shape[1]
    sums, d = old + new, old - new
    sums, d = sums - sums.mean(axis=1, keepdims=True), d - d.mean(axis=1, keepdims=True)
    r = (sums * d).sum(axis=1) / np.sqrt((sums**2).sum(axis=1) * (d**2).sum(axis=1) + 1e-300)
    r = np.clip(r, -1 + 1e-15, 1 - 1e-15)
    p = 2 * stdtr(n - 2, -np.abs(r) * np.sqrt((n - 2) / (1 - r * r)))
    return np.asarray(np.sign(r) * (p <= LEVEL), dtype=np.float64)


def _hall(a: Floats, f: Floats, se: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(se * 3 / a * (np.cbrt(1 + a * (f - a / 6)) - 1), dtype=np.float64)


def same_as_the_product(rng: np.random.Generator) -> bool:
    """Whether ``halfwidths`` is what ``stats.planning.precision`` computes."""
    for shape, _ in ROWS.values():
        for n in (12, 70):
            old, new = shape(rng, 20, n)
            theirs = [
                precision(samples(*arms), BY_T, looks=Looks((n,), n)).widest
                for arms in zip(old, new, strict=True)
            ]
            if None in theirs or not np.allclose(theirs, halfwidths(old, new), rtol=1e-9):  # type: ignore[arg-type]
                return False
    return True


def _t(nu: Floats) -> Floats:
    return np.asarray(-stdtrit(nu, 0.025), dtype=np.float64)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="The interval at the end of a run")
    parser.add_argument("--experiments", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if not same_as_the_product(np.random.default_rng(options.seed)):
        raise SystemExit("the half-widths here are not those of stats.planning.precision")
    print(f"{options.experiments} experiments a row, seed {options.seed}")
    print("percent held or withheld (withheld; mean blocks)")
    for name, (shape, halfwidth) in ROWS.items():
        cells = {
            f"from {first}": stop(shape, halfwidth, first, options.experiments, options.seed)
            for first in (10, 40)
        }
        result = "  ".join(f"{k}: {c.right:.1f} ({c.withheld:.1f}; {c.blocks:.0f})" for k, c in cells.items())
        print(f"{name:<28} {100 * halfwidth:.0f} %  {result}", flush=True)


if __name__ == "__main__":
    main()
