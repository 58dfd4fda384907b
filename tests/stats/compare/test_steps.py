"""The steps to a judged ratio, and that each later one is as careful as the one before, or more so."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from steelyard.core.analysis import Analysis, TypeB
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.compare.pairing import pair_up
from steelyard.stats.compare.steps import STEPS, Basis, walk_steps
from steelyard.stats.describe.autocorrelation import autocorrelation
from steelyard.stats.sequential.looks import Looks

ERROR = TypeB("clock", 0.002, relative=True)
LOOKS = Looks((10, 15, 24))


def walked(sample, logs, *, looks=None, **keys):
    """Stages of the comparison of two treatments with these logarithms of their times."""
    samples = [sample(np.exp(row), treatment=place) for place, row in enumerate(logs, 1)]
    analysis = Analysis(**keys)
    (pair,) = pair_up(samples, analysis).pairs
    between = contrast(pair.baseline, pair.treatment)
    likeness = autocorrelation(logs[0] - logs[1])
    return walk_steps(Basis(pair, between, analysis, looks, likeness))


def drift(seed, n=24):
    """Two treatments whose differences resemble their neighbours."""
    rng = np.random.default_rng(seed)
    course = np.convolve(rng.normal(size=n + 4), np.ones(5) / 5, mode="valid")
    return np.array([0.1 + 0.1 * course, 0.005 * rng.normal(size=n)])


def tail(seed, n=24):
    """Two treatments without likeness, of which the first has a long tail."""
    rng = np.random.default_rng(seed)
    return np.array([0.1 * rng.lognormal(0, 0.5, n), 0.01 * rng.normal(size=n)])


@pytest.mark.parametrize("seed", range(6))
def test_stated_errors_widen_and_no_later_step_makes_a_p_value_smaller_or_an_interval_narrower(sample, seed):
    stages = walked(sample, drift(seed), looks=LOOKS, type_b=(ERROR,))
    assert list(stages) == ["estimate", *(name for name, _ in STEPS)]
    estimate, *later = stages.values()
    assert later[0].se > estimate.se
    for before, after in pairwise(later):
        assert after.log == before.log
        for ratio in (0.9, 1.0, 1.1, 1.2):
            assert after.p_of(ratio) >= before.p_of(ratio)
        inner, outer = before.interval(0.05), after.interval(0.05)
        assert outer.low <= inner.low
        assert outer.high >= inner.high


def test_every_step_is_more_careful_somewhere_where_its_reason_is_there(sample):
    changed = set()
    for logs in (drift(1), tail(1)):
        stages = walked(sample, logs, looks=LOOKS, type_b=(ERROR,))
        for (_, before), (name, after) in pairwise(stages.items()):
            if any(after.p_of(ratio) > before.p_of(ratio) for ratio in (1.05, 1.1, 1.2, 1.3)):
                changed.add(name)
    assert changed == {name for name, _ in STEPS}


def test_a_fixed_number_of_blocks_without_margin_and_stated_errors_is_only_checked_for_dependence(sample):
    rng = np.random.default_rng(3)
    stages = walked(sample, rng.normal(0, 0.05, (2, 12)))
    assert stages["type B"] is stages["estimate"]
    assert stages["tail"] is stages["looks"] is stages["dependence"]


def test_what_a_step_leaves_undefined_ends_the_walk(sample):
    huge = TypeB("clock", 1e300)
    assert isinstance(walked(sample, drift(1), type_b=(huge,)), Undefined)
