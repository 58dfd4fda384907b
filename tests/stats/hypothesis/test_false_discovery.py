"""Benjamini and Hochberg against SciPy and statsmodels; the level against the intervals' own promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as witness
from statsmodels.stats.multitest import multipletests

from steelyard.stats.hypothesis.false_discovery import benjamini_hochberg


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.floats(0.001, 0.4))
def test_adjusted_p_values_and_rejections_are_those_of_scipy_and_statsmodels(p_values, q):
    result = benjamini_hochberg(p_values, q)
    adjusted = [item.p_holm for item in result]
    assert adjusted == pytest.approx(list(witness.false_discovery_control(p_values)), rel=1e-9, abs=1e-12)
    rejected = multipletests(p_values, q, method="fdr_bh")[0]
    close = np.isclose(adjusted, q, rtol=1e-9)
    assert all(
        (element.rejected == expected) | near
        for element, expected, near in zip(result, rejected, close, strict=True)
    )


@given(st.lists(st.floats(1e-6, 1), min_size=1, max_size=40), st.floats(0.001, 0.4))
def test_the_level_rejects_exactly_what_is_rejected(p_values, q):
    result = benjamini_hochberg(p_values, q)
    levels = {item.level for item in result}
    assert len(levels) == 1
    (level,) = levels
    assert level == max(1, sum(element.rejected for element in result)) * q / len(result)
    for element in result:
        assert element.rejected == (element.p <= level) or np.isclose(element.p, level, rtol=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_rejected_at_the_level_is_what_scipy_rejects(seed):
    rng = np.random.default_rng(seed)
    p = np.concatenate([rng.uniform(size=30), rng.uniform(0, 0.01, size=seed)])
    level = benjamini_hochberg(p, 0.05)[0].level
    assert (p <= level).tolist() == (witness.false_discovery_control(p) <= 0.05).tolist()


def test_of_intervals_of_findings_the_stated_fraction_misses(perfect_passes):
    """N = 500 experiments of 40 means of which half differ: with q = 10 %, at most 10 % of the intervals of
    findings miss on average (here 5 to 10); intervals at 90 % of each alone miss more of the findings.
    """
    rng = np.random.default_rng(8)
    missed, alone = [], []
    for _ in range(500):
        truth = np.where(np.arange(40) < 20, 0.0, 2.5)
        z = rng.normal(truth)
        result = benjamini_hochberg(2 * witness.norm.sf(np.abs(z)), 0.1)
        selected = np.array([item.rejected for item in result])
        half = witness.norm.isf(result[0].level / 2)
        off = np.abs(z - truth)
        missed.append((off[selected] > half).mean() if selected.any() else 0.0)
        alone.append((off[selected] > witness.norm.isf(0.05)).mean() if selected.any() else 0.0)
    assert np.mean(missed) < 0.1
    assert np.mean(alone) > 0.12


def test_nothing_is_a_family_too():
    assert benjamini_hochberg([]) == ()
