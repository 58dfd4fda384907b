from __future__ import annotations

import math
from array import array

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace
from scipy import stats as witness

from steelyard.results.comparison import Speedup
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.compare.speedup import make_by_t, resolvable, speedup

pairs = st.lists(st.tuples(st.floats(1e-6, 1e6), st.floats(1e-6, 1e6)), min_size=2, max_size=40)


def ratio(sample, old, new, *, order="randomized-blocks", **of):
    return speedup(contrast(sample(old, **of), sample(new, treatment=2, **of), order=order))


def varies(old, new):
    """Whether log-ratios differ by more than arithmetic can."""
    d = np.log(old) - np.log(new)
    return np.ptp(d) > 1e-9


def test_table_1_gives_the_paired_log_ratio_to_all_digits_given(sample, run_2, run_5):
    result = ratio(sample, run_2, run_5)
    assert result.log == pytest.approx(-0.022086, abs=5e-7)
    assert result.se == pytest.approx(0.102403, abs=5e-7)
    assert result.value == pytest.approx(0.978156, abs=5e-7)
    interval = result.interval()
    assert (interval.low, interval.high) == pytest.approx((0.767797, 1.246150), abs=5e-7)
    assert (result.method, result.nu, result.n) == ("block-log-ratio-t", 7, 8)


@given(pairs)
def test_estimate_p_and_interval_are_those_of_a_one_sample_t_test_on_log_ratios(sample, values):
    old, new = (np.array(value) for value in zip(*values, strict=True))
    assume(varies(old, new))
    result = ratio(sample, old, new)
    test = witness.ttest_1samp(np.log(old / new), 0)
    bounds = test.confidence_interval(0.99)
    assert result.p == pytest.approx(test.pvalue, rel=1e-6, abs=1e-12)
    interval = result.interval(0.01)
    if interval is None:
        assert max(abs(bounds.low), abs(bounds.high)) > 690
    else:
        low, high = math.log(interval.low), math.log(interval.high)
        assert (low, high) == pytest.approx((bounds.low, bounds.high), rel=1e-6, abs=1e-9)


def test_the_unpaired_one_is_welchs_t_on_logs(sample):
    rng = np.random.default_rng(2)
    old, new = np.exp(rng.normal(0, 0.1, 17)), np.exp(rng.normal(0.05, 0.3, 9))
    result = ratio(sample, old, new, order="sequential")
    test = witness.ttest_ind(np.log(old), np.log(new), equal_var=False)
    bounds = test.confidence_interval()
    assert result.method == "unpaired-log-ratio-t"
    assert (result.nu, result.p) == (pytest.approx(test.df), pytest.approx(test.pvalue))
    assert result.interval().low == pytest.approx(math.exp(bounds.low))
    assert result.interval().high == pytest.approx(math.exp(bounds.high))


def test_contexts_are_averaged_first_and_degrees_of_freedom_come_from_them(sample):
    rng = np.random.default_rng(3)
    contexts = [1, 2, 3, 4, 5] * 3
    old, new = np.exp(rng.normal(size=15)), np.exp(rng.normal(size=15))
    result = ratio(sample, old, new, contexts=contexts)
    means = np.log(old / new).reshape(3, 5).mean(axis=0)
    assert (result.method, result.nu, result.n) == ("context-log-ratio-t", 4, 5)
    assert result.p == pytest.approx(witness.ttest_1samp(means, 0).pvalue)


@given(pairs, st.floats(1e-3, 1e3))
def test_the_unit_of_time_does_not_matter(sample, values, factor):
    old, new = (np.array(value) for value in zip(*values, strict=True))
    assume(varies(old, new))
    first, second = ratio(sample, old, new), ratio(sample, factor * old, factor * new)
    assert (second.log, second.se) == pytest.approx((first.log, first.se), rel=1e-6, abs=1e-9)


@given(pairs)
def test_swapping_the_two_gives_the_reciprocal(sample, values):
    old, new = (np.array(value) for value in zip(*values, strict=True))
    first, second = ratio(sample, old, new), ratio(sample, new, old)
    assert first.value == pytest.approx(1 / second.value, rel=1e-9)
    assert first.p == pytest.approx(second.p, rel=1e-9)
    mine, theirs = first.interval(), second.interval()
    assert (mine is None) == (theirs is None)
    if mine is not None:
        back = theirs.reciprocal()
        assert (mine.low, mine.high) == pytest.approx((back.low, back.high), rel=1e-9)


@given(pairs, st.randoms(use_true_random=False))
def test_the_order_of_blocks_does_not_matter(sample, values, random):
    mixed = random.sample(values, len(values))
    old, new = zip(*values, strict=True)
    mixed_old, mixed_new = zip(*mixed, strict=True)
    first, second = ratio(sample, old, new), ratio(sample, mixed_old, mixed_new)
    assert (second.log, second.se) == pytest.approx((first.log, first.se), rel=1e-9, abs=1e-12)


@given(pairs, st.data())
def test_what_a_block_does_to_all_treatments_cancels(sample, values, data):
    old, new = (np.array(value) for value in zip(*values, strict=True))
    assume(varies(old, new))
    drift = np.array(data.draw(st.lists(st.floats(0.1, 10), min_size=old.size, max_size=old.size)))
    first, second = ratio(sample, old, new), ratio(sample, old * drift, new * drift)
    assert (second.log, second.se) == pytest.approx((first.log, first.se), rel=1e-6, abs=1e-9)


@given(pairs, st.floats(0.1, 10))
def test_a_factor_on_one_treatment_moves_the_ratio_by_it_and_leaves_the_error(sample, values, factor):
    old, new = (np.array(value) for value in zip(*values, strict=True))
    assume(varies(old, new))
    first, second = ratio(sample, old, new), ratio(sample, old, new * factor)
    assert second.log == pytest.approx(first.log - math.log(factor), rel=1e-9, abs=1e-9)
    assert second.se == pytest.approx(first.se, rel=1e-6, abs=1e-9)


@given(pairs, st.floats(1e-6, 0.5))
def test_an_interval_excludes_1_exactly_when_the_test_rejects_at_its_level(sample, values, alpha):
    old, new = zip(*values, strict=True)
    result = ratio(sample, old, new)
    interval = result.interval(alpha)
    assume(abs(result.p - alpha) > 1e-9)
    assert (interval is not None and interval.excludes(1)) == (result.p < alpha)


def test_higher_is_better_turns_the_ratio_over(sample):
    old, new = [10.0, 11.0, 12.0], [20.0, 23.0, 24.0]
    rate = {"metric": "rate", "unit": "1/s", "better": "higher"}
    assert ratio(sample, old, new, **rate).value == pytest.approx(1 / ratio(sample, old, new).value)
    assert ratio(sample, old, new, **rate).value > 1


@pytest.mark.parametrize("n", [2, 5, 6, 12])
def test_differences_without_spread_are_judged_by_their_equal_signs_alone(sample, n):
    result = ratio(sample, [3.0] * n, [2.0] * n)
    assert (result.method, result.nu, result.se) == ("block-log-ratio-sign", None, 0.0)
    assert result.p == witness.binomtest(n, n, 0.5).pvalue
    assert result.value == pytest.approx(1.5)
    # Two blocks that agree exactly prove nothing: the interval has no bounds before the sign test can reject.
    assert (result.interval() is None) == (n < 6)
    assert resolvable(result) is None


def counts(sample, old, new, *, same_order=False):
    """Two samples of a count whose runs took turns to be first."""
    places = range(len(old))
    first = [2 * block + (block % 2 and not same_order) for block in places]
    return [
        replace(sample(values, metric="faults", unit=""), trials=array("q", order))
        for values, order in (
            (old, first),
            (new, [4 * block + 1 - at for block, at in zip(places, first, strict=True)]),
        )
    ]


@pytest.mark.parametrize("n", [2, 3, 5, 10])
def test_counts_that_repeat_to_the_bit_are_judged_by_how_rare_that_is(sample, n):
    result = speedup(contrast(*counts(sample, [1220.0] * n, [10.0] * n)))
    assert result.method == "block-log-ratio-repeated"
    # Witness: the probability that n draws of p are one value and n others the other, at its maximum over p.
    p = np.linspace(0, 1, 100_001)
    assert result.p == pytest.approx((2 * (p * (1 - p)) ** n).max())
    assert (result.interval() is None) == (n < 3)
    assert result.value == pytest.approx(122)


def test_the_claim_of_repeated_counts_is_not_exceeded_by_programs_that_are_one(sample):
    # 3 + 3 runs of one program whose count is 1 or 2, each half of the time: the worst that there is.
    rng = np.random.default_rng(5)
    rejected = 0
    for _ in range(4000):
        old, new = rng.integers(1, 3, size=(2, 3)).astype(float).tolist()
        result = speedup(contrast(*counts(sample, old, new)))
        rejected += result.method == "block-log-ratio-repeated" and result.p <= 0.05
    assert rejected / 4000 == pytest.approx(2 * 0.25**3, abs=0.008)


def test_counts_that_follow_the_order_claim_no_more_than_their_signs(
    sample,
):
    assert speedup(contrast(*counts(sample, [2.0] * 5, [1.0] * 5, same_order=True))).method.endswith("-sign")
    arms = [replace(arm, metric=sample([1.0]).metric) for arm in counts(sample, [2.0] * 5, [1.0] * 5)]
    assert speedup(contrast(*arms)).method.endswith("-sign")
    assert speedup(contrast(*counts(sample, [2.0] * 5, [2.0] * 5))).p == 1.0


def test_equal_constants_are_not_different_however_many(sample):
    few, many = ratio(sample, [2.0] * 3, [2.0] * 3), ratio(sample, [2.0] * 9, [2.0] * 9)
    assert (few.value, few.p, few.interval()) == (1.0, 1.0, None)
    assert (many.value, many.p) == (1.0, 1.0)
    assert (many.interval().low, many.interval().high) == (1.0, 1.0)


def test_a_block_effect_on_constants_leaves_no_spread_either(sample):
    drift = np.linspace(0.1, 7.3, 12)
    assert ratio(sample, 3.0 * drift, 2.0 * drift).method == "block-log-ratio-sign"


def test_constants_in_a_sequential_order_are_judged_by_all_their_orderings(sample):
    result = ratio(sample, [3.0] * 5, [2.0] * 4, order="sequential")
    exact = witness.mannwhitneyu([3.1, 3.2, 3.3, 3.4, 3.5], [2.1, 2.2, 2.3, 2.4], method="exact")
    assert result.method == "unpaired-log-ratio-permutation"
    assert result.p == pytest.approx(exact.pvalue)


@pytest.mark.parametrize(
    ("contexts", "reason"), [(None, "one_block"), ([1], "one_block"), ([4, 4, 4], "one_context")]
)
def test_one_unit_is_not_enough(sample, contexts, reason):
    n = len(contexts) if contexts else 1
    options = {"contexts": contexts} if contexts else {}
    assert ratio(sample, [1.0] * n, [2.0] * n, **options) == Undefined(reason)


def test_one_launch_of_a_sequential_order_is_not_enough(sample):
    assert ratio(sample, [1.0], [2.0], order="sequential") == Undefined("one_value")


def test_a_ratio_that_leaves_the_range_of_double_is_undefined_and_not_infinite(sample):
    assert ratio(sample, [1e308, 1e307], [1e-308, 1e-307]) == Undefined("out_of_range")


def test_an_interval_that_leaves_the_range_has_no_bounds(sample):
    result = ratio(sample, [1e200, 1.0], [1.0, 1e150])
    assert isinstance(result, Speedup)
    assert result.interval() is None


def test_the_resolvable_difference_shows_in_four_of_five_experiments(sample, perfect_passes):
    """N = 2000 at a true power of 0.8; a perfect tool passes with the probability asserted first."""
    n, count = 10, 2000
    assert perfect_passes(count, 0.8, 1555, 1645) > 0.98
    rng = np.random.default_rng(4)
    # The difference that 80 % would see, were the spread known to be what it is.
    true = math.log1p(resolvable(make_by_t(0.0, 0.02 / math.sqrt(n), n - 1, n, "block", "log-ratio-t")))
    differing = 0
    for _ in range(count):
        new = np.exp(rng.normal(-true, 0.02, n))
        result = ratio(sample, np.ones(n), new)
        differing += result.p < 0.05
    assert 1555 <= differing <= 1645


@pytest.mark.parametrize(
    ("order", "least"), [("randomized-blocks", 2**-5), ("sequential", 2 / math.comb(12, 6))]
)
def test_equal_programs_without_spread_reject_another_ratio_as_their_number_can(sample, order, least):
    result = speedup(contrast(sample([2.0] * 6), sample([2.0] * 6, treatment=2), order=order))
    assert (result.value, result.se, result.p, result.p_of(1.0)) == (1.0, 0.0, 1.0, 1.0)
    assert result.p_of(1.5) == pytest.approx(least)
    constants = speedup(contrast(sample([2.0] * 6), sample([1.0] * 6, treatment=2), order=order))
    assert (constants.value, constants.se, constants.p) == (pytest.approx(2.0), 0.0, pytest.approx(least))
