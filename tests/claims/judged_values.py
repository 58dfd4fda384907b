"""Experiments with values by hand, judged as ``check`` judges a record."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steelyard.claims.judging import judge
from steelyard.claims.observed import Observed
from steelyard.claims.verdict import Verdict
from steelyard.core.analysis import Analysis
from steelyard.core.arrays import Floats
from steelyard.core.sample import Failures, Sample
from steelyard.core.units import BUILTIN, Metric
from steelyard.design import treatments
from steelyard.lab.answer.series_of_record import series_of_samples
from steelyard.spec import experiment


class Bench:
    """An experiment over factors, and values for each treatment: ``values(levels, block) -> float``."""

    def __init__(
        self,
        factors: Any,
        claims: Any,
        values: Any,
        *,
        blocks: int = 20,
        metric: str = "wall_s",
        contexts: Any = None,
        **keys: Any,
    ) -> None:
        command = ["prog", *(f"{{{name}}}" for name in factors)]
        metrics = (
            {} if metric in BUILTIN else {metric: {"pattern": "(.)", "better": keys.pop("better", "lower")}}
        )
        self.experiment = experiment(
            source=keys.pop("source", "/lab"),
            program={"command": command},
            factors=factors,
            metrics=metrics,
            claims=claims,
            analysis={"metric": metric, **keys.pop("analysis", {})},
            **keys,
        )
        self.treatments = treatments(self.experiment)
        self.blocks = np.arange(1, blocks + 1)
        self.contexts = np.zeros(blocks, dtype=int) if contexts is None else np.asarray(contexts)
        self.metric = BUILTIN.get(metric) or Metric(metric, "", better=self.experiment.metrics[0].better)
        self.failures: dict[str, Failures] = {}
        self.made = {t.id: np.asarray(values(t.levels, self.blocks), dtype=float) for t in self.treatments}

    def samples(self, _metric: Any) -> list[Sample]:
        n = len(self.blocks)
        return [
            Sample(
                self.metric,
                t,
                array("d", self.made[t.id]),
                array("q", self.blocks.tolist()),
                array("q", [1] * n),
                array("q", self.contexts.tolist()),
                array("q", range(1, n + 1)),
                {},
                self.failures.get(t.label, Failures(n, 0, 0)),
            )
            for t in self.treatments
        ]

    def declared(self, metric: str) -> Analysis:
        analysis = self.experiment.analysis
        return Analysis(
            metric=metric,
            alpha=analysis.alpha,
            failures=analysis.failures,
            estimand=analysis.estimand,
            interval=analysis.interval,
        )

    def judge(self) -> tuple[Verdict, ...]:
        observed = Observed(
            self.experiment,
            self.declared,
            self.samples,
            self.samples,
            lambda metric, parameters: series_of_samples(
                self.samples(metric),
                parameters,
                Path("made.lab"),
                ignore_failures=self.experiment.analysis.failures == "ignore",
            ),
        )
        return judge(self.experiment.claims, observed)


@pytest.fixture(scope="session")
def bench() -> type[Bench]:
    """``bench(factors, claims, values)``: an experiment of which the values are known."""
    return Bench


@pytest.fixture(scope="session")
def noise() -> Callable[..., Callable[[int], Floats]]:
    """``noise(seed, spread)``: multiplies a value by log-normal noise, other for each treatment and block."""

    def of(seed: int, spread: float) -> Callable[[int], Floats]:
        rng = np.random.default_rng(seed)
        return lambda size: np.exp(spread * rng.standard_normal(size))

    return of


@pytest.fixture(scope="session")
def perfect_passes() -> Callable[..., float]:
    """The probability that a tool with exactly this rate is counted ``low`` to ``high`` times in ``n``."""
    from scipy.stats import binom

    return lambda n, rate, low, high: binom.cdf(high, n, rate) - binom.cdf(low - 1, n, rate)
