"""Studentised bootstrap of the kernel against ``scipy.stats.bootstrap`` BCa: from values to an interval."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import bootstrap

from steelyard import _kernels
from steelyard.stats.distributions.monte_carlo import Studentised

RESAMPLES = 10_000
N = 30
THREADS = (1, 2)


@dataclass(frozen=True, slots=True)
class Row:
    """One statistic: milliseconds of SciPy, and for each number of threads ours and the ratio to SciPy."""

    name: str
    scipy_ms: float
    ours_ms: tuple[float, ...]
    ratios: tuple[float, ...]


def rows(rounds: int, seed: int) -> Iterator[Row]:
    """Medians over rounds; within a round all take turns, in an order drawn for each."""
    rng = np.random.default_rng(seed)
    old, new = np.exp(rng.normal(0, 0.1, (2, N)))

    def ratio(x: np.ndarray, y: np.ndarray, axis: int = -1) -> np.ndarray:
        return np.asarray(x.mean(axis=axis) / y.mean(axis=axis))

    def bca(data: tuple[np.ndarray, ...], statistic: Any, *, paired: bool = False) -> Callable[[], object]:
        options: dict[str, Any] = {
            "n_resamples": RESAMPLES,
            "method": "BCa",
            "paired": paired,
            "vectorized": True,
        }
        return lambda: bootstrap(data, statistic, rng=1, **options).confidence_interval

    differences = np.log(old) - np.log(new)
    cases: list[tuple[str, Callable[[], object], Callable[[int], object]]] = [
        ("mean log ratio of blocks", bca((differences,), np.mean), partial(_mean, differences)),
        ("ratio of means, paired", bca((old, new), ratio, paired=True), partial(_ratio, old, new, "paired")),
        ("ratio of means, unpaired", bca((old, new), ratio), partial(_ratio, old, new, "unpaired")),
    ]
    for name, theirs, ours in cases:
        ways: dict[str, Callable[[], object]] = {"scipy": theirs}
        ways |= {str(threads): partial(ours, threads) for threads in THREADS}
        for way in ways.values():
            way()
        seconds: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(rounds):
            for way in rng.permutation(list(ways)):
                start = time.perf_counter()
                ways[way]()
                seconds[way].append(1e3 * (time.perf_counter() - start))
        yield Row(
            name,
            statistics.median(seconds["scipy"]),
            tuple(statistics.median(seconds[str(t)]) for t in THREADS),
            tuple(
                statistics.median(a / b for a, b in zip(seconds["scipy"], seconds[str(t)], strict=True))
                for t in THREADS
            ),
        )


def _mean(values: np.ndarray, threads: int) -> object:
    mean = float(values.mean())
    t = _kernels.studentised_mean(values - mean, 1, RESAMPLES, threads)
    return Studentised(mean, float(values.std(ddof=1)) / math.sqrt(N), np.sort(t)).interval(0.05)


def _ratio(old: np.ndarray, new: np.ndarray, units: str, threads: int) -> object:
    paired = units == "paired"
    top, bottom = old / old.mean() - 1, new / new.mean() - 1
    t = _kernels.studentised_log_ratio(top, bottom, paired, 1, RESAMPLES, threads)
    if paired:
        se = float((top - bottom).std(ddof=1)) / math.sqrt(N)
    else:
        se = math.hypot(top.std(ddof=1), bottom.std(ddof=1)) / math.sqrt(N)
    return Studentised(math.log(old.mean() / new.mean()), se, np.sort(t)).interval(0.05)
