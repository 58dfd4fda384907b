"""CPU time beside elapsed time, where others used the CPUs."""

from __future__ import annotations

import made_up
import numpy as np
import pytest
from msgspec.structs import replace

from steelyard.lab.answer.analyze import analyze
from steelyard.store import Record

BLOCKS = 41


def make_record(directory, *, wait, longer=1.0, seed=566):
    """Two treatments of 1 ms of CPU; the second takes ``longer``; both wait as an exponential draw says."""
    rng = np.random.default_rng(seed)
    blocks = made_up.blocks(BLOCKS, treatments=2)
    measured = []
    for measurement in made_up.measurements(blocks):
        cpu_s = 0.05 * np.exp(rng.normal(0, 0.02)) * (longer if measurement.treatment == 2 else 1.0)
        wait_s = wait * rng.exponential()
        changes = {
            "values": (),
            "wall_ns": round(1e9 * (cpu_s + wait_s)),
            "queue_wait_ns": round(1e9 * wait_s),
        }
        times = {
            "user_us": round(1e6 * cpu_s),
            "system_us": 0,
            "start_ns": 10**18 + 10**9 * measurement.trial,
        }
        measured.append(replace(measurement, **changes, **times))
    record = Record.create(directory, made_up.experiment(), treatments=made_up.treatments(2))
    run = record.begin_run({}, "boot")
    record.add_blocks(blocks)
    record.take(run, measured, record.journal_path(run).name, 1)
    return record


def select_second(record, **options):
    return [notice for notice in analyze(record, **options).warnings if notice.kind == "by_cpu_time"]


def test_where_others_used_the_cpus_cpu_time_has_a_verdict_of_its_own(tmp_path):
    with make_record(tmp_path / "a.lab", wait=0.1, longer=1.05) as record:
        answer = analyze(record)
        (second,) = select_second(record)
    assert answer.judged[0].verdict == "not_resolved"
    assert second.fields["verdict"] == "slower"
    assert second.fields["lowest"] <= 1 / 1.05 <= second.fields["highest"] < 1
    assert second.fields["level"] == pytest.approx(0.99)


def test_equal_programs_are_not_told_apart_by_cpu_time(tmp_path):
    with make_record(tmp_path / "a.lab", wait=0.1) as record:
        (second,) = select_second(record)
    assert second.fields["verdict"] == "not_resolved"
    assert second.fields["lowest"] < 1 < second.fields["highest"]


def test_on_a_quiet_machine_and_of_another_metric_nothing_is_added(tmp_path):
    with make_record(tmp_path / "quiet.lab", wait=0.0, longer=1.05) as record:
        assert select_second(record) == []
    with make_record(tmp_path / "busy.lab", wait=0.1, longer=1.05) as record:
        assert select_second(record, metric="cpu_s") == []
