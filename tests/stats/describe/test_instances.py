from __future__ import annotations

import math

import numpy as np
import pytest
from msgspec.structs import replace
from scipy import stats as witness

from steelyard.core.analysis import Analysis
from steelyard.core.errors import UsageError
from steelyard.core.sample import Failures
from steelyard.results.analysis import DesignFacts
from steelyard.stats.answer import answer
from steelyard.stats.compare.comparison import compare
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.compare.crossed import cross_instances
from steelyard.stats.describe.instances import drill_down, pool

BY_SOURCE = Analysis(instances="source", baseline={"run": 2})


def of_runs(sample, runs, *, as_label=False):
    """One sample a run and source, as a design of both factors, or labels of one program, makes them."""
    samples = []
    for run, values in runs.items():
        for source, value in enumerate(values, 1):
            levels = {"run": run} if as_label else {"run": run, "source": source}
            labels = {"source": source} if as_label else {}
            treatment = len(samples) + 1 if not as_label else list(runs).index(run) + 1
            samples.append(sample(np.atleast_1d(value), treatment=treatment, levels=levels, labels=labels))
    return samples


@pytest.mark.parametrize("as_label", [False, True])
def test_table_1_blocks_on_its_eight_instances(sample, run_2, run_5, as_label):
    """Paired nu = 7: geometric ratio 0.978156, interval 0.767797 to 1.246150."""
    samples = pool(of_runs(sample, {2: run_2, 5: run_5}, as_label=as_label), "source")
    assert [len(item) for item in samples] == [8, 8]
    (c,) = compare(samples, Analysis(baseline={"run": 2}))
    assert (c.speedup.method, c.speedup.nu, c.instances) == ("instance-log-ratio-t", 7, 8)
    assert c.speedup.value == pytest.approx(0.978156, abs=5e-7)
    assert (c.ci95.low, c.ci95.high) == pytest.approx((0.767797, 1.246150), abs=5e-7)
    assert c.adjusted.u == pytest.approx(0.133930, abs=5e-7)


def test_instance_7_of_table_1_carries_most_of_the_sum_of_squares(sample, run_2, run_5):
    two, five = (drill_down(item) for item in pool(of_runs(sample, {2: run_2, 5: run_5}), "source"))
    assert two.largest.level == five.largest.level == 7
    assert two.largest.share == pytest.approx(0.821, abs=5e-4)
    assert five.largest.share == pytest.approx(0.450, abs=5e-4)
    assert two.largest.mean == pytest.approx(2.229320 * 88.080239, rel=1e-6)
    assert (two.between, two.runs, two.rest) == (pytest.approx(1.0), 0.0, pytest.approx(0.0))


def test_a_report_on_a_high_spread_names_the_instance(sample, run_2, run_5):
    result = answer(
        "t", of_runs(sample, {2: run_2, 5: run_5}), DesignFacts("randomized-blocks", 1, 1), BY_SOURCE
    )
    named = [warning for warning in result.warnings if warning.kind == "instance_carries"]
    assert [item.fields["instance"] for item in named] == [7, 7]
    assert [element.treatments for element in named] == [("2",), ("5",)]
    assert named[0].fields["cv"] == pytest.approx(0.512676, abs=5e-7)
    assert [element.fields["ratio"] for element in named] == pytest.approx(
        [max(run) / np.mean(run) for run in (run_2, run_5)], rel=1e-6
    )
    assert set(named[0].fields) == {"factor", "instance", "cv", "share", "ratio"}


def test_several_runs_split_into_instances_runs_and_the_rest(sample):
    """A balanced two-way table; the shares are those of an analysis of variance (by cell means)."""
    rng = np.random.default_rng(1)
    table = rng.normal(10, 1, 6)[:, None] + rng.normal(0, 0.5, 4) + rng.normal(0, 0.1, (6, 4))
    (joined,) = pool(
        [sample(row, treatment=t, levels={"source": t}) for t, row in enumerate(table)], "source"
    )
    drill = drill_down(joined)
    total = ((table - table.mean()) ** 2).sum()
    assert drill.between == pytest.approx(4 * ((table.mean(axis=1) - table.mean()) ** 2).sum() / total)
    assert drill.runs == pytest.approx(6 * ((table.mean(axis=0) - table.mean()) ** 2).sum() / total)
    assert drill.between + drill.runs + drill.rest == pytest.approx(1.0)
    assert sum(share.share for share in drill.shares) == pytest.approx(drill.between)


def test_runs_of_an_instance_are_replicates_of_one_unit(sample):
    rng = np.random.default_rng(2)
    cost = np.exp(rng.normal(0, 0.5, 8))
    old, new = (cost[:, None] * np.exp(rng.normal(0, 0.05, (8, 5))) for _ in range(2))
    runs = {"a": list(old), "b": list(new)}
    (c,) = compare(pool(of_runs(sample, runs), "source"), Analysis(baseline={"run": "a"}))
    differences = np.log(old).mean(axis=1) - np.log(new).mean(axis=1)
    between = cross_instances(*pool(of_runs(sample, runs), "source"))
    u = math.hypot(witness.sem(differences), math.sqrt(between.added))
    assert c.speedup.p == pytest.approx(2 * witness.t.sf(abs(differences.mean()) / u, between.nu))
    assert (c.instances, c.blocks) == (8, 5)


def test_pooling_keeps_the_order_of_time_the_failures_and_what_has_no_such_label(sample):
    samples = [
        sample([1.0, 2.0], levels={"a": 1, "source": 1}, failures=Failures(3, 1, 1)),
        sample([3.0, 4.0], treatment=2, levels={"a": 1, "source": 2}, failures=Failures(2, 0, 0)),
    ]
    (joined,) = pool(samples, "source")
    assert list(joined.values) == [1.0, 3.0, 2.0, 4.0]
    assert list(joined.instances.ids) == [0, 1, 0, 1]
    assert (joined.failures, joined.treatment.levels, joined.treatment.label) == (
        Failures(5, 1, 1),
        {"a": 1},
        "every source",
    )
    plain = sample([1.0], metric="rss_bytes", levels={"a": 1})
    labelled = sample([1.0], levels={"a": 1}, labels={"source": 1})
    pooled = pool([plain, labelled], "source")[0]
    assert (pooled.instances, list(pooled.values)) == (None, [1.0])


def test_an_instance_that_only_one_treatment_has_is_in_no_pair(sample):
    samples = of_runs(sample, {"a": [1.0, 2.0, 3.0], "b": [2.0, 3.0, 4.0]})
    old, new = pool([*samples[:3], *samples[4:]], "source")
    between = contrast(old, new)
    assert (between.unmatched, list(between.old.ids), list(between.old.raws)) == (1, [2, 3], [2.0, 3.0])


def test_what_nobody_has_is_a_usage_error(sample):
    with pytest.raises(UsageError, match="'sauce' is neither a factor nor a label") as caught:
        pool([sample([1.0], levels={"source": 1})], "sauce")
    assert "source" in caught.value.hint


def test_samples_without_spread_or_instances_have_nothing_to_drill_into(sample):
    assert drill_down(sample([1.0, 2.0])) is None
    (flat,) = pool([sample([1.0, 1.0], treatment=t, levels={"source": t}) for t in (1, 2)], "source")
    assert drill_down(flat) is None


def test_iterations_taken_for_launches_make_equal_programs_different(sample, perfect_passes):
    """N = 600: 10 launches of 100 iterations, as much spread between launches as within. Reduced to one value
    a launch 5 %, flattened about 65 % are called different, by intervals that allow for likeness.
    """
    count = 600
    assert perfect_passes(count, 0.05, 18, 43) > 0.98
    rng = np.random.default_rng(3)
    reduced = flattened = 0
    for _ in range(count):
        logs = 0.01 * (rng.normal(size=(2, 10, 1)) + rng.normal(size=(2, 10, 100)))
        values = np.exp(logs)
        launches = [sample(np.median(values[t], axis=1), treatment=t + 1) for t in (0, 1)]
        reduced += compare(launches, Analysis())[0].verdict != "not_resolved"
        flat = [sample(values[t].ravel(), treatment=t + 1) for t in (0, 1)]
        flattened += compare(flat, Analysis())[0].verdict != "not_resolved"
    assert 18 <= reduced <= 43
    assert flattened > 0.6 * count


def test_instances_of_a_crowd_or_of_a_simulation_stay_that(sample, run_2, run_5):
    result = of_runs(sample, {2: run_2, 5: run_5})
    result[3] = replace(result[3], provenance="simulated")
    assert [item.provenance for item in pool(result, "source")] == ["simulated", "measured"]
    result[4] = replace(result[4], provenance="crowded")
    assert [element.provenance for element in pool(result, "source")] == ["crowded", "measured"]
