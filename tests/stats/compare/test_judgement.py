from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import ttost_paired

from steelyard.results.undefined import Undefined
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.compare.judgement import (
    TYPICAL,
    Judgement,
    close_by,
    judge_at_least,
    judge_at_most,
    judge_together,
    judge_within,
)
from steelyard.stats.compare.speedup import speedup


def ratio(sample, truth=1.0, n=20, size=0.02, seed=1):
    rng = np.random.default_rng(seed)
    old, new = np.exp(rng.normal(0, size, (2, n)))
    return speedup(contrast(sample(old), sample(new / truth, treatment=2)))


@pytest.mark.parametrize(
    ("truth", "outcome"), [(1.10, "holds"), (0.95, "fails"), (1.02, "not_resolved"), (1.00, "fails")]
)
def test_a_factor_holds_above_the_bound_fails_below_and_is_open_around_it(sample, truth, outcome):
    assert judge_at_least(ratio(sample, truth), 1.02).outcome == outcome


@pytest.mark.parametrize(
    ("truth", "outcome"), [(1.10, "fails"), (0.95, "holds"), (1.02, "not_resolved"), (1.00, "holds")]
)
def test_an_upper_bound_is_judged_the_other_way_round(sample, truth, outcome):
    assert judge_at_most(ratio(sample, truth), 1.02).outcome == outcome
    assert judge_at_most(Undefined("no_values"), 1.02).outcome == "not_resolved"


@pytest.mark.parametrize(
    ("truth", "outcome"), [(1.0, "holds"), (1.2, "fails"), (0.8, "fails"), (1.05, "not_resolved")]
)
def test_equivalence_holds_inside_the_bound_fails_outside_and_is_open_across_it(sample, truth, outcome):
    assert judge_within(ratio(sample, truth), 0.05).outcome == outcome


@pytest.mark.parametrize("truth", [0.97, 1.0, 1.01])
def test_equivalence_is_that_of_two_one_sided_tests(sample, truth):
    """Each side of TOST at alpha / 2: the interval at 1 - alpha inside the bound (statsmodels)."""
    rng = np.random.default_rng(2)
    old, new = np.exp(rng.normal(0, 0.02, (2, 20)))
    new /= truth
    judged = judge_within(speedup(contrast(sample(old), sample(new, treatment=2))), 0.05)
    p, _, _ = ttost_paired(np.log(old), np.log(new), math.log(0.95), math.log(1.05))
    assert judged.p == pytest.approx(2 * p, rel=1e-10)


@pytest.mark.parametrize("truth", [0.97, 1.0, 1.01, 1.04, 1.2])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_one_sided_it_is_tost_at_alpha_and_the_interval_at_twice_that_lies_inside(sample, truth, alpha):
    rng = np.random.default_rng(3)
    old, new = np.exp(rng.normal(0, 0.03, (2, 12)))
    new /= truth
    result = speedup(contrast(sample(old), sample(new, treatment=2)))
    judged = judge_within(result, 0.05, alpha, one_sided=True)
    if judged.indicated == "holds":
        p, _, _ = ttost_paired(np.log(old), np.log(new), math.log(0.95), math.log(1.05))
        assert judged.p == pytest.approx(p, rel=1e-10)
        assert judged.interval == result.interval(2 * alpha)
        inside = not (judged.interval.low < 0.95 or judged.interval.high > 1.05)
        assert (judged.outcome == "holds") == inside
    else:
        assert judged == judge_within(result, 0.05, alpha)
    (together,) = judge_together([judged], [result], alpha)
    assert (together.outcome, together.interval) == (judged.outcome, judged.interval)


@given(
    st.lists(st.tuples(st.floats(0.5, 2), st.floats(0.5, 2)), min_size=3, max_size=12),
    st.floats(0.3, 3),
    st.floats(0.001, 0.4),
)
def test_p_is_at_most_alpha_exactly_when_the_interval_leaves_out_the_ratio(sample, pairs, value, alpha):
    old, new = zip(*pairs, strict=True)
    result = speedup(contrast(sample(old), sample(new, treatment=2)))
    p, interval = result.p_of(value), result.interval(alpha)
    assume(abs(p - alpha) > 1e-9)
    assert (p < alpha) == (interval is not None and interval.excludes(value))


def test_without_a_ratio_nothing_is_resolved():
    for judged in (judge_at_least(Undefined("one_block"), 1.1), judge_within(Undefined("one_block"), 0.1)):
        assert (judged.outcome, judged.indicated, judged.p, judged.interval) == (
            "not_resolved",
            None,
            None,
            None,
        )


def test_a_constant_ratio_is_judged_by_the_signs_that_it_has(sample):
    result = speedup(contrast(sample([2.0] * 6), sample([2.0] * 6, treatment=2)))
    assert result.p_of(1.0) == 1.0
    assert result.p_of(1.01) == result.p_of(0.5) == 2.0**-5
    assert judge_within(result, 0.01).outcome == "holds"
    few = speedup(contrast(sample([2.0] * 5), sample([2.0] * 5, treatment=2)))
    assert judge_within(few, 0.01).outcome == "not_resolved"


def test_statements_of_one_family_are_adjusted_by_holm_and_keep_those_without_ratio(sample):
    ratios = [ratio(sample, 1.05, seed=s) for s in range(4)] + [Undefined("no_values")]
    alone = [judge_at_least(item, 1.03) for item in ratios]
    family = judge_together(alone, ratios)
    p = [element.p for element in alone[:-1]]
    assert [element.p_holm for element in family[:-1]] == pytest.approx(
        list(multipletests(p, method="holm")[1])
    )
    assert family[-1] == alone[-1]
    for judged in family[:-1]:
        assert (judged.outcome == "holds") == (judged.interval.low > 1.03) == (judged.p_holm <= 0.05)


def test_a_ratio_that_is_the_bound_itself_indicates_that_it_fails(sample):
    result = speedup(contrast(sample([1.0, 1.1, 1.2]), sample([1.0, 1.1, 1.2], treatment=2)))
    judged = judge_at_least(result, 1.0)
    assert (result.value, judged.outcome, judged.indicated) == (1.0, "not_resolved", "fails")


def judged(indicated, p):
    outcome = indicated if p is not None and p <= 0.05 else "not_resolved"
    return Judgement(outcome, indicated, p, p, 0.05, None)


@pytest.mark.parametrize(
    ("mean", "typical", "outcome", "by"),
    [
        (judged("holds", 0.001), judged("holds", 0.001), "holds", "mean"),
        (judged("holds", 0.5), judged("holds", 0.0001), "not_resolved", "mean"),
        (judged("holds", 0.001), judged("fails", 0.01), "fails", "typical"),
        (judged("holds", 0.001), judged("fails", 0.02), "holds", "mean"),
        (judged("fails", 0.5), judged("fails", 0.01), "fails", "typical"),
        (judged("fails", 0.001), judged("holds", 0.0001), "fails", "mean"),
        (judged("fails", 0.001), judged("fails", 0.01), "fails", "mean"),
        (judged(None, None), judged("fails", 0.01), "fails", "typical"),
        (judged(None, None), judged("holds", 0.0001), "not_resolved", "mean"),
    ],
)
def test_a_typical_run_refutes_what_the_mean_leaves_open_and_confirms_nothing(mean, typical, outcome, by):
    closed = close_by("typical", mean, typical)
    assert (closed.outcome, closed.by) == (outcome, by)
    if by == "typical":
        assert closed.p == pytest.approx(typical.p / TYPICAL)
