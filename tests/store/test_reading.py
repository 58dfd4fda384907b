"""What comes out of a record is what went in, reduced as declared; the witness is the statistics module."""

from __future__ import annotations

import statistics
import subprocess
import sys

import made_up
import msgspec
import pytest

from steelyard.core.errors import UsageError
from steelyard.core.sample import Failures
from steelyard.core.units import BUILTIN
from steelyard.run.measure.measurement import Value
from steelyard.spec.experiment import UserMetric
from steelyard.store import Record


@pytest.fixture
def blocks():
    return made_up.blocks(5, contexts=True)


@pytest.fixture
def spoilt(blocks):
    """Measurements of which one trial in block 3 failed, and one in block 5 ran into its time limit."""
    result = made_up.measurements(blocks)
    result[7] = made_up.measurement(blocks[2], 2, status="failed")
    result[12] = made_up.measurement(blocks[4], 1, status="timed_out")
    return result


@pytest.fixture
def record(tmp_path, blocks, spoilt):
    with made_up.filled(tmp_path / "a.lab", blocks, spoilt) as record:
        yield record


def counted(spoilt, treatment):
    """Block 1 is discarded, blocks 3 and 5 are incomplete."""
    return [m for m in spoilt if m.block in (2, 4) and m.treatment == treatment]


def test_blocks_come_back_as_they_were_drawn_with_the_states_that_their_trials_give(record, blocks):
    outcomes = record.outcomes()
    assert [outcome.block for outcome in outcomes] == blocks
    assert [o.state for o in outcomes] == ["discarded", "complete", "incomplete", "complete", "incomplete"]


@pytest.mark.parametrize(
    ("metric", "of"),
    [
        ("wall_s", lambda m: m.wall_ns / 1e9),
        ("cpu_s", lambda m: (m.user_us + m.system_us) / 1e6),
        ("user_s", lambda m: m.user_us / 1e6),
        ("system_s", lambda m: m.system_us / 1e6),
        ("rss_bytes", lambda m: float(m.rss_bytes)),
        ("minor_faults", lambda m: float(m.minor_faults)),
        ("major_faults", lambda m: float(m.major_faults)),
        ("voluntary_switches", lambda m: float(m.voluntary_switches)),
        ("involuntary_switches", lambda m: float(m.involuntary_switches)),
        ("queue_wait_s", lambda m: None if m.treatment == 2 else m.queue_wait_ns / 1e9),
    ],
)
def test_built_in_metrics_are_sampled_from_complete_blocks_in_the_order_of_time(record, spoilt, metric, of):
    samples = record.samples(metric)
    assert [sample.treatment.id for sample in samples] == [1, 2, 3]
    for sample in samples:
        expected = [m for m in counted(spoilt, sample.treatment.id) if of(m) is not None]
        assert list(sample.values) == [of(m) for m in expected]
        assert all(isinstance(value, float) for value in sample.values)
        assert list(sample.trials) == [m.trial for m in expected]
        assert list(sample.blocks) == [m.block for m in expected]
        assert list(sample.contexts) == [m.block for m in expected]
        assert list(sample.passes) == [1] * len(expected)
        assert sample.metric == BUILTIN[metric]


def test_every_built_in_metric_can_be_sampled(record):
    for metric in BUILTIN:
        assert len(record.samples(metric)) == 3


def test_iterations_are_reduced_to_one_value_a_launch_as_the_spec_declares(record, spoilt):
    for sample in record.samples("rate"):
        expected = [
            max(v.value for v in m.values if v.metric == "rate") for m in counted(spoilt, sample.treatment.id)
        ]
        assert list(sample.values) == expected


def test_labels_make_samples_of_their_own(record, spoilt):
    samples = record.samples("latency_s")
    assert [(s.labels["op"], s.treatment.id) for s in samples] == [
        (op, treatment) for op in ("bcast", "reduce") for treatment in (1, 2, 3)
    ]
    for sample in samples:
        expected = [
            statistics.median(
                v.value for v in m.values if v.metric == "latency_s" and v.labels["op"] == sample.labels["op"]
            )
            for m in counted(spoilt, sample.treatment.id)
        ]
        assert list(sample.values) == expected
    assert record.labels_of("latency_s") == [{"op": "bcast", "p": 4}, {"op": "reduce", "p": 4}]
    assert record.labels_of("rate") == [{}]
    assert record.labels_of("wall_s") == [{}]


def test_failures_count_attempts_outside_discarded_blocks(record, spoilt):
    failed, late = spoilt[7].treatment, spoilt[12].treatment
    expected = {
        treatment: Failures(
            4,
            int(treatment == failed) + int(treatment == late),
            int(treatment == late),
            "exit code 1, not 0" if treatment in (failed, late) else "",
        )
        for treatment in (1, 2, 3)
    }
    assert record.failures() == expected
    assert {sample.treatment.id: sample.failures for sample in record.samples("wall_s")} == expected


def test_a_treatment_without_any_value_still_has_its_sample(tmp_path):
    result = made_up.blocks(2, treatments=2)
    measurements = [
        made_up.measurement(block, place, status="failed" if block.order[place - 1] == 2 else "ok")
        for block in result
        for place in (1, 2)
    ]
    with made_up.filled(tmp_path / "a.lab", result, measurements) as record:
        for metric in ("wall_s", "rate"):
            assert [(s.treatment.id, len(s)) for s in record.samples(metric)] == [(1, 0), (2, 0)]
        assert record.failures()[2] == Failures(1, 1, 0, "exit code 1, not 0")


def test_trials_without_an_observation_are_left_out_not_zero(tmp_path):
    result = made_up.blocks(3, treatments=1)
    measurements = made_up.measurements(result, values=False)
    with made_up.filled(tmp_path / "a.lab", result, measurements) as record:
        assert [len(sample) for sample in record.samples("instructions")] == [0]
        assert [len(sample) for sample in record.samples("queue_wait_s")] == [len(measurements) - 1]


def test_a_wait_that_was_observed_in_some_trials_only_is_no_sample(record, spoilt):
    trials = counted(spoilt, 2)
    assert 0 < sum(m.queue_wait_ns is None for m in trials) < len(trials)
    assert [len(sample) > 0 for sample in record.samples("queue_wait_s")] == [True, False, True]


def test_finished_trials_are_those_of_the_block(tmp_path):
    result = made_up.blocks(2)
    measurement = made_up.measurements(result)[:4]
    with made_up.filled(tmp_path / "a.lab", result, measurement) as record:
        assert record.finished_trials(1) == {1, 2, 3}
        assert record.finished_trials(2) == {4}
        assert record.finished_trials(3) == set()
        assert [outcome.state for outcome in record.outcomes()] == ["discarded", "planned"]


def test_progress_counts_everything(record):
    progress = record.progress()
    assert (progress.planned_trials, progress.trials, progress.failed) == (15, 15, 2)
    assert progress.blocks == {"discarded": 1, "complete": 2, "incomplete": 2}
    assert progress.contexts == 2
    assert progress.last_start_ns == 1_785_000_000_015_000_000


def test_progress_counts_the_contexts_of_complete_blocks(tmp_path):
    result = made_up.blocks(5, contexts=True)
    measurements = made_up.measurements(result)
    measurements[-1] = made_up.measurement(result[4], 3, status="failed")
    with made_up.filled(tmp_path / "a.lab", result, measurements) as record:
        assert record.progress().blocks == {"discarded": 1, "complete": 3, "incomplete": 1}
        assert record.progress().contexts == 3


def test_progress_of_a_new_record_is_nothing(tmp_path):
    with made_up.create(tmp_path / "a.lab") as record:
        progress = record.progress()
    assert (progress.planned_trials, progress.trials, progress.failed, progress.last_start_ns) == (
        0,
        0,
        0,
        None,
    )
    assert progress.blocks == {}


def test_disturbance_is_the_share_of_time_without_a_cpu(record, spoilt):
    for treatment, result in record.disturbances().items():
        trials = counted(spoilt, treatment)
        observed = [m.queue_wait_ns for m in trials if m.queue_wait_ns is not None]
        assert (result.trials, result.observed) == (len(trials), len(observed))
        # Of all elapsed time: the trials that were long enough to be asked are no fair sample.
        assert result.queue_wait_share == pytest.approx(
            sum(observed) / sum(m.wall_ns for m in trials), rel=1e-15
        )


def test_gaps_between_trials_are_told_within_blocks_and_between_them(tmp_path):
    result = made_up.blocks(4)
    measurements = [
        msgspec.structs.replace(m, start_ns=10**6 * (3 * m.trial + 5 * m.block), wall_ns=10**6)
        for m in made_up.measurements(result)
    ]
    with made_up.filled(tmp_path / "a.lab", result, measurements) as record:
        gaps = record.gaps()
        assert (gaps.within_s, gaps.between_s) == (pytest.approx(0.002), pytest.approx(0.007))
        assert record.gaps(trials=2).between_s is None
        assert record.gaps(trials=1).within_s is None


def test_an_unknown_metric_names_the_nearest(record):
    with pytest.raises(UsageError, match="no metric 'wall_ss'") as error:
        record.samples("wall_ss")
    assert error.value.hint == "did you mean wall_s?"


def test_the_store_needs_no_numpy():

    code = "import sys, steelyard.store; sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_fresh_reader_gives_the_same_samples(record):
    with Record.open(record.directory) as reader:
        for metric in ("wall_s", "rate", "latency_s", "queue_wait_s"):
            assert reader.samples(metric) == record.samples(metric)


@pytest.mark.parametrize(("reduce", "expected"), [("first", 0.0), ("last", 3.0)])
def test_iterations_are_reduced_in_their_order_whatever_order_they_came_in(tmp_path, reduce, expected):
    metric = UserMetric("rate", source="stdout", pattern="(.*)", reduce=reduce)
    values = tuple(Value("rate", float(i), i) for i in (2, 0, 3, 1))
    block = msgspec.structs.replace(made_up.blocks(1, treatments=1)[0], discard=False)
    with Record.create(
        tmp_path / "a.lab",
        made_up.experiment(metrics=(metric,)),
        treatments=made_up.treatments(1),
        metrics=made_up.METRICS,
    ) as record:
        record.add_blocks([block])
        run = record.begin_run({}, "boot")
        result = msgspec.structs.replace(made_up.measurement(block, 1), values=values)
        record.take(run, [result], record.journal_path(run).name, 1)
        assert [list(sample.values) for sample in record.samples("rate")] == [[expected]]


def test_several_metrics_at_once_give_what_they_give_one_by_one(record):
    question = ("rss_bytes", "rate", "wall_s", "queue_wait_s", "cpu_s", "latency_s")
    assert record.samples(*question) == [sample for metric in question for sample in record.samples(metric)]
    assert record.samples() == []
