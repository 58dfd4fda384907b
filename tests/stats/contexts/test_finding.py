"""What an answer says of contexts: which comparisons, and which split of effort."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steelyard.core.analysis import Analysis
from steelyard.results.analysis import DesignFacts, Pace
from steelyard.results.contexts import Split
from steelyard.stats.answer import answer
from steelyard.stats.contexts.allocation import allocate
from steelyard.stats.contexts.finding import context_findings
from steelyard.stats.distributions.student import t_quantile


def three(sample, seed, interaction, *, passes=3, contexts=20):
    rng = np.random.default_rng(seed)
    ids = np.tile(np.arange(1, contexts + 1), passes)
    places = {"contexts": ids.tolist(), "passes": np.repeat(np.arange(1, passes + 1), contexts).tolist()}
    samples = []
    for t in (1, 2, 3):
        favour = rng.normal(0, interaction, contexts)[ids - 1] if t > 1 else 0
        samples.append(sample(np.exp(favour + rng.normal(0, 0.01, ids.size)), treatment=t, **places))
    return samples


def facts(contexts=20, **options):
    return DesignFacts("randomized-blocks", 60, 1, contexts=contexts, passes=3, **options)


def test_every_declared_comparison_of_the_primary_metric_is_shown_by_context(sample):
    samples = three(sample, 1, 0.02)
    result = answer("e", samples, facts(), Analysis()).contexts
    assert [(item.baseline.id, item.treatment.id) for item in result] == [(1, 2), (1, 3)]
    pairs = answer("e", samples, facts(), Analysis(family="all-pairs")).contexts
    assert len(pairs) == 3


def test_without_contexts_or_without_blocks_nothing_is_said(sample):
    samples = three(sample, 1, 0.02)
    assert answer("e", samples, DesignFacts("randomized-blocks", 60, 1), Analysis()).contexts == ()
    assert answer("e", samples, DesignFacts("sequential", 1, 1, contexts=1), Analysis()).contexts == ()


def test_the_split_is_for_the_precision_wanted_and_the_costs_seen(sample):
    samples = three(sample, 2, 0.02)
    (first, _) = answer("e", samples, facts(target=0.01, pace=Pace(1.5, 0.5)), Analysis()).contexts
    across = first.across
    result = allocate(
        across.interaction,
        across.noise / math.sqrt(2),
        math.asinh(0.01) / t_quantile(19, 0.05),
        context_cost=0.5,
        run_cost=1.0,
    )
    assert first.split == Split(0.01, result.contexts, result.runs, result.cost)


def test_without_a_stop_rule_the_split_is_for_the_precision_reached(sample):
    (first, _) = answer("e", three(sample, 2, 0.02), facts(pace=Pace(1.5, 0.5)), Analysis()).contexts
    interval = first.across.interval
    assert first.split.rel_halfwidth == pytest.approx(
        (interval.high - interval.low) / 2 / first.across.speedup
    )
    # As precise with one visit of each, so with more contexts than were visited, and fewer blocks.
    assert 20 < first.split.contexts < 60


@pytest.mark.parametrize("known", [{}, {"pace": Pace(0.0)}])
def test_without_costs_there_is_no_split(sample, known):
    assert answer("e", three(sample, 2, 0.02), facts(**known), Analysis()).contexts[0].split is None


def test_contexts_that_are_not_seen_to_matter_get_no_split(sample):
    result = answer("e", three(sample, 3, 0.0), facts(pace=Pace(1.5, 0.5)), Analysis()).contexts
    assert all(item.across.components.p > 0.05 for item in result)
    assert [element.split for element in result] == [None, None]


def test_a_comparison_without_a_ratio_is_left_out(sample):
    samples = three(sample, 1, 0.02)
    zero = sample([0.0] * 60, treatment=4, contexts=list(samples[0].contexts))
    assert len(answer("e", [*samples, zero], facts(), Analysis()).contexts) == 2


def test_coverage_of_mean_and_of_one_new_context(sample, perfect_passes):
    """N = 1000 of 10 contexts in 3 passes; the next context falls within the prediction interval as often."""
    count = 1000
    low, high = 933, 967
    assert perfect_passes(count, 0.95, low, high) > 0.98
    rng = np.random.default_rng(4)
    covered = predicted = 0
    for i in range(count):
        samples = three(sample, [4, i], 0.02, contexts=10)[:2]
        (result,) = context_findings(samples, Analysis(), facts(10))
        covered += not result.across.interval.excludes(1)
        # The next context, visited three times as these were.
        new = rng.normal(0, 0.02) + rng.normal(0, 0.01 * math.sqrt(2 / 3))
        predicted += not result.across.prediction.excludes(math.exp(new))
    assert low <= covered <= high
    assert low <= predicted <= high


def test_a_context_that_was_drawn_again_is_another_visit_of_it(sample):
    # 30 draws of 20 contexts, each by an id of its own: the last ten are the first ten again.
    rng = np.random.default_rng(4)
    ids = list(range(1, 31))
    again = {id_: id_ - 20 for id_ in range(21, 31)}
    favour = rng.normal(0, 0.05, 20)
    old = sample(np.exp(rng.normal(0, 0.005, 30)), treatment=1, contexts=ids)
    logs = favour[[again.get(id_, id_) - 1 for id_ in ids]] + rng.normal(0, 0.005, 30)
    inputs = [old, sample(np.exp(logs), treatment=2, contexts=ids)]
    once = DesignFacts("randomized-blocks", 30, 1, contexts=20, default_context=3, drawn_before=again)
    (result,) = answer("e", inputs, once, Analysis()).contexts
    assert (result.across.contexts, result.across.passes) == (20, 1)
    assert result.across.sides.faster + result.across.sides.slower == 20
    # The ten that came again tell a visit from a context: s of a difference of two is 0.7 %.
    assert 0.003 < result.across.noise < 0.015
    assert result.across.components.p < 1e-6
    (compared,) = answer("e", inputs, once, Analysis()).comparisons
    assert (compared.speedup.n, compared.contexts) == (30, None)
