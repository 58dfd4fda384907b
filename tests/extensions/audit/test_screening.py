"""The screening picks what looks extreme, and is not led astray by one disturbed run or a slow pass."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from steelyard.extensions.audit.screening import FASTEST, SLOWEST, TYPICAL, pick, relative, spread, unseen


def test_one_disturbed_run_of_three_and_a_slow_pass_move_no_row():
    logs = np.zeros((9, 3))
    logs[4] = 0.5
    logs[:, 1] += 3.0  # a machine that was slower in the second pass
    logs[2, 0] = 9.0  # one run that something disturbed
    assert relative(logs).tolist() == [0, 0, 0, 0, 0.5, 0, 0, 0, 0]


def test_slowest_and_fastest_are_always_picked_and_others_beyond_the_least_effect():
    ratios = [1.0, 1.001, 0.999, 1.05, 3.0, 2.0, 1.4, 0.9, 0.85, 0.8, 1.0, 1.0]
    picks = pick(ratios, 0.02)
    assert picks.extreme == (4, 5, 6, 9, 8)
    assert set(picks.typical) <= {0, 1, 10, 11, 2}
    quiet = pick([1.0, 1.001, 0.999, 1.005, 0.99], 0.02)
    assert quiet.extreme == (3, 4)
    assert quiet.typical == (0, 1, 2)


@given(st.lists(st.floats(0.1, 10), min_size=2, max_size=40))
def test_typical_and_extreme_levels_are_different_ones_where_there_are_enough(ratios):
    picks = pick(ratios, 0.02)
    assert 1 <= len(picks.extreme) <= SLOWEST + FASTEST
    assert 1 <= len(picks.typical) <= TYPICAL
    if len(ratios) > SLOWEST + FASTEST:
        assert set(picks.typical).isdisjoint(picks.extreme)


def test_the_spread_is_that_of_a_two_way_layout():
    # Witness: mean squares of statsmodels' analysis of variance.
    draw = np.random.default_rng(5)
    logs = draw.normal(0, 0.3, 12)[:, None] + draw.normal(0, 0.1, (12, 3)) + np.array([0.0, 1.0, -1.0])
    rows, passes = np.indices(logs.shape)
    data = pd.DataFrame({"y": logs.ravel(), "row": rows.ravel(), "pass_": passes.ravel()})
    squares = anova_lm(ols("y ~ C(row) + C(pass_)", data).fit())["mean_sq"]
    expected = ((squares["C(row)"] - squares["Residual"]) / 3) ** 0.5
    assert spread(logs) == pytest.approx(expected, rel=1e-9)
    assert spread(draw.normal(0, 1, (1, 3))) is None
    assert spread(np.zeros((4, 3))) == 0


@pytest.mark.parametrize(("population", "visited"), [(256, 20), (256, 64), (256, 255), (64, 1), (10, 5)])
def test_what_could_have_been_missed_is_the_hypergeometric_bound(population, visited):
    missed = round(unseen(population, visited) * population)
    assert hypergeom.pmf(0, population, missed, visited) >= 0.05
    assert missed == population - visited or hypergeom.pmf(0, population, missed + 1, visited) < 0.05


def test_nothing_is_missed_where_all_was_visited():
    assert unseen(256, 256) == 0


def test_typical_levels_are_those_nearest_to_the_median():
    ratios = [3.0, 0.5, *np.linspace(0.9, 1.1, 2 * TYPICAL + 5)]
    logs = np.abs(np.log(ratios) - np.median(np.log(ratios)))
    assert pick(ratios, 0.3).typical == tuple(sorted(np.argsort(logs)[:TYPICAL]))
