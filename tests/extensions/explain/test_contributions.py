"""Contributions: they add up, are matched through renames, and have the intervals of ratios of means."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as student

from steelyard.extensions.explain.contributions import (
    add_chains,
    estimate_remainder,
    judge,
    ratio_of_mean,
    scale_weights,
    tabulate,
)
from steelyard.extensions.explain.profiles import Function, Profile

MAIN, PARSE, HASH, TINY = (
    Function("main"),
    Function("parse", file="p.c", line=9),
    Function("hash"),
    Function("tiny"),
)


def profiles(rng, weights, blocks=20):
    """Samples of 1 ms by chain, Poisson about these means."""
    drawn = [
        {chain: 1e-3 * float(rng.poisson(mean)) for chain, mean in weights.items()} for _ in range(blocks)
    ]
    return [Profile(run, round(1e3 * sum(run.values()))) for run in drawn]


def judged(old, new, seed=1):
    times = tabulate(old, new)
    plain = np.full(len(old), times.old.sum(axis=1).mean())
    return times, judge(times, plain, 1e-3, alpha=0.05, seed=seed), plain


def test_parts_add_up_to_the_whole_difference():
    rng = np.random.default_rng(1)
    old = profiles(rng, {(MAIN, PARSE): 400, (MAIN, PARSE, HASH): 300, (MAIN, TINY): 0.2, (MAIN,): 20})
    new = profiles(rng, {(MAIN, PARSE): 480, (MAIN, PARSE, HASH): 300, (MAIN, TINY): 0.2, (MAIN,): 20})
    times, result, plain = judged(old, new)
    difference = (times.new.sum(axis=1) - times.old.sum(axis=1)).mean() / plain.mean()
    named = sum(entry.value for entry in result.contributions if entry.named)
    assert [entry.name for entry in result.contributions if entry.named] == ["parse"]
    assert result.pool is not None
    assert result.pool.functions == 1
    assert named + result.unnamed.value + result.pool.value == pytest.approx(difference, rel=1e-12)


def test_inclusive_time_counts_a_recursive_function_once():
    run = Profile({(MAIN, PARSE, PARSE, HASH): 5.0, (MAIN, PARSE): 2.0}, 7)
    times = tabulate([run, run], [run, run])
    place = times.functions.index(PARSE)
    assert times.inclusive_old[place] == 7
    assert times.old[0, place] == 2
    assert times.inclusive_new[times.functions.index(MAIN)] == 7


def test_a_renamed_function_is_one_and_new_and_gone_ones_are_called_so():
    rng = np.random.default_rng(3)
    renamed = Function("parse_fast", file="src/p.c", line=9)
    old = profiles(rng, {(MAIN, PARSE): 300, (MAIN, HASH): 100})
    new = profiles(rng, {(MAIN, renamed): 400, (MAIN, TINY): 100})
    times, result, _ = judged(old, new)
    by_name = {entry.name: entry for entry in result.contributions}
    assert by_name["parse_fast"].old_name == "parse"
    assert by_name["parse_fast"].presence == "both"
    assert by_name["parse_fast"].old_s == pytest.approx(0.3, rel=0.1)
    assert (by_name["tiny"].presence, by_name["hash"].presence) == ("new", "gone")
    chains = {chain for chain, *_ in add_chains(old, new, times)}
    assert (MAIN, renamed) in chains
    assert (MAIN, PARSE) not in chains


def test_the_error_of_a_contribution_is_that_of_a_ratio_of_means():
    # Witness: the jackknife, which the delta method is the limit of.
    rng = np.random.default_rng(5)
    plain = rng.gamma(100, 0.01, 400)
    difference = 0.1 * plain + rng.normal(0, 0.02, 400)
    value, se = ratio_of_mean(difference, plain)
    without = [np.delete(difference, i).mean() / np.delete(plain, i).mean() for i in range(400)]
    jackknife = np.sqrt(399 / 400 * np.sum((np.array(without) - np.mean(without)) ** 2))
    assert value == pytest.approx(difference.sum() / plain.sum())
    assert se == pytest.approx(jackknife, rel=0.01)
    half = student.ppf(0.975, 399) * se
    assert estimate_remainder(difference, plain).ci95.high == pytest.approx(value + half)


def test_a_difference_without_a_spread_has_no_interval():
    remainder = estimate_remainder(np.zeros(12), np.ones(12))
    assert (remainder.value, remainder.ci95) == (0, None)


def test_weights_that_differ_by_their_last_digit_alone_name_nothing():
    # Each program is scaled by its own total: 50 of 100 and 50 of 120 samples are the same time, or nearly.
    factors = np.linspace(0.01, 0.02, 200)
    named = uneven = 0
    for factor in map(float, factors):
        old = [scale_weights(Profile({(MAIN, PARSE): 40.0, (HASH,): 50.0}, 90), factor * 90 / 90)] * 12
        new = [scale_weights(Profile({(MAIN, PARSE): 60.0, (HASH,): 50.0}, 110), factor * 110 / 110)] * 12
        times, result, _ = judged(old, new)
        place = times.functions.index(HASH)
        uneven += times.new[0, place] != times.old[0, place]
        named += any(entry.named for entry in result.contributions if entry.name == "hash")
    assert uneven > 0
    assert named == 0


def test_equal_programs_name_nothing_and_a_plant_is_first():
    named = first = 0
    for seed in range(40):
        rng = np.random.default_rng(1000 + seed)
        functions = [Function(f"f{i}") for i in range(10)]
        means = dict(zip([(MAIN, f) for f in functions], rng.gamma(1.0, 60.0, 10) + 5, strict=True))
        old = profiles(rng, means, 15)
        named += any(entry.named for entry in judged(old, profiles(rng, means, 15), seed)[1].contributions)
        total = sum(means.values())
        slower = {**means, (MAIN, functions[3]): means[MAIN, functions[3]] + 0.06 * total}
        entries = judged(old, profiles(rng, slower, 15), seed)[1].contributions
        first += entries[0].name == "f3"
    assert named <= 5
    assert first >= 38
