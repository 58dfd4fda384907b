"""Families drawn by a rule: a shape, points, repetitions and noise each, so that nobody chose them.

Both tools are judged on the same data.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import extra_p
import families
import numpy as np
from accuracy import BEYOND, ends, scores
from families import Generator, Truth
from modelled import models_of

from steelyard.core.arrays import Floats
from steelyard.extensions.growth.algebra import CONSTANT, Growth
from steelyard.extensions.growth.scaling import Question, model_all, series_of

NOISES = (0.005, 0.01, 0.02, 0.05, 0.1)
KINDS = ("normal", "lognormal", "spikes", "per point", "none")
REPETITIONS = (2, 3, 5, 10)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A family: what its functions share."""

    name: str
    shape: families.Family
    points: Floats
    noise: float
    kind: str
    repetitions: int

    @property
    def label(self) -> str:
        """The family in the first columns of a table."""
        noise = "exact" if self.kind == "none" else f"{100 * self.noise:g} %, {self.kind}"
        x = self.points[:, 0]
        return f"{self.name:<14} {len(x):2d} in {x[0]:g} to {x[-1]:g}, {self.repetitions} × {noise}"


def drawn(rng: Generator, count: int) -> Iterator[Drawn]:
    """So many families; each shape once before any comes again."""
    names: list[str] = []
    for _ in range(count):
        if not names:
            names = list(rng.permutation(list(SHAPES)))
        name = str(names.pop())
        yield Drawn(
            name,
            SHAPES[name],
            grid(rng),
            float(rng.choice(NOISES)),
            str(rng.choice(KINDS)),
            int(rng.choice(REPETITIONS)),
        )


def grid(rng: Generator) -> Floats:
    """5 to 10 points: powers of two, multiples, or a constant factor, from 2 to 1,000 on."""
    count, kind = int(rng.integers(5, 11)), int(rng.integers(3))
    steps = np.arange(count)
    if kind == 0:
        x = 2.0 ** (int(rng.integers(1, 7)) + steps)
    elif kind == 1:
        x = float(rng.choice((2, 5, 10, 100, 1000))) * (1.0 + steps)
    else:
        x = np.round(float(rng.choice((4, 10, 100))) * float(rng.choice((1.5, 3, 4))) ** steps)
    return np.asarray(x[:, None])


def values_of(rng: Generator, family: Drawn, truths: list[Truth]) -> Floats:
    """Repetitions of every function, last."""
    means = np.array([truth.over(family.points) for truth in truths])
    normal = rng.standard_normal((*means.shape, family.repetitions))
    size = family.noise
    if family.kind == "none":
        return np.repeat(means[..., None], family.repetitions, axis=2)
    if family.kind == "lognormal":
        return np.asarray(means[..., None] * np.exp(size * normal))
    values = means[..., None] * np.abs(1 + size * normal)
    if family.kind == "spikes":
        values *= 1 + (rng.random(normal.shape) < 0.1) * rng.exponential(0.5, normal.shape)
    if family.kind == "per point":
        values *= np.exp(size * rng.standard_normal((*means.shape, 1)))
    return np.asarray(values)


def _size(rng: Generator) -> float:
    return float(10 ** rng.uniform(-6, 6))


def _inside(rng: Generator, points: Floats) -> float:
    """A scale between the second point and the last but two, so that three lie beyond."""
    x = points[:, 0]
    return float(np.exp(rng.uniform(math.log(x[1]), math.log(x[-3]))))


def contention(rng: Generator, points: Floats) -> Truth:
    """(1 + σ (n - 1) + κ n (n - 1)) / n: the universal law of scalability."""
    size, first = _size(rng), float(points.min())
    sigma, kappa = 10 ** rng.uniform(-3, -0.5), 10 ** rng.uniform(-6, -1)

    def value(x: float) -> float:
        n = x / first
        return float(size * (1 + sigma * (n - 1) + kappa * n * (n - 1)) / n)

    return Truth((Growth.make(1),), value)


def quadratic(rng: Generator, points: Floats) -> Truth:
    """X + ε x², the square 1 to 60 % at the largest point."""
    size, most = _size(rng), float(points.max())
    part = float(np.exp(rng.uniform(math.log(0.01), math.log(0.6))))
    return Truth((Growth.make(2),), lambda x: size * ((1 - part) * x / most + part * (x / most) ** 2))


def cache(rng: Generator, points: Floats) -> Truth:
    """Work x or x log x, each piece 1.5 to 8 times as dear where it does not fit any more."""
    size, at, width = _size(rng), _inside(rng, points), float(rng.uniform(1, 6))
    dearer, log = float(np.exp(rng.uniform(math.log(1.5), math.log(8)))), int(rng.integers(2))

    def value(x: float) -> float:
        missing = 1 / (1 + (at / x) ** width)
        return float(size * x * math.log2(x + 1) ** log * (1 + (dearer - 1) * missing))

    return Truth((Growth.make(1, log),), value)


def sockets(rng: Generator, points: Floats) -> Truth:
    """C + a x^i to a scale, from there on with a slope 1.5 to 6 times as steep."""
    size, at, s = _size(rng), _inside(rng, points), families.share(rng)
    power = (Growth.make(0, 1), Growth.make("1/2"), Growth.make(1), Growth.make(1, 1))[int(rng.integers(4))]
    steeper, least = float(rng.uniform(1.5, 6)), float(points.min())

    def part(x: float) -> float:
        return power.at(x) / power.at(least)

    def value(x: float) -> float:
        beyond = part(x) - part(at) if x > at else 0.0
        return size * (1 - s + s * (part(x) + (steeper - 1) * beyond))

    return Truth((power,), value)


def protocols(rng: Generator, points: Floats) -> Truth:
    """Latency and bandwidth, other ones from a scale on, as of messages."""
    size, at, most = _size(rng), _inside(rng, points), float(points.max())
    start, slope = rng.uniform(0.05, 1, 2), np.exp(rng.uniform(-1, 1, 2))

    def value(x: float) -> float:
        result = int(x >= at)
        return float(size * (start[result] + slope[result] * x / most))

    return Truth((Growth.make(1),), value)


def until(rng: Generator, points: Floats) -> Truth:
    """A / min(x, K): scaling that ends."""
    size, at = _size(rng), _inside(rng, points)
    return Truth((CONSTANT,), lambda x: size / min(x, at))


def capped(rng: Generator, points: Floats) -> Truth:
    """C + a min(x, K)^i: growth that ends."""
    size, at, s, least = _size(rng), _inside(rng, points), families.share(rng), float(points.min())
    i = float(rng.choice((0.5, 1, 2)))
    return Truth((CONSTANT,), lambda x: size * (1 - s + s * (min(x, at) / least) ** i))


def jump(rng: Generator, points: Floats) -> Truth:
    """C + a f, all of it times 1.3 to 3 from a scale on."""
    size, at, s, least = _size(rng), _inside(rng, points), families.share(rng), float(points.min())
    i, times = float(rng.choice((0.5, 1, 1.5, 2))), float(rng.uniform(1.3, 3))

    def value(x: float) -> float:
        return float(size * (1 - s + s * (x / least) ** i) * (times if x >= at else 1))

    return Truth((Growth.make(str(i)),), value)


def overhead(rng: Generator, points: Floats) -> Truth:
    """A / x + b + c log x: strong scaling with a tree."""
    size, least = _size(rng), float(points.min())
    serial, tree = 10 ** rng.uniform(-3, -0.5), 10 ** rng.uniform(-3, -1)
    return Truth(
        (Growth.make(0, 1),),
        lambda x: float(size * (least / x + serial + tree * math.log2(max(x / least, 1)))),
    )


def few_terms(rng: Generator, points: Floats) -> Truth:
    """C + a f of the simple terms that algorithms have."""
    growth, s, size = (
        families.RISING[int(rng.integers(len(families.RISING)))],
        families.share(rng),
        _size(rng),
    )
    most = growth.at(float(points.max()))
    return Truth((growth,), lambda x: size * (1 - s + s * 20 * growth.at(x) / most))


SHAPES: dict[str, families.Family] = {
    "one term": families.one_term,
    "simple term": few_terms,
    "two terms": families.two_terms,
    "constant": families.constant,
    "falling": families.falling,
    "valley": families.valley,
    **families.SMOOTH,
    "contention": contention,
    "quadratic": quadratic,
    "cache": cache,
    "sockets": sockets,
    "protocols": protocols,
    "until": until,
    "capped": capped,
    "jump": jump,
    "overhead": overhead,
}


@dataclass(frozen=True, slots=True)
class Judged:
    """Medians of the relative error at 4 × the range, shares that are covered and whose class is right, in
    per cent; ``None`` without Extra-P.
    """

    error: float
    covered: float
    right_class: float
    peer_error: float | None = None
    peer_class: float | None = None

    @property
    def behind(self) -> bool:
        """Whether Extra-P errs less."""
        return self.peer_error is not None and self.error > self.peer_error + ROUNDING


ROUNDING = 1e-4
"""Percentage within which two values count as equal."""


def judged(family: Drawn, rng: Generator, count: int, python: Path | None) -> Judged:
    """So many functions of a family."""
    truths = [family.shape(rng, family.points) for _ in range(count)]
    values = values_of(rng, family, truths)
    target = BEYOND * float(family.points.max())
    true = np.array([truth.at(target) for truth in truths])
    series = [
        series_of(f"f{i}", ("p",), family.points.tolist(), rows.tolist()) for i, rows in enumerate(values)
    ]
    models = models_of(model_all(series, Question(targets=({"p": target},))))
    low, high = np.array([ends(model) for model in models]).T
    right, _, error = scores(
        [m.lead for m in models], np.array([m.predictions[0].value for m in models]), truths, true
    )
    covered = 100 * float(np.mean((low * (1 - 1e-9) <= true) & (true <= high * (1 + 1e-9))))
    if python is None:
        return Judged(error, covered, right)
    result, _ = extra_p.run(python, family.points, values, np.array([[target]]))
    leads = [extra_p.lead_of(item) for item in result]
    its_class, _, its_error = scores(
        leads, np.array([model.predictions[0] for model in result]), truths, true
    )
    return Judged(error, covered, right, its_error, its_class)
