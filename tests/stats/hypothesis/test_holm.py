from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from steelyard.stats.hypothesis.holm import holm

families = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_the_golden_family_of_six():
    tested = holm([0.001, 0.02, 0.012, 0.04, 0.03, 0.0004])
    assert [t.p_holm for t in tested] == pytest.approx([0.005, 0.06, 0.048, 0.06, 0.06, 0.0024])
    assert [t.rejected for t in tested] == [True, False, True, False, False, True]


@settings(max_examples=25)  # the witness takes 50 ms a call
@given(families, st.floats(0.001, 0.5))
def test_it_is_the_adjustment_of_statsmodels(p, alpha):
    rejected, adjusted, _, _ = multipletests(p, alpha, method="holm")
    tested = holm(p, alpha)
    assert [t.p_holm for t in tested] == pytest.approx(list(adjusted), rel=1e-9, abs=1e-300)
    close = [abs(a - alpha) < 1e-12 for a in adjusted]
    assert all(t.rejected == r or c for t, r, c in zip(tested, rejected, close, strict=True))


@given(families, st.floats(0.001, 0.5))
def test_a_smaller_p_is_never_adjusted_to_a_larger_one(p, alpha):
    tested = sorted(holm(p, alpha), key=lambda t: t.p)
    assert all(a.p_holm <= b.p_holm for a, b in itertools.pairwise(tested))
    assert all(t.p <= t.p_holm <= 1 for t in tested)


@given(families, st.floats(0.001, 0.5))
def test_testing_at_the_level_given_decides_exactly_as_the_adjusted_p(p, alpha):
    for t in holm(p, alpha):
        if abs(t.p - t.level) > 1e-12:
            assert (t.p <= t.level) == t.rejected
        assert alpha / len(p) * (1 - 1e-12) <= t.level <= alpha


@given(families, st.randoms(use_true_random=False))
def test_the_order_of_the_family_does_not_matter_even_with_ties(p, random):
    p = [*p, p[0]]
    places = random.sample(range(len(p)), len(p))
    mixed = holm([p[i] for i in places])
    straight = holm(p)
    assert [straight[i] for i in places] == list(mixed)


def test_after_the_first_failure_all_are_tested_at_its_level():
    tested = holm([0.03, 0.035], 0.05)
    assert [t.rejected for t in tested] == [False, False]
    assert [t.level for t in tested] == [0.025, 0.025]


def test_a_family_of_one_is_not_adjusted_and_an_empty_one_is_empty():
    assert holm([0.04])[0].p_holm == 0.04
    assert holm([0.04])[0].level == 0.05
    assert holm([]) == ()
