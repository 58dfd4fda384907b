"""LORD++: levels by hand, the sum of its weights by an integral, and its error by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

from steelyard.extensions.ratchet.online_fdr import level, weight


def test_the_weights_sum_to_less_than_one():
    """Witness: SciPy's integral of log(x) / (x exp(sqrt(log x))) beyond what is summed, with v² = log x."""
    summed = sum(weight(j) for j in range(1, 10_001))
    tail, _ = quad(lambda v: 2 * v**3 * math.exp(-v), math.sqrt(math.log(10_000)), 200)
    scale = weight(10) * 10 * math.exp(math.sqrt(math.log(10))) / math.log(10)
    assert summed + scale * tail == pytest.approx(0.999, abs=1e-3)
    assert summed + scale * tail < 1


def test_half_of_the_error_is_spent_on_all_tests_before_a_discovery():
    assert level(1, (), 0.05) == pytest.approx(0.025 * 0.079 * math.log(2))
    assert level(7, (), 0.05) == pytest.approx(0.025 * weight(7))
    assert sum(level(t, (), 0.05) for t in range(1, 10_001)) < 0.025


def test_discoveries_earn_levels_from_the_next_test_on():
    assert level(5, (4,), 0.05) == pytest.approx(0.025 * weight(5) + 0.025 * weight(1))
    assert level(9, (4, 6), 0.05) == pytest.approx(0.025 * weight(9) + 0.025 * weight(5) + 0.05 * weight(3))


def ledger_of(rng, draw, tries, fraction_true, *, gain=0.05, spread=0.02, look=10, confirm=30):
    """Numbers of wins and of false ones, as ``ratchet`` decides: a look, then a test in fresh blocks."""
    from steelyard.extensions.ratchet.gain import judge_gain
    from steelyard.extensions.ratchet.ratchet import PROMISING

    wins, false, tests = [], 0, 0
    for _ in range(tries):
        better = rng.random() < fraction_true
        # What is not better is as good as a win may just not be: the hardest case.
        mean = gain if better else math.log1p(0.01)
        if judge_gain(*draw(rng.normal(mean, spread, look)), margin=0.01).p > PROMISING:
            continue
        tests += 1
        granted = level(tests, wins, 0.05)
        fresh = judge_gain(*draw(rng.normal(mean, spread, confirm)), margin=0.01, level=granted)
        if fresh.is_win:
            wins.append(tests)
            false += not better
    return len(wins), false


@pytest.mark.simulates
def test_200_tries_of_nothing_win_in_at_most_5_percent_of_ledgers(draw_samples):
    rng = np.random.default_rng(44)
    won = sum(ledger_of(rng, draw_samples, 200, 0.0)[0] > 0 for _ in range(100))
    # 2.5 % is spent without a discovery: above 7 of 100 ledgers with a probability of 0.4 %.
    assert won <= 7


@pytest.mark.simulates
def test_of_wins_at_most_5_percent_are_false_and_most_true_gains_win(draw_samples):
    rng = np.random.default_rng(45)
    ledgers = [ledger_of(rng, draw_samples, 100, 0.1) for _ in range(50)]
    assert np.mean([false / max(wins, 1) for wins, false in ledgers]) <= 0.05
    assert np.mean([wins - false for wins, false in ledgers]) >= 9
