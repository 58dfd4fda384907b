"""How often what is stated with a probability is right: ranks against an expectation, and leads without one.

Functions are of every shape that ``drawn`` has, expectations are near the slope of the data, half of them
upper bounds. A rank counts as right where growth is within the deviation or, of "none", is not; a lead where
it is the true one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import accuracy
import drawn
import families
import gates
from families import Generator
from modelled import models_of

from steelyard.extensions.growth.algebra import default_deviation, rank
from steelyard.extensions.growth.scaling import Expectation, Question, model_all, series_of

SIZES = ((4, 2), (4, 5), (5, 2), (6, 5), (8, 5))
"""Points, and repetitions of each."""
BENDS = ("switching", "cache", "sockets", "protocols", "until", "capped", "jump", "crossing over", "valley")
"""Shapes with a bend inside of the range, which few points cannot have."""
LEAST_BENT = 5
"""Points from which they are drawn."""
EDGES = (0.0, 0.2, 0.35, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01)


@dataclass(frozen=True, slots=True)
class Stated:
    """A probability of its ``subject``, a rank or a lead, and whether it was right."""

    subject: str
    probability: float
    right: bool


@dataclass(frozen=True, slots=True)
class Bin:
    """Mean of what was stated, and the share that was right."""

    subject: str
    stated: float
    right: float
    n: int


def stated(rng: Generator, points: int, runs: int, count: int) -> list[Stated]:
    """Of ``count`` functions of each shape."""
    out = []
    for name, shape in drawn.SHAPES.items():
        if name in BENDS and (points < LEAST_BENT or name == "switching"):
            continue
        grid = families.points_of(points)
        truths = [shape(rng, grid) for _ in range(count)]
        series, expected, bounds = [], [], []
        for number, truth in enumerate(truths):
            kind, size = str(rng.choice(gates.KINDS)), float(rng.choice(gates.SIZES))
            values = gates.noisy(rng, truth.over(grid), size, kind, runs)
            series.append(series_of(f"f{number}", ("p",), grid.tolist(), values.tolist()))
            expected.append(accuracy.nearby(rng, grid, values.mean(axis=1)))
            bounds.append(bool(rng.integers(2)))
        questions = {
            item.name: Expectation(growth.big_o("p"), at_most=bound)
            for item, growth, bound in zip(series, expected, bounds, strict=True)
        }
        ranked = models_of(model_all(series, Question(expectations=questions)))
        plain = models_of(model_all(series))
        for truth, growth, bound, item, estimate in zip(truths, expected, bounds, ranked, plain, strict=True):
            validation, sure = item.validation, item.rank_probability
            if validation is None or sure is None:
                raise ValueError(f"{item.name}: no expectation")
            is_true = rank(truth.lead[0], growth, default_deviation(growth), at_most=bound) != "none"
            out.append(
                Stated(
                    "rank", sure, is_true == (validation.probability.within >= validation.probability.none)
                )
            )
            out.append(Stated("lead", estimate.posterior, estimate.lead == truth.lead))
    return out


def bins(statements: Sequence[Stated]) -> Iterator[Bin]:
    """Those that have any."""
    for text in ("rank", "lead"):
        for low, high in pairwise(EDGES):
            inside = [item for item in statements if item.subject == text and low <= item.probability < high]
            if inside:
                right = sum(statement.right for statement in inside) / len(inside)
                mean = sum(statement.probability for statement in inside) / len(inside)
                yield Bin(text, mean, right, len(inside))
