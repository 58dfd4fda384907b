"""The gain of a change; SciPy's permutation and t tests are the witnesses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.extensions.ratchet.builds import BuildSpread
from steelyard.extensions.ratchet.gain import count_runs_to_show, judge_gain
from steelyard.extensions.repository.joining import join_samples


@pytest.mark.parametrize("margin", [0.0, 0.01, 0.03])
def test_p_is_that_of_flipped_signs_on_one_side(draw_samples, margin):
    d = np.random.default_rng(4).normal(0.03, 0.02, 12)
    expected = witness.permutation_test(
        (d - math.log1p(margin),),
        np.mean,
        permutation_type="samples",
        vectorized=False,
        n_resamples=np.inf,
        alternative="greater",
    )
    result = judge_gain(*draw_samples(d), margin=margin, screens=True)
    assert result.p == pytest.approx(expected.pvalue, abs=1e-3)
    confirmed = judge_gain(*draw_samples(d), margin=margin)
    assert (confirmed.p > result.p) == (margin > 0)


def test_a_clear_gain_wins_and_no_gain_does_not(draw_samples):
    rng = np.random.default_rng(1)
    won = judge_gain(*draw_samples(rng.normal(0.05, 0.01, 30)), margin=0.01, level=0.001)
    lost = judge_gain(*draw_samples(rng.normal(0.0, 0.01, 30)), margin=0.01, level=0.001)
    assert (won.is_win, won.why, won.blocks) == (True, "", 30)
    assert won.value == pytest.approx(1.05, abs=0.01)
    assert won.ci95.low < won.value < won.ci95.high
    assert (lost.is_win, lost.why) == (False, "")
    assert lost.p > 0.5


def test_an_error_of_builds_adds_in_squares_and_brings_its_degrees_of_freedom(draw_samples):
    """Witness: t with both variances, by Welch and Satterthwaite."""
    d = np.random.default_rng(5).normal(0.03, 0.01, 100)
    s2, b2 = d.var(ddof=1) / 100, 2 * 0.01**2
    nu = (s2 + b2) ** 2 / (s2**2 / 99 + 2 * (0.01**2) ** 2 / 8)
    half = witness.t.ppf(0.975, nu) * math.sqrt(s2 + b2)
    gain = judge_gain(*draw_samples(d), margin=0.0, spread=BuildSpread(0.01, 8, 10))
    assert gain.ci95.low == pytest.approx(math.exp(d.mean() - half), rel=1e-6)
    assert gain.ci95.high == pytest.approx(math.exp(d.mean() + half), rel=1e-6)


def test_a_typical_run_that_is_not_faster_takes_the_win_away(draw_samples):
    d = np.random.default_rng(2).normal(-0.02, 0.002, 30)
    d[[3, 12, 25]] += 1.5  # the best is slow at times
    gain = judge_gain(*draw_samples(d), margin=0.0, level=0.45)
    assert gain.p < 0.45
    assert (gain.is_win, gain.why) == (False, "a typical run is not faster")


def test_slow_runs_of_the_change_whose_share_is_unknown_take_the_win_away(draw_samples):
    rng = np.random.default_rng(3)
    d = rng.normal(0.05, 0.004, 30)
    best, change = draw_samples(d)
    for place in (4, 17):
        change.values[place] *= 1.6
    gain = judge_gain(best, change, margin=0.0, level=0.4)
    assert not gain.is_win
    assert gain.why.startswith("slow runs of one of both") or gain.p > 0.4


def test_runs_that_show_a_mode_which_takes_a_gain_away_are_those_of_its_absence(draw_samples):
    """Witness: (1 - share)^n, of slow runs that last twice as long."""
    gain = judge_gain(*draw_samples(np.random.default_rng(6).normal(0.03, 0.002, 30)), margin=0.01)
    n = count_runs_to_show(gain, 0.01)
    share = (math.log(gain.value) - math.log1p(0.01)) / math.log(2)
    assert (1 - share) ** n <= 0.05 < (1 - share) ** (n - 1)
    assert count_runs_to_show(gain, 0.05) == 0


def test_slow_runs_that_were_absent_at_first_take_the_win_away_in_further_runs(draw_samples):
    rng = np.random.default_rng(7)
    wins, watched_wins = 0, 0
    for _ in range(40):
        best, change = draw_samples(rng.normal(0.03, 0.005, 30))
        for place in np.flatnonzero(rng.random(30) < 0.03):
            change.values[place] *= 3
        won = judge_gain(best, change, margin=0.01, level=0.0025)
        wins += won.is_win
        if not won.is_win:
            continue
        missing = count_runs_to_show(won, 0.01) - won.blocks
        further = draw_samples(rng.normal(0.03, 0.005, missing))
        for place in np.flatnonzero(rng.random(missing) < 0.03):
            further[1].values[place] *= 3
        joined = [join_samples(parts) for parts in zip((best, change), further, strict=True)]
        watched_wins += judge_gain(*joined, margin=0.01, level=0.5).is_win
    assert wins >= 8
    assert watched_wins <= 4
