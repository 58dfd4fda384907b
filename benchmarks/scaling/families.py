"""Families of functions that the method was not built from: what the tables are measured on.

The share of the growing part at the smallest p is log-uniform from 1 to 99 %, so that it hides where it hides
in real code. Every function is scaled by a factor between 1e-6 and 1e6, log-uniform.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from steelyard.core.arrays import Floats
from steelyard.extensions.growth.algebra import CONSTANT, Growth

Generator = np.random.Generator

POWERS = ("0", "1/4", "1/3", "1/2", "2/3", "3/4", "1", "5/4", "3/2", "2", "5/2", "3")
CLASSES = tuple(Growth.make(power, log) for power in POWERS for log in range(3))[1:]
"""35 terms; two of them are not among Extra-P's 42."""
FALLING = tuple(Growth.make(power) for power in ("-1/3", "-1/2", "-2/3", "-1", "-3/2", "-2"))
RISING = tuple(
    Growth.make(*item) for item in ((0, 1), ("1/2", 0), ("1/2", 1), (1, 0), (1, 1), ("3/2", 0), (2, 0))
)
OCTAVES = 4
"""The smallest p is 2^4."""


@dataclass(frozen=True, slots=True)
class Truth:
    """A function, its leading growth for each parameter, and the growths of its parts."""

    lead: tuple[Growth, ...]
    at: Callable[..., float]
    parts: tuple[tuple[Growth, ...], ...] = ()

    def over(self, points: Floats) -> Floats:
        """Values at points (m, parameters)."""
        return np.array([self.at(*map(float, point)) for point in points])


def points_of(count: int) -> Floats:
    """So many powers of two from 16 on, as a column."""
    return np.asarray(2.0 ** np.arange(OCTAVES, OCTAVES + count)[:, None])


def share(rng: Generator) -> float:
    """Log-uniform from 1 to 99 %."""
    return float(np.exp(rng.uniform(math.log(0.01), math.log(0.99))))


def _pick(rng: Generator, among: tuple[Growth, ...]) -> Growth:
    return among[int(rng.integers(len(among)))]


def _size(rng: Generator) -> float:
    return float(10 ** rng.uniform(-6, 6))


def one_term(rng: Generator, points: Floats) -> Truth:
    """C + a f."""
    growth, s, size, least = _pick(rng, CLASSES), share(rng), _size(rng), float(points.min())
    return Truth((growth,), lambda x: size * (1 - s + s * growth.at(x) / growth.at(least)))


def constant(rng: Generator, _points: Floats) -> Truth:
    """No growth."""
    size = _size(rng)
    return Truth((CONSTANT,), lambda *_: size)


def two_terms(rng: Generator, points: Floats) -> Truth:
    """C + a f + b g of two classes; the faster part's share as ever, the rest divided uniformly."""
    i, j = rng.choice(len(CLASSES), 2, replace=False)
    slow, fast = sorted((CLASSES[i], CLASSES[j]))
    s, rest, size, least = share(rng), float(rng.uniform()), _size(rng), float(points.min())
    return Truth(
        (fast,),
        lambda x: (
            size
            * ((1 - s) * (1 - rest + rest * slow.at(x) / slow.at(least)) + s * fast.at(x) / fast.at(least))
        ),
    )


def falling(rng: Generator, points: Floats) -> Truth:
    """C + a / p^k: strong scaling, which ends in its serial part."""
    down, s, size, least = _pick(rng, FALLING), share(rng), _size(rng), float(points.min())
    return Truth((CONSTANT,), lambda x: size * (1 - s + s * down.at(x) / down.at(least)), ((down,),))


def valley(rng: Generator, points: Floats) -> Truth:
    """A / p^k + b g + c: strong scaling with overhead; the least is inside of the measured range."""
    least, most, size = float(points.min()), float(points.max()), _size(rng)
    while True:
        down, up = _pick(rng, FALLING), _pick(rng, RISING)
        c, a, b = 0.3 * rng.uniform(), 1.0, float(10 ** rng.uniform(-3, 0.3))

        def value(
            x: float, a: float = a, b: float = b, c: float = c, down: Growth = down, up: Growth = up
        ) -> float:
            return a * down.at(x) / down.at(least) + b * up.at(x) / up.at(most) + c

        values = [value(float(x)) for x in points[:, 0]]
        if (
            1 <= int(np.argmin(values)) <= len(values) - 2
            and values[-1] > 1.15 * min(values) < 0.87 * values[0]
        ):
            return Truth((up,), lambda x, value=value: size * value(x), ((down,),))


def switching(rng: Generator, points: Floats) -> Truth:
    """Another class, and a jump by 0.7, 1 or 1.3, from a middle point on."""
    before, after = _pick(rng, CLASSES), _pick(rng, CLASSES)
    at = float(points[int(rng.integers(3, len(points) - 4)), 0])
    first, second, size, least = share(rng), share(rng), _size(rng), float(points.min())
    jump = float(rng.choice([0.7, 1.0, 1.3]))

    def value(x: float) -> float:
        start = size * (1 - first + first * before.at(min(x, at)) / before.at(least))
        return start if x < at else jump * start * (1 - second + second * after.at(x) / after.at(at))

    return Truth((after,), value)


def off_grid(rng: Generator, points: Floats) -> Truth:
    """A power with three decimals that no grid has."""
    growth = Growth(Fraction(int(rng.integers(100, 2500)) * 2 + 1, 2000), Fraction(int(rng.integers(0, 2))))
    s, size, least = share(rng), _size(rng), float(points.min())
    return Truth((growth,), lambda x: size * (1 - s + s * growth.at(x) / growth.at(least)))


def saturating(rng: Generator, points: Floats) -> Truth:
    """C + a x / (x + K), which is O(1) in the end."""
    s, size = share(rng), _size(rng)
    k = float(points.min() * 2 ** rng.uniform(0, 4))
    return Truth((CONSTANT,), lambda x: size * (1 - s + s * (x / (x + k)) / (16 / (16 + k))))


def crossing_over(rng: Generator, points: Floats) -> Truth:
    """C (1 + (x / K)^(i q))^(1 / q): flat, then growing as x^i, with a bend inside of the range."""
    power, q, size = Fraction(int(rng.integers(1, 9)), 4), float(rng.uniform(1.5, 4)), _size(rng)
    least, most = float(points.min()), float(points.max())
    k = float(least * 2 ** rng.uniform(0.5, math.log2(most / least) - 1))
    i = float(power)
    return Truth((Growth(power),), lambda x: size * (1 + (x / k) ** (i * q)) ** (1 / q))


def logarithm_of_sum(rng: Generator, points: Floats) -> Truth:
    """C + a log2(1 + x / K), and x of it in one of two."""
    times, s, size, least = int(rng.integers(0, 2)), share(rng), _size(rng), float(points.min())
    k = float(least * 2 ** rng.uniform(-2, 3))

    def part(x: float) -> float:
        return float(x**times * math.log2(1 + x / k))

    return Truth((Growth.make(times, 1),), lambda x: size * (1 - s + s * part(x) / part(least)))


def half_power_of_sum(rng: Generator, points: Floats) -> Truth:
    """C + a (x + K)^i, a shifted power."""
    power, s, size, least = Fraction(int(rng.integers(1, 10)), 4), share(rng), _size(rng), float(points.min())
    k = float(least * 2 ** rng.uniform(-1, 3))
    i = float(power)
    return Truth((Growth(power),), lambda x: size * (1 - s + s * ((x + k) / (least + k)) ** i))


Family = Callable[[Generator, Floats], Truth]
SMOOTH: dict[str, Family] = {
    "off the grid": off_grid,
    "saturating": saturating,
    "crossing over": crossing_over,
    "log of a sum": logarithm_of_sum,
    "power of a sum": half_power_of_sum,
}
"""Outside of every search space, without a switch."""


def measured(
    rng: Generator, truth: Floats, noise: float, kind: str = "multiplicative", repetitions: int = 5
) -> Floats:
    """Repetitions, last; values are positive.

    ``spikes`` hit 20 % of the repetitions, exponential with a mean of 50 %, on 2 % of noise. ``launches`` are
    the repetitions, each with 20 iterations inside: ``noise`` between launches, 5 % inside of one.
    """
    shape = (*truth.shape, repetitions)
    values = truth[..., None] * np.abs(1 + noise * rng.standard_normal(shape))
    if kind == "spikes":
        values *= 1 + (rng.random(shape) < 0.2) * rng.exponential(0.5, shape)
    if kind == "launches":
        values *= np.abs(1 + 0.05 / math.sqrt(20) * rng.standard_normal(shape))
    return np.asarray(values)


def two_parameters(rng: Generator, points: Floats) -> Truth:
    """Of c + a g h [+ b g, or g and h added], shares at the smallest point as ever."""
    g, h = _pick(rng, CLASSES), _pick(rng, CLASSES)
    s, t, size = share(rng), share(rng), _size(rng)
    p, q = map(float, points.min(axis=0))
    kind = int(rng.integers(3))

    def value(x: float, y: float) -> float:
        first, second = g.at(x) / g.at(p), h.at(y) / h.at(q)
        if kind == 2:
            return size * ((1 - s) * (1 - t) + s * first + t * second)
        return size * ((1 - s) * (1 - t + t * (first if kind else 1.0)) + s * first * second)

    return Truth((g, h), value)


def three_parameters(rng: Generator, points: Floats) -> Truth:
    """Of c + a f g h, or a sum with one of them."""
    growths = tuple(_pick(rng, RISING) for _ in range(3))
    s, size, added = share(rng), _size(rng), bool(rng.integers(2))
    least = tuple(map(float, points.min(axis=0)))

    def value(*at: float) -> float:
        f, g, h = (item.at(x) / item.at(x0) for item, x, x0 in zip(growths, at, least, strict=True))
        return size * (1 - s + s * (0.5 * (f * g + h) if added else f * g * h))

    return Truth(growths, value)
