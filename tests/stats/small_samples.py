"""Samples by hand, and Table 1 of Firoz et al. 2016: for tests of statistics and of extensions."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping

import numpy as np
import pytest
from scipy.special import ndtri

from steelyard.core.arrays import Floats
from steelyard.core.sample import Failures, Sample, Treatment
from steelyard.core.units import BUILTIN, Better, Metric, Scalar

# Table 1 of DOI 10.1145/2851553.2851573: execution time of KLA, eight problem instances, in two runs.
RUN_2 = (67.1721137, 69.1144691, 58.2407584, 95.0383578, 81.5043034, 66.1346017, 196.359002, 71.0783083)
RUN_5 = (68.2187308, 64.6999926, 73.1340169, 66.5868368, 111.286377, 78.3502649, 127.3131639, 96.6814628)


def make(
    values: Iterable[float],
    *,
    treatment: int = 1,
    label: str | None = None,
    levels: Mapping[str, Scalar] | None = None,
    metric: str = "wall_s",
    unit: str = "s",
    better: Better = "lower",
    blocks: Iterable[int] | None = None,
    passes: Iterable[int] | None = None,
    contexts: Iterable[int] | None = None,
    labels: Mapping[str, Scalar] | None = None,
    failures: Failures | None = None,
) -> Sample:
    values = [float(value) for value in values]
    n = len(values)
    declared = BUILTIN.get(metric) or Metric(metric, unit, better=better)
    name = label or f"t{treatment}"
    return Sample(
        metric=declared,
        treatment=Treatment(treatment, name, levels if levels is not None else {"t": treatment}),
        values=array("d", values),
        blocks=array("q", blocks if blocks is not None else range(1, n + 1)),
        passes=array("q", passes if passes is not None else [1] * n),
        contexts=array("q", contexts if contexts is not None else [0] * n),
        trials=array("q", range(1, n + 1)),
        labels=labels or {},
        failures=failures or Failures(n, 0, 0),
    )


@pytest.fixture(scope="session")
def sample() -> Callable[..., Sample]:
    return make


@pytest.fixture(scope="session")
def run_2() -> tuple[float, ...]:
    return RUN_2


@pytest.fixture(scope="session")
def run_5() -> tuple[float, ...]:
    return RUN_5


@pytest.fixture(scope="session")
def quantiles() -> dict[str, Floats]:
    """The samples of docs/published-protocol.md: of known shapes, no random number in them."""
    z = ndtri((np.arange(1, 31) - 0.5) / 30)
    bumps = np.where(np.arange(30) % 3 == 0, 10.6, 10.0)
    raw = {
        "N1": 10 + 0.1 * z,
        "N2": 10.05 + 0.1 * z,
        "N3": 10.2 + 0.3 * z,
        "L1": 9.9 + 0.1 * np.exp(z),
        "L2": 10 + 0.1 * np.exp(z),
        "M1": bumps + 0.05 * z,
    }
    return {name: np.round(values, 6) for name, values in raw.items()}
