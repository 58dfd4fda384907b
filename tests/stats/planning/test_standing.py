"""What a look sees: half-widths against what is wanted, and verdicts."""

from __future__ import annotations

import random
from array import array

import pytest

from steelyard.core.analysis import Analysis
from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import BUILTIN
from steelyard.results.comparison import Speedup
from steelyard.stats.compare.comparison import compare
from steelyard.stats.planning.precision import Precision, precision
from steelyard.stats.planning.standing import NARROW, narrow, standing

DECLARED = Analysis()


def samples(ratio, spread, blocks=20, seed=1):
    rng = random.Random(seed)
    numbers = array("q", range(1, blocks + 1))
    ones, none = array("q", [1]) * blocks, array("q", [0]) * blocks
    return [
        Sample(
            BUILTIN["wall_s"],
            Treatment(place, label, {"command": label}),
            array("d", [typical * rng.lognormvariate(0, spread) for _ in numbers]),
            blocks=numbers,
            passes=ones,
            contexts=none,
            trials=numbers,
        )
        for place, label, typical in ((1, "old", ratio), (2, "new", 1.0))
    ]


def look(ratio, spread, target=None, rel_effect=None, until="size", **keys):
    result = samples(ratio, spread, **keys)
    judged = compare(result, DECLARED)
    return standing(precision(result, DECLARED), judged, target, rel_effect=rel_effect, until=until), judged[
        0
    ]


@pytest.mark.parametrize(
    ("ratio", "expected"), [(8.0, 0.0875), (1 / 8, 0.0875), (1.2, 1 / 60), (1.0, NARROW)]
)
def test_an_interval_is_narrow_at_a_tenth_of_the_effect_either_way_and_at_1_percent(ratio, expected):
    (comparison,) = compare(samples(ratio, 0.0), DECLARED)
    assert isinstance(comparison.speedup, Speedup)
    assert narrow(comparison) == pytest.approx(expected)


def test_a_decided_verdict_with_a_narrow_interval_is_an_answer():
    result, comparison = look(8.0, 0.05)
    assert (comparison.verdict, result.decided, result.answered) == ("faster", True, True)
    assert result.speedup == comparison.speedup.value
    assert result.interval == comparison.ci95


def test_a_decided_verdict_with_a_wide_interval_is_none():
    result, comparison = look(1.15, 0.10)
    assert comparison.verdict == "faster"
    assert (result.decided, result.answered) == (True, False)
    assert result.halfwidth > result.target


def test_a_verdict_alone_is_an_answer_where_nothing_else_was_asked_for():
    result, comparison = look(1.15, 0.10, until="verdict")
    assert comparison.verdict == "faster"
    assert (result.answered, result.relied_on(12, verdicts=True)) == (True, True)
    open_, comparison = look(1.0, 0.0002, until="verdict")
    assert comparison.verdict == "not_resolved"
    assert open_.halfwidth <= open_.target
    assert not open_.answered


def test_a_narrow_interval_without_a_verdict_is_none():
    result, comparison = look(1.0, 0.005)
    assert comparison.verdict == "not_resolved"
    assert result.halfwidth < result.target == NARROW
    assert not result.answered


def test_a_wanted_precision_asks_for_no_verdict():
    result, comparison = look(1.0, 0.005, target=0.02)
    assert comparison.verdict == "not_resolved"
    assert (result.target, result.decided, result.answered) == (0.02, True, True)


def test_fraction_of_a_large_effect_is_precise_enough_and_of_a_small_one_the_target():
    wide, _ = look(4.0, 0.3, target=0.005, rel_effect=0.5)
    assert wide.target == pytest.approx(0.5 * (1 - 1 / 4.0), rel=0.2)
    assert wide.answered
    assert not look(4.0, 0.3, target=0.005)[0].answered
    small, _ = look(1.004, 0.001, target=0.005, rel_effect=0.5)
    assert small.target == 0.005


def test_the_interval_that_is_farthest_from_its_target_is_told():
    result = standing(Precision((0.01, 0.04, 0.02)), (), 0.03)
    assert (result.halfwidth, result.target, result.answered) == (0.04, 0.03, False)


def test_an_unbounded_interval_is_the_farthest():
    result = standing(Precision((0.01, None)), (), 0.03)
    assert (result.halfwidth, result.answered) == (None, False)


def test_means_and_effects_are_wanted_to_1_percent_where_a_rule_asks_for_an_answer():
    assert standing(Precision((0.009,)), (), None).answered
    assert not standing(Precision((0.011,)), (), None).answered


@pytest.mark.parametrize(
    ("halfwidth", "doubts", "blocks", "verdicts", "relied_on"),
    [
        (0.01, (), 29, False, False),
        (0.01, (), 30, False, True),
        (0.0025, (), 29, False, True),
        (0.01, (), 29, True, True),
        (0.0025, ("bimodal",), 29, True, False),
        (0.01, ("autocorrelated",), 30, False, True),
        (0.011, (), 1000, False, False),
        (None, (), 10, False, False),
    ],
)
def test_few_blocks_are_relied_on_at_a_quarter_and_without_doubt(
    halfwidth, doubts, blocks, verdicts, relied_on
):
    result = standing(Precision((halfwidth,), doubts), (), 0.01)
    assert result.relied_on(blocks, verdicts=verdicts) == relied_on
