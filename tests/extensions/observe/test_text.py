"""What an observation says, whole."""

from __future__ import annotations

import json

import msgspec

from steelyard.core.units import Metric
from steelyard.extensions.observe.results import (
    OBSERVATION,
    AnyLevel,
    Change,
    Correlation,
    Observation,
    Probed,
)
from steelyard.extensions.observe.text import change_columns, lines
from steelyard.report.text.line import plain
from steelyard.results.interval import Interval

CPU = Metric("cpu_s", "s", "builtin")
CYCLES = Metric("cycles", "", "counter")
FOUND = Observation(
    command="{build}/events 200000",
    probes=(
        Probed(
            "-DSTEELYARD_PROBES=1",
            0.0000865,
            (
                Change(CPU, 1.065, Interval(1.06, 1.069), 1e-9, 1.0, "perturbed", 105),
                Change(CYCLES, 1.0005, Interval(0.999, 1.002), 0.5, 1e-5, "unperturbed", 105),
            ),
        ),
        Probed("-DSTEELYARD_SITES=100", 0.445, (Change(CPU, 1.126, None, 1e-9, 1.0, "not_resolved", 105),)),
        Probed("fails", None, (), "it ended with exit code 3; without a probe it ended with exit code 0"),
    ),
    correlations=(Correlation(("cpu_s", "cycles"), 0.89, Interval(0.27, 0.99), 7),),
    typical={"cpu_s": 0.00915, "cycles": 35594379.0},
    within=0.01,
    alpha=0.05,
    blocks=105,
    seed=7,
    contexts=True,
    compared=("stderr",),
    uncompared={"stdout": "differs from run to run"},
    any_level=(AnyLevel(CPU, "block", 211.0, 1.7, 176.8, 1e-9, 3, 105),),
)
TEXT = """\
cpu_s is perturbed by -DSTEELYARD_PROBES=1; not resolved for
  -DSTEELYARD_SITES=100. The largest change: +12.6 % with -DSTEELYARD_SITES=100.
  The program behaves differently under fails.

{build}/events 200000: 105 randomised blocks, each in a context of its own, seed
  7; changes against no probe, intervals 95 %; within: two one-sided tests at
  5 %

cpu_s, 9.15 ms without a probe
probe                  instructions   change         95 % CI  verdict
-DSTEELYARD_PROBES=1     +0.00865 %   +6.5 %  +6.0 to +6.9 %  perturbed
-DSTEELYARD_SITES=100       +44.5 %  +12.6 %               –  not resolved
any of 3 levels: F(1.7, 176.8) = 211, p <0.0001 (Box, 105 blocks): at least one
  of them differs

-DSTEELYARD_PROBES=1     |                --o-
-DSTEELYARD_SITES=100    |                                  o
                         0   +2 %    +5 %          +10 %                   +20 %

cycles, 35,594,379 without a probe
probe                 instructions   change           95 % CI  verdict
-DSTEELYARD_PROBES=1    +0.00865 %  +0.05 %  -0.10 to +0.20 %  within 1 %

fails: the program behaves differently: it ended with exit code 3; without a
  probe it ended with exit code 0. Not compared.

Does a change in one metric predict a change in another?
- cpu_s and cycles: rank correlation 0.89 (95 % CI 0.27 to 0.99) over 7 probes:
  yes

Compared in every run, byte for byte: stderr.

Not compared: stdout (differs from run to run).

A processor has few counters. Under a probe that counts too, they take turns,
  and what is shown of them is an estimate from a part of the run.
"""


def test_the_text_is_the_finding_a_figure_a_metric_and_what_could_not_be_compared():
    assert plain(lines(FOUND)) == TEXT


def test_no_line_is_wider_than_the_terminal():
    for width in (60, 80, 120):
        assert max(map(len, plain(lines(FOUND, width)).splitlines())) <= width


def test_without_a_usable_probe_there_is_no_figure():
    nothing = Observation(
        **{name: getattr(FOUND, name) for name in FOUND.__slots__} | {"probes": FOUND.probes[2:]}
    )
    assert plain(lines(nothing)).startswith(
        "Every probe changes the program's behaviour, so nothing was compared."
    )


def test_where_no_block_was_complete_it_is_time_that_lacks():
    nothing = msgspec.structs.replace(FOUND, probes=(Probed("nice", None, ()),))
    assert plain(lines(nothing)).startswith("No complete block was measured, so nothing was compared; raise")


def test_a_metric_that_varies_with_nothing_says_why_it_has_no_test():
    result = msgspec.structs.replace(FOUND.any_level[0], metric=CYCLES)
    text = plain(lines(msgspec.structs.replace(FOUND, any_level=(result,))))
    assert "any of 3 levels: no test: nothing varies between blocks" in text


def test_the_document_holds_everything_by_name():
    document = json.loads(OBSERVATION.text(FOUND))
    assert (document["format"], document["version"]) == ("steelyard/observation", 2)
    assert (document["compared"], document["outputs_compared"]) == (["stderr"], False)
    assert document["uncompared"] == {"stdout": "differs from run to run"}
    first, second, third = document["probes"]
    assert first["changes"][0]["ci95"] == [1.06, 1.069]
    assert second["changes"][0]["ci95"] is None
    assert third["differs"].startswith("it ended with exit code 3")
    assert document["unprobed"]["cpu_s"] == 0.00915
    (test,) = document["any_level"]
    assert (test["metric"], test["method"], test["nu1"], test["levels"], test["n"]) == (
        "cpu_s",
        "block-contrast-box",
        1.7,
        3,
        105,
    )


def test_where_no_instructions_were_counted_the_table_has_no_column_of_them():
    probed = [(probe, probe.changes[0]) for probe in FOUND.probes[:2]]
    assert "instructions" in [column.title for column in change_columns(probed, FOUND)]
    uncounted = [(msgspec.structs.replace(probe, added=None), change) for probe, change in probed]
    columns = change_columns(uncounted, FOUND)
    assert "instructions" not in [column.title for column in columns]
    assert {len(column.cells) for column in columns} == {2}
