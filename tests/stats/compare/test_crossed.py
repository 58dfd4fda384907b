"""Instances crossed with blocks or contexts, as random effects."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from msgspec.structs import replace

from steelyard.core.analysis import Analysis
from steelyard.core.factorial import Axis, Layout
from steelyard.results.analysis import DesignFacts
from steelyard.stats.answer import answer
from steelyard.stats.compare.comparison import compare
from steelyard.stats.compare.crossed import cross_instances
from steelyard.stats.describe.instances import pool

NEW = Analysis(instances="source", baseline={"new": 0})


def make_samples(sample, d, *, contexts=None):
    """Two treatments for each instance (row), one launch a block (column); d is the log speedup."""
    samples = []
    for i, row in enumerate(d):
        for new, values in enumerate((np.exp(row), np.ones(row.size))):
            levels = {"source": i, "new": new}
            samples.append(sample(values, treatment=2 * i + new + 1, levels=levels, contexts=contexts))
    return samples


def drawn(rng, instances, units, of_instances, of_units, noise):
    return (
        rng.normal(0, of_instances, (instances, 1))
        + rng.normal(0, of_units, units)
        + rng.normal(0, noise, (instances, units))
    )


def test_mean_squares_are_those_of_an_analysis_of_variance(sample):
    d = drawn(np.random.default_rng(1), 6, 9, 0.02, 0.03, 0.01)
    old, new = pool(make_samples(sample, d), "source")
    result = cross_instances(old, new)
    rows, columns = np.indices(d.shape)
    frame = pd.DataFrame({"d": d.ravel(), "i": rows.ravel(), "b": columns.ravel()})
    table = smf.ols("d ~ C(i) + C(b)", frame).fit()
    sums = {
        name: (table.compare_f_test(smf.ols(f"d ~ C({across})", frame).fit())[0] * table.mse_resid)
        for name, across in (("i", "b"), ("b", "i"))
    }
    assert result.of_instances == pytest.approx(sums["i"])
    assert result.of_units == pytest.approx(sums["b"])
    assert result.of_rest == pytest.approx(table.mse_resid)
    assert (result.instances, result.units) == (6, 9)


def test_contexts_that_return_are_the_units_in_place_of_blocks(sample):
    d = np.repeat(drawn(np.random.default_rng(2), 5, 6, 0.02, 0.03, 0.001), 2, axis=1)
    contexts = [1 + b // 2 for b in range(12)]
    old, new = pool(make_samples(sample, d, contexts=contexts), "source")
    assert cross_instances(old, new).units == 6


@pytest.mark.parametrize(("of_instances", "of_units"), [(0.02, 0.0), (0.0, 0.02), (0.02, 0.02), (0.01, 0.05)])
@pytest.mark.parametrize("estimand", ["geomean_ratio", "ratio_of_means", "median_ratio", "quantile"])
def test_the_interval_covers_new_instances_and_new_blocks_alike(
    sample, perfect_passes, of_instances, of_units, estimand
):
    """N = 300 of 8 instances in 12 blocks, 270 at least covered; by instances alone, with what all share in a
    block beside it, 40 to 70 % are.
    """
    count, least = 300, 270
    assert perfect_passes(count, 0.95, least, count) > 0.99
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(count):
        d = drawn(rng, 8, 12, of_instances, of_units, 0.01)
        chosen = Analysis(baseline={"new": 0}, estimand=estimand, quantile=0.5)
        (result,) = compare(pool(make_samples(sample, d), "source"), chosen)
        covered += not result.ci95.excludes(1)
    assert covered >= least


def test_what_would_resolve_it_is_more_instances(sample):
    d = drawn(np.random.default_rng(4), 8, 10, 0.3, 0.0, 0.01) + 0.05
    facts = DesignFacts("randomized-blocks", 10, seed=1)
    (judged,) = answer("it", make_samples(sample, d), facts, NEW).judged
    assert judged.verdict == "not_resolved"
    assert judged.fresh.blocks == 10
    assert judged.fresh.instances > 8
    s = judged.speedup.se * math.sqrt(8)
    assert judged.fresh.instances == pytest.approx((2.8 * s / abs(judged.speedup.log)) ** 2, rel=0.3)


def test_effects_beside_it_take_instances_for_draws_too(sample):
    """Instances that differ in what an option does: p of the effect is that of the comparison, not that of
    all runs.
    """
    rng = np.random.default_rng(5)
    samples = []
    for i in range(8):
        effect = rng.normal(0, 0.2)
        for opt in (0, 1):
            for new in (0, 1):
                values = np.exp(opt * effect + rng.normal(0, 0.01, 10))
                levels = {"source": i, "opt": opt, "new": new}
                samples.append(sample(values, treatment=len(samples) + 1, levels=levels))
    axes = tuple(
        Axis(name, tuple({name: level} for level in range(size)))
        for name, size in (("source", 8), ("opt", 2), ("new", 2))
    )
    facts = DesignFacts("randomized-blocks", 10, seed=1)
    declared = replace(NEW, baseline={"opt": 0}, strata=("new",), effects=("opt", "new"))
    result = answer("it", samples, facts, declared, layout=Layout("full", axes))
    (effects,) = result.effects
    by = {effect.factors: effect for effect in effects.effects}
    assert (effects.by, effects.units) == ("instance", 8)
    assert by[("opt",)].method == "instance-contrast-t"
    assert by[("opt",)].ratio.nu == 7
    assert by[("opt",)].p > 0.01
