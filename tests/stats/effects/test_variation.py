from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from steelyard.stats.effects.cells import Cells
from steelyard.stats.effects.variation import squares_of, variation
from steelyard.stats.effects.yates import yates

# Jain 1991, example 18.1: three replicates of (1), a, b, ab.
JAIN = [[15.0, 18, 12], [45, 48, 51], [25, 28, 19], [75, 75, 81]]


def cells(rows, by):
    return Cells(by, tuple(np.array(row) for row in rows), len(rows[0]))


def test_replicated_runs_divide_their_variation_as_in_jain():
    result = variation(cells(JAIN, "launch"))
    contrasts = yates(np.mean(JAIN, axis=1)) / 2
    squares = [squares_of([contrast], result.replicates) for contrast in contrasts[1:]]
    assert list(contrasts / 2) == pytest.approx([41, 21.5, 9.5, 5], rel=1e-12)
    assert squares == pytest.approx([5547, 1083, 300], rel=1e-12)
    assert result.total == pytest.approx(7032, rel=1e-12)
    assert [100 * result.share(square) for square in squares] == pytest.approx(
        [78.882253, 15.401024, 4.266212], abs=5e-7
    )
    assert 100 * result.rest == pytest.approx(1.450512, abs=5e-7)
    # s_q with 8 degrees of freedom, and F.
    assert (result.error / 12) ** 0.5 == pytest.approx(1.030776, abs=5e-7)
    assert [item / result.error for item in squares] == pytest.approx(
        [435.058824, 84.941176, 23.529412], abs=5e-7
    )


def test_unreplicated_runs_leave_nothing_for_chance():
    result = variation(cells([[15.0], [45], [25], [75]], "block"))
    contrasts = yates(np.array([15.0, 45, 25, 75]))[1:] / 2
    assert result.total == pytest.approx(2100)
    assert [100 * result.share(contrast**2) for contrast in contrasts] == pytest.approx(
        [76.190476, 19.047619, 4.761905], abs=5e-7
    )
    assert (result.error, result.rest, result.omega2(1600.0, 1)) == (None, 0.0, None)


@pytest.mark.parametrize("by", ["launch", "block"])
def test_sums_of_squares_are_those_of_an_analysis_of_variance(by):
    rng = np.random.default_rng(8)
    values = rng.normal(size=(4, 7)) + rng.normal(size=7) + np.array([[0], [1], [0.5], [3]])
    long = pd.DataFrame(
        [(i % 2, i // 2, b, values[i, b]) for i in range(4) for b in range(7)],
        columns=["a", "b", "block", "y"],
    )
    formula = "y ~ C(a) * C(b)" + (" + C(block)" if by == "block" else "")
    table = anova_lm(ols(formula, long).fit(), typ=2)
    result = variation(cells(values, by))
    contrasts = yates(values.mean(axis=1))[1:] / 2
    squares = [squares_of([contrast], result.replicates) for contrast in contrasts]
    names = ["C(a)", "C(b)", "C(a):C(b)"]
    assert squares == pytest.approx([table.sum_sq[name] for name in names], rel=1e-10)
    mse = table.sum_sq["Residual"] / table.df["Residual"]
    assert result.error == pytest.approx(mse, rel=1e-10)
    total = sum(squares) + table.sum_sq["Residual"]
    assert result.total == pytest.approx(total, rel=1e-10)
    assert result.omega2(squares[0], 1) == pytest.approx((squares[0] - mse) / (total + mse), rel=1e-10)


def test_what_does_not_vary_at_all_has_no_shares():
    result = variation(cells([[1.0, 1, 1]] * 4, "block"))
    assert (result.share(0.0), result.rest, result.omega2(0.0, 1)) == (0.0, 0.0, None)
