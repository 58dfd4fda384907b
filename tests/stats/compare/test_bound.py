"""Bounds of one treatment that no distribution is assumed for; SciPy's binomial test is the witness."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.stats.compare.bound import refute
from steelyard.stats.compare.judgement import TYPICAL, Judgement

OPEN = Judgement("not_resolved", "fails", 0.8, 0.8, 0.05, None)
"""What a mean says that one far value dominates."""


@pytest.mark.parametrize(("side", "alternative"), [("above", "greater"), ("below", "less")])
def test_the_typical_run_is_judged_by_the_sign_test(side, alternative):
    values = np.random.default_rng(4).exponential(1, 25)
    refutation = refute(values, 0.4, side, in_time=False)
    above = int((values > 0.4).sum())
    expected = witness.binomtest(above, 25, 0.5, alternative=alternative).pvalue
    assert refutation.p_typical == pytest.approx(min(1, 2 * expected))
    assert refutation.beyond == (above if side == "above" else 25 - above)


def test_one_slow_run_opens_no_limit():
    imported = np.array([2.0, 2.1] * 20 + [200.0])
    assert refute(imported, 1e-6, "above").close(OPEN).outcome == "fails"
    hiccup = np.full(20, 0.02) + np.random.default_rng(1).normal(0, 1e-3, 20)
    hiccup[11] = 2.0
    assert refute(hiccup, 1e-3, "above").close(OPEN).outcome == "fails"
    rate = 1 / hiccup
    rate[11] = 1e9
    assert refute(rate, 1e4, "below").close(OPEN).outcome == "fails"


def test_two_runs_far_beyond_a_bound_refute_it_where_no_count_could():
    refutation = refute(np.array([2.0, 200.0]), 1e-6, "above")
    judged = refutation.close(OPEN)
    assert (refutation.p_typical, judged.outcome, judged.by) == (0.5, "fails", "least")
    assert refute(np.array([2.0, 200.0]), 1e-6, "below").p_least == 1.0
    assert refute(np.array([-1.0, 200.0]), 1e-6, "above").p_least == 1.0


def test_a_limit_that_the_mean_keeps_fails_where_the_typical_run_breaks_it():
    holds = Judgement("holds", "holds", 0.001, 0.001, 0.05, None)
    values = np.array([1.1] * 19 + [0.01])
    judged = refute(values, 1.0, "above").close(holds)
    assert (judged.outcome, judged.by) == ("fails", "typical")
    assert judged.p == pytest.approx(2 * 21 / 2**20 / TYPICAL)
    result = refute(np.full(20, 0.9), 1.0, "above")
    assert result.close(holds) == holds


def test_alike_neighbours_count_as_fewer_runs():
    course = np.repeat([1.1, 0.9, 1.2, 1.1], 10) + 1e-3 * np.random.default_rng(2).normal(size=40)
    assert refute(course, 1.0, "above").p_typical > refute(course, 1.0, "above", in_time=False).p_typical


@pytest.mark.simulates
@pytest.mark.parametrize("name", ["exponential", "lognormal", "rare"])
def test_a_bet_against_a_true_mean_wins_no_more_often_than_it_says(name):
    """2,000 experiments of 12 runs; a perfect bet exceeds 5 % of them + 3.5 standard errors hardly ever."""
    rng = np.random.default_rng(6)
    shape = (2000, 12)
    values = {
        "exponential": rng.exponential(1, shape),
        "lognormal": rng.lognormal(-0.5, 1, shape),
        "rare": np.where(rng.random(shape) < 0.02, 50, 0.0),
    }[name]
    wrong = sum(refute(row, 1.0, "above", in_time=False).p_least <= 0.1 for row in values)
    assert wrong <= 100 + 3.5 * 9.75
