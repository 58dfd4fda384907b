"""What a fresh run would need to show an effect."""

from __future__ import annotations

import math

import pytest
from known_effects import CUBE
from statsmodels.stats.power import TTestPower

from steelyard.core.analysis import Analysis
from steelyard.results.analysis import DesignFacts
from steelyard.stats.effects.analysis import factorial
from steelyard.stats.effects.fresh_run import add_fresh_runs


def test_what_is_not_resolved_says_what_a_fresh_run_would_need(experiment):
    layout, samples, _ = experiment(38, lambda cell: 0.02 * cell["b"], **CUBE)
    facts = DesignFacts("randomized-blocks", 12, seed=1)
    result = add_fresh_runs(factorial(samples, layout, Analysis())[0], Analysis(), facts)
    effect = next(item for item in result.effects if item.resolved is False and item.fresh is not None)
    size = abs(effect.ratio.log) / (effect.ratio.se * 12**0.5)
    power = TTestPower()
    blocks = effect.fresh.blocks
    # By the witness, so many blocks suffice at Bonferroni's level, and one less does not.
    assert power.power(size, blocks, 0.05 / 7) >= 0.8 > power.power(size, blocks - 1, 0.05 / 7)
    assert effect.fresh.difference == pytest.approx(math.expm1(abs(effect.ratio.log)))
    assert all(element.fresh is None for element in result.effects if element.resolved)


def test_without_blocks_no_fresh_run_is_planned(experiment):
    layout, samples, _ = experiment(38, lambda cell: 0.0, **CUBE)
    (result,) = factorial(samples, layout, Analysis(), order="sequential")
    facts = DesignFacts("sequential", 1, seed=1)
    assert add_fresh_runs(result, Analysis(), facts) == result
