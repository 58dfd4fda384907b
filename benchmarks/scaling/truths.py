"""Functions whose growth is known: what the accuracy and calibration tables are measured on.

The 35 classes are the powers 0, ¼, ⅓, ½, ⅔, ¾, 1, 5/4, 3/2, 2, 5/2, 3 with log to the 0th, 1st and 2nd
power; two of them are not among Extra-P's 42 terms. Constants and coefficients are uniform between 1 and 100.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from steelyard.arrays import Floats
from steelyard.growth import CONSTANT, Growth

Generator = np.random.Generator

POWERS = ("0", "1/4", "1/3", "1/2", "2/3", "3/4", "1", "5/4", "3/2", "2", "5/2", "3")
CLASSES = tuple(Growth.of(power, log) for power in POWERS for log in range(3))[1:]
POINTS = 2.0 ** np.arange(4, 10)
LARGEST = float(POINTS.max())


@dataclass(frozen=True, slots=True)
class Truth:
    """A function and its leading growth, one for each parameter."""

    lead: tuple[Growth, ...]
    at: Callable[..., float]

    def over(self, points: Floats) -> Floats:
        """Values at points (m, parameters)."""
        return np.array([self.at(*map(float, point)) for point in points])


def one_term(rng: Generator, growth: Growth) -> Truth:
    """A sum c + a·f with c, a uniform in 1 … 100."""
    c, a = rng.uniform(1, 100, 2)
    return Truth((growth,), lambda x: c + a * growth.at(x))


def constant(rng: Generator) -> Truth:
    """Between 1 and 1000, log-uniform."""
    c = 10 ** rng.uniform(0, 3)
    return Truth((CONSTANT,), lambda _x: c)


def accuracy_set(rng: Generator, each: int, constants: int) -> list[Truth]:
    """``each`` functions of every class, then constants."""
    return [one_term(rng, g) for g in CLASSES for _ in range(each)] + [
        constant(rng) for _ in range(constants)
    ]


def off_grid(rng: Generator) -> Truth:
    """A power with three decimals that no grid has; the growing part is 20 to 100 % at the largest p."""
    growth = Growth(Fraction(int(rng.integers(100, 2500)) * 2 + 1, 2000), Fraction(int(rng.integers(0, 2))))
    share = rng.uniform(0.2, 1)
    return Truth((growth,), lambda x: (1 - share) + share * growth.at(x) / growth.at(LARGEST))


def two_terms(rng: Generator) -> Truth:
    """A sum c + a·f + b·g, two different classes, shares at the largest p uniform on the simplex."""
    i, j = rng.choice(len(CLASSES), 2, replace=False)
    slow, fast = sorted((CLASSES[i], CLASSES[j]))
    share = rng.dirichlet((1, 1, 1))
    return Truth(
        (fast,),
        lambda x: (
            share[0] + share[1] * slow.at(x) / slow.at(LARGEST) + share[2] * fast.at(x) / fast.at(LARGEST)
        ),
    )


def switching(rng: Generator, points: Floats) -> Truth:
    """Another class, and a jump by 0.7, 1 or 1.3, from a middle point on."""
    before, after = CLASSES[rng.integers(len(CLASSES))], CLASSES[rng.integers(len(CLASSES))]
    at = float(points[rng.integers(2, len(points) - 3)])
    shares = rng.uniform(0.3, 1, 2)
    jump = float(rng.choice([0.7, 1.0, 1.3]))

    def value(x: float) -> float:
        first = (1 - shares[0]) + shares[0] * before.at(min(x, at)) / before.at(at)
        if x < at:
            return first
        return jump * first * ((1 - shares[1]) + shares[1] * after.at(x) / after.at(at))

    return Truth((after,), value)


def share_uniform(rng: Generator) -> Truth:
    """One term of a class whose growing part is 10 to 100 % at the largest p."""
    growth, share = CLASSES[rng.integers(len(CLASSES))], rng.uniform(0.1, 1)
    return Truth((growth,), lambda x: (1 - share) + share * growth.at(x) / growth.at(LARGEST))


STRUCTURES = ("c + a·g·h", "c + a·g·h + b·g", "c + a·g + b·h")


def two_parameters(rng: Generator, structure: str) -> Truth:
    """One of ``STRUCTURES``, c, a and b uniform in 1 … 100.

    In the sum one part is often buried under the other's noise; no method can find it there, and the row
    says so.
    """
    g, h = CLASSES[rng.integers(len(CLASSES))], CLASSES[rng.integers(len(CLASSES))]
    c, a, b = rng.uniform(1, 100, 3)
    if structure == STRUCTURES[0]:
        return Truth((g, h), lambda p, q: c + a * g.at(p) * h.at(q))
    if structure == STRUCTURES[1]:
        return Truth((g, h), lambda p, q: c + a * g.at(p) * h.at(q) + b * g.at(p))
    return Truth((g, h), lambda p, q: c + a * g.at(p) + b * h.at(q))


def measured(rng: Generator, truth: Floats, noise: float, kind: str, repetitions: int = 5) -> Floats:
    """Repetitions, last: multiplicative, additive (of the median over points), or with spikes.

    Spikes hit 20 % of the repetitions and are exponential with a mean of 50 %, on 2 % of multiplicative
    noise.
    """
    shape = (*truth.shape, repetitions)
    normal = rng.standard_normal(shape)
    if kind == "additive":
        scale = noise * np.median(truth, axis=-1)[..., None, None]
        return np.asarray(np.abs(truth[..., None] + scale * normal))
    values = truth[..., None] * np.abs(1 + noise * normal)
    if kind == "spikes":
        values *= 1 + (rng.random(shape) < 0.2) * rng.exponential(0.5, shape)
    return values
