"""The steps to a judged ratio, and that each later one is as careful as the one before, or more so."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import binom

from steelyard.core.analysis import Analysis, TypeB
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.compare.pairing import pair_up
from steelyard.stats.compare.steps import STEPS, Basis, walk_steps
from steelyard.stats.describe.autocorrelation import autocorrelation
from steelyard.stats.sequential.looks import Looks

ERROR = TypeB("clock", 0.002, relative=True)
LOOKS = Looks((10, 15, 24))


def walked(sample, logs, *, looks=None, contexts=None, **keys):
    """Stages of the comparison of two treatments with these logarithms of their times."""
    samples = [sample(np.exp(row), treatment=place, contexts=contexts) for place, row in enumerate(logs, 1)]
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
def test_stated_errors_widen_and_no_later_step_narrows_or_lowers_p(sample, seed):
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
    # Two machines whose means are the same but for a part in 1,000, beside blocks that differ by a tenth.
    agreeing = np.array([0.1 * np.tile([1.0, -1.0], 12), np.repeat([0.0, 1e-3], 12)])
    for logs, contexts in ((drift(1), None), (tail(1), None), (agreeing, np.repeat([1, 2], 12))):
        stages = walked(sample, logs, looks=LOOKS, contexts=contexts, type_b=(ERROR,))
        for (_, before), (name, after) in pairwise(stages.items()):
            if any(after.p_of(ratio) > before.p_of(ratio) for ratio in (1.05, 1.1, 1.2, 1.3)):
                changed.add(name)
    assert changed == {name for name, _ in STEPS}


def test_a_fixed_number_of_blocks_without_reason_for_care_is_judged_as_it_is(sample):
    rng = np.random.default_rng(4)
    stages = walked(sample, rng.normal(0, 0.05, (2, 12)))
    assert stages["type B"] is stages["tail"] is stages["looks"] is stages["estimate"]
    assert stages["looks"].allowances == ()
    assert stages["looks"].assumptions[0] == "blocks are independent"


@pytest.mark.parametrize("margin", [None, 0.02])
def test_a_tail_is_allowed_for_without_looks_and_without_a_margin(sample, margin):
    stages = walked(sample, tail(1), margin=margin)
    assert stages["looks"].p_of(1.3) > stages["dependence"].p_of(1.3)
    assert stages["looks"].allowances == ("tail",)
    assert "no more skewed than they look" in stages["looks"].assumptions[-1]


def test_what_was_allowed_for_is_named_in_the_order_of_the_steps(sample):
    stages = walked(sample, drift(3), looks=LOOKS)
    assert stages["estimate"].allowances == ()
    assert stages["looks"].allowances == ("neighbours", "tail", "looks")
    assert "neighbouring blocks are alike" in stages["looks"].assumptions[0]


def test_equal_means_with_one_exponential_arm_differ_in_five_percent_at_most(sample):
    rng = np.random.default_rng(400)
    wrong, wrong_by_signs = 0, 0
    for _ in range(300):
        stages = walked(sample, np.array([0.03 * rng.exponential(1, 12), 0.03 + rng.normal(0, 0.001, 12)]))
        wrong += stages["looks"].p <= 0.05
        wrong_by_signs += stages["estimate"].p <= 0.05
    assert wrong <= binom.ppf(0.999, 300, 0.05)
    assert wrong_by_signs > wrong


def test_what_a_step_leaves_undefined_ends_the_walk(sample):
    huge = TypeB("clock", 1e300)
    assert isinstance(walked(sample, drift(1), type_b=(huge,)), Undefined)
