"""Columns of a table that carry a difference: named where they do, and hardly ever where they do not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steelyard.extensions.exchange.covariates import ColumnsBeside, examine_columns


def table(rows, *names):
    """A table of (arm, value, cells of ``names``)."""
    return ColumnsBeside(
        tuple({"arm": arm} for arm, *_ in rows),
        tuple(value for _, value, *_ in rows),
        {name: tuple(str(row[place + 2]) for row in rows) for place, name in enumerate(names)},
    )


def draw(seed, spread=0.03):
    return lambda mean: mean * math.exp(seed.normal(0, spread))


@pytest.fixture
def value():
    return draw(np.random.default_rng(695))


def test_a_node_that_each_side_has_to_itself_is_named(value):
    rows = [(arm, value(mean), node) for arm, mean, node in (("old", 1, "n1"), ("new", 1.1, "n2"))] * 12
    (text,) = examine_columns(table(rows, "node"), "arm")
    assert text.startswith("node tells the sides apart: old has n1 and new has n2.")
    assert "run both on each" in text


def test_jobs_of_each_side_are_a_sample_and_not_named(value):
    rows = [(arm, value(1), f"{arm}{job}") for arm in ("old", "new") for job in range(5) for _ in range(4)]
    assert examine_columns(table(rows, "job"), "arm") == []


def test_a_node_that_carries_a_difference_is_named_with_the_ratio_within(value):
    shares = {"old": ("n1",) * 9 + ("n2",) * 3, "new": ("n1",) * 3 + ("n2",) * 9}
    rows = [(arm, value(1.2 if node == "n2" else 1), node) for arm, nodes in shares.items() for node in nodes]
    texts = examine_columns(table(rows, "node"), "arm")
    (carried,) = [text for text in texts if "carries a difference" in text]
    assert "old has 9 of n1, 3 of n2 and new has 3 of n1, 9 of n2" in carried
    assert "over all rows, and 0.975 × within each node" in carried
    (slow,) = [text for text in texts if text.startswith("node n")]
    assert slow.startswith("node n2 has 1.2")


def test_a_slow_node_among_many_is_named_and_the_others_are_not(value):
    rows = [
        (arm, value(1.3 if node == 4 else 1), f"n{node}")
        for arm in ("old", "new")
        for node in range(6)
        for _ in range(4)
    ]
    texts = examine_columns(table(rows, "node"), "arm")
    assert [text.split(" has ")[0] for text in texts] == ["node n4"]
    assert "in 2 treatments" in texts[0]


@pytest.mark.parametrize("name", ["iteration", "rep", "run"])
def test_a_cold_first_iteration_is_named(value, name):
    rows = [(arm, value(3 if i == 0 else 1), i) for arm in ("old", "new") for i in range(10)]
    (text,) = examine_columns(table(rows, name), "arm")
    assert text.startswith(f"{name} 0, the first, has ")
    assert "cold: leave it out" in text


def test_runs_that_come_first_in_a_pair_are_named_by_their_order(value):
    rows = [
        (arm, value(1.15 if order == "first" else 1), order)
        for arm in ("old", "new")
        for order in ("first", "second")
        for _ in range(10)
    ]
    (text,) = examine_columns(table(rows, "order"), "arm")
    assert text.startswith("order first has 1.1")


def test_values_that_are_not_positive_and_columns_without_levels_are_not_looked_at(value):
    rows = [("old", value(1), f"2026-11-{day:02}T{day:02}:00") for day in range(1, 13)]
    assert examine_columns(table(rows, "when"), None) == []
    rows = [("old", mean, node) for mean in (-1.0, 2.0) for node in ("n1", "n2")]
    assert examine_columns(table(rows, "node"), None) == []


def test_columns_without_an_effect_are_named_in_hardly_any_table():
    """300 tables of two sides, three nodes at random and ten iterations: at most 1 % name one by chance."""
    rng = np.random.default_rng(496)
    named = 0
    for _ in range(300):
        make = draw(rng, 0.1)
        rows = [(arm, make(1), f"n{rng.integers(3)}", i) for arm in ("old", "new") for i in range(10)]
        named += bool(examine_columns(table(rows, "node", "iteration"), "arm"))
    # P(X > 10) is 0.0003 for X of a binomial of 300 and 0.01.
    assert named <= 10
