"""The search for a commit, on programs that nobody ran: every run is a draw from a normal distribution."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.stats.history.bisection import (
    LOOKS,
    Compared,
    Search,
    differ,
    pooled,
)

BLOCKS = 5
S = 0.02


class Simulated:
    """A line of ``n`` commits of which number ``at`` changes the logarithm of the time by ``size``."""

    def __init__(self, rng, n, at, size, *, s=S, unbuildable=(), wrong=None):
        self.rng, self.n, self.at, self.size, self.s = rng, n, at, size, s
        self.unbuildable, self.wrong = frozenset(unbuildable), wrong
        self.differences, self.compared, self.asked = np.empty(0), {}, []

    def run(self, commit):
        return self.rng.normal(self.size if commit >= self.at else 0.0, self.s, BLOCKS)

    def search(self, error=0.05):
        for look, batches in enumerate(LOOKS):
            more = batches - (LOOKS[look - 1] if look else 0)
            for _ in range(more):
                self.differences = np.concatenate([self.differences, self.run(self.n - 1) - self.run(-1)])
            decided = differ(look, pooled(self.differences, {}), error)
            if decided is not None:
                break
        if not decided:
            return None
        while (commit := self.state().following(error)) is not None and len(self.asked) < 200:
            self.asked.append(commit)
            good, middle, bad = self.run(-1), self.run(commit), self.run(self.n - 1)
            if self.wrong is not None and len(self.asked) == self.wrong:
                middle = middle + (self.size if commit < self.at else -self.size)
            self.differences = np.concatenate([self.differences, bad - good])
            before = self.compared.get(commit, Compared(np.empty(0), 0.0, 0))
            middles = np.concatenate([before.middles, 2 * middle - good - bad])
            self.compared[commit] = Compared(middles, float((middle - good).mean()), before.batches + 1)
        return self.state()

    def state(self):
        ends = pooled(self.differences, self.compared)
        return Search(self.n, ends, dict(self.compared), self.unbuildable)


def test_of_200_histories_without_a_change_at_most_the_stated_share_names_a_commit(perfect_passes):
    count, error = 200, 0.05
    most = 17
    assert perfect_passes(count, error, 0, most) > 0.98
    rng = np.random.default_rng(41)
    named = sum(Simulated(rng, 64, 0, 0.0).search(error) is not None for _ in range(count))
    assert named <= most


def test_a_step_of_5_percent_is_found_within_one_commit_in_95_of_100(perfect_passes):
    count = 200
    rng = np.random.default_rng(42)
    near = covered = asked = 0
    for _ in range(count):
        at = int(rng.integers(0, 64))
        simulated = Simulated(rng, 64, at, math.log(1.05))
        found = simulated.search()
        asked += len(simulated.asked)
        best = int(found.posterior().argmax())
        near += abs(best - at) <= 1
        covered += at in found.credible(0.05)
    assert near >= 0.95 * count
    assert perfect_passes(count, 0.95, 183, count) > 0.98
    assert covered >= 183
    assert asked / count < 15


def test_a_result_that_contradicts_makes_the_search_back_up():
    for seed in range(10):
        simulated = Simulated(np.random.default_rng([43, seed]), 64, 40, math.log(1.05), wrong=1)
        found = simulated.search()
        assert found.credible(0.05) == (40,)
        assert len(simulated.asked) > len(set(simulated.asked)) or len(simulated.asked) > 6


def test_commits_that_do_not_build_come_together_with_the_one_behind_them():
    simulated = Simulated(np.random.default_rng(44), 16, 7, 0.5, unbuildable=(5, 6, 7))
    found = simulated.search()
    assert found.credible(0.05) == (5, 6, 7, 8)
    assert not {5, 6, 7} & set(simulated.asked)


def test_one_commit_needs_no_search():
    simulated = Simulated(np.random.default_rng(45), 1, 0, 0.5)
    assert simulated.search().credible(0.05) == (0,)
    assert simulated.asked == []


def test_the_first_and_the_last_commit_can_be_the_one():
    for at in (0, 31):
        found = Simulated(np.random.default_rng(46), 32, at, 0.2).search()
        assert found.credible(0.05) == (at,)


def test_a_commit_between_both_ends_is_like_neither():
    ends = pooled(np.random.default_rng(47).normal(1.0, 0.02, 40), {})
    middle = Compared(np.random.default_rng(48).normal(0.0, 0.02, 5), 0.5, 1)
    assert Search(4, ends, {1: middle}).likeness(1) == "between"


def test_a_program_without_noise_is_decided_by_one_batch():
    found = Simulated(np.random.default_rng(49), 64, 20, math.log(1.001), s=0.0)
    assert found.search().credible(0.05) == (20,)
    # Each batch speaks for an end with odds of 200 at most.
    assert len(found.asked) <= 9


def test_the_pooled_variance_is_that_of_one_run():
    rng = np.random.default_rng(50)
    good, middle, bad = rng.normal(0, 0.03, (3, 4000))
    compared = {0: Compared(2 * middle - good - bad, 0.0, 1)}
    ends = pooled(bad - good, compared)
    assert math.sqrt(ends.variance) == pytest.approx(0.03, rel=0.03)
    assert ends.nu == 2 * 3999
    assert pooled(bad - good, {}).p == pytest.approx(witness.ttest_1samp(bad - good, 0).pvalue)


def test_one_batch_is_never_believed_beyond_its_odds():
    ends = pooled(np.random.default_rng(51).normal(1.0, 0.001, 20), {})
    sure = Compared(np.full(5, 1.0), 1.0, 1)
    assert Search(4, ends, {1: sure}).log_odds(1) == pytest.approx(math.log(200))
