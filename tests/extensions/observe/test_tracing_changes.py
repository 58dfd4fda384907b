"""Traces: what is counted in each part of a run, over runs, and between levels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, ttest_1samp
from statsmodels.stats.multitest import multipletests

from steelyard.extensions.observe.tracing_changes import PARTS, TracedRun, profile, traces

POSITIVE = st.floats(1e-4, 1.0)


def run(level, block, cpu_s, **counts):
    return TracedRun(
        level,
        block,
        np.asarray(cpu_s, float),
        {name: np.asarray(values, float) for name, values in counts.items()},
    )


@given(st.lists(st.tuples(POSITIVE, st.floats(0, 1e6)), min_size=1, max_size=30), st.integers(1, PARTS))
def test_the_parts_together_hold_what_the_run_has(intervals, parts):
    cpu_s, counts = map(np.array, zip(*intervals, strict=True))
    rates = profile(cpu_s, counts, parts)
    assert (rates >= -1e-6).all()
    assert rates.sum() * cpu_s.sum() / parts == pytest.approx(counts.sum(), abs=1e-6)


def test_two_phases_are_where_they_are_however_the_readings_fall():
    # 3 s at 100 a second, then 1 s of nothing; every reading but one lies within a phase.
    for cpu_s, counts in (([3, 1], [300, 0]), ([1, 0.5, 1.5, 0.2, 0.8], [100, 50, 150, 0, 0])):
        rates = profile(np.array(cpu_s, float), np.array(counts, float), 4)
        assert rates.tolist() == pytest.approx([100, 100, 100, 0])


def test_rates_are_means_over_runs_and_differences_are_tested_as_others_do():
    # Witnesses: SciPy's t test of each part's paired differences, statsmodels' Holm over all of the event.
    draw = np.random.default_rng(4)
    shapes = {"none": [50, 50, 1, 1], "early": [80, 50, 1, 1], "late": [50, 50, 1, 40]}
    tables = {
        level: np.array(shape) + draw.normal(0, 3, (8, 1)) + draw.normal(0, 1, (8, 4))
        for level, shape in shapes.items()
    }
    runs = [
        run(level, b, [1, 1, 1, 1], e=row)
        for level, table in tables.items()
        for b, row in enumerate(table, 1)
    ]
    none, early, late = traces(runs, ["e"], ["none", "early", "late"], alpha=0.05)
    assert none.rates == pytest.approx(tables["none"].mean(axis=0))
    assert none.s == pytest.approx(tables["none"].std(axis=0, ddof=1))
    assert none.differences == ()
    d = [tables["early"] - tables["none"], tables["late"] - tables["none"]]
    tests = [ttest_1samp(table, 0) for table in d]
    adjusted = multipletests(np.concatenate([test.pvalue for test in tests]), 0.05, "holm")[1]
    result = [*early.differences, *late.differences]
    assert [item.p_holm for item in result] == pytest.approx(adjusted, rel=1e-6)
    assert [element.difference for element in result] == pytest.approx(
        np.concatenate([t.mean(axis=0) for t in d])
    )
    low = np.concatenate([test.confidence_interval(0.95).low for test in tests])
    assert [element.ci95.low for element in result] == pytest.approx(low)
    assert (early.differing(0.05), late.differing(0.05), early.blocks) == ([0], [3], 8)


def test_blocks_that_one_level_lacks_are_in_no_difference_and_no_mean():
    runs = [run("none", b, [1, 1], e=[b, 2]) for b in (1, 2, 3)]
    runs += [run("p", b, [1, 1], e=[2 * b, 3]) for b in (2, 3)] + [run("p", 4, [1, 1])]
    none, p = traces(runs, ["e"], ["none", "p"], alpha=0.05)
    assert (none.runs, none.uncounted, p.runs, p.uncounted, p.blocks) == (3, 0, 2, 1, 2)
    assert p.differences[0].difference == pytest.approx(2.5)
    # The second part differs by exactly 1 in both blocks: no spread, so no test.
    assert (p.differences[1].difference, p.differences[1].ci95, p.differences[1].p_holm) == (1, None, None)


def test_one_run_has_no_spread_and_an_event_that_no_run_has_no_trace():
    (only,) = traces([run("none", 1, [1.0], e=[3])], ["e", "f"], ["none", "p"], alpha=0.05)
    assert (only.rates, only.s, only.differences) == ((3.0,), None, ())
    assert traces([], ["e"], ["none"], alpha=0.05) == ()


@pytest.mark.simulates
def test_where_nothing_differs_any_part_is_said_to_in_at_most_5_of_100():
    # 1,000 experiments of 10 blocks, 12 parts, 2 probes; a family error of 5 % has at most 67 with a
    # probability of .99, and Holm's, of parts that share a baseline, is no larger.
    draw = np.random.default_rng(12)
    levels = ["none", "p", "q"]
    wrong = 0
    for _ in range(1000):
        rows = draw.normal(100, 5, (3, 10, 12)) + draw.normal(0, 10, (1, 10, 1))
        runs = [run(level, b, np.ones(12), e=rows[i, b]) for i, level in enumerate(levels) for b in range(10)]
        wrong += any(trace.differing(0.05) for trace in traces(runs, ["e"], levels, alpha=0.05))
    assert binom.cdf(67, 1000, 0.05) > 0.98
    assert 10 <= wrong <= 67, wrong
