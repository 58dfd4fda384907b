"""Data on which formulas break: every outcome has a type and a reason, and no number is NaN or infinite."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from steelyard.core.analysis import Analysis, TypeB
from steelyard.core.estimand import INTERVALS
from steelyard.core.sample import Failures
from steelyard.report.answer.document import render
from steelyard.report.answer.text import render as text
from steelyard.results.analysis import DesignFacts
from steelyard.results.comparison import Speedup
from steelyard.results.undefined import Undefined
from steelyard.stats.answer import answer
from steelyard.stats.compare.comparison import compare
from steelyard.stats.describe.dependence import suspected
from steelyard.stats.hypothesis.holm import holm

KINDS = [(estimand, kind) for estimand, kinds in INTERVALS.items() for kind in kinds]
ODD = [0.0, -1.0, math.nan, math.inf, -math.inf, 5e-324, 1e-300, 1e-9, 1.0, 1.0, 1.0 + 2**-52, 2.0, 1e300]
columns = st.lists(st.sampled_from(ODD), max_size=6)
ordinary = st.integers(3, 8).flatmap(
    lambda n: st.tuples(*[st.lists(st.floats(0.5, 2), min_size=n, max_size=n)] * 2)
)


def refuse(constant):
    raise AssertionError(f"{constant} is no number")


@pytest.mark.parametrize(("estimand", "kind"), KINDS)
@pytest.mark.parametrize("order", ["randomized-blocks", "sequential"])
@settings(max_examples=25)
@given(
    columns=st.lists(columns, min_size=2, max_size=3), margin=st.sampled_from([None, 0.02]), b=st.booleans()
)
@example(columns=[[0.0], [0.0]], margin=0.02, b=False)
def test_whatever_the_values_are_the_answer_can_be_told(sample, estimand, kind, order, columns, margin, b):
    samples = [
        sample(values, treatment=t, failures=Failures(len(values), 0, 0))
        for t, values in enumerate(columns, 1)
    ]
    assume(any(columns))
    errors = (TypeB("e", 1e-3, relative=True), TypeB("f", 1e-3)) if b and kind == "log-delta" else ()
    declared = Analysis(estimand=estimand, interval=kind, margin=margin, type_b=errors)
    result = answer("odd", samples, DesignFacts(order, max(map(len, columns)), seed=1), declared)
    json.loads(render(result), parse_constant=refuse)
    assert text(result)
    for c in result.judged:
        if isinstance(c.speedup, Undefined):
            assert (c.p, c.ci95, c.verdict) == (None, None, "not_resolved")
        else:
            assert 0 <= c.p <= 1
            assert 0 <= c.p_holm <= 1
            assert math.isfinite(c.speedup.value)


@pytest.mark.parametrize(("estimand", "kind"), KINDS)
@settings(max_examples=20)
@given(pair=ordinary, factor=st.sampled_from([2.0**-40, 0.25, 8.0, 2.0**30]))
def test_the_unit_of_time_changes_no_verdict(sample, estimand, kind, pair, factor):
    declared = Analysis(estimand=estimand, interval=kind, margin=0.1)

    def judged(scale):
        (c,) = compare([sample([scale * x for x in v], treatment=t) for t, v in enumerate(pair, 1)], declared)
        return c

    first, second = judged(1.0), judged(factor)
    # Logarithms of scaled values differ in their last digits, which resamples of near-constant data show.
    if min(abs(first.p_holm - 0.05), abs(first.p_relevance - 0.05)) > 1e-3:
        assert (first.verdict, first.relevance) == (second.verdict, second.relevance)
    assert first.speedup.value == pytest.approx(second.speedup.value, rel=1e-9)


@pytest.mark.parametrize(
    ("estimand", "kind"), [item for item in KINDS if item[1] not in ("gum-s1", "bootstrap-t")]
)
@given(pair=ordinary)
@example(pair=([1.0] * 5 + [1.25, 1.25], [1.0] * 5 + [1.25, 1.2734375]))
def test_swapping_two_treatments_turns_the_ratio_and_its_interval_over(sample, estimand, kind, pair):
    declared = Analysis(estimand=estimand, interval=kind)
    (result,) = compare([sample(v, treatment=t) for t, v in enumerate(pair, 1)], declared)
    (backwards,) = compare([sample(v, treatment=t) for t, v in enumerate(reversed(pair), 1)], declared)
    assert result.speedup.value == pytest.approx(1 / backwards.speedup.value)
    assert result.p == pytest.approx(backwards.p, rel=1e-7)
    if result.ci95 and backwards.ci95:
        assert result.ci95.low == pytest.approx(backwards.ci95.reciprocal().low, rel=1e-7)


@pytest.mark.parametrize(
    ("estimand", "kind"), [item for item in KINDS if item[1] not in ("gum-s1", "bootstrap-t")]
)
@given(pair=ordinary, seed=st.integers(0, 1000))
def test_the_order_of_blocks_changes_no_estimate(sample, estimand, kind, pair, seed):
    declared = Analysis(estimand=estimand, interval=kind)
    order = np.random.default_rng(seed).permutation(len(pair[0]))
    (result,) = compare([sample(v, treatment=t) for t, v in enumerate(pair, 1)], declared)
    (shuffled,) = compare([sample(np.array(v)[order], treatment=t) for t, v in enumerate(pair, 1)], declared)
    assert result.speedup.value == pytest.approx(shuffled.speedup.value)
    # Neighbours that seem to resemble each other are allowed for, and another order has other neighbours.
    if not any(
        element.autocorrelation and suspected(element.autocorrelation) for element in (result, shuffled)
    ):
        assert result.p == pytest.approx(shuffled.p, rel=1e-6, abs=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(0.001, 0.5))
def test_holm_keeps_the_order_of_p_and_a_smaller_p_is_never_rejected_less(p, alpha):
    tested = holm(p, alpha)
    for first in tested:
        for second in tested:
            if first.p <= second.p:
                assert first.p_holm <= second.p_holm
                assert first.rejected >= second.rejected
                assert first.level <= second.level
    smaller = holm([p[0] / 2, *p[1:]], alpha)
    assert all(a.p_holm <= b.p_holm + 1e-15 for a, b in zip(smaller, tested, strict=True))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ([], [1.0], "no_values"),
        ([1.0], [2.0], "one_block"),
        ([1.0, math.nan], [1.0, 2.0], "not_finite"),
        ([1.0, -2.0], [1.0, 2.0], "negative_values"),
        ([0.0, 1.0], [1.0, 2.0], "zero_values"),
        ([5e-324, 5e-324], [1e300, 1e300], "out_of_range"),
    ],
)
@pytest.mark.parametrize("estimand", INTERVALS)
def test_what_cannot_be_computed_says_why(sample, estimand, old, new, reason):
    (c,) = compare([sample(old), sample(new, treatment=2)], Analysis(estimand=estimand))
    if (estimand, reason) == ("ratio_of_means", "zero_values"):
        assert isinstance(c.speedup, Speedup)  # a mean may hold values of 0
    else:
        assert c.speedup == Undefined(reason)


@pytest.mark.parametrize(("estimand", "kind"), KINDS)
def test_two_blocks_are_an_answer_that_claims_little(sample, estimand, kind):
    pair = [sample([1.0, 1.1]), sample([0.5, 0.52], treatment=2)]
    (c,) = compare(pair, Analysis(estimand=estimand, interval=kind))
    assert isinstance(c.speedup, Speedup)
    assert c.p > 0.001
    assert "few_blocks" in c.flags


@pytest.mark.parametrize(("estimand", "kind"), KINDS)
def test_complete_separation_is_a_clear_win_with_a_p_value(sample, estimand, kind):
    """The slowest tenth has an interval of 95 % from 36 blocks on, and of 99.9 % from 73 on."""
    rng = np.random.default_rng(1)
    n = 80 if estimand == "quantile" else 20
    old, new = rng.normal(10, 0.1, n), rng.normal(5, 0.1, n)
    (c,) = compare([sample(old), sample(new, treatment=2)], Analysis(estimand=estimand, interval=kind))
    assert c.verdict == "faster"
    assert 0 < c.p < 1e-3 or kind in ("log-delta", "fieller")


@pytest.mark.parametrize(("estimand", "kind"), KINDS)
def test_one_value_that_dominates_moves_means_and_leaves_quantiles_where_they_are(sample, estimand, kind):
    rng = np.random.default_rng(2)
    old, new = np.exp(rng.normal(0, 0.02, (2, 15)))
    new[3] *= 1e6
    (c,) = compare([sample(old), sample(new, treatment=2)], Analysis(estimand=estimand, interval=kind))
    moved = abs(c.speedup.log) > 0.5
    assert moved == (estimand not in ("median_ratio", "quantile"))
    assert c.verdict == "not_resolved"
