"""Ledgers in words: whose gain it is, and what is left open."""

from __future__ import annotations

import math

import pytest

from steelyard.extensions.ratchet.results import Attempt, Ledger, Total
from steelyard.extensions.ratchet.text import list_ledger
from steelyard.results.interval import Interval


def words(ledger):
    return " ".join(" ".join(span.text for span in line) for line in list_ledger(ledger, 10_000))


def ledger(build="make", **options):
    return Ledger("a" * 40, ("./prog",), build, "wall_s", 0.05, 0.01, 10, 1, None, **options)


def attempt(number=1, gain=1.08, **options):
    return Attempt(number, f"{number}" * 40, f"t{number}", "a" * 40, gain=gain, **options)


def test_a_gain_of_one_build_says_so_and_how_many_changes_are_missing():
    result = words(ledger(attempts=(attempt(outcome="unproven"),)))
    assert "1.08 × the speed, of these two builds: another build of one source may be as fast" in result
    assert "5 more changes will show by how much builds differ" in result
    assert "--build with {layout} draws one for each block" in result


def test_a_win_of_two_builds_names_the_spread_that_it_beats():
    attempts = [attempt(n, math.exp(0.01 * n), outcome="not_faster") for n in range(1, 8)]
    won = attempt(8, 1.3, outcome="faster", confirmed_gain=1.31, test=1, level=0.001, p=1e-5, build_sd=0.02)
    total = Total(won.commit, 1.3, Interval(1.2, 1.4), 30, build_sd=0.02)
    result = words(ledger(attempts=(*attempts, won), totals=(total,)))
    assert "; of these two builds, which differ by 2 % (SD): the best from now on" in result
    assert "30 fresh blocks; of these two builds, which differ by 2 % (SD))." in result
    assert "8 builds here differ by" in result


@pytest.mark.parametrize("build", ["", "make L={layout}"])
def test_where_layouts_are_drawn_or_nothing_is_built_no_build_is_spoken_of(build):
    won = attempt(outcome="faster", confirmed_gain=1.08, test=1, level=0.001, p=1e-5)
    assert "of these two builds" not in words(ledger(build, attempts=(won,)))


@pytest.mark.parametrize(
    ("build", "rate", "runs", "blocks"),
    [
        ("", "over blocks", "fresh runs", "30 fresh blocks"),
        ("make", "over builds", "fresh runs", "30 fresh blocks"),
        ("make L={layout}", "over drawn layouts", "fresh drawn layouts", "30 fresh layouts"),
    ],
)
def test_each_line_says_over_what_its_rate_is(build, rate, runs, blocks):
    won = attempt(outcome="faster", confirmed_gain=1.08, test=1, level=0.001, p=1e-5)
    total = Total(won.commit, 1.08, Interval(1.05, 1.1), 30)
    result = words(ledger(build, attempts=(won,), totals=(total,)))
    assert f"5 % at most are expected to be false {rate}; a win" in result
    assert f"1.08 × the speed in {runs}, p" in result
    assert f", {blocks})." in result


def test_what_takes_a_win_away_is_named():
    lost = attempt(
        outcome="not_confirmed",
        confirmed_gain=1.09,
        test=1,
        level=0.01,
        p=0.001,
        why="a typical run is not faster",
    )
    assert "at most 0.01 wanted of test 1; a typical run is not faster" in words(ledger(attempts=(lost,)))
