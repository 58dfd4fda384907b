"""Samples by hand, the same ones on every machine."""

from __future__ import annotations

import math
import random
from array import array
from statistics import NormalDist
from typing import Any, Final

from steelyard.core.sample import Failures, Sample, Treatment
from steelyard.core.units import Metric
from steelyard.results.analysis import DesignFacts

METRICS = {
    metric.name: metric
    for metric in (
        Metric("wall_s", "s", "builtin", "lower", "elapsed time"),
        Metric("user_s", "s", "builtin", "lower", "user time"),
        Metric("rss_bytes", "B", "builtin", "lower", "peak memory"),
        Metric("minor_faults", "", "builtin", "lower"),
        Metric("major_faults", "", "builtin", "lower", "faults that read from a disk"),
        Metric("teps", "1/s", "user", "higher"),
        Metric("latency_s", "s", "user", "lower"),
    )
}


def noisy(
    seed: int, n: int = 30, *, at: float = 1e-3, spread: float = 0.02, drift: float = 0.0
) -> list[float]:
    """Log-normal values from a generator whose stream Python promises to keep."""
    stream, normal = random.Random(seed), NormalDist()
    return [at * math.exp(spread * normal.inv_cdf(stream.random()) + drift * i / n) for i in range(n)]


def make(
    values: Any, treatment: int = 1, label: str | None = None, *, metric: str = "wall_s", **given: Any
) -> Sample:
    n = len(values)
    return Sample(
        metric=METRICS[metric],
        treatment=Treatment(treatment, label or f"t{treatment}", given.get("levels", {"t": treatment})),
        values=array("d", values),
        blocks=array("q", given.get("blocks", range(1, n + 1))),
        passes=array("q", given.get("passes", [1] * n)),
        contexts=array("q", given.get("contexts", [0] * n)),
        trials=array("q", range(1, n + 1)),
        labels=given.get("labels", {}),
        failures=given.get("failures", Failures(n, 0, 0)),
    )


PROTOCOL: Final = "nogueira-matias-2014"
"""Of the extension ``protocol_2014``: whoever asks for its answers has the mark of that."""
BLOCKS = DesignFacts("randomized-blocks", 30, seed=1)
