"""Readings of clocks and sensors in answers: constants are no equality, steps widen intervals."""

from __future__ import annotations

import pytest

from steelyard.extensions.exchange.recording import Quantity, RecordedTrial, Selection, Taken, write_record
from steelyard.lab.answer.analyze import analyze
from steelyard.lab.answer.check import check
from steelyard.report.answer.text import render
from steelyard.store import Record

pytestmark = pytest.mark.extensions("exchange")

FILE = {"runs.csv": "00"}
"""A file, and its digest."""


@pytest.fixture
def keep_record(tmp_path):
    """A record of values of two arms, in a unit."""

    def make(unit, old, new, claims=(), sources=FILE):
        trials = [
            RecordedTrial((("arm", arm),), {"m": (value,)})
            for arm, values in (("a", old), ("b", new))
            for value in values
        ]
        question = Selection(claims=claims)
        write_record(
            tmp_path / "it.lab", trials, Taken("ours", {"m": Quantity(unit)}, sources=sources), question
        ).close()
        return Record.open(tmp_path / "it.lab")

    return make


@pytest.mark.parametrize("unit", ["W", "s", "%"])
def test_one_reading_in_all_runs_of_both_is_asked_about_and_not_judged(keep_record, unit):
    claim = {"equivalent": {"arm": "b"}, "to": {"arm": "a"}, "within": 0.2}
    with keep_record(unit, [150.0] * 80, [150.0] * 80, [claim]) as record:
        answer, (verdict,) = analyze(record), check(record).verdicts
    (comparison,) = answer.judged
    assert comparison.verdict == "not_resolved"
    assert "constant" in comparison.flags
    assert verdict.outcome == "not_judged"
    assert "counted, or not measured?" in " ".join(render(answer).split())


def test_equal_counts_are_equal(keep_record):
    with keep_record("", [150.0] * 24, [150.0] * 24) as record:
        (comparison,) = analyze(record).judged
    assert "constant" not in comparison.flags


def test_a_printed_decimal_widens_the_interval_of_values_that_repeat(keep_record):
    with keep_record("s", [79.8] * 12, [78.8] * 12) as record:
        answer = analyze(record)
    (comparison,) = answer.judged
    interval = comparison.speedup.interval(0.05)
    # log 79.8/78.8 and the propagated step of 0.1 on either side: sqrt(2) * 0.1 / sqrt 12 / 79.3, times 1.96.
    assert interval.low == pytest.approx(1.01269 - 0.00101, abs=1e-4)
    assert interval.high == pytest.approx(1.01269 + 0.00101, abs=1e-4)
    assert "step of the values" in [part.name for part in answer.declared.type_b]


def test_a_step_that_hides_the_difference_leaves_it_open(keep_record):
    with keep_record("s", [10.0, 11.0] * 6, [11.0] * 12) as record:
        (comparison,) = analyze(record).judged
    assert comparison.verdict == "not_resolved"


def test_values_of_no_file_have_no_step(keep_record):
    with keep_record("s", [79.8] * 12, [78.8] * 12, sources={}) as record:
        answer = analyze(record)
    assert answer.declared.type_b == ()
