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
    spent = [7 / 8 * (1 - math.sqrt(2 / n)) for n in blocks]
    may_spend = alpha * (spent[-1] - spent[-2])
    assert first_rejected_at_the_last(blocks, levels) == pytest.approx(may_spend, rel=0.02, abs=2e-5)


@pytest.mark.parametrize("blocks", [(30, 60), (10, 20, 120)])
def test_extensions_together_spend_a_tenth_of_alpha_and_the_first_answer_all_of_it(blocks):
    assert level_at(0.05, blocks[:1], "extended") == pytest.approx(0.05, rel=1e-9)
    levels = [level_at(0.05, blocks[: k + 1], "extended") for k in range(len(blocks))]
    may_spend = 0.05 / 10 / 2 ** (len(blocks) - 1)
    assert first_rejected_at_the_last(blocks, levels) == pytest.approx(may_spend, rel=0.02, abs=2e-5)


@pytest.mark.parametrize("alpha", [0.0, 1e-12, 0.05, 1.0])
def test_looks_at_half_widths_alone_leave_alpha_to_the_end(alpha):
    looks = Looks((10, 20), "none")
    assert (looks.level(alpha), looks.overall(alpha)) == (alpha, alpha)


def test_however_many_looks_there_are_equal_programs_differ_in_at_most_the_share_promised(perfect_passes):
    """N = 20,000 paths of normal means, 20 looks: 3.9 % may be spent by 188 blocks, and 1,000 is 5 %."""
    count, most = 20_000, 1_000
    assert perfect_passes(count, 0.05 * 7 / 8 * (1 - math.sqrt(2 / SCHEDULE[-1])), 0, most) > 0.98
    steps = np.diff((0, *SCHEDULE))
    sums = np.random.default_rng(18).normal(size=(count, steps.size)) @ np.triu(
        np.sqrt(steps)[:, np.newaxis] * np.ones(steps.size)
    )
    p = 2 * witness.norm.sf(np.abs(sums) / np.sqrt(SCHEDULE))
    levels = [level_at(0.05, SCHEDULE[: k + 1]) for k in range(steps.size)]
    found = int((p <= levels).any(axis=1).sum())
    assert found <= most
    assert found >= 650  # of about 780: it is spent, too
    assert int((p <= 0.05).any(axis=1).sum()) > 4_000


@given(st.floats(1e-14, 0.9), st.integers(1, len(SCHEDULE)), st.sampled_from(["open", "extended"]))
def test_the_overall_p_of_a_level_is_what_it_was_the_level_of(alpha, count, spending):
    looks = Looks(SCHEDULE[:count], spending)
    assert looks.overall(looks.level(alpha)) == pytest.approx(alpha, rel=1e-9)


@pytest.mark.parametrize("spending", ["open", "extended"])
def test_a_smaller_p_never_has_a_larger_overall_p(spending):
    for count in range(1, len(SCHEDULE) + 1):
        looks = Looks(SCHEDULE[:count], spending)
        overall = [looks.overall(p) for p in np.geomspace(1e-15, 1, 300)]
        assert all(a <= b for a, b in itertools.pairwise(overall))
        assert overall[-1] == 1.0


def test_looks_that_nearly_coincide_are_judged_by_the_union_bound():
    near = Looks((4, 1000, 1001))
    assert near.level(0.05) == pytest.approx(0.05 * 7 / 8 * (math.sqrt(2 / 1000) - math.sqrt(2 / 1001)))
    after = Looks((4, 1000, 1001, 1250)).level(0.05)
    assert after == pytest.approx(Looks((4, 1000, 1250)).level(0.05), rel=0.01)
    assert after <= Looks((4, 1000, 1250)).level(0.05)


@pytest.mark.parametrize("blocks", [(), (5, 5), (6, 5), (2, 5)])
def test_looks_that_make_no_sense_are_refused(blocks):
    with pytest.raises(ValueError, match="must ascend"):
        Looks(blocks)
