"""What a stop rule does to the coverage of the interval at its end. The arithmetic of ``stats.precision`` for
many experiments at once; ``same_as_the_product`` holds it against the product itself.
"""

from __future__ import annotations

import argparse
import math
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from steelyard.arrays import Floats
from steelyard.sample import Sample, Treatment
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.planning.precision import contrast_halfwidth
from steelyard.units import BUILTIN

Shape = Callable[[np.random.Generator, int, int], Floats]


def _normal(s: float) -> Shape:
    return lambda rng, count, n: rng.normal(0, s, (count, n))


def _lognormals(rng: np.random.Generator, count: int, n: int) -> Floats:
    return 0.1 * (rng.lognormal(0, 0.5, (count, n)) - rng.lognormal(0, 0.5, (count, n)))


def _one_lognormal(rng: np.random.Generator, count: int, n: int) -> Floats:
    return 0.1 * (rng.lognormal(0, 0.5, (count, n)) - math.exp(0.125))


def _student(rng: np.random.Generator, count: int, n: int) -> Floats:
    return 0.05 * rng.standard_t(3, (count, n))


def _rare(rng: np.random.Generator, count: int, n: int) -> Floats:
    slow = rng.random((count, n)) < 0.1
    return rng.normal(0, 0.02, (count, n)) + (slow - 0.1) * math.log(1.5)


def _autocorrelated(rng: np.random.Generator, count: int, n: int) -> Floats:
    values = rng.normal(0, 0.05, (count, n))
    for i in range(1, n):
        values[:, i] += 0.5 * values[:, i - 1]
    return values


ROWS: dict[str, tuple[Shape, float]] = {
    "normal s 2 %": (_normal(0.02), 0.01),
    "normal s 2.5 %": (_normal(0.025), 0.01),
    "normal s 3.5 %": (_normal(0.035), 0.01),
    "normal s 5 %": (_normal(0.05), 0.01),
    "difference of two lognormal": (_lognormals, 0.02),
    "t with 3 degrees of freedom": (_student, 0.02),
    "one arm lognormal": (_one_lognormal, 0.02),
    "a tenth of blocks x 1.5": (_rare, 0.02),
    "AR(1) 0.5": (_autocorrelated, 0.02),
}
"""Differences of blocks around 0, by name, and the relative half-width wanted."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """Share of experiments whose 95 % interval at the end covers 0, and the mean number of blocks."""

    coverage: float
    blocks: float


def looks(first: int, cap: int) -> Iterator[int]:
    """At each 1.25-fold, rounded down; the last at the cap."""
    look, k = first, 0
    while look < cap:
        yield look
        k += 1
        look = math.floor(first * 1.25**k)
    yield cap


def stop(differences: Floats, wanted: float, first: int) -> Stopped:
    """The rule with its first look at ``first`` blocks; all columns are the cap."""
    count, cap = differences.shape
    open_ = np.ones(count, bool)
    covered, blocks = 0, 0
    for look in looks(first, cap):
        left = np.flatnonzero(open_)
        seen = differences[left, :look]
        ends = left if look == cap else left[halfwidths(seen) <= math.asinh(wanted)]
        covered += int(covers(differences[ends, :look]).sum())
        blocks += look * ends.size
        open_[ends] = False
    return Stopped(covered / count, blocks / count)


def stein(differences: Floats, wanted: float, pilot: int) -> Stopped:
    """Two stages: the pilot fixes s and n, and t and s of the pilot make the interval."""
    count, cap = differences.shape
    first = differences[:, :pilot]
    needed = np.ceil(pilot * (halfwidths(first) / math.asinh(wanted)) ** 2)
    n = np.clip(needed, pilot, cap).astype(int)
    means = np.cumsum(differences, axis=1)[np.arange(count), n - 1] / n
    half = _t(pilot - 1) * first.std(axis=1, ddof=1) / np.sqrt(n)
    return Stopped(float((np.abs(means) <= half).mean()), float(n.mean()))


def halfwidths(seen: Floats) -> Floats:
    """On the scale of logarithms, with the effective number of blocks; infinite where there is hardly one."""
    n = seen.shape[1]
    deviations = seen - seen.mean(axis=1, keepdims=True)
    r1 = (deviations[:, 1:] * deviations[:, :-1]).sum(axis=1) / (deviations**2).sum(axis=1)
    r = np.clip(r1 + (1 + 3 * r1) / n, 0, 0.98)
    effective = n * (1 - r) / (1 + r)
    known = effective > 1
    effective = np.where(known, effective, 2.0)
    half = _t(effective - 1) * seen.std(axis=1, ddof=1) / np.sqrt(effective)
    return np.where(known, half, math.inf)


def covers(seen: Floats) -> npt.NDArray[np.bool_]:
    """Whether the interval that is reported covers 0."""
    n = seen.shape[1]
    return np.asarray(np.abs(seen.mean(axis=1)) <= _t(n - 1) * seen.std(axis=1, ddof=1) / math.sqrt(n))


def same_as_the_product(rng: np.random.Generator) -> bool:
    """Whether ``halfwidths`` is what ``stats.precision`` computes."""
    seen = rng.normal(0, 0.05, (50, 17))
    theirs = [contrast_halfwidth(contrast(_sample(1, np.exp(d)), _sample(2, np.ones(17)))) for d in seen]
    ours = np.sinh(halfwidths(seen))
    return all(t is not None and math.isclose(t, o, rel_tol=1e-9) for t, o in zip(theirs, ours, strict=True))


def _sample(treatment: int, values: Floats) -> Sample:
    n = values.size
    ids, one, none = array("q", range(1, n + 1)), array("q", [1] * n), array("q", [0] * n)
    named = Treatment(treatment, f"t{treatment}", {"t": treatment})
    return Sample(BUILTIN["wall_s"], named, array("d", values), ids, one, none, ids)


def _t(nu: float | Floats) -> Floats:
    return np.asarray(-stdtrit(nu, 0.025), dtype=np.float64)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Coverage of the interval at the end of a run")
    parser.add_argument("--experiments", type=int, default=40_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    if not same_as_the_product(rng):
        raise SystemExit("the half-widths here are not those of stats.precision")
    print(f"{options.experiments} experiments a row, seed {options.seed}; percent covered (mean blocks)")
    for name, (shape, wanted) in ROWS.items():
        differences = shape(rng, options.experiments, 600)
        cells = {
            "from 10": stop(differences, wanted, 10),
            "from 40": stop(differences, wanted, 40),
            "Stein 30": stein(differences, wanted, 30),
        }
        shown = "  ".join(f"{k}: {100 * c.coverage:.1f} ({c.blocks:.0f})" for k, c in cells.items())
        print(f"{name:<28} {100 * wanted:.0f} %  {shown}")


if __name__ == "__main__":
    main()
