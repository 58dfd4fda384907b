"""Estimates of samples apart from any comparison; SciPy's binomial distribution is the witness of ranks."""

from __future__ import annotations

from array import array

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import Metric
from steelyard.lab.answer.of_samples import estimate_ratio, find_median_interval
from steelyard.results.undefined import Undefined

VALUES = tuple(np.random.default_rng(3).lognormal(0, 0.3, 21).tolist())


def sample_of(values, treatment=1):
    ordinal = array("q", range(1, len(values) + 1))
    return Sample(
        Metric("latency_s", "s"),
        Treatment(treatment, f"t{treatment}", {}),
        values=array("d", values),
        blocks=ordinal,
        passes=array("q", [1] * len(values)),
        contexts=array("q", [0] * len(values)),
        trials=ordinal,
    )


def test_the_median_lies_between_the_ranks_that_the_binomial_distribution_gives():
    interval = find_median_interval(sample_of(VALUES), 0.05)
    k = int(witness.binom.ppf(0.025, 21, 0.5))
    ordered = sorted(VALUES)
    assert (interval.low, interval.high) == (pytest.approx(ordered[k - 1]), pytest.approx(ordered[-k]))
    assert find_median_interval(sample_of(VALUES[:4]), 0.05) is None


def test_the_median_of_values_that_are_0_has_an_interval_too():
    interval = find_median_interval(sample_of((0.0,) * 20), 0.05)
    assert (interval.low, interval.high) == (0, 0)


def test_the_ratio_of_blocks_is_the_median_of_their_ratios():
    double = sample_of(tuple(2 * value for value in VALUES), treatment=2)
    ratio = estimate_ratio(double, sample_of(VALUES), "median_ratio")
    assert ratio.value == pytest.approx(2)
    assert ratio.interval(0.05).low == pytest.approx(2)


def test_samples_without_values_have_no_ratio():
    assert isinstance(estimate_ratio(sample_of([]), sample_of(VALUES), "median_ratio"), Undefined)
