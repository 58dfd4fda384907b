"""Stated against observed, on data that the method was not built from.

Expectations are drawn near the slope of the data, never from the truth: an expectation that depends on the
truth would test how it was drawn.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import truths
from modelled import models_of

from steelyard.growth import Growth, rank
from steelyard.scaling import (
    Expectation,
    Prediction,
    Question,
    ScalingModel,
    Series,
    Validation,
    model_all,
    series_of,
)

FACTOR = 4.0
NOISES = (0.005, 0.02, 0.05, 0.1)
LAUNCH_SPREADS = (0.05, 0.1)
LONG_POINTS = 2.0 ** np.arange(3, 13)
EXPECTED = tuple(Growth.of(i, j) for i in ("0", "1/2", "1", "3/2", "2", "5/2", "3") for j in range(3))


@dataclass(frozen=True, slots=True)
class Outcome:
    """One function: whether the interval at 4 × the range held the truth, how wide it was, stated ranks
    against the true one.
    """

    kind: str
    covered: bool
    width: float
    stated: tuple[float, float, float]
    true_rank: str
    undecided: bool
    sure_and_wrong: bool


def nearby_expectation(rng: np.random.Generator, points: np.ndarray, means: np.ndarray) -> Growth:
    """One of the four simple growths whose slope over the upper half of the points is nearest to the
    data's.
    """
    half = len(points) // 2
    run = math.log2(points[-1] / points[half])
    slope = math.log2(max(means[-1], 1e-12) / max(means[half], 1e-12)) / run
    slopes = [math.log2(g.at(float(points[-1])) / g.at(float(points[half]))) / run for g in EXPECTED]
    near = np.argsort(np.abs(np.array(slopes) - slope))[:4]
    return EXPECTED[int(rng.choice(near))]


def interval(predicted: Prediction) -> tuple[float, float]:
    """Both ends, which the default method always has."""
    if predicted.low is None or predicted.high is None:
        raise ValueError(f"no interval at {predicted.at}")
    return predicted.low, predicted.high


def validation(model: ScalingModel) -> Validation:
    """What the model says of its expectation, which every function here has."""
    if model.validation is None:
        raise ValueError(f"{model.name}: no expectation")
    return model.validation


def outcomes(
    kind: str, rng: np.random.Generator, functions: list[truths.Truth], values: np.ndarray, points: np.ndarray
) -> list[Outcome]:
    """Model the functions with default settings and compare."""
    target = float(points.max()) * FACTOR
    series, expectations = [], {}
    for i, rows in enumerate(values):
        name = f"f{i}"
        series.append(series_of(name, ["p"], points[:, None].tolist(), rows.tolist()))
        expectations[name] = Expectation(nearby_expectation(rng, points, rows.mean(axis=1)).big_o("p"))
    models = models_of(model_all(series, Question(expectations=expectations, scale={"p": target})))
    out = []
    for one, model, function in zip(series, models, functions, strict=True):
        expected = expectations[one.name].growth("p", {})
        true_rank = rank(function.lead[0], expected)
        predicted, true = model.predictions[0], function.at(target)
        low, high, stated = *interval(predicted), validation(model)
        p = stated.probability
        out.append(
            Outcome(
                kind,
                low * (1 - 1e-9) <= true <= high * (1 + 1e-9),
                high / max(low, 1e-300),
                (p.match, p.approximate, p.none),
                true_rank,
                stated.rank == "undecided",
                stated.rank not in ("undecided", true_rank),
            )
        )
    return out


def synthetic(rng: np.random.Generator, count: int) -> list[Outcome]:
    """Two-term, switching, off-grid and plain truths; launches that differ by 5 and 10 %."""
    out: list[Outcome] = []
    short = truths.POINTS
    makers = {
        "two terms": (lambda: truths.two_terms(rng), short),
        "switching, 6 points": (lambda: truths.switching(rng, short), short),
        "switching, 10 points": (lambda: truths.switching(rng, LONG_POINTS), LONG_POINTS),
        "off the grid": (lambda: truths.off_grid(rng), short),
        "one term": (lambda: truths.share_uniform(rng), short),
        "constant": (lambda: truths.constant(rng), short),
    }
    for kind, (make, points) in makers.items():
        for noise in NOISES:
            functions = [make() for _ in range(count)]
            truth = np.array([f.over(points[:, None]) for f in functions])
            values = truths.measured(rng, truth, noise, "multiplicative")
            out += outcomes(kind, rng, functions, values, points)
    for spread in LAUNCH_SPREADS:
        functions = [truths.two_terms(rng) if i % 2 else truths.off_grid(rng) for i in range(count)]
        truth = np.array([f.over(short[:, None]) for f in functions])
        # Five launches a point with 50 iterations each, reduced by their mean: 5 % inside a launch.
        launches = truth[..., None] * np.abs(1 + spread * rng.standard_normal((*truth.shape, 5)))
        inside = np.abs(1 + 0.05 * rng.standard_normal((*launches.shape, 50)))
        out += outcomes(
            f"launch sd {100 * spread:.0f} %",
            rng,
            functions,
            (launches[..., None] * inside).mean(axis=-1),
            short,
        )
    return out


def real_series(path: Path) -> tuple[int, int, float]:
    """The collectives with the largest p left out: how many intervals hold its median, of how many, and
    their median width.
    """
    rows = list(csv.DictReader(path.open(encoding="utf-8")))
    kinds = sorted({(row["mpi"], row["variable"]) for row in rows})
    series: list[Series] = []
    last: list[float] = []
    for kind in kinds:
        own = [row for row in rows if (row["mpi"], row["variable"]) == kind]
        values = [float(row["median"]) for row in own]
        # The standard error of a median from the interquartile range of 2,000 repetitions in one launch.
        u = [1.25 * float(row["iqr"]) / 1.349 / math.sqrt(float(row["N"])) for row in own]
        at = [[float(row["Ranks"])] for row in own]
        last.append(values[-1])
        series.append(
            series_of(
                "/".join(kind), ["p"], at[:-1], [[v] for v in values[:-1]], u=u[:-1], n=[1] * (len(own) - 1)
            )
        )
    models = models_of(model_all(series, Question(scale={"p": 512.0})))
    held, widths = 0, []
    for model, value in zip(models, last, strict=True):
        low, high = interval(model.predictions[0])
        held += low <= value <= high
        widths.append(high / max(low, 1e-300))
    return held, len(models), float(np.median(widths))


def coverage_lines(found: list[Outcome]) -> list[str]:
    """Coverage and width by kind, and over all."""
    lines = []
    kinds = list(dict.fromkeys(o.kind for o in found))
    for kind in [*kinds, "all"]:
        own = [o for o in found if kind in ("all", o.kind)]
        share = np.mean([o.covered for o in own])
        width = np.median([o.width for o in own])
        undecided = np.mean([o.undecided for o in own])
        wrong = np.mean([o.sure_and_wrong for o in own])
        lines.append(
            f"{kind:<22} n {len(own):5d}  covered {100 * share:5.1f} %  median width {width:6.2f} ×"
            f"  undecided {100 * undecided:5.1f} %  stated and wrong {100 * wrong:4.1f} %"
        )
    return lines


def bins(found: list[Outcome]) -> list[tuple[float, float, float, int]]:
    """(lower edge, mean stated, observed, count) of five bins over all stated rank probabilities."""
    stated = np.array([p for o in found for p in o.stated])
    true = np.array([name == o.true_rank for o in found for name in ("match", "approximate", "none")])
    out = []
    for edge in np.arange(5) / 5:
        inside = (stated >= edge) & ((stated < edge + 0.2) | (edge > 0.79))
        out.append((float(edge), float(stated[inside].mean()), float(true[inside].mean()), int(inside.sum())))
    return out
