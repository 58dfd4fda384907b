"""The search for a commit, on programs that nobody ran: every run is a draw from a normal distribution."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

from steelyard.extensions.bisect.bisection import Compared, Search, pool_variance
from steelyard.extensions.bisect.ends import LOOKS, compare_ends, decide

BLOCKS = 5
S = 0.02


@pytest.fixture
def simulate(draw_ends):
    """``Simulated``, whose ends are samples."""
    return partial(Simulated, draw_ends=draw_ends)


class Simulated:
    """A line of ``n`` commits of which those in ``changes`` change the logarithm of the time.

    Builds differ by ``tau`` besides, each by a normal draw that stays, or by layouts that are drawn for each
    block: those of a half are slow.
    """

    def __init__(self, rng, n, changes, *, draw_ends, s=S, tau=0.0, unbuildable=(), wrong=None, slow=0.0):
        self.rng, self.n, self.s, self.slow, self.draw_ends = rng, n, s, slow, draw_ends
        self.unbuildable, self.wrong = frozenset(unbuildable), wrong
        self.builds = rng.normal(0.0, tau, n + 1) if tau else np.zeros(n + 1)
        for commit, size in changes.items():
            self.builds[commit + 1 :] += size
        self.ends, self.compared, self.measured = ([], []), {}, []

    def run(self, commit):
        layouts = self.slow * (self.rng.random(BLOCKS) < 0.5) if self.slow else 0.0
        return self.rng.normal(self.builds[commit + 1], self.s, BLOCKS) + layouts

    def search(self, error=0.05):
        for look, batches in enumerate(LOOKS):
            while len(self.ends[0]) < batches:
                self.ends[1].append(self.run(self.n - 1))
                self.ends[0].append(self.run(-1))
            samples = self.draw_ends(*map(np.concatenate, self.ends))
            decided = decide(look, compare_ends(*samples, error))
            if decided is not None:
                break
        if not decided:
            return None
        while len(self.measured) < 200:
            commit = self.state().following(error, self.state().verdict())
            if commit is None:
                break
            self.measured.append(commit)
            good, middle, bad = self.run(-1), self.run(commit), self.run(self.n - 1)
            self.ends[0].append(good)
            self.ends[1].append(bad)
            if self.wrong is not None and len(self.measured) == self.wrong:
                middle = good + bad - middle
            before = self.compared.get(commit, Compared(np.empty(0), 0.0, 0))
            middles = np.concatenate([before.middles, 2 * middle - good - bad])
            self.compared[commit] = Compared(middles, float((middle - good).mean()), before.batches + 1)
        return self.state()

    def state(self):
        good, bad = map(np.concatenate, self.ends)
        ends = pool_variance(bad - good, self.compared)
        return Search(self.n, ends, dict(self.compared), self.unbuildable, self.slow > 0)

    def named(self, error=0.05):
        """The commits of which one is said to have made the change; ``None`` where none is named."""
        search = self.search(error)
        if search is None or not search.is_named(error, search.verdict()):
            return None
        return search.credible(error, search.verdict())


@pytest.mark.simulates
def test_of_200_histories_without_a_change_at_most_the_stated_share_names_a_commit(simulate, perfect_passes):
    count, most = 200, 17
    assert perfect_passes(count, 0.05, 0, most) > 0.98
    rng = np.random.default_rng(41)
    assert sum(simulate(rng, 16, {}).named() is not None for _ in range(count)) <= most


@pytest.mark.simulates
@pytest.mark.parametrize("n", [8, 24])
def test_builds_that_differ_by_layout_alone_name_no_commit(simulate, perfect_passes, n):
    """Before, 44 and 40 of 60 such histories named one, "> 95 % sure"."""
    count, most = 40, 5
    assert perfect_passes(count, 0.05, 0, most) > 0.98
    rng = np.random.default_rng([52, n])
    assert sum(simulate(rng, n, {}, tau=0.015).named() is not None for _ in range(count)) <= most


@pytest.mark.simulates
@pytest.mark.parametrize("steps", [1, 2])
def test_beside_layout_of_half_the_step_the_named_commits_hold_the_true_one(simulate, perfect_passes, steps):
    rng = np.random.default_rng([53, steps])
    named = wrong = 0
    for _ in range(40):
        places = [int(place) for place in rng.choice(24, steps, replace=False)]
        commits = simulate(rng, 24, dict.fromkeys(places, 0.03), tau=0.015).named()
        named += commits is not None
        wrong += commits is not None and not {*places} & {*commits}
    assert named >= {1: 6, 2: 15}[steps]
    assert wrong <= 3
    assert perfect_passes(named, 0.05, 0, 3) > 0.9


@pytest.mark.simulates
def test_layouts_of_two_kinds_that_are_drawn_name_the_true_commit(simulate):
    """With one build a commit, 4 of 19 of those that were named beside 8 commits were wrong."""
    rng = np.random.default_rng([54, 0])
    named = 0
    for _ in range(20):
        at = int(rng.integers(0, 8))
        commits = simulate(rng, 8, {at: 0.03}, slow=0.03).named()
        named += commits is not None
        assert commits is None or at in commits
    assert named >= 18


@pytest.mark.simulates
def test_a_step_of_5_percent_is_found_in_95_of_100(simulate, perfect_passes):
    count = 100
    assert perfect_passes(count, 0.95, 90, count) > 0.98
    rng = np.random.default_rng(42)
    single = covered = measured = 0
    for _ in range(count):
        at = int(rng.integers(0, 24))
        simulated = simulate(rng, 24, {at: math.log(1.05)})
        commits = simulated.named()
        measured += len(simulated.measured)
        covered += commits is not None and at in commits
        single += commits == (at,)
    assert covered >= 90
    assert single >= 85
    assert measured / count < 45


def test_a_result_that_contradicts_makes_the_search_back_up(simulate):
    for seed in range(10):
        simulated = simulate(np.random.default_rng([43, seed]), 32, {20: math.log(1.08)}, wrong=1)
        assert simulated.named() == (20,)


def test_commits_that_do_not_build_come_together_with_the_one_behind_them(simulate):
    simulated = simulate(np.random.default_rng(44), 16, {7: 0.5}, unbuildable=(5, 6, 7))
    assert simulated.named() == (5, 6, 7, 8)
    assert not {5, 6, 7} & set(simulated.measured)


def test_one_commit_is_named_where_no_layout_is_as_large(simulate):
    large = simulate(np.random.default_rng(45), 1, {0: 0.8})
    assert large.named() == (0,)
    assert large.measured == []
    small = simulate(np.random.default_rng(45), 1, {0: 0.03})
    search = small.search()
    assert not search.is_named(0.05, search.verdict())
    assert search.credible(0.05, search.verdict()) == (0,)


def test_the_first_and_the_last_commit_can_be_the_one(simulate):
    for at in (0, 31):
        assert simulate(np.random.default_rng(46), 32, {at: 0.2}).named() == (at,)


def test_a_commit_between_both_ends_is_like_neither():
    ends = pool_variance(np.random.default_rng(47).normal(1.0, 0.02, 40), {})
    middle = Compared(np.random.default_rng(48).normal(0.0, 0.02, 5), 0.5, 1)
    search = Search(4, ends, {1: middle})
    assert search.likeness(1, 0.01) == "between"
    assert search.likeness(1, 0.3) != "between"


def test_a_program_without_noise_is_decided_by_few_batches(simulate):
    simulated = simulate(np.random.default_rng(49), 64, {20: math.log(1.001)}, s=0.0)
    assert simulated.named() == (20,)
    assert len(simulated.measured) <= 12


def test_one_disturbed_batch_of_three_does_not_move_a_commit():
    batches = np.array([[1.0, 1.1], [0.9, 1.0], [-5.0, -5.2]])
    value, variance = Compared(batches.ravel(), 0.0, 3).place(0.01)
    assert value == pytest.approx(np.median(batches.mean(axis=1)) / 2)
    assert variance < 0.1
    assert Compared(batches[1:].ravel(), 0.0, 2).place(0.01)[1] > 1


def test_the_pooled_variance_is_that_of_one_run():
    rng = np.random.default_rng(50)
    good, middle, bad = rng.normal(0, 0.03, (3, 4000))
    compared = {0: Compared(2 * middle - good - bad, 0.0, 1)}
    ends = pool_variance(bad - good, compared)
    assert math.sqrt(ends.variance) == pytest.approx(0.03, rel=0.03)
    assert ends.nu == 2 * 3999
    assert pool_variance(bad - good, {}).mean == pytest.approx(float((bad - good).mean()))
