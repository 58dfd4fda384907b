"""Every family beside Extra-P on the same data: class, lead, error at 4 × the range, coverage."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import extra_p
import families
import numpy as np
from modelled import models_of

from steelyard.core.arrays import Floats
from steelyard.extensions.growth.algebra import CONSTANT, HALF, Growth, half_deviation, rank
from steelyard.extensions.growth.scaling import Expectation, Question, ScalingModel, model_all, series_of

BEYOND = 4.0
EXPECTED = tuple(Growth.make(i, j) for i in ("0", "1/2", "1", "3/2", "2", "5/2", "3") for j in range(3))
RANKS = ("match", "approximate", "none")
PARAMETERS = ("p", "n", "k")


@dataclass(frozen=True, slots=True)
class Cell:
    """A family at so many points with so much noise."""

    name: str
    family: families.Family
    points: Floats
    noise: float
    kind: str = "multiplicative"

    @property
    def label(self) -> str:
        """The cell in the first columns of the table."""
        noise = f"{100 * self.noise:g} %" + (f", {self.kind}" if self.kind != "multiplicative" else "")
        return f"{self.name:<16} {len(self.points):3d}  {noise:<15}"


@dataclass(frozen=True, slots=True)
class Row:
    """Shares and errors in per cent; those of Extra-P are ``None`` without it."""

    right_class: float
    exact: float
    error: float
    covered: float
    width: float
    undecided: float
    wrong: float
    peer_class: float | None = None
    peer_exact: float | None = None
    peer_error: float | None = None


@dataclass(frozen=True, slots=True)
class Stated:
    """A probability that was stated of a rank, and whether that was the rank."""

    family: str
    probability: float
    true: bool


def cells(*, quick: bool) -> list[Cell]:
    """The table's rows, in its order."""
    out = []
    every = (5, 6, 8)
    for m, noise in itertools.product(every, (0.02, 0.05, 0.1, 0.2)):
        out.append(Cell("one term", families.one_term, families.points_of(m), noise))
    for m, noise in itertools.product(every, (0.02, 0.1, 0.2)):
        out.append(Cell("constant", families.constant, families.points_of(m), noise))
    six, eight, ten = map(families.points_of, (6, 8, 10))
    out.append(Cell("one term", families.one_term, six, 0.02, "spikes"))
    out.append(Cell("one term", families.one_term, six, 0.1, "launches"))
    for points, noise in itertools.product((six, eight), (0.02, 0.1)):
        out.append(Cell("two terms", families.two_terms, points, noise))
    shapes: dict[str, families.Family] = {"falling": families.falling, "valley": families.valley}
    for name, family in shapes.items():
        out += [
            Cell(name, family, points, noise) for points, noise in ((six, 0.02), (eight, 0.02), (eight, 0.05))
        ]
    out += [Cell("switching", families.switching, ten, noise) for noise in (0.02, 0.05)]
    for name, family in families.SMOOTH.items():
        out += [
            Cell(name, family, points, noise)
            for points, noise in ((six, 0.02), (eight, 0.005), (eight, 0.05))
        ]
    grid = np.array(list(itertools.product(2.0 ** np.arange(4, 9), (10.0, 20, 40, 80, 160))))
    cube = np.array(list(itertools.product(2.0 ** np.arange(4, 8), (10.0, 20, 40), (2.0, 4, 8))))
    out += [Cell("two parameters", families.two_parameters, grid, noise) for noise in (0.02, 0.1)]
    out.append(Cell("three parameters", families.three_parameters, cube, 0.05))
    return out[::4] if quick else out


def judged(cell: Cell, rng: np.random.Generator, count: int, python: Path | None) -> tuple[Row, list[Stated]]:
    """Model ``count`` functions of a cell with both tools."""
    truths = [cell.family(rng, cell.points) for _ in range(count)]
    values = families.measured(rng, np.array([t.over(cell.points) for t in truths]), cell.noise, cell.kind)
    names = PARAMETERS[: cell.points.shape[1]]
    target = np.array([float(cell.points[:, 0].max()) * BEYOND, *cell.points.max(axis=0)[1:]])
    true = np.array([t.at(*map(float, target)) for t in truths])
    expected = [nearby(rng, cell.points, rows.mean(axis=1)) for rows in values]
    if cell.family is families.constant:
        expected = [CONSTANT] * count
    series = [series_of(f"f{i}", names, cell.points.tolist(), rows.tolist()) for i, rows in enumerate(values)]
    expectations = {f"f{i}": Expectation(item.big_o("p"), HALF) for i, item in enumerate(expected)}
    models = models_of(
        model_all(series, Question(expectations=expectations, scale=dict(zip(names, target, strict=True))))
    )
    stated, ranks = [], []
    for model, truth, growth in zip(models, truths, expected, strict=True):
        validation = model.validation
        if validation is None:
            raise ValueError(f"{model.name}: no expectation")
        is_rank = rank(truth.lead[0], growth, half_deviation(growth))
        ranks.append((validation.rank, is_rank))
        stated += [
            Stated(cell.name, getattr(validation.probability, answer), answer == is_rank) for answer in RANKS
        ]
    predicted = np.array([model.predictions[0].value for model in models])
    low, high = (np.array([ends(model)[k] for model in models]) for k in (0, 1))
    leads = [model.lead for model in models]
    row = Row(
        *scores(leads, predicted, truths, true),
        covered=100 * float(np.mean((low * (1 - 1e-9) <= true) & (true <= high * (1 + 1e-9)))),
        width=float(np.median(high / np.maximum(low, 1e-300))),
        undecided=100 * float(np.mean([verdict == "undecided" for verdict, _ in ranks])),
        wrong=100 * float(np.mean([verdict not in ("undecided", is_rank) for verdict, is_rank in ranks])),
        **peer(python, cell, values, target, truths, true),
    )
    return row, stated


def peer(
    python: Path | None,
    cell: Cell,
    values: Floats,
    target: Floats,
    truths: list[families.Truth],
    true: Floats,
) -> dict[str, float]:
    """Extra-P's scores, with its defaults."""
    if python is None:
        return {}
    models, _ = extra_p.run(python, cell.points, values, target[None])
    leads = [extra_p.lead_of(model) for model in models]
    result = scores(leads, np.array([model.predictions[0] for model in models]), truths, true)
    return dict(zip(("peer_class", "peer_exact", "peer_error"), result, strict=True))


def scores(
    leads: list[tuple[Growth, ...]], predicted: Floats, truths: list[families.Truth], true: Floats
) -> tuple[float, float, float]:
    """Class right, lead right, median relative error."""
    kinds = [
        [_class(g) for g in lead] == [_class(g) for g in t.lead]
        for lead, t in zip(leads, truths, strict=True)
    ]
    exact = [lead == t.lead for lead, t in zip(leads, truths, strict=True)]
    error = float(np.median(np.abs(predicted / true - 1)))
    return 100 * float(np.mean(kinds)), 100 * float(np.mean(exact)), 100 * error


def _class(growth: Growth) -> int:
    """Falling, constant, logarithm, power or exponential."""
    return -1 if growth < CONSTANT else 0 if growth.is_constant else int(growth.kind)


def ends(model: ScalingModel) -> tuple[float, float]:
    """Both ends of the interval, which the default method always has."""
    prediction = model.predictions[0]
    if prediction.low is None or prediction.high is None:
        raise ValueError(f"no interval at {prediction.at}")
    return prediction.low, prediction.high


def nearby(rng: np.random.Generator, points: Floats, means: Floats) -> Growth:
    """One of the four simple growths whose slope over the upper half of the points is nearest to the data's.

    Never from the truth: an expectation that depends on it would test how it was drawn.
    """
    x = points[:, 0]
    top = (points[:, 1:] == points[:, 1:].max(axis=0)).all(axis=1)
    x, means = x[top], means[top]
    half = len(x) // 2
    octaves = math.log2(x[-1] / x[half])
    slope = math.log2(max(means[-1], 1e-300) / max(means[half], 1e-300)) / octaves
    slopes = [math.log2(g.at(float(x[-1])) / g.at(float(x[half]))) / octaves for g in EXPECTED]
    return EXPECTED[int(rng.choice(np.argsort(np.abs(np.array(slopes) - slope))[:4]))]


def bins(statements: list[Stated]) -> Iterator[tuple[float, float, float, int]]:
    """Lower edge, mean stated, observed and count of ten bins."""
    stated = np.array([item.probability for item in statements])
    true = np.array([rank.true for rank in statements])
    place = np.minimum((stated * 10).astype(int), 9)
    for bin_ in range(10):
        inside = place == bin_
        if inside.any():
            yield bin_ / 10, float(stated[inside].mean()), float(true[inside].mean()), int(inside.sum())
