"""Samples by hand, Table 1 of Firoz et al. 2016, and how likely a perfect tool passes a test of a rate."""

from __future__ import annotations

from array import array

import pytest
from scipy import stats as witness

from steelyard.sample import Failures, Sample, Treatment
from steelyard.units import BUILTIN, Metric

# Table 1 of DOI 10.1145/2851553.2851573: execution time of KLA, eight problem instances, in two runs.
RUN_2 = (67.1721137, 69.1144691, 58.2407584, 95.0383578, 81.5043034, 66.1346017, 196.359002, 71.0783083)
RUN_5 = (68.2187308, 64.6999926, 73.1340169, 66.5868368, 111.286377, 78.3502649, 127.3131639, 96.6814628)


def make(
    values,
    *,
    treatment=1,
    label=None,
    levels=None,
    metric="wall_s",
    unit="s",
    better="lower",
    blocks=None,
    passes=None,
    contexts=None,
    labels=None,
    failures=None,
):
    values = [float(value) for value in values]
    n = len(values)
    of = BUILTIN.get(metric) or Metric(metric, unit, better=better)
    name = label or f"t{treatment}"
    return Sample(
        metric=of,
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
def sample():
    return make


@pytest.fixture(scope="session")
def run_2():
    return RUN_2


@pytest.fixture(scope="session")
def run_5():
    return RUN_5


def passes_with(n, rate, low, high):
    """How likely a tool whose true rate is ``rate`` shows ``low`` to ``high`` of ``n`` (exact binomial)."""
    return witness.binom.cdf(high, n, rate) - witness.binom.cdf(low - 1, n, rate)


@pytest.fixture(scope="session")
def perfect_passes():
    return passes_with
