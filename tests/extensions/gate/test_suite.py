"""Verdicts on suites: against SciPy's t, and their error rates by simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from steelyard.core.look_schedule import looks_from
from steelyard.extensions.gate.suite import (
    BenchmarkEvidence,
    estimate_blocks,
    estimate_interval,
    judge,
    log_differences,
    look_again,
)
from steelyard.stats.describe.autocorrelation import autocorrelation
from steelyard.stats.describe.dependence import allowance
from steelyard.stats.sequential.looks import Looks

MARGIN = 0.03
ONLY = Looks((20,), 20)
"""A single look, which spends the whole level: p of the test itself."""


def draw(mean, spread=0.01, n=20, seed=1):
    return np.random.default_rng(seed).normal(mean, spread, n)


def test_evidence_of_a_single_look_is_that_of_one_sided_t_tests():
    logs = draw(0.025)
    bound = math.log1p(MARGIN)
    found = look_again(BenchmarkEvidence(), logs, ONLY, MARGIN)
    # Witness: scipy.stats.ttest_1samp. The two directions share a two-sided level.
    inside = max(
        stats.ttest_1samp(logs, bound, alternative="less").pvalue,
        stats.ttest_1samp(logs, -bound, alternative="greater").pvalue,
    )
    assert found.equivalent == pytest.approx(inside)
    assert (found.worse, found.better) == (1.0, 1.0)
    slow = look_again(BenchmarkEvidence(), draw(0.04), ONLY, MARGIN)
    tested = stats.ttest_1samp(draw(0.04), bound, alternative="greater").pvalue
    assert slow.worse == pytest.approx(min(1.0, 2 * tested))
    mirrored = look_again(BenchmarkEvidence(), -draw(0.04), ONLY, MARGIN)
    assert mirrored.better == pytest.approx(slow.worse)


def test_equal_values_claim_what_their_number_can():
    same = look_again(BenchmarkEvidence(), np.zeros(6), Looks((6,), 6), MARGIN)
    assert same.equivalent == pytest.approx(2.0**-6)
    slow = look_again(BenchmarkEvidence(), np.full(6, 0.1), Looks((6,), 6), MARGIN)
    assert slow.worse == pytest.approx(2.0**-5)


def test_a_later_look_never_weakens_evidence():
    strong = look_again(BenchmarkEvidence(), draw(0.1, n=6), Looks((6,)), MARGIN)
    later = look_again(strong, draw(0.0, 0.2, n=7), Looks((6, 7)), MARGIN)
    assert later.worse == strong.worse


def test_differences_like_their_neighbours_are_judged_with_the_degrees_of_freedom_that_they_leave():
    course = np.repeat([0.05, 0.02, 0.06, 0.09, 0.05], 5) + draw(0.0, 0.002, 25)
    looks, bound = Looks((25,), 25), math.log1p(MARGIN)
    r1 = autocorrelation(course)
    allowed = allowance(r1)
    assert r1.significant
    # Witness: SciPy's t distribution, with the standard error and degrees of freedom of such units.
    t = (course.mean() - bound) / (allowed.factor * stats.sem(course))
    evidence = look_again(BenchmarkEvidence(), course, looks, MARGIN)
    assert evidence.worse == pytest.approx(2 * stats.t.sf(t, allowed.nu))
    assert evidence.worse > 2 * stats.ttest_1samp(course, bound, alternative="greater").pvalue
    alone = stats.t.interval(0.95, 24, course.mean(), stats.sem(course))
    assert estimate_interval(course).low < alone[0] < alone[1] < estimate_interval(course).high


def test_slow_runs_of_base_do_not_hide_that_head_is_slower():
    logs = math.log(3) + draw(0.0, 0.05)
    for slow in (1, 2, 3):
        logs[4 : 4 + slow] = -math.log(60)
        evidence = look_again(BenchmarkEvidence(), logs, ONLY, MARGIN)
        (judged,) = judge([evidence], 0.05)
        by = "mean" if evidence.worse <= evidence.typical_worse else "typical"
        assert (judged.decision, judged.by) == ("slower", by)
        # Witness: scipy.stats.binomtest of blocks beyond the margin, at half of a quarter of the level.
        alone = 2 * stats.binom.sf(20 - slow - 1, 20, 0.5)
        assert evidence.typical_worse <= 8 * alone * (1 + 1e-9)
        (mirrored,) = judge([look_again(BenchmarkEvidence(), -logs, ONLY, MARGIN)], 0.05)
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
    found = judge(suite, 0.05)
    assert [each.decision for each in found] == ["open", "open", "equivalent", "open"]
    # Holm by hand: four times the smallest.
    assert found[0].adjusted.worse == pytest.approx(0.08)
    assert found[2].adjusted.equivalent == pytest.approx(0.004)
    found = judge([BenchmarkEvidence(worse=0.01), BenchmarkEvidence(better=0.02)], 0.05)
    assert [each.decision for each in found] == ["slower", "faster"]
    assert judge([], 0.05) == []


def test_more_of_a_rate_is_better():
    assert log_differences([1.0], [2.0], is_higher_better=False) == pytest.approx([math.log(2)])
    assert log_differences([1.0], [2.0], is_higher_better=True) == pytest.approx([-math.log(2)])


def test_intervals_are_those_of_scipy():
    logs = draw(0.02)
    found = estimate_interval(logs)
    low, high = stats.t.interval(0.95, 19, logs.mean(), stats.sem(logs))
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    assert estimate_interval(np.array([1.0])) is None


def test_estimate_blocks_grow_as_the_change_comes_near_the_margin():
    spread = np.array([-0.02, 0.02] * 10)
    far, near = (estimate_blocks(spread + mean, MARGIN, 0.01) for mean in (0.0, 0.02))
    assert far < near
    assert estimate_blocks(spread + math.log1p(MARGIN), MARGIN, 0.01) is None
    assert estimate_blocks(spread[:2], MARGIN, 0.01) is None


def gate_suites(means, suites, seed, spread=0.03, blocks=40):
    """Decisions of suites, each stopped at the look that decides a benchmark, as a gate stops it."""
    rng = np.random.default_rng(seed)
    looks = list(itertools.takewhile(lambda look: look <= blocks, looks_from(6)))
    for _ in range(suites):
        logs = rng.normal(np.asarray(means)[:, np.newaxis], spread, (len(means), blocks))
        evidence = [BenchmarkEvidence() for _ in means]
        decisions = ["open"] * len(means)
        for place in range(len(looks)):
            closed = looks[place] if place + 1 == len(looks) else None
            so_far = Looks(tuple(looks[: place + 1]), closed)
            for i, decision in enumerate(decisions):
                if decision == "open":
                    evidence[i] = look_again(evidence[i], logs[i, : looks[place]], so_far, MARGIN)
            decisions = [each.decision for each in judge(evidence, 0.05)]
        yield decisions


@pytest.mark.simulates
@pytest.mark.parametrize("mean", [0.0, math.log1p(MARGIN)])
def test_a_suite_of_ten_raises_a_false_alarm_at_most_as_often_as_stated(mean):
    """The worst case lies at the margin; 600 suites at 5 % are 30 ± 5.3."""
    alarms = sum(bool({"slower", "faster"} & {*found}) for found in gate_suites([mean] * 10, 600, 5))
    assert alarms <= 30 + 3 * 5.3


@pytest.mark.simulates
def test_a_suite_at_the_margin_is_seldom_called_equivalent():
    wrong = sum("equivalent" in found for found in gate_suites([math.log1p(MARGIN)] * 10, 600, 6))
    assert wrong <= 30 + 3 * 5.3


@pytest.mark.simulates
def test_ten_percent_in_a_suite_of_ten_are_seen():
    means = [0.0] * 9 + [math.log(1.1)]
    seen = sum(found[-1] == "slower" for found in gate_suites(means, 200, 7))
    assert seen >= 190
