"""The power that flipped signs have where it is said that they have it. The judge itself, on seeded normal
differences, and the closed form of the least level are the witnesses.
"""

from __future__ import annotations

import importlib.util
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.results.comparison import Speedup
from steelyard.stats.compare.speedup import resolvable
from steelyard.stats.distributions.student import detectable, detectable_beyond, t_quantile
from steelyard.stats.hypothesis.sign_flip_critical import sign_flip_critical
from steelyard.stats.hypothesis.sign_flip_table import AT, BELOW, REACHED, UNDER
from steelyard.stats.hypothesis.sign_flips import SignFlips

LEVELS = [0.05, 0.05 / 3, 0.01]
MAKER = Path(__file__).parents[3] / "scripts" / "flip_critical.py"


@pytest.fixture(scope="module")
def maker():
    spec = importlib.util.spec_from_file_location("flip_critical_script", MAKER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def distribution(differences, seed=1):
    d = np.asarray(differences, dtype=float)
    return SignFlips(float(d.mean()), float(d.std(ddof=1)) / math.sqrt(d.size), d.size - 1, d, seed)


def named(n, alpha, s=0.02):
    """The log ratio that is said to show, of a record whose differences have the standard deviation ``s``."""
    d = np.random.default_rng(n).normal(size=n)
    result = distribution(s * (d - d.mean()) / d.std(ddof=1))
    return math.log1p(
        resolvable(Speedup(0.0, result.se, n - 1, n, 1.0, "block", "log-ratio-sign-flip", result), alpha)
    )


def shown(n, alphas, count, seed, s=0.02):
    """How many of ``count`` experiments whose true log ratio is the one named show it, at each level."""
    rng = np.random.default_rng([seed, n])
    differences = [named(n, alpha) for alpha in alphas]
    result = [0] * len(alphas)
    for _ in range(count):
        noise, patterns = rng.normal(0.0, s, n), int(rng.integers(2**31))
        for place, (alpha, true) in enumerate(zip(alphas, differences, strict=True)):
            # The hypothesis is moved instead of the differences, whose subsets are then averaged once.
            result[place] += distribution(noise, patterns).p_of(math.exp(-true)) <= alpha
    return result


@pytest.mark.parametrize("n", [7, 10, 20, 40])
def test_the_difference_that_is_named_shows_in_80_of_100_experiments(n, perfect_passes):
    """N = 2,000 a cell; all twelve pass with the probability asserted first."""
    count, low, high = 2000, 1542, 1658
    assert 12 * (1 - perfect_passes(count, 0.8, low, high)) < 0.02
    for alpha, result in zip(LEVELS, shown(n, LEVELS, count, 1), strict=True):
        assert low <= result <= high, (n, alpha, result)


def test_a_level_that_no_pattern_reaches_is_shown_too_where_t_agrees(perfect_passes):
    """Seven equal signs have a p of 1.6 %; a thousandth is left to t."""
    count, low, high = 2000, 1555, 1645
    assert perfect_passes(count, 0.8, low, high) > 0.98
    (result,) = shown(7, [0.001], count, 2)
    assert low <= result <= high


@pytest.mark.parametrize("n", range(7, 15))
def test_where_only_one_pattern_is_left_all_signs_must_be_equal(n):
    """Phi(d)^n = .8, in closed form."""
    expected = math.sqrt(n) * witness.norm.ppf(0.8 ** (1 / n))
    assert detectable_beyond(sign_flip_critical(n, 2.0 ** (1 - n)), n - 1) == pytest.approx(
        expected, rel=0.006
    )


@pytest.mark.parametrize("n", [1000, 66, 65, 6, 3])
@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_where_t_judges_its_critical_value_counts(n, alpha):
    assert sign_flip_critical(n, alpha) == t_quantile(n - 1, alpha)


@pytest.mark.parametrize("n", range(7, 65))
def test_a_smaller_level_asks_for_more_and_none_for_less_than_t(n):
    levels = np.geomspace(0.5, 1e-7, 400)
    result = [sign_flip_critical(n, float(alpha)) for alpha in levels]
    assert all(item <= next_ for item, next_ in pairwise(result))
    assert all(item >= t_quantile(n - 1, float(alpha)) for item, alpha in zip(result, levels, strict=True))


@pytest.mark.parametrize("alpha", [0.05, 0.05 / 3, 0.01, 0.0005])
def test_more_blocks_show_smaller_differences(alpha):
    """At 0.05 % ten and eleven blocks have t beside their one pattern, and twelve have two patterns: by one
    part in a hundred more is then asked for.
    """
    shows = [detectable_beyond(sign_flip_critical(n, alpha), n - 1) / math.sqrt(n) for n in range(7, 130)]
    rise = 1.0 if alpha > 0.005 else 1.01
    assert all(next_one < rise * fewer for fewer, next_one in pairwise(shows))


def test_seven_blocks_show_less_than_six_where_they_have_one_pattern():
    six, seven = (detectable_beyond(sign_flip_critical(n, 0.025), n - 1) / math.sqrt(n) for n in (6, 7))
    assert seven > 1.08 * six


def test_a_stated_error_adds_as_squares_do():
    d = np.random.default_rng(3).normal(0.0, 0.02, 64)
    alone = distribution(d)
    both = alone.add_error(3 * alone.se, math.inf, 600.0)
    # So many differences and so sure an error leave but the normal distribution.
    assert both.detectable(0.05, 0.8) == pytest.approx(detectable(1e6, 0.05) * both.se, rel=0.005)
    assert alone.add_error(0.0, math.inf, 63).detectable(0.05, 0.8) == alone.detectable(0.05, 0.8)


@pytest.mark.simulates
@pytest.mark.parametrize(("n", "draws"), [(7, 8000), (12, 2000), (20, 2000)])
def test_the_table_is_what_its_maker_makes(maker, n, draws):
    """Another seed: five standard errors of the mean of critical values, which scatter by a quarter at the
    least level, and by less at others.
    """
    reached, below = maker.row(n, draws, seed=65)
    error = 5 * 0.25 / math.sqrt(draws)
    for column, k in enumerate(REACHED[: len(reached)]):
        assert AT[n][column] / 1000 == pytest.approx(reached[column], abs=0.001 + error / math.sqrt(k))
    for column in range(len(BELOW)):
        assert UNDER[n][column] / 1000 == pytest.approx(below[column], abs=0.001 + error)


def test_the_maker_writes_the_table_that_is_there(maker):
    rows = {n: tuple([v / 1000 for v in table[n]] for table in (AT, UNDER)) for n in AT}
    assert maker.module(rows, maker.DRAWS, maker.SEED) == maker.TABLE.read_text(encoding="utf-8")
    assert tuple(rows) == maker.SIZES
