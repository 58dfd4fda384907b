"""Trials that a queue ended with their job, told from those that failed by themselves."""

from __future__ import annotations

from msgspec.structs import replace

from steelyard.extensions.clusters.job import Job
from steelyard.extensions.clusters.losses import drop_ranks_ended_first, find_job, select_trials
from steelyard.extensions.clusters.template import Template
from steelyard.run.runner.journal import lost_trial

SECOND = 10**9


def trial(number, ends_s, *, exit_code=0, status="ok", signal=None):
    base = lost_trial(number, 0, "")
    return replace(
        base, status=status, start_ns=ends_s * SECOND - 1, wall_ns=1, exit_code=exit_code, signal=signal
    )


def numbers(raw_trials):
    return [raw.trial for raw in raw_trials]


def test_failures_in_a_row_at_the_end_are_the_queues():
    result = [trial(1, 10), trial(2, 20, exit_code=143), trial(3, 21, exit_code=1)]
    assert numbers(drop_ranks_ended_first(result)) == [1]


def test_a_failure_before_a_trial_that_went_well_is_the_programs():
    assert numbers(drop_ranks_ended_first([trial(1, 10, exit_code=3), trial(2, 20)])) == [1, 2]


def test_a_failure_more_than_a_minute_before_the_end_is_the_programs():
    result = [trial(1, 10, exit_code=3), trial(2, 100, exit_code=1)]
    assert numbers(drop_ranks_ended_first(result)) == [1]


def test_a_trial_over_its_own_time_limit_is_the_programs():
    assert numbers(drop_ranks_ended_first([trial(1, 10, exit_code=None, status="timed_out")])) == [1]


def test_trials_of_a_job_that_obeyed_all_orders_all_count(tmp_path):
    job = Job(tmp_path)
    (tmp_path / "end").write_text('{"exit":0,"host":"n","kernel":"k","cpu":"c","started":1,"ended":2}')
    result = [trial(1, 10, exit_code=3)]
    assert select_trials(result, job, Template(["x"], "(.)", ["x"])) == result
    (tmp_path / "end").write_text('{"exit":143,"host":"n","kernel":"k","cpu":"c","started":1,"ended":2}')
    assert select_trials(result, job, Template(["x"], "(.)", ["x"])) == []


def test_a_journal_is_that_of_the_job_in_its_name_or_of_the_run(tmp_path):
    (tmp_path / "jobs" / "000007").mkdir(parents=True)
    jobs = tmp_path / "jobs"
    assert find_job(tmp_path / "000001-000007.journal", jobs) == Job(jobs / "000007")
    assert find_job(tmp_path / "000001.journal", jobs) is None
    assert find_job(tmp_path / "000001-000008.journal", jobs) is None
