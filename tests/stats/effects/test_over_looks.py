"""Effects that hold over all looks: t of the contrasts at the level that the looks leave (SciPy's t)."""

from __future__ import annotations

import numpy as np
import pytest
from known_effects import CUBE, log_mean
from msgspec.structs import replace
from scipy import stats

from steelyard.core.analysis import Analysis
from steelyard.results.analysis import DesignFacts
from steelyard.stats.answer import answer
from steelyard.stats.effects.analysis import factorial
from steelyard.stats.hypothesis.holm import holm
from steelyard.stats.sequential.looks import Looks

AT = (5, 6, 7, 8, 10, 12, 15, 20)
SQUARE = {"a": [0, 1], "b": [0, 1]}


def acting(cell):
    """Two factors that act on each other, and one that does nothing."""
    return log_mean(cell) + 0.5 * (cell["a"] == "hi" and cell["c"])


def test_p_and_interval_are_those_of_t_at_the_level_that_the_looks_leave(experiment):
    layout, samples, _ = experiment(2, acting, blocks=20, **CUBE)
    looks = Looks(AT)
    (plain,), (result,) = (factorial(samples, layout, Analysis(), looks=item) for item in (None, looks))
    adjusted = holm([effect.p for effect in result.effects])
    for element, alone, holms in zip(result.effects, plain.effects, adjusted, strict=True):
        assert element.p == pytest.approx(looks.overall(alone.p), rel=1e-9)
        half = stats.t.isf(looks.level(0.05) / 2, 19) * alone.ratio.se
        low, high = np.exp([alone.ratio.log - half, alone.ratio.log + half])
        assert (element.ci95.low, element.ci95.high) == pytest.approx((low, high), rel=1e-9)
        assert element.p_holm == pytest.approx(holms.p_holm)
        assert element.resolved == element.ci_family.excludes(1) == (element.p_holm <= 0.05)
        assert element.resolvable > alone.resolvable
    (conditional, *_), (before, *_) = result.conditional, plain.conditional
    assert conditional.ci95.low < before.ci95.low < before.ci95.high < conditional.ci95.high


def test_levels_and_contrasts_are_as_wide_as_effects(experiment):
    layout, samples, _ = experiment(7, lambda cell: 0.3 * (cell["a"] == 1), a=[0, 1], b=[0, 1, 2])
    declared = Analysis(contrasts={"rise": {"b": (-1, 0, 1)}})
    (plain,), (result,) = (
        factorial(samples, layout, declared, looks=item) for item in (None, Looks((5, 12)))
    )
    for element, alone in zip(
        (*result.levels, *result.contrasts), (*plain.levels, *plain.contrasts), strict=True
    ):
        assert element.ci95.low < alone.ci95.low < alone.ci95.high < element.ci95.high
    assert result.contrasts[0].ratio.p > plain.contrasts[0].ratio.p


def test_an_answer_takes_the_looks_of_its_design(experiment):
    layout, samples, _ = experiment(4, log_mean, blocks=20, **CUBE)
    fixed = DesignFacts("randomized-blocks", 20, seed=1)
    looked = replace(fixed, looks=AT, decided=True)
    first, second = (
        answer("it", samples, facts, Analysis(), layout=layout).effects[0].effects[0]
        for facts in (fixed, looked)
    )
    assert second.p == pytest.approx(Looks(AT).overall(first.p))
    assert second.ci95.low < first.ci95.low


def test_looking_until_an_effect_shows_leaves_its_interval_right(layout, samples, perfect_passes):
    """N = 300 of a main effect that is nothing, eight looks; by t at 5 % each time it misses in 16 %."""
    count, most = 300, 24
    assert perfect_passes(count, 0.05, 0, most) > 0.98
    rng = np.random.default_rng(5)
    square = layout("full", **SQUARE)
    missed = naive = 0
    for _ in range(count):
        values = np.exp(rng.normal(0, 0.02, (4, 20)))
        for k, n in enumerate(AT):
            looks = Looks(AT[: k + 1])
            (result,) = factorial(samples(square, values[:, :n]), square, Analysis(), looks=looks)
            if result.effects[0].p <= 0.05 or n == AT[-1]:
                missed += result.effects[0].ci95.excludes(1)
                break
        p = [stats.ttest_1samp((np.array([1, 1, -1, -1]) @ np.log(values[:, :n])) / 2, 0).pvalue for n in AT]
        naive += min(p) <= 0.05
    assert missed <= most
    assert naive > 30
