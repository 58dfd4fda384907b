"""How often the whole comparison is wrong, by seeded simulation.

Every bound states N and is checked against the exact binomial: a tool whose rate is exactly nominal passes
with the probability asserted in the test.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from steelyard.core.analysis import Analysis
from steelyard.core.sample import Failures
from steelyard.stats.compare.comparison import compare
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.compare.estimate import estimate
from steelyard.stats.planning.precision import precision


def drift(rng, kind, slots):
    """A disturbance of the machine, in units of the noise, for each slot of time."""
    if kind == "none":
        return np.zeros(slots)
    if kind == "linear":
        return np.linspace(0, 6, slots)
    if kind == "step":
        return 3.0 * (np.arange(slots) >= rng.integers(1, slots))
    return np.cumsum(rng.normal(0, 0.5, slots))


def run(rng, sample, effects, *, blocks, kind="none", size=0.02, order="randomized-blocks", shape="normal"):
    """Treatments with the given log speedups, one launch a slot, under a drift that knows no treatments."""
    k = len(effects)
    noise = rng.normal(size=(blocks, k))
    if shape == "skewed":
        noise = np.exp(0.5 * rng.normal(size=(blocks, k))) / 0.6
    disturbance = drift(rng, kind, blocks * k)
    values = np.empty((k, blocks))
    for b in range(blocks):
        for place, t in enumerate(rng.permutation(k)):
            slot = b * k + place if order == "randomized-blocks" else t * blocks + b
            values[t, b] = math.exp(size * (noise[b, t] + disturbance[slot]) - effects[t])
    return [sample(values[t], treatment=t + 1) for t in range(k)]


@pytest.mark.parametrize("blocks", [10, 30])
@pytest.mark.parametrize("kind", ["none", "linear", "step", "walk"])
def test_the_interval_of_randomised_blocks_covers_the_truth_in_93_to_97_of_100(
    sample, perfect_passes, kind, blocks
):
    count = 1000
    low, high = round(0.93 * count), round(0.97 * count)
    assert perfect_passes(count, 0.95, low, high) > 0.99
    rng = np.random.default_rng([1, blocks])
    truth = math.log(1.03)
    covered = 0
    for _ in range(count):
        (c,) = compare(run(rng, sample, [0, truth], blocks=blocks, kind=kind), Analysis())
        covered += not c.ci95.excludes(1.03)
    assert low <= covered <= high


def test_skewed_noise_of_equal_shape_does_not_break_the_coverage(sample, perfect_passes):
    count = 1000
    low, high = round(0.93 * count), round(0.97 * count)
    assert perfect_passes(count, 0.95, low, high) > 0.99
    rng = np.random.default_rng(2)
    pairs = (run(rng, sample, [0, 0.1], blocks=15, shape="skewed") for _ in range(count))
    assert low <= sum(not compare(p, Analysis())[0].ci95.excludes(math.exp(0.1)) for p in pairs) <= high


@pytest.mark.parametrize("kind", ["none", "linear", "walk"])
def test_the_same_program_twice_is_called_different_in_at_most_5_of_100(sample, perfect_passes, kind):
    """N = 1000; 26 to 67 pass: what allows for likeness of neighbours takes half a point of the five."""
    count = 1000
    assert perfect_passes(count, 0.044, 26, 67) > 0.98
    rng = np.random.default_rng(3)
    pairs = (run(rng, sample, [0, 0], blocks=20, kind=kind) for _ in range(count))
    assert 26 <= sum(compare(p, Analysis())[0].verdict != "not_resolved" for p in pairs) <= 67


@pytest.mark.parametrize("blocks", [10, 20])
def test_a_busy_neighbour_does_not_change_how_often_equal_programs_are_told_apart(
    sample, perfect_passes, blocks
):
    """N = 1000; a run in twelve shares its CPU and takes up to twice as long: t is far too careful there."""
    count = 1000
    assert perfect_passes(count, 0.05, 33, 67) > 0.98
    rng = np.random.default_rng([14, blocks])
    result = {"sign-flip": 0, "log-delta": 0}
    for _ in range(count):
        shared = rng.random((2, blocks)) < 1 / 12
        times = np.exp(rng.normal(0, 0.01, (2, blocks)) + shared * rng.uniform(0.5, 1.0, (2, blocks)))
        pair = [sample(t, treatment=i) for i, t in enumerate(times, 1)]
        for kind in result:
            result[kind] += compare(pair, Analysis(interval=kind))[0].verdict != "not_resolved"
    assert 33 <= result["sign-flip"] <= 67
    assert result["log-delta"] <= 25


@pytest.mark.parametrize("family", ["baseline", "all-pairs"])
def test_equal_treatments_give_any_false_finding_in_at_most_5_of_100(sample, perfect_passes, family):
    """N = 800; Holm is conservative among correlated comparisons, so only the upper bound is that of 5 %."""
    count, most = 800, 54
    assert perfect_passes(count, 0.05, 0, most) > 0.98
    rng = np.random.default_rng(4)
    false = 0
    for _ in range(count):
        samples = run(rng, sample, [0] * 4, blocks=20, kind="linear")
        false += any(c.verdict != "not_resolved" for c in compare(samples, Analysis(family=family)))
    assert false <= most


def test_the_usual_order_calls_the_same_program_different_in_half_under_drift(sample):
    """N = 200. Half of the drifts show in the likeness of neighbours, and what that widens is still called
    different in half; of the others most, and by t alone all are.
    """
    rng = np.random.default_rng(5)
    alone = message = 0
    false = {True: [], False: []}
    for _ in range(200):
        pair = run(rng, sample, [0, 0], blocks=20, kind="linear", order="sequential")
        (c,) = compare(pair, Analysis(), order="sequential")
        alone += estimate(contrast(*pair, order="sequential")).p < 0.05
        message += "trend" in c.flags
        false["autocorrelated" in c.flags].append(c.verdict != "not_resolved")
    assert alone > 190
    assert message > 180
    assert min(map(len, false.values())) > 50
    assert np.mean(false[False]) > 0.9
    assert np.mean(false[True]) < 0.75
    assert sum(map(sum, false.values())) > 80


def test_a_difference_of_just_the_margin_is_judged_in_at_most_5_of_100(sample, perfect_passes):
    """N = 1000 at the boundary, where each side may err in 2.5 of 100."""
    count, most = 1000, 65
    assert perfect_passes(count, 0.05, 0, most) > 0.98
    rng = np.random.default_rng(6)
    wrong = 0
    for _ in range(count):
        (c,) = compare(run(rng, sample, [0, math.log(1.02)], blocks=20, size=0.005), Analysis(margin=0.02))
        wrong += c.verdict in ("faster", "equivalent")
    assert wrong <= most


def test_any_wrong_word_about_the_margin_comes_in_at_most_5_of_100_families(sample, perfect_passes):
    """N = 400 families of 7 treatments, four exactly at the margin, one far beyond, two equal."""
    count, most = 400, 29
    assert perfect_passes(count, 0.05, 0, most) > 0.98
    rng = np.random.default_rng(11)
    effects = [0, *[math.log(1.02)] * 4, 0.2, 0, 0]
    allowed = [{"not_resolved"}] * 4 + [{"faster"}] + [{"equivalent", "not_resolved"}] * 2
    wrong = 0
    for _ in range(count):
        result = compare(run(rng, sample, effects, blocks=20, size=0.005), Analysis(margin=0.02))
        wrong += any(c.verdict not in item for c, item in zip(result, allowed, strict=True))
    assert wrong <= most


def test_runs_that_time_out_are_not_missing_by_chance(sample):
    """Equal programs; of one, the slowest fifth of runs times out, and only complete blocks are compared."""
    rng = np.random.default_rng(9)
    verdicts = {"refuse": 0, "ignore": 0}
    for _ in range(300):
        old, new = np.exp(rng.normal(0, 0.1, (2, 38)))
        within_limit = new < math.exp(0.1 * 0.8416)
        lost = int((~within_limit).sum())
        pair = [
            sample(old[within_limit]),
            sample(new[within_limit], treatment=2, failures=Failures(38, lost, lost)),
        ]
        for policy in verdicts:
            verdicts[policy] += compare(pair, Analysis(failures=policy))[0].verdict == "faster"
    assert verdicts["refuse"] == 0
    assert verdicts["ignore"] > 60


def with_contexts(rng, sample, contexts, passes):
    """Equal treatments on average; a context favours one of them by 2 %; every visit adds 1 % of noise."""
    favour = rng.normal(0, 0.02, contexts)
    shared = rng.normal(0, 0.03, contexts)
    ids = np.tile(np.arange(1, contexts + 1), passes)
    old = np.exp(shared[ids - 1] + rng.normal(0, 0.01, ids.size))
    new = np.exp(shared[ids - 1] + favour[ids - 1] + rng.normal(0, 0.01, ids.size))
    return old, new, ids.tolist()


def test_contexts_that_return_are_the_units_and_blocks_would_claim_too_much(sample, perfect_passes):
    """N = 1000; what DOI 10.1109/IPDPS.2008.4536408 warns of is planted: repetition in the same contexts."""
    count = 1000
    assert perfect_passes(count, 0.05, 33, 67) > 0.98
    rng = np.random.default_rng(7)
    by_context = by_block = 0
    for _ in range(count):
        old, new, ids = with_contexts(rng, sample, 8, 3)
        right = [sample(old, contexts=ids), sample(new, treatment=2, contexts=ids)]
        blind = [sample(old), sample(new, treatment=2)]
        by_context += compare(right, Analysis())[0].verdict != "not_resolved"
        by_block += compare(blind, Analysis())[0].verdict != "not_resolved"
    assert 33 <= by_context <= 67
    assert by_block > 3 * by_context


def test_stopping_on_precision_costs_little_and_stopping_on_significance_much(sample, perfect_passes):
    """N = 600, on significance the first 200; looks at 10, 12, 15, … blocks; on precision, 6.5 % of 2,000
    were called different.
    """
    looks, count, most = (10, 12, 15, 18, 22, 27, 33, 41, 51, 63), 600, 53
    assert perfect_passes(count, 0.065, 0, most) > 0.98
    rng = np.random.default_rng(10)
    on_precision = on_significance = 0
    for experiment in range(count):
        old, new = np.exp(rng.normal(0, 0.02, (2, looks[-1])))
        pairs = [[sample(old[:n]), sample(new[:n], treatment=2)] for n in looks]
        stop = next((p for p in pairs if precision(p, Analysis()).reached(0.01)), pairs[-1])
        on_precision += compare(stop, Analysis())[0].verdict != "not_resolved"
        if experiment < 200:
            on_significance += any(compare(p, Analysis())[0].verdict != "not_resolved" for p in pairs)
    assert on_precision <= most
    assert on_significance > 24


def test_launches_of_one_block_are_no_independent_values(sample, perfect_passes):
    """N = 1000; ten launches a block share what the block does to their treatment."""
    count, replicates, blocks = 1000, 10, 10
    assert perfect_passes(count, 0.05, 33, 67) > 0.98
    rng = np.random.default_rng(8)
    ids = np.repeat(np.arange(1, blocks + 1), replicates)
    false = 0
    for _ in range(count):
        pair = []
        for t in (1, 2):
            shift = rng.normal(0, 0.02, blocks)[ids - 1]
            pair.append(
                sample(np.exp(shift + rng.normal(0, 0.01, ids.size)), treatment=t, blocks=ids.tolist())
            )
        false += compare(pair, Analysis())[0].verdict != "not_resolved"
    assert 33 <= false <= 67


def test_a_strict_stop_costs_no_coverage(sample, perfect_passes):
    """N = 800, looks at 40, 50, 62, … blocks; 94.5 to 95.0 % of 60,000 were covered."""
    looks, count, least = (40, 50, 62, 78, 97), 800, 742
    assert perfect_passes(count, 0.945, least, count) > 0.98
    rng = np.random.default_rng(11)
    covered = 0
    for _ in range(count):
        old, new = np.exp(rng.normal(0, 0.03, (2, looks[-1])))
        pairs = ([sample(old[:n]), sample(new[:n], treatment=2)] for n in looks)
        stop = next((p for p in pairs if precision(p, Analysis()).reached(0.012)), None)
        stop = stop or [sample(old), sample(new, treatment=2)]
        covered += not compare(stop, Analysis())[0].ci95.excludes(1)
    assert covered >= least


@pytest.mark.parametrize("shape", ["normal", "lognormal"])
@pytest.mark.parametrize("kind", ["log-delta", "fieller", "bootstrap-t"])
def test_intervals_of_a_ratio_of_means_cover_it_in_93_to_97_of_100(sample, perfect_passes, kind, shape):
    """N = 1000 of eight blocks, CV 15 % and lognormal 0.5; the true ratio is 1.5."""
    count = 1000
    assert perfect_passes(count, 0.95, 930, 970) > 0.99
    rng = np.random.default_rng([14, shape == "normal"])
    covered = 0
    for i in range(count):
        noise = rng.normal(size=(2, 8))
        old, new = 1 + 0.15 * noise if shape == "normal" else np.exp(0.5 * noise)
        pair = contrast(sample(1.5 * old), sample(new, treatment=2))
        interval = estimate(pair, "ratio_of_means", kind, seed=i).interval()
        covered += interval is None or not interval.excludes(1.5)
    assert 930 <= covered <= 970


def test_the_interval_of_a_median_covers_it_however_skewed_the_blocks_are(sample, perfect_passes):
    """N = 1000 of twenty blocks with exponential differences, whose median is known: exactly 95.9 %."""
    count = 1000
    assert perfect_passes(count, 0.9586, 943, 973) > 0.98
    rng = np.random.default_rng(13)
    covered = 0
    for _ in range(count):
        differences = rng.exponential(0.1, 20)
        pair = contrast(sample(np.exp(differences)), sample(np.ones(20), treatment=2))
        covered += not estimate(pair, "median_ratio").interval().excludes(math.exp(0.1 * math.log(2)))
    assert 943 <= covered <= 973
