from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from steelyard.core.analysis import Analysis
from steelyard.core.factorial import Generator
from steelyard.stats.effects.precision import effects_precision
from steelyard.stats.planning.precision import precision

SQUARE = {"a": [0, 1], "b": [0, 1]}


def found_of(layout, samples, **declared):
    return effects_precision(samples, layout, Analysis(**declared), order="randomized-blocks")


def test_half_widths_are_those_of_the_effects_and_not_of_comparisons(experiment):
    layout, samples, values = experiment(
        1, lambda cell: 0.2 * cell["a"], blocks=40, kind="two-level", **SQUARE
    )
    result = found_of(layout, samples)
    logs = np.log(values)
    signs = np.array([[-1, -1, 1, 1], [-1, 1, -1, 1], [1, -1, -1, 1]]) / 2
    widths = [np.sinh(stats.t.isf(0.025, 39) * stats.sem(row @ logs)) for row in signs]
    # Within the correction for autocorrelation, which independent blocks hardly have.
    assert result.halfwidths == pytest.approx(widths, rel=0.5)
    assert len(result.halfwidths) == 3


def test_an_effect_over_eight_treatments_is_twice_as_precise_as_a_comparison_of_two(layout, samples):
    cube = layout("two-level", c=[0, 1], **SQUARE)
    values = np.exp(np.random.default_rng(8).normal(0, 0.05, (8, 400)))
    effects = found_of(cube, samples(cube, values)).halfwidths
    pairs = precision(samples(cube, values), Analysis()).halfwidths
    assert np.mean(pairs) / np.mean(effects) == pytest.approx(2, rel=0.1)


def test_neighbours_that_resemble_each_other_widen_them(layout, samples):
    rng = np.random.default_rng(2)
    square = layout("two-level", **SQUARE)
    walk = np.cumsum(rng.normal(0, 0.01, 40))
    noise = rng.normal(0, 0.002, (4, 40))
    noise[2:] += walk
    related = found_of(square, samples(square, np.exp(noise)))
    shuffled = found_of(square, samples(square, np.exp(noise[:, rng.permutation(40)])))
    assert related.halfwidths[0] > 2 * shuffled.halfwidths[0]
    assert related.doubts == ("autocorrelated",)


def test_contexts_that_are_visited_again_are_the_units(experiment, samples):
    layout, _, values = experiment(3, lambda cell: 0.0, blocks=12, kind="two-level", **SQUARE)
    visited = samples(layout, values, contexts=[1 + b % 4 for b in range(12)])
    means = np.log(values).reshape(4, 3, 4).mean(axis=1)
    row = np.array([-1, -1, 1, 1]) / 2
    expected = np.sinh(stats.t.isf(0.025, 3) * stats.sem(row @ means))
    assert found_of(layout, visited).halfwidths[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("declared", [{"baseline": {"a": 0}}, {"family": "all-pairs"}, {"effects": ()}])
def test_who_declares_comparisons_gets_their_precision(experiment, declared):
    layout, samples, _ = experiment(4, lambda cell: 0.0, kind="two-level", **SQUARE)
    assert found_of(layout, samples, **declared) is None


def test_other_designs_are_about_comparisons(experiment):
    for kind in ("full", "one-at-a-time"):
        layout, samples, _ = experiment(5, lambda cell: 0.0, kind=kind, **SQUARE)
        assert found_of(layout, samples) is None


def test_a_fraction_has_as_many_as_it_estimates(experiment):
    half = (Generator(2, 0b011),)
    layout, samples, _ = experiment(6, lambda cell: 0.0, kind="fraction", generators=half, c=[0, 1], **SQUARE)
    assert len(found_of(layout, samples).halfwidths) == 3


def test_without_logarithms_or_blocks_there_are_none(experiment, samples):
    layout, labels, values = experiment(7, lambda cell: 0.0, kind="two-level", **SQUARE)
    assert effects_precision(labels, layout, Analysis(), order="sequential") is None
    values[0, 0] = 0.0
    assert found_of(layout, samples(layout, values)) is None
    assert found_of(layout, []) is None
