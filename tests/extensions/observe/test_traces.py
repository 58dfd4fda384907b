"""What traces say, whole."""

from __future__ import annotations

import json

import msgspec

from steelyard.extensions.observe.results import OBSERVATION, Observation, PartDifference, Trace
from steelyard.extensions.observe.traces import bars, render_traces
from steelyard.report.text.line import plain
from steelyard.results.interval import Interval

NOTHING = Observation(
    "./prog", (), (), {}, 0.01, 0.05, 6, 1, contexts=False, compared=("stdout",), uncompared={}
)
PARTS = (
    PartDifference(-9e5, Interval(-1e6, -8e5), 1e-4),
    PartDifference(10.0, Interval(-5, 25), 0.4),
    PartDifference(0.0, None, None),
)
FOUND = msgspec.structs.replace(
    NOTHING,
    trace_ms=2,
    traces=(
        Trace("page-faults", "none", 6, 0, (1e6, 20.0, 0.0), (5e4, 1.0, 0.0)),
        Trace("page-faults", "strace", 5, 1, (1e5, 30.0, 0.0), (5e4, 1.0, 0.0), PARTS, 5),
        Trace("cycles", "none", 1, 0, (2e9, 2e9, 1e9), None),
    ),
)
TEXT = """\

In the course of a run
Counts per second of CPU time, from a run's start to its end in 3 equal parts:
  means over 6 runs of their own, read every 2 ms by perf stat, whose cost is in
  all of them. Bars from 0 to the highest of the event; s: standard deviation
  over runs, as a fraction of the mean, in the median part; differ: parts in
  which the level differs from no probe (t tests paired by block, Holm over all
  of the event)

page-faults
level   start to end   highest     s  differ
none    █▁ |          1.00 M/s   5 %  –
strace  ▁▁ |           100 k/s  27 %  1 of 3

cycles
level  start to end   highest  s  differ
none   ██▄|          2.00 G/s  –  –

1 trace left out: perf did not count the event all the time.
"""


def test_the_text_has_a_row_of_bars_a_level_and_says_what_they_are():
    assert plain(render_traces(FOUND, 80)) == TEXT
    assert render_traces(NOTHING, 80) == []


def test_what_is_little_is_seen_and_what_is_nothing_is_not():
    assert bars([0, 0.001, 50, 100], 100) == " ▁▄█"
    assert bars([0, 0], 0) == "  "


def test_no_line_is_wider_than_the_terminal():
    long = msgspec.structs.replace(FOUND.traces[1], level="x" * 70, rates=tuple([1e6] * 24), differences=())
    result = msgspec.structs.replace(FOUND, traces=(msgspec.structs.replace(long, s=None), FOUND.traces[2]))
    for width in (80, 120):
        assert max(map(len, plain(render_traces(result, width)).splitlines())) <= width


def test_the_document_holds_each_part():
    document = json.loads(OBSERVATION.text(FOUND))
    assert document["trace_ms"] == 2
    none, strace, cycles = document["traces"]
    assert none["parts"][0] == {"rate": 1e6, "s": 5e4, "difference": None, "ci95": None, "p_holm": None}
    assert strace["parts"][0] == {
        "rate": 1e5,
        "s": 5e4,
        "difference": -9e5,
        "ci95": [-1e6, -8e5],
        "p_holm": 1e-4,
    }
    assert (strace["runs"], strace["uncounted"], strace["blocks"]) == (5, 1, 5)
    assert cycles["parts"][0]["s"] is None
