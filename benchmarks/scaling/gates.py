"""Gates on growth: how often an upper bound passes what grows faster, and what keeps it.

Truths are c + a f of one leading term f, its share at the smallest point log-uniform from 1 to 99 %. Each
experiment draws its number of points (4 to 10) and of repetitions (3, 5, 10), and its noise, of a kind and a
size that differ from one to the next.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import families
import numpy as np

from steelyard.api.claims import Outcome
from steelyard.claims.verdict import Instance, Verdict
from steelyard.core.arrays import Floats
from steelyard.extensions.growth.algebra import parse_growth
from steelyard.extensions.growth.evidence import ScalesEvidence
from steelyard.extensions.growth.scales_claim import Scales
from steelyard.extensions.growth.scales_judging import settle
from steelyard.extensions.growth.scaling import Expectation, Question, Series, model_all, series_of

FASTER = (
    ("n^3", "n^2"), ("n^2", "n^1.5"), ("n^1.5", "n log n"), ("n", "log n"), ("n", "1"),
    ("log n", "1"),
)  # fmt: skip
"""Truths, each with a bound that a gate must not let them pass."""
BY_A_LOGARITHM = (("n^2 log n", "n^2"), ("n log n", "n"))
"""Truths within the default deviation of their bounds: approximate where they are told apart."""
KEPT = (
    ("n^2", "n^2"), ("n log n", "n log n"), ("n", "n log n"), ("n", "n^2"), ("log n", "n"), ("1", "n"),
    ("1", "1"),
)  # fmt: skip
"""Truths that keep their bounds."""
SIZES = (0.005, 0.02, 0.05, 0.1)
KINDS = ("normal", "lognormal", "additive", "spikes", "per point")


@dataclass(frozen=True, slots=True)
class Row:
    """Shares of gates in per cent; ``passes`` without ``--strict``, ``strict`` with it."""

    truth: str
    bound: str
    passes: float
    strict: float
    fails: float

    @property
    def open(self) -> float:
        """Neither passed nor failed under ``--strict``."""
        return 100 - self.strict - self.fails


def rows(rng: np.random.Generator, count: int) -> list[Row]:
    """Every pair, ``count`` experiments each."""
    return [_row(rng, truth, bound, count) for truth, bound in (*FASTER, *BY_A_LOGARITHM, *KEPT)]


def _row(rng: np.random.Generator, truth: str, bound: str, count: int) -> Row:
    series = [experiment(rng, truth) for _ in range(count)]
    question = Question(expectations={"*": Expectation(bound, at_most=True)})
    verdicts = [
        _verdict(function, *settle(function, answer, None), bound)
        for function, answer in zip(series, model_all(series, question), strict=True)
    ]
    lenient = Counter(verdict.outcome for verdict in verdicts)
    strict = Counter(item.strictly().outcome for item in verdicts)
    shares = (lenient["holds"], strict["holds"], strict["fails"])
    return Row(truth, bound, *(100 * share / count for share in shares))


def _verdict(series: Series, outcome: Outcome, evidence: ScalesEvidence, bound: str) -> Verdict:
    return Verdict(Scales(series.metric, at_most=bound), outcome, (Instance({}, outcome, evidence),))


def experiment(rng: np.random.Generator, truth: str) -> Series:
    """A drawn experiment on one truth."""
    points = families.points_of(int(rng.integers(4, 11)))
    growth, share = parse_growth(truth, "n"), families.share(rng)
    least = float(points.min())
    means = np.array([1 - share + share * growth.at(float(x)) / growth.at(least) for x in points[:, 0]])
    values = noisy(rng, means, float(rng.choice(SIZES)), str(rng.choice(KINDS)), int(rng.choice((3, 5, 10))))
    return series_of("f", ("n",), points.tolist(), values.tolist())


def noisy(rng: np.random.Generator, means: Floats, size: float, kind: str, repetitions: int) -> Floats:
    """Repetitions, last.

    ``additive`` is relative to the smallest mean; ``spikes`` hit a tenth of the repetitions by half; ``per
    point`` shifts all repetitions of a point alike by as much as they scatter.
    """
    shape = (len(means), repetitions)
    normal = rng.standard_normal(shape)
    if kind == "lognormal":
        return np.asarray(means[:, None] * np.exp(size * normal))
    if kind == "additive":
        return np.asarray(np.abs(means[:, None] + size * means.min() * normal))
    values = means[:, None] * np.abs(1 + size * normal)
    if kind == "spikes":
        values *= 1 + (rng.random(shape) < 0.1) * rng.exponential(0.5, shape)
    if kind == "per point":
        values *= np.exp(size * rng.standard_normal((len(means), 1)))
    return np.asarray(values)
