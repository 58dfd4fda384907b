"""Events of valgrind's tools: found in the summary, or the trial fails."""

from __future__ import annotations

from steelyard.run.measure.measurement import Value
from steelyard.spec.experiment import UserMetric

MISSES = UserMetric("d1", source="cachegrind", event="d1_misses")
PER = UserMetric("per_node", derive="d1 / 13")
SUMMARY = b"==7== I   refs:      2,600\n==7== D1  misses:  1,300  (1,300 rd + 0 wr)\n"


def test_an_event_is_the_total_of_its_line_and_others_are_derived_from_it(extracting):
    assert extracting(MISSES, PER).values(metrics=SUMMARY) == (Value("d1", 1300.0), Value("per_node", 100.0))


def test_a_summary_without_the_line_is_a_failed_trial(extracting):
    reason = extracting(MISSES).reason(metrics=b"==7== I   refs: 5\n")
    assert reason == (
        "metric d1: cachegrind wrote no line 'D1  misses' of its summary; it has none of a program that"
        " replaces itself by another, as env does"
    )
