"""What is independent: blocks, contexts that return, and what several launches of one block count."""

from __future__ import annotations

import math

import numpy as np
import pytest
from known_effects import CUBE, log_mean
from scipy import stats

from steelyard.core.analysis import Analysis
from steelyard.stats.effects.analysis import factorial


def test_contexts_that_are_visited_again_are_the_units(experiment, samples):
    layout, _, values = experiment(13, log_mean, blocks=12, **CUBE)
    visited = samples(layout, values, contexts=[1 + b % 4 for b in range(12)])
    (result,) = factorial(visited, layout, Analysis())
    assert (result.by, result.units, result.blocks) == ("context", 4, 12)
    means = np.log(values).reshape(8, 3, 4).mean(axis=1)
    a = np.array([1 if cell["a"] == "hi" else -1 for cell in layout.cells()])
    assert result.effects[0].p == pytest.approx(stats.ttest_1samp(a @ means, 0).pvalue, rel=1e-9)


def test_replicates_of_a_block_count_as_their_mean(experiment, samples):
    layout, _, values = experiment(14, log_mean, blocks=12, **CUBE)
    twice = samples(layout, values, blocks=[1 + b // 2 for b in range(12)])
    (result,) = factorial(twice, layout, Analysis())
    halves = np.log(values).reshape(8, 6, 2).mean(axis=2)
    (second,) = factorial(samples(layout, np.exp(halves)), layout, Analysis())
    assert result.units == 6
    assert [e.p for e in result.effects] == pytest.approx([e.p for e in second.effects], rel=1e-9)


def test_only_blocks_that_every_treatment_has_are_used(experiment, samples):
    layout, _, values = experiment(15, log_mean, **CUBE)
    result = samples(layout, values)
    result[3] = samples(layout, values[:, 2:], blocks=range(3, 13))[3]
    (answer,) = factorial(result, layout, Analysis())
    (cut,) = factorial(samples(layout, values[:, 2:]), layout, Analysis())
    assert (answer.units, answer.unmatched) == (10, 2)
    assert [e.p for e in answer.effects] == [e.p for e in cut.effects]


@pytest.mark.parametrize(
    ("bad", "reason"), [(0.0, "zero_values"), (-1.0, "negative_values"), (math.nan, "not_finite")]
)
def test_what_has_no_logarithm_has_no_effects(experiment, samples, bad, reason):
    layout, _, values = experiment(16, log_mean, **CUBE)
    values[2, 5] = bad
    (result,) = factorial(samples(layout, values), layout, Analysis())
    assert (result.undefined.reason, result.effects) == (reason, ())


def test_blocks_may_come_in_any_order_and_hold_several_launches(experiment, samples):
    layout, _, values = experiment(30, log_mean, blocks=12, **CUBE)
    order = np.random.default_rng(31).permutation(12)
    mixed = samples(layout, values[:, order], blocks=[1 + int(b) // 2 for b in order], contexts=[1] * 12)
    (result,) = factorial(mixed, layout, Analysis())
    halves = np.exp(np.log(values).reshape(8, 6, 2).mean(axis=2))
    (second,) = factorial(samples(layout, halves), layout, Analysis())
    assert result.by == "context"
    assert result.units == 1
    contexts = [1 + int(b) // 4 for b in order]
    again = samples(layout, values[:, order], blocks=[1 + int(b) // 2 for b in order], contexts=contexts)
    (visited,) = factorial(again, layout, Analysis())
    assert (visited.by, visited.units, visited.blocks) == ("context", 3, 6)
    assert [e.q for e in visited.effects] == pytest.approx([e.q for e in second.effects], rel=1e-9)


def test_blocks_without_anything_in_common_have_no_effects(experiment, samples):
    layout, _, values = experiment(32, log_mean, **CUBE)
    apart = [*samples(layout, values)[:7], samples(layout, values, blocks=range(101, 113))[7]]
    (result,) = factorial(apart, layout, Analysis())
    assert result.undefined.reason == "no_common_block"


def test_blocks_that_some_lack_are_counted_with_contexts_too(experiment, samples):
    layout, _, values = experiment(37, log_mean, **CUBE)
    contexts = [1 + b % 4 for b in range(12)]
    result = samples(layout, values, contexts=contexts)
    result[5] = samples(layout, values[:, 3:], blocks=range(4, 13), contexts=contexts[3:])[5]
    (answer,) = factorial(result, layout, Analysis())
    assert (answer.by, answer.units, answer.blocks, answer.unmatched) == ("context", 4, 9, 3)
