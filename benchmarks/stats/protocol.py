"""The whole protocol on ten programs of nine treatments, 30 runs each, beside its tests in SciPy's words."""

from __future__ import annotations

import statistics
import time
import warnings
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import stats as witness

from steelyard.core.analysis import Analysis
from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import BUILTIN
from steelyard.extensions.protocol_2014.family import protocol
from steelyard.extensions.protocol_2014.results import Rules

PROGRAMS, TREATMENTS, N = 10, 9, 30
LIMIT_S = 1.0


@dataclass(frozen=True, slots=True)
class Row:
    """Seconds of CPU, medians over rounds; ``agree`` says whether both give every pair the same p."""

    name: str
    ours_s: float
    scipy_s: float
    agree: bool


def rows(rounds: int, seed: int) -> Iterator[Row]:
    """Normal times, skewed ones, and times that a clock of 10 ms rounded; both ways take turns."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((PROGRAMS, TREATMENTS, N))
    kinds = {
        "normal": 1 + 0.02 * z,
        "skewed": 1 + 0.02 * np.exp(z),
        "clock of 10 ms": np.round(1 + 0.02 * z, 2),
    }
    for name, values in kinds.items():
        samples = _samples(values)
        declared = Analysis(family="all-pairs", strata=("program",))

        def ours(samples: list[Sample] = samples, declared: Analysis = declared) -> list[float | None]:
            return [pair.p for pair in protocol(samples, declared, Rules()).pairs]

        def theirs(values: Floats = values) -> list[float]:
            return [_in_scipy(x, y) for program in values for x, y in combinations(program, 2)]

        first, second = ours(), theirs()
        agree = all(p is not None and abs(p - q) <= 1e-9 * q for p, q in zip(first, second, strict=True))
        seconds: dict[str, list[float]] = {"ours": [], "theirs": []}
        ways: dict[str, Callable[[], object]] = {"ours": ours, "theirs": theirs}
        for _ in range(rounds):
            for way in rng.permutation(list(ways)):
                start = time.process_time()
                ways[way]()
                seconds[way].append(time.process_time() - start)
        yield Row(name, statistics.median(seconds["ours"]), statistics.median(seconds["theirs"]), agree)


def _samples(values: Floats) -> list[Sample]:
    return [
        _sample(values[p, t], 1 + p * TREATMENTS + t, {"program": p, "t": t})
        for p in range(PROGRAMS)
        for t in range(TREATMENTS)
    ]


def _sample(values: Floats, treatment: int, levels: dict[str, int]) -> Sample:
    places, ones = array("q", range(1, N + 1)), array("q", [1] * N)
    none, label = array("q", [0] * N), f"{levels}"
    return Sample(
        BUILTIN["wall_s"],
        Treatment(treatment, label, levels),
        array("d", values),
        places,
        ones,
        none,
        places,
    )


def _in_scipy(x: Floats, y: Floats) -> float:
    """The tests of one pair, Kolmogorov-Smirnov and Brunner-Munzel too; no interval, no shift, no Holm."""
    normal = witness.shapiro(x).pvalue > 0.05 and witness.shapiro(y).pvalue > 0.05
    ratio = x.var(ddof=1) / y.var(ddof=1)
    f = 2 * min(witness.f.cdf(ratio, N - 1, N - 1), witness.f.sf(ratio, N - 1, N - 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # with ties it gives the exact test up
        witness.ks_2samp(x, y)
        witness.ks_2samp(x - np.median(x), y - np.median(y))
    witness.brunnermunzel(x, y)
    if normal:
        return float(witness.ttest_ind(x, y, equal_var=bool(f > 0.05)).pvalue)
    tied = np.unique(np.concatenate((x, y))).size < 2 * N
    return float(witness.mannwhitneyu(x, y, method="asymptotic" if tied else "exact").pvalue)
