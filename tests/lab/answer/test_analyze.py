"""From a record to its answer; the numbers themselves are judged in tests/stats."""

from __future__ import annotations

import made_up
import pytest

from steelyard.core.errors import RecordError, UsageError
from steelyard.design import treatments
from steelyard.lab.answer.analyze import analyze
from steelyard.lab.answer.design_facts import _find_cap
from steelyard.spec.tables.launch import MpiLaunch, SimulatedLaunch
from steelyard.store import Record


def test_the_answer_names_the_design_as_it_was_run(run_in):
    answer = analyze(run_in(contexts={"env_bytes": "random"}, design={"blocks": 6, "seed": 9}))
    assert (answer.design.blocks, answer.design.contexts, answer.design.seed) == (6, 6, 9)
    assert answer.design.state == "complete"
    assert answer.design.order == "randomized-blocks"
    (comparison,) = answer.judged
    assert (comparison.baseline.label, comparison.treatment.label) == ("a", "b")
    assert comparison.blocks == 6


def test_settings_that_are_not_drawn_make_one_context_and_not_one_a_block(run_in):
    answer = analyze(run_in(contexts={"env_bytes": 64}, design={"blocks": 4}))
    assert answer.design.contexts == 0
    kinds = {notice.kind for notice in answer.unobserved}
    assert "one_context" in kinds
    assert "contexts_unseen" not in kinds


@pytest.mark.parametrize(("contexts", "question"), [({"contexts": {"env_bytes": "random"}}, 1), ({}, 0)])
def test_what_passes_between_trials_is_asked_where_contexts_are_set_up(
    run_in, monkeypatch, contexts, question
):
    looked = []
    gaps = Record.gaps
    monkeypatch.setattr(Record, "gaps", lambda record: looked.append(record) or gaps(record))
    answer = analyze(run_in(**contexts, design={"blocks": 3}))
    assert len(looked) == question
    assert answer.design.pace.run_s > 0


@pytest.mark.parametrize(
    ("stop", "cap"),
    [
        ({"rel_halfwidth": 0.01}, "max_blocks"),
        ({"rel_halfwidth": 0.01, "max_blocks": 12}, "max_blocks"),
        ({"rel_halfwidth": 0.01, "max_blocks": 12, "max_time": "1 h"}, "max_blocks"),
        ({"rel_halfwidth": 0.01, "max_blocks": 2000, "max_time": "1 h"}, "max_time"),
        ({"rel_halfwidth": 0.01, "max_time": "1 h"}, "max_time"),
    ],
)
def test_what_ended_a_run_before_its_precision_is_named(make_experiment, stop, cap):
    ended_at = stop.get("max_blocks", 1000) if "max_time" not in stop else 12
    assert _find_cap(make_experiment(design={"blocks": 10, "stop": stop}), ended_at) == cap


def test_another_metric_can_be_the_primary_one(run_in):
    answer = analyze(run_in(), metric="rss_bytes")
    assert answer.metric.name == "rss_bytes"
    assert {item.metric.name for item in answer.samples} >= {"rss_bytes", "wall_s"}


def test_a_metric_that_the_record_does_not_have_is_a_usage_error(run_in):
    with pytest.raises((UsageError, RecordError), match="no_such_metric"):
        analyze(run_in(), metric="no_such_metric")


def test_a_record_without_a_complete_block_says_what_to_do(tmp_path, make_experiment):
    result = make_experiment()
    with (
        Record.create(tmp_path / "empty.lab", result, treatments=treatments(result)) as record,
        pytest.raises(RecordError, match="no complete block to analyze yet") as caught,
    ):
        analyze(record)
    assert "steelyard status" in (caught.value.hint or "")


def test_a_counter_that_this_machine_does_not_have_is_said_and_not_zero(run_in):
    record = run_in(
        program={"command": ["/bin/true"], "counters": ["task_clock", "instructions"]}, design={"blocks": 3}
    )
    answer = analyze(record)
    output = {sample.metric.name for sample in answer.samples}
    missing = {
        name
        for notice in answer.unobserved
        if notice.kind == "counters"
        for name in notice.fields["names"].split(", ")
    }
    assert output & {"task_clock", "instructions"} | missing == {"task_clock", "instructions"}


@pytest.mark.parametrize("metric", ["wall_s", "queue_wait_s"])
def test_what_is_not_known_of_waiting_in_short_runs_is_said_unless_they_were_asked(run_in, metric):
    record = run_in(program={"command": ["/bin/true"]}, design={"blocks": 8}, analysis={"metric": metric})
    unasked = sum(disturbance.trials - disturbance.observed for disturbance in record.disturbances().values())
    text = "queue_wait_of_short" in {notice.kind for notice in analyze(record).unobserved}
    assert text == (unasked > 0)
    assert metric == "wall_s" or not unasked


def test_the_estimand_and_its_interval_can_be_chosen_anew(run_in):
    record = run_in(analysis={"estimand": "ratio_of_means", "interval": "fieller"}, design={"blocks": 6})
    methods = {
        (estimand, interval): analyze(record, estimand=estimand, interval=interval).judged[0].speedup.method
        for estimand, interval in [(None, None), (None, "gum-s1"), ("median_ratio", None)]
    }
    assert list(methods.values()) == ["block-means-fieller", "block-means-gum-s1", "block-median-sign"]
    with pytest.raises(UsageError, match="geomean_ratio has no interval by fieller") as caught:
        analyze(record, estimand="geomean_ratio", interval="fieller")
    assert "log-delta, bootstrap-t" in (caught.value.hint or "")


def test_what_was_chosen_after_the_run_is_exploratory_and_what_was_declared_is_not(run_in):
    record = run_in(analysis={"estimand": "ratio_of_means"}, design={"blocks": 6})
    label = record.treatments[0].label
    for declared in ({}, {"estimand": "ratio_of_means"}, {"interval": "log-delta"}, {"against": label}):
        result = analyze(record, **declared)
        assert not any(comparison.exploratory for comparison in result.comparisons), declared
    chosen = {"estimand": "median_ratio", "interval": "fieller", "metric": "cpu_s"}
    for name, value in chosen.items():
        result = analyze(record, **{name: value})
        assert [item.exploratory for item in result.judged] == [True]
        assert (result.warnings[0].kind, result.warnings[0].fields) == ("exploratory", {"names": name})
    turned = analyze(record, against=record.treatments[1].label)
    assert turned.warnings[0].fields == {"names": "baseline"}


def test_runs_that_time_out_count_as_at_least_the_limit_where_that_is_declared(run_in):
    """Every second run of b sleeps beyond the limit; a median counts its blocks, and none is run again."""
    often = "n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) > n; [ $((n % 2)) = 0 ] || sleep 900"
    for limit_s in (1, 10, 100):
        record = run_in(
            f"{limit_s}.lab",
            program={
                "commands": {"a": ["/bin/true"], "b": ["/bin/sh", "-c", often]},
                "timeout": limit_s,
            },
            design={"blocks": 8, "discard": 0},
            analysis={"failures": "as-limit", "estimand": "median_ratio"},
        )
        answer = analyze(record)
        of_a, failures = (
            next(s.failures for s in answer.samples if s.treatment.label == label) for label in "ab"
        )
        # Of the others, none was so slow.
        if not of_a.timed_out and failures.timed_out == failures.attempted // 2:
            break
    (comparison,) = answer.judged
    assert failures.timed_out >= 3
    assert comparison.speedup.n == 8
    assert {notice.kind for notice in answer.warnings} >= {"failures", "failures_as_limit"}
    assert [s.summary.n for s in answer.samples if s.metric.name == "wall_s"] == [8 - failures.timed_out] * 2
    assert not comparison.refused
    with pytest.raises(UsageError, match="at least the limit, which ratio_of_means cannot"):
        analyze(record, estimand="ratio_of_means")
    assert analyze(record, metric="rss_bytes").declared.failures == "refuse"


def test_the_clock_of_the_record_is_part_of_the_budget_of_elapsed_times_alone(run_in):
    stated = {"name": "synchronisation", "u": 1e-6, "shared": True}
    record = run_in(design={"blocks": 4}, analysis={"type_b": [stated]})
    (wall,) = analyze(record).judged
    names = [component.name for component in wall.budget.components if component.kind == "B"]
    assert names[0] == "synchronisation"
    assert {"step of the clock", "cost of reading the clock"} <= set(names)
    (memory,) = analyze(record, metric="rss_bytes").judged
    assert memory.budget is None or {item.kind for item in memory.budget.components} == {"A"}
    with pytest.raises(UsageError, match="states uncertainties, for which an interval by sign has no place"):
        analyze(record, estimand="median_ratio")


def test_a_speedup_at_each_level_of_a_factor_is_set_against_that_at_the_first(run_in):
    record = run_in(
        program={"command": ["/bin/echo", "{algorithm}", "{runtime}"]},
        factors={"algorithm": ["delta", "kla"], "runtime": ["am", "hpx"]},
        analysis={"baseline": {"algorithm": "delta"}, "ratio_across": "runtime"},
        design={"blocks": 4},
    )
    (ratios,) = analyze(record).speedup_ratios
    assert (ratios.factor, ratios.level, ratios.reference) == ("runtime", "hpx", "am")
    assert ratios.treatment.levels == {"algorithm": "kla", "runtime": "hpx"}
    assert (ratios.ratio.method, ratios.ratio.n) == ("block-log-ratio-t", 4)


def test_instances_of_a_factor_are_compared_one_by_one(run_in):
    record = run_in(
        program={"command": ["/bin/echo", "{algorithm}", "{source_}"]},
        factors={"algorithm": ["delta", "kla"], "source_": [1, 2, 3]},
        analysis={"baseline": {"algorithm": "delta"}, "instances": "source_"},
        design={"blocks": 3},
    )
    answer = analyze(record)
    (comparison,) = answer.judged
    assert (comparison.instances, comparison.blocks) == (3, 3)
    assert comparison.speedup.method == "instance-log-ratio-t"
    assert {s.treatment.label for s in answer.samples} == {"delta", "kla"}
    assert [len(s.drill.shares) for s in answer.samples if s.metric.name == "wall_s"] == [3, 3]


@pytest.mark.parametrize(
    ("launch", "metric", "of_this_machine"),
    [
        (SimulatedLaunch(ranks="2", platform="m.xml"), "latency_s", False),
        (SimulatedLaunch(ranks="2", platform="m.xml"), "wall_s", True),
        (MpiLaunch(ranks="2"), "latency_s", True),
    ],
)
def test_where_time_is_simulated_the_clock_of_this_machine_says_nothing(
    tmp_path, launch, metric, of_this_machine
):
    spec_ = made_up.experiment(launch=launch)
    blocks = made_up.blocks(4)
    with Record.create(
        tmp_path / "a.lab", spec_, treatments=made_up.treatments(), metrics=made_up.METRICS
    ) as record:
        run = record.begin_run({}, "boot")
        record.add_blocks(blocks)
        record.take(run, made_up.measurements(blocks), record.journal_path(run).name, 1)
        answer = analyze(record, metric=metric)
    assert any(sample.metric.name == "wall_s" for sample in answer.samples) == of_this_machine
    message = {notice.kind for notice in (*answer.warnings, *answer.unobserved)}
    assert bool(message & {"disturbed", "queue_wait", "queue_wait_of_short"}) == of_this_machine
