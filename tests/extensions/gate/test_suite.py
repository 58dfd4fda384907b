"""Verdicts on suites: against SciPy's tests, and their error rates by simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from steelyard.core.look_schedule import looks_from
from steelyard.extensions.gate.suite import (
    BenchmarkEvidence,
    SideValues,
    change_interval,
    compare_sides,
    count_blocks_to_show,
    estimate_blocks,
    judge,
    look_again,
    read_values,
)
from steelyard.stats.describe.autocorrelation import autocorrelation
from steelyard.stats.describe.dependence import AT_BOUND, allowance, allowance_under
from steelyard.stats.sequential.looks import Looks

MARGIN = 0.03
ONLY = Looks((20,), 20)
"""A single look, which spends the whole level: p of the test itself."""
ENOUGH = 80
"""Blocks that show a mode which carries a mean over the margin."""


def split(differences, seed=0):
    """Values of both sides that have these differences, and vary alike."""
    shared = np.random.default_rng([9, seed]).normal(0, 0.05, np.size(differences))
    return SideValues(shared - np.asarray(differences) / 2, shared + np.asarray(differences) / 2)


def draw(mean, spread=0.01, n=20, seed=1):
    return split(np.random.default_rng(seed).normal(mean, spread, n))


def look_once(values, margin=MARGIN):
    n = values.base.size
    return look_again(BenchmarkEvidence(), values, Looks((n,), n), margin)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_evidence_of_a_single_look_is_that_of_the_comparison_that_an_answer_shows(seed):
    values = draw(0.04, 0.02, seed=seed)
    result = look_once(values)
    # Witness: SciPy's permutation test, of the excess over the margin; and t, of so few that may wander.
    excess = values.differences[:14] - math.log1p(MARGIN)
    exact = stats.permutation_test(
        (excess,), np.mean, permutation_type="samples", vectorized=False, n_resamples=np.inf
    )
    allowed = allowance_under(AT_BOUND, 14)
    t = excess.mean() / (excess.std(ddof=1) / math.sqrt(14) * allowed.factor)
    expected = max(exact.pvalue, 2 * stats.t.sf(abs(t), allowed.nu))
    assert look_once(values.take(14)).worse == pytest.approx(expected, rel=1e-6)
    compared = compare_sides(values, MARGIN, ONLY)
    assert result.worse == compared.speedup.p_of(1 / (1 + MARGIN))
    mirrored = look_once(SideValues(values.head, values.base))
    assert mirrored.better == pytest.approx(result.worse)
    assert (result.better, result.equivalent) == (1.0, 1.0)
    # The interval of the table is the one that p belongs to.
    assert change_interval(compared.speedup).excludes(MARGIN) == (result.worse <= 0.05)


def test_equivalence_is_that_of_two_one_sided_tests():
    values = draw(0.02, 0.08, n=300)
    bound = math.log1p(MARGIN)
    inside = max(
        stats.ttest_1samp(values.differences, bound, alternative="less").pvalue,
        stats.ttest_1samp(values.differences, -bound, alternative="greater").pvalue,
    )
    assert 1e-6 < inside < 0.05
    assert look_once(values).equivalent == pytest.approx(inside, rel=1e-6)


def test_nothing_is_equivalent_before_a_mode_beyond_the_margin_would_have_shown():
    """Witness: a mode of share s, twice as slow, adds s log 2, and is absent from n runs in (1 - s)^n."""
    share = math.log1p(MARGIN) / math.log(2)
    least = math.ceil(math.log(0.05) / math.log(1 - share))
    assert (1 - share) ** least <= 0.05 < (1 - share) ** (least - 1)
    values = split(np.random.default_rng(3).normal(0, 0.001, least) * np.tile([1, -1], least)[:least])
    values = split(values.differences - values.differences.mean())
    assert look_once(values).equivalent < 1e-6
    few = split(values.differences[:-1] - values.differences[:-1].mean())
    assert look_once(few).equivalent == 1.0
    assert judge([look_once(few)], 0.05)[0].decision == "open"
    assert count_blocks_to_show(0.0, MARGIN, least - 1) == least
    assert count_blocks_to_show(0.0, MARGIN, least) is None
    assert count_blocks_to_show(0.02, MARGIN, 10) > 2 * least
    assert count_blocks_to_show(0.05, MARGIN, 10) is None


def test_slow_runs_of_head_whose_share_is_unknown_keep_the_mean_from_deciding():
    values = draw(0.0, 0.005, n=ENOUGH)
    head = values.head.copy()
    head[[7, 31, 55]] += math.log(2)
    result = look_once(SideValues(values.base, head))
    assert (result.worse, result.better, result.equivalent) == (1.0, 1.0, 1.0)
    assert "slow_mode" in compare_sides(SideValues(values.base, head), MARGIN, None).flags


def test_equal_values_claim_what_their_number_can():
    result = look_once(SideValues(np.zeros(ENOUGH), np.zeros(ENOUGH)))
    assert result.equivalent == pytest.approx(2.0**-ENOUGH)
    slow = look_once(SideValues(np.zeros(6), np.full(6, 0.1)))
    assert slow.worse == pytest.approx(2.0**-5)


def test_a_later_look_never_weakens_evidence():
    strong = look_again(BenchmarkEvidence(), draw(0.1, n=6), Looks((6,)), MARGIN)
    later = look_again(strong, draw(0.0, 0.2, n=7), Looks((6, 7)), MARGIN)
    assert later.worse == strong.worse


def test_differences_like_their_neighbours_are_judged_with_fewer_degrees_of_freedom():
    course = np.repeat([0.05, 0.02, 0.06, 0.09, 0.05], 5) + draw(0.0, 0.002, 25).differences
    bound = math.log1p(MARGIN)
    r1 = autocorrelation(course)
    allowed = allowance(r1)
    assert r1.significant
    # Witness: SciPy's t distribution, with the standard error and degrees of freedom of such units.
    t = (course.mean() - bound) / (allowed.factor * stats.sem(course))
    values = split(course)
    assert look_once(values).worse == pytest.approx(2 * stats.t.sf(t, allowed.nu), rel=1e-6)
    alone = stats.t.interval(0.95, 24, course.mean(), stats.sem(course))
    interval = change_interval(compare_sides(values, MARGIN, None).speedup)
    assert interval.low < math.expm1(alone[0]) < math.expm1(alone[1]) < interval.high


def test_slow_runs_of_base_do_not_hide_that_head_is_slower():
    rng = np.random.default_rng(1)
    for slow in (1, 2, 3):
        base, head = rng.normal(0, 0.03, (2, 20))
        base[4 : 4 + slow] += math.log(180)
        evidence = look_once(SideValues(base, head + math.log(3)))
        (judged,) = judge([evidence], 0.05)
        assert (judged.decision, judged.by) == ("slower", "typical")
        # Witness: scipy.stats.binomtest of blocks beyond the margin, at half of a quarter of the level.
        alone = 2 * stats.binom.sf(20 - slow - 1, 20, 0.5)
        assert evidence.typical_worse <= 8 * alone * (1 + 1e-9)
        (mirrored,) = judge([look_once(SideValues(head + math.log(3), base))], 0.05)
        assert mirrored.by != "typical"


def test_a_typical_run_refutes_a_benchmark_that_is_faster_or_equivalent_on_average():
    typically = BenchmarkEvidence(better=0.001, typical_worse=0.02)
    assert judge([typically], 0.05)[0].decision == "slower"
    assert judge([typically], 0.05)[0].by == "typical"
    among = judge([typically, *[BenchmarkEvidence()] * 4], 0.05)[0]
    assert (among.decision, among.by) == ("open", None)
    assert judge([BenchmarkEvidence(equivalent=0.001, typical_better=0.02)], 0.05)[0].decision == "open"
    assert judge([BenchmarkEvidence(typical_better=0.001)], 0.05)[0].decision == "open"
    assert judge([BenchmarkEvidence(worse=0.001, typical_better=0.001)], 0.05)[0].decision == "slower"


def test_differences_are_one_family_and_equivalences_another():
    suite = [
        BenchmarkEvidence(worse=0.02),
        BenchmarkEvidence(better=0.03),
        BenchmarkEvidence(equivalent=0.001),
        BenchmarkEvidence(),
    ]
    result = judge(suite, 0.05)
    assert [item.decision for item in result] == ["open", "open", "equivalent", "open"]
    # Holm by hand: four times the smallest.
    assert result[0].adjusted.worse == pytest.approx(0.08)
    assert result[2].adjusted.equivalent == pytest.approx(0.004)
    result = judge([BenchmarkEvidence(worse=0.01), BenchmarkEvidence(better=0.02)], 0.05)
    assert [element.decision for element in result] == ["slower", "faster"]
    assert judge([], 0.05) == []


def test_more_of_a_rate_is_better():
    assert read_values([1.0], [2.0], is_higher_better=False).differences == pytest.approx([math.log(2)])
    assert read_values([1.0], [2.0], is_higher_better=True).differences == pytest.approx([-math.log(2)])


def test_values_that_are_far_from_1_are_compared_as_others_are():
    values = draw(0.04)
    far = SideValues(values.base + 900, values.head + 900)
    assert look_once(far).worse == pytest.approx(look_once(values).worse)
    with pytest.raises(ValueError, match="no block"):
        compare_sides(SideValues(np.empty(0), np.empty(0)), MARGIN, None)


def test_estimated_blocks_grow_as_the_change_comes_near_the_margin():
    spread = np.array([-0.02, 0.02] * 10)
    far, near = (estimate_blocks(spread + mean, MARGIN, 0.01) for mean in (0.0, 0.02))
    assert far == 69 - 20  # those that show slow runs
    assert far < near
    assert estimate_blocks(spread + math.log1p(MARGIN), MARGIN, 0.01) is None
    assert estimate_blocks(spread[:2], MARGIN, 0.01) is None
    # Few by their spread, but no number of runs shows a mode that carries them so little.
    assert estimate_blocks(1e-8 * spread + math.log1p(MARGIN) - 1e-6, MARGIN, 0.01) is None


def gate_suites(means, suites, seed, spread=0.03, blocks=80):
    """Decisions of suites, each stopped at the look that decides a benchmark, as a gate stops it."""
    rng = np.random.default_rng(seed)
    looks = list(itertools.takewhile(lambda look: look <= blocks, looks_from(6)))
    for _ in range(suites):
        logs = rng.normal(np.asarray(means)[:, np.newaxis], spread, (len(means), blocks))
        sides = [split(row, seed) for row in logs]
        evidence = [BenchmarkEvidence() for _ in means]
        decisions = ["open"] * len(means)
        for place in range(len(looks)):
            closed = looks[place] if place + 1 == len(looks) else None
            so_far = Looks(tuple(looks[: place + 1]), closed)
            for i, decision in enumerate(decisions):
                if decision == "open":
                    evidence[i] = look_again(evidence[i], sides[i].take(looks[place]), so_far, MARGIN)
            decisions = [item.decision for item in judge(evidence, 0.05)]
        yield decisions


@pytest.mark.simulates
@pytest.mark.parametrize("mean", [0.0, math.log1p(MARGIN)])
def test_a_suite_of_ten_raises_a_false_alarm_at_most_as_often_as_stated(mean):
    """The worst case lies at the margin; 200 suites at 5 % are 10 ± 3.1."""
    alarms = sum(bool({"slower", "faster"} & {*result}) for result in gate_suites([mean] * 10, 200, 5))
    assert alarms <= 10 + 3 * 3.1


@pytest.mark.simulates
def test_a_suite_at_the_margin_is_seldom_called_equivalent():
    wrong = sum("equivalent" in result for result in gate_suites([math.log1p(MARGIN)] * 10, 200, 6))
    assert wrong <= 10 + 3 * 3.1


@pytest.mark.simulates
def test_ten_percent_in_a_suite_of_ten_are_seen():
    means = [0.0] * 9 + [math.log(1.1)]
    slower_ones = sum(result[-1] == "slower" for result in gate_suites(means, 100, 7))
    assert slower_ones >= 95


@pytest.mark.parametrize(("share", "times"), [(0.05, 2.0), (0.1, 1.5), (0.2, 1.5)])
def test_slow_runs_of_head_are_called_equivalent_in_at_most_5_percent(share, times):
    """True changes of 3.5 to 8.4 %: by a bare t from 6 blocks on, 21 to 87 % were "within 3 %"."""
    rng = np.random.default_rng(402)
    looks = (6, 8, 10, 13, 17, 22, 28, 35, 44, 55, 69, 80)
    wrong = 0
    for _ in range(40):
        base, head = rng.normal(0, 0.005, (2, 80))
        values = SideValues(base, head + math.log(times) * (rng.random(80) < share))
        evidence = BenchmarkEvidence()
        for k, n in enumerate(looks):
            evidence = look_again(evidence, values.take(n), Looks(looks[: k + 1]), MARGIN)
        wrong += judge([evidence], 0.05)[0].decision == "equivalent"
    assert wrong <= stats.binom.ppf(0.999, 40, 0.05)


def test_an_exponential_tail_of_one_side_makes_at_most_5_percent_wrong_by_the_mean():
    """At the margin, 20 blocks: by a bare t 19 and 22 % were wrong."""
    rng = np.random.default_rng(403)
    bound, wrong = math.log1p(MARGIN), 0
    for _ in range(150):
        calm, tail = rng.normal(0, 0.003, 20), 0.03 * (rng.exponential(1, 20) - 1)
        wrong += look_once(SideValues(tail, calm + bound)).worse <= 0.05
        wrong += look_once(SideValues(calm, tail + bound)).worse <= 0.05
    assert wrong <= stats.binom.ppf(0.999, 300, 0.05)
