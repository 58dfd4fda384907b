from __future__ import annotations

import math

import numpy as np
import pytest

from steelyard.results.undefined import Undefined
from steelyard.stats.compare.contrast import Contrast, contrast


def test_values_of_one_block_belong_together_whatever_their_order_in_the_sample(sample):
    old = sample([1.0, 2.0, 4.0], blocks=[1, 2, 3])
    new = sample([8.0, 2.0, 1.0], treatment=2, blocks=[3, 1, 2])
    between = contrast(old, new)
    assert between.old.ids.tolist() == between.new.ids.tolist() == [1, 2, 3]
    assert between.differences == pytest.approx(np.log([0.5, 2.0, 0.5]))


def test_a_block_that_only_one_side_has_enters_no_comparison(sample):
    old = sample([1.0, 2.0, 3.0, 4.0], blocks=[1, 2, 3, 4])
    new = sample([1.0, 2.0, 4.0], treatment=2, blocks=[1, 2, 4])
    between = contrast(old, new)
    assert between.differences == pytest.approx([0.0, 0.0, 0.0])
    assert (between.blocks, between.unmatched) == (3, 1)


def test_replicates_of_a_block_are_averaged_before_blocks_are_compared(sample):
    old = sample([1.0, 4.0, 3.0, 3.0], blocks=[1, 1, 2, 2])
    new = sample([1.0, 1.0, 1.0, 9.0], treatment=2, blocks=[1, 1, 2, 2])
    between = contrast(old, new)
    assert between.differences == pytest.approx([math.log(2), 0.0])
    assert between.old.raws == pytest.approx([2.5, 3.0])
    assert between.old.by == "block"


def test_a_fresh_context_for_every_block_leaves_the_block_as_unit(sample):
    old = sample([1, 2, 3], contexts=[5, 6, 7])
    new = sample([1, 2, 3], treatment=2, contexts=[5, 6, 7])
    assert contrast(old, new).old.by == "block"


def test_contexts_that_return_become_the_units(sample):
    blocks, contexts = [1, 2, 3, 4], [1, 2, 2, 1]
    old = sample([1.0, 2.0, 8.0, 4.0], blocks=blocks, contexts=contexts)
    new = sample([1.0, 1.0, 1.0, 1.0], treatment=2, blocks=blocks, contexts=contexts)
    between = contrast(old, new)
    assert between.old.by == "context"
    assert between.differences == pytest.approx([math.log(2), math.log(4)])
    assert (between.blocks, between.unbalanced) == (4, False)


def test_contexts_visited_unequally_often_count_once_each_and_are_marked(sample):
    blocks, contexts = [1, 2, 3], [1, 2, 1]
    old = sample([1.0, 2.0, 4.0], blocks=blocks, contexts=contexts)
    new = sample([1.0, 1.0, 1.0], treatment=2, blocks=blocks, contexts=contexts)
    between = contrast(old, new)
    assert between.differences == pytest.approx([math.log(2), math.log(2)])
    assert between.unbalanced


def test_a_dropped_block_does_not_shift_the_contexts_of_those_after_it(sample):
    old = sample([9.0, 1.0, 2.0, 4.0, 8.0], blocks=[1, 2, 3, 4, 5], contexts=[7, 1, 2, 1, 2])
    new = sample([1.0] * 4, treatment=2, blocks=[2, 3, 4, 5], contexts=[1, 2, 1, 2])
    between = contrast(old, new)
    assert between.old.ids.tolist() == [1, 2]
    assert between.differences == pytest.approx([math.log(2), math.log(4)])


def test_where_higher_is_better_the_speedup_is_new_over_old(sample):
    old = sample([10.0, 10.0], metric="rate", unit="1/s", better="higher")
    new = sample([20.0, 40.0], treatment=2, metric="rate", unit="1/s", better="higher")
    assert contrast(old, new).differences == pytest.approx(np.log([2.0, 4.0]))


def test_a_sequential_order_has_no_pairs(sample):
    between = contrast(sample([1, 2, 3]), sample([1, 2], treatment=2), order="sequential")
    assert not between.paired
    with pytest.raises(ValueError, match="no pair"):
        _ = between.differences


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([], "no_values"),
        ([1.0, math.nan], "not_finite"),
        ([1.0, math.inf], "not_finite"),
        ([1.0, 0.0], "zero_values"),
        ([1.0, -1.0], "negative_values"),
    ],
)
@pytest.mark.parametrize("order", ["randomized-blocks", "sequential"])
def test_values_without_a_logarithm_leave_the_ratio_undefined_and_say_why(sample, values, reason, order):
    good = sample([1.0, 2.0], treatment=2)
    bad = sample(values)
    assert contrast(bad, good, order=order) == Undefined(reason)
    assert contrast(good, bad, order=order) == Undefined(reason)


def test_samples_without_a_common_block_have_no_ratio(sample):
    old, new = sample([1, 2], blocks=[1, 2]), sample([1, 2], treatment=2, blocks=[3, 4])
    assert contrast(old, new) == Undefined("no_common_block")


def test_the_fast_path_for_ordered_blocks_gives_what_the_general_one_gives(sample):
    rng = np.random.default_rng(1)
    values, arms = np.exp(rng.normal(size=20)), np.exp(rng.normal(size=20))
    shuffled = rng.permutation(20)
    straight = contrast(sample(values), sample(arms, treatment=2))
    mixed = contrast(
        sample(values[shuffled], blocks=shuffled + 1),
        sample(arms[shuffled], treatment=2, blocks=shuffled + 1),
    )
    assert isinstance(mixed, Contrast)
    assert mixed.differences == pytest.approx(straight.differences, abs=1e-15)
