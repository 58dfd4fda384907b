from __future__ import annotations

import math
from array import array

import numpy as np
import pytest
from msgspec.structs import replace

from steelyard.core.analysis import Analysis
from steelyard.core.sample import Failures
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.comparison import compare
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.compare.median_ratio import censored_median_ratio, median_ratio

AS_LIMIT = Analysis(failures="as-limit", estimand="median_ratio")


def cut(sample, values, limit, treatment, **options):
    """A sample whose runs were ended at the limit."""
    censored = np.asarray(values) >= limit
    result = sample(np.minimum(values, limit), treatment=treatment, **options)
    count = int(censored.sum())
    return replace(
        result, censored=array("b", censored.tolist()), failures=Failures(censored.size, count, count)
    )


def judged(sample, old, new, limit, **options):
    a, b = cut(sample, old, limit, 1, **options), cut(sample, new, limit, 2, **options)
    return censored_median_ratio(contrast(a, b), a, b)


@pytest.fixture(scope="module")
def pair():
    rng = np.random.default_rng(40)
    return np.exp(rng.normal(0, 0.1, (2, 30)))


def test_without_late_runs_it_is_the_median(sample, pair):
    result = median_ratio(contrast(sample(pair[0]), sample(pair[1], treatment=2)))
    answer = judged(sample, *pair, 1e9)
    assert (answer.log, answer.p, answer.interval()) == (result.log, result.p, result.interval())
    assert not answer.distribution.one_sided


@pytest.mark.parametrize("limit", [1.3, 1.15, 1.08])
def test_the_interval_holds_that_of_the_times_that_were_not_seen(sample, pair, limit):
    result = median_ratio(contrast(sample(pair[0]), sample(pair[1], treatment=2)))
    answer = judged(sample, *pair, limit)
    assert answer.interval().low <= result.interval().low
    assert answer.interval().high >= result.interval().high
    assert answer.p >= result.p


def test_a_limit_in_the_middle_of_the_times_leaves_no_interval(sample, pair):
    result = judged(sample, *pair, 1.0)
    assert isinstance(result, Undefined) or result.interval() is None


def test_the_bounds_are_those_of_every_time_that_the_late_runs_could_have_had(sample):
    """Four blocks at the limit of 2: by hand."""
    old = [1.0, 1.0, 9.0, 1.0, 1.0, 1.0, 9.0]
    new = [1.1, 9.0, 1.0, 1.2, 1.3, 1.4, 9.0]
    distribution = judged(sample, old, new, 2.0).distribution
    censored = math.log(1 / 2), math.log(2 / 1)
    rest = [-math.log(x) for x in (1.4, 1.3, 1.2, 1.1)]
    assert distribution.lows.tolist() == pytest.approx([-math.inf, -math.inf, *rest, censored[1]])
    assert distribution.highs.tolist() == pytest.approx([censored[0], *rest, math.inf, math.inf])


def test_a_treatment_that_mostly_times_out_is_slower_by_at_least_the_limit(sample):
    rng = np.random.default_rng(41)
    old = np.exp(rng.normal(0, 0.02, 20))
    new = np.where(np.arange(20) < 16, 100.0, 1.0) * np.exp(rng.normal(0, 0.02, 20))
    (c,) = compare([cut(sample, old, 10.0, 1), cut(sample, new, 10.0, 2)], AS_LIMIT)
    assert (c.verdict, c.refused) == ("slower", False)
    assert c.ci95 is None  # nothing bounds how much slower
    assert c.speedup.distribution.one_sided
    assert c.speedup.value == pytest.approx(0.1, rel=0.05)
    assert c.p_holm < 0.05


def test_runs_that_failed_otherwise_are_not_known_by_any_limit(sample, pair):
    a, b = cut(sample, pair[0], 1.3, 1), cut(sample, pair[1] * 0.5, 1.3, 2)
    broken = replace(b, failures=Failures(32, 2, 0))
    (fine,) = compare([a, b], AS_LIMIT)
    (refused,) = compare([a, broken], AS_LIMIT)
    assert (fine.verdict, refused.verdict, refused.refused) == ("faster", "not_resolved", True)
    assert "failures_otherwise" in refused.flags


def test_contexts_that_return_are_late_as_a_whole(sample):
    contexts = [1, 2, 3] * 2
    a = sample([1.0] * 6, contexts=contexts)
    b = cut(sample, [1.0, 1.1, 1.2, 9.0, 1.1, 1.2], 2.0, 2, contexts=contexts)
    distribution = censored_median_ratio(contrast(a, b), a, b).distribution
    assert np.isneginf(distribution.lows).sum() == 1
    assert np.isfinite(distribution.highs).all()


def test_a_sequential_order_and_blocks_that_tell_nothing_have_no_ratio(sample, pair):
    a, b = cut(sample, pair[0], 1.1, 1), cut(sample, pair[1], 1.1, 2)
    assert censored_median_ratio(contrast(a, b, order="sequential"), a, b) == Undefined("late_without_pairs")
    assert judged(sample, pair[0] + 5, pair[1] + 5, 2.0) == Undefined("late_beyond_median")


@pytest.mark.parametrize("both", [True, False])
def test_equal_programs_that_time_out_in_a_fifth_differ_in_at_most_5_of_100(sample, perfect_passes, both):
    """N = 500; blocks are added until 30 are complete, as a run does. Left out instead, 28 % are "faster"."""
    count, most = 500, 36
    assert perfect_passes(count, 0.05, 0, most) > 0.98
    rng = np.random.default_rng(42 + both)
    limit = math.exp(0.1 * 0.8416)
    wrong = {"faster": 0, "slower": 0, "not_resolved": 0}
    for _ in range(count):
        old, new = np.exp(rng.normal(0, 0.1, (2, 90)))
        complete = (new < limit) & ((old < limit) | (not both))
        n = int(np.searchsorted(np.cumsum(complete), 30)) + 1
        a = cut(sample, old[:n], limit if both else 1e9, 1)
        wrong[compare([a, cut(sample, new[:n], limit, 2)], AS_LIMIT)[0].verdict] += 1
    assert wrong["faster"] + wrong["slower"] <= most


def test_two_blocks_have_a_median_and_one_has_none(sample):
    two = judged(sample, [2.0, 3.0], [1.0, 1.0], 1e9)
    assert (two.value, two.p, two.interval()) == (pytest.approx(math.sqrt(6)), 0.5, None)
    assert judged(sample, [2.0], [1.0], 1e9) == Undefined("one_block")
