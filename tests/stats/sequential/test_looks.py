"""Levels of looks against the joint normal distribution of their means (SciPy's multivariate normal)."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as witness

from steelyard.stats.sequential.looks import Looks, level_at

SCHEDULE = (4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 33, 41, 51, 63, 78, 97, 121, 151, 188)


def first_rejected_at_the_last(blocks: tuple[int, ...], levels: list[float]) -> float:
    """The probability that normal means are within every limit but the last, by SciPy's cubature."""
    limits = np.array([-witness.norm.ppf(level / 2) for level in levels])
    covariance = np.array([[math.sqrt(min(a, b) / max(a, b)) for b in blocks] for a in blocks])

    def inside(k: int) -> float:
        mean, within = np.zeros(k), witness.multivariate_normal
        return float(within.cdf(limits[:k], mean, covariance[:k, :k], lower_limit=-limits[:k]))

    return inside(len(blocks) - 1) - inside(len(blocks))


@pytest.mark.parametrize("alpha", [0.1, 0.05, 0.003])
@pytest.mark.parametrize("blocks", [(10, 20), (4, 5, 6), (8, 30, 300)])
def test_each_look_spends_what_it_may_and_no_more(blocks, alpha):
    levels = [level_at(alpha, blocks[: k + 1]) for k in range(len(blocks))]
    spent = [3 / 4 * (1 - math.sqrt(2 / n)) for n in blocks]
    may_spend = alpha * (spent[-1] - spent[-2])
    assert first_rejected_at_the_last(blocks, levels) == pytest.approx(may_spend, rel=0.02, abs=2e-5)


@pytest.mark.parametrize("blocks", [(30, 60), (10, 20, 120)])
def test_extensions_together_spend_a_tenth_of_alpha_and_the_first_answer_all_of_it(blocks):
    assert level_at(0.05, blocks[:1], blocks[0]) == 0.05
    levels = [level_at(0.05, blocks[: k + 1], blocks[0]) for k in range(len(blocks))]
    may_spend = 0.05 / 10 / 2 ** (len(blocks) - 1)
    assert first_rejected_at_the_last(blocks, levels) == pytest.approx(may_spend, rel=0.02, abs=2e-5)


@pytest.mark.parametrize("alpha", [0.1, 0.05, 0.003])
@pytest.mark.parametrize("blocks", [(10, 20), (10, 12, 15), (8, 30, 300)])
def test_the_look_that_a_limit_makes_the_last_spends_all_that_is_left(blocks, alpha):
    levels = [level_at(alpha, blocks[: k + 1]) for k in range(len(blocks) - 1)]
    levels.append(level_at(alpha, blocks, blocks[-1]))
    may_spend = alpha * 3 / 4 * math.sqrt(2 / blocks[-2])
    assert first_rejected_at_the_last(blocks, levels) == pytest.approx(may_spend, rel=0.02, abs=2e-5)
    assert levels[-1] > level_at(alpha, blocks)


def test_blocks_added_after_the_end_cost_a_tenth_of_alpha_and_spend_nothing_twice():
    blocks, closed = (10, 12, 15, 40), 15
    levels = [level_at(0.05, blocks[: k + 1], closed if blocks[k] >= closed else None) for k in range(4)]
    assert first_rejected_at_the_last(blocks, levels) == pytest.approx(0.05 / 20, rel=0.02)
    item = [first_rejected_at_the_last(blocks[:k], levels[:k]) for k in range(2, len(blocks) + 1)]
    assert levels[0] + sum(item) == pytest.approx(0.05 * (3 / 4 + 1 / 20), rel=0.02)


@pytest.mark.parametrize("alpha", [0.0, 1e-12, 0.05, 1.0])
def test_the_only_look_of_a_run_that_a_limit_ends_has_alpha_itself(alpha):
    looks = Looks((20,), 20)
    assert (looks.level(alpha), looks.overall(alpha)) == (alpha, alpha)


def test_equal_programs_differ_in_at_most_the_promised_share_at_any_number_of_looks(perfect_passes):
    """N = 20,000 paths of normal means, 20 looks: 3.4 % may be spent by 188 blocks, and 1,000 is 5 %."""
    count, most = 20_000, 1_000
    assert perfect_passes(count, 0.05 * 3 / 4 * (1 - math.sqrt(2 / SCHEDULE[-1])), 0, most) > 0.98
    steps = np.diff((0, *SCHEDULE))
    sums = np.random.default_rng(18).normal(size=(count, steps.size)) @ np.triu(
        np.sqrt(steps)[:, np.newaxis] * np.ones(steps.size)
    )
    p = 2 * witness.norm.sf(np.abs(sums) / np.sqrt(SCHEDULE))
    levels = [level_at(0.05, SCHEDULE[: k + 1]) for k in range(steps.size)]
    result = int((p <= levels).any(axis=1).sum())
    assert result <= most
    assert result >= 560  # of about 670: it is spent, too
    assert int((p <= 0.05).any(axis=1).sum()) > 4_000


def closing(blocks, at):
    """Looks of which the one at this place was the last that the rule allowed; ``None``: all may go on."""
    return Looks(blocks, None if at is None else blocks[at])


@given(st.floats(1e-14, 0.9), st.integers(1, len(SCHEDULE)), st.sampled_from([None, 0, -1]))
def test_the_overall_p_of_a_level_is_what_it_was_the_level_of(alpha, count, closed):
    looks = closing(SCHEDULE[:count], closed)
    assert looks.overall(looks.level(alpha)) == pytest.approx(alpha, rel=1e-9)


@pytest.mark.parametrize("closed", [None, 0, -1])
def test_a_smaller_p_never_has_a_larger_overall_p(closed):
    for count in range(1, len(SCHEDULE) + 1):
        looks = closing(SCHEDULE[:count], closed)
        overall = [looks.overall(p) for p in np.geomspace(1e-15, 1, 300)]
        assert all(a <= b for a, b in itertools.pairwise(overall))
        assert overall[-1] == 1.0


def test_looks_that_nearly_coincide_are_judged_by_the_union_bound():
    near = Looks((4, 1000, 1001))
    assert near.level(0.05) == pytest.approx(0.05 * 3 / 4 * (math.sqrt(2 / 1000) - math.sqrt(2 / 1001)))
    after = Looks((4, 1000, 1001, 1250)).level(0.05)
    assert after == pytest.approx(Looks((4, 1000, 1250)).level(0.05), rel=0.01)
    assert after <= Looks((4, 1000, 1250)).level(0.05)


@pytest.mark.parametrize("blocks", [(), (5, 5), (6, 5), (2, 5)])
def test_looks_that_make_no_sense_are_refused(blocks):
    with pytest.raises(ValueError, match="must ascend"):
        Looks(blocks)


def test_a_last_look_that_was_not_made_is_refused():
    with pytest.raises(ValueError, match="closed after 7 blocks"):
        Looks((5, 10), 7)


@pytest.mark.parametrize("blocks", [(5, 10, 20), (10, 60, 150), (120, 150, 600)])
def test_looks_that_end_at_a_verdict_spend_in_proportion_to_their_blocks(blocks):
    levels = [Looks(blocks[: k + 1], until="verdict").level(0.05) for k in range(len(blocks))]
    spent = [0.75 * n / 150 if n < 150 else 0.75 + 0.15 * (1 - 150 / n) for n in blocks]
    may_spend = 0.05 * (spent[-1] - spent[-2])
    assert first_rejected_at_the_last(blocks, levels) == pytest.approx(may_spend, rel=0.02, abs=2e-5)


def test_a_limit_leaves_a_tenth_to_looks_that_end_at_a_verdict():
    blocks = (5, 12, 30)
    levels = [Looks(blocks[: k + 1], until="verdict").level(0.05) for k in range(2)]
    levels.append(Looks(blocks, 30, "verdict").level(0.05))
    expected = 0.05 * (0.9 - 0.75 * 12 / 150)
    assert first_rejected_at_the_last(blocks, levels) == pytest.approx(expected, rel=0.02)
    assert Looks((30,), 30, "verdict").level(0.05) == 0.05
