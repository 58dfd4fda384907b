"""Chance beside agreement: exact means, and probabilities held to permutations counted one by one."""

from __future__ import annotations

import itertools
import operator
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "studies"))

from chance import compare_with_chance

PRINTED = ["match", "match", "approximate", "none", "match", "approximate"]
OURS = ["match", "approximate", "approximate", "none", "match", "match"]


def enumerated():
    """Agreements of all 720 orders of ours."""
    return [sum(map(operator.eq, PRINTED, order)) for order in itertools.permutations(OURS)]


def test_what_chance_gives_is_the_mean_over_all_permutations():
    result = compare_with_chance("t", zip(PRINTED, OURS, strict=True), operator.eq)
    every = enumerated()
    assert (result.agree, result.cells) == (4, 6)
    assert result.by_chance == pytest.approx(sum(every) / len(every))
    assert result.p == pytest.approx(sum(item >= 4 for item in every) / len(every), abs=0.015)


def test_cells_shuffled_agree_no_more_than_chance_and_cells_as_printed_do():
    shuffled = compare_with_chance("t", zip(PRINTED, OURS[3:] + OURS[:3], strict=True), operator.eq)
    assert shuffled.p > 0.2
    printed = [*PRINTED] * 3
    assert compare_with_chance("t", zip(printed, printed, strict=True), operator.eq).p < 0.001


def test_cells_that_are_all_alike_agree_by_chance_alone():
    alike = compare_with_chance("t", zip(PRINTED, ["match"] * 6, strict=True), operator.eq)
    assert alike.agree == alike.by_chance == 3
    assert alike.p == 1


def test_a_percentage_agrees_within_a_tolerance_anywhere_in_the_table():
    result = compare_with_chance("t", [(50.0, 52.0), (80.0, 20.0)], lambda a, b: abs(a - b) <= 5)
    assert (result.agree, result.by_chance) == (1, 0.5)
    assert result.row()[:4] == ["t", "2", "1", "0.5"]
