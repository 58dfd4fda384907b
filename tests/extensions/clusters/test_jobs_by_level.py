"""A job for each combination of the levels that the queue is told, in a queue that runs jobs out of order."""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter, defaultdict

import pytest

from steelyard.core.errors import InterruptedRunError, ProgramError, SpecError
from steelyard.extensions.clusters.job import STOPPED, jobs_in
from steelyard.extensions.clusters.jobs import JOBS
from steelyard.extensions.plan.preview import preview
from steelyard.lab.answer.analyze import analyze
from steelyard.lab.run.run import run
from steelyard.spec import experiment
from steelyard.store import Record

pytestmark = pytest.mark.extensions("plan")

QUEUE = '''
"""A queue that begins no job before HOLD are handed in, and then the last one first."""
import os, signal, subprocess, sys
from pathlib import Path
place, verb, *rest = sys.argv[1:]
place = Path(place)
if verb == "submit":
    hold, nodes, script, log = rest
    waiting = place / "waiting"
    waiting.mkdir(parents=True, exist_ok=True)
    number = len(list(place.glob("job-*"))) + 1
    (place / f"job-{number}").write_text(nodes)
    (waiting / f"{number:03}").write_text(f"{script}\\n{log}\\n{nodes}")
    if len(list(waiting.iterdir())) >= int(hold):
        for each in sorted(waiting.iterdir(), reverse=True):
            script, log, nodes = each.read_text().split("\\n")
            with open(log, "w") as output:
                started = subprocess.Popen(
                    ["bash", script], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                    start_new_session=True, env={**os.environ, "ALLOC_NODES": nodes, "ALLOC_JOB": each.name},
                )
            (place / f"pid-{int(each.name)}").write_text(str(started.pid))
            with (place / "begun").open("a") as begun:
                print(int(each.name), file=begun)
            each.unlink()
    print("job", number)
    sys.exit()
(number,) = rest
pid = place / f"pid-{number}"
held = place / "waiting" / f"{int(number):03}"
if verb == "cancel":
    held.unlink(missing_ok=True)
    if pid.exists():
        try:
            os.killpg(int(pid.read_text()), signal.SIGTERM)
        except ProcessLookupError:
            pass
elif not held.exists():
    state = Path(f"/proc/{pid.read_text()}/status") if pid.exists() else None
    ended = state is None or not state.exists() or "State:\\tZ" in state.read_text()
    sys.exit(1 if ended else 0)
'''
WRITES = 'echo "$1 $ALLOC_JOB $ALLOC_NODES $2" >> "$0"; echo "value=1"'


def asked(source, *, jobs=3, hold=None, script=WRITES, blocks=3, metrics=None, **options):
    (source / "job.in").write_text("#!/bin/bash\n{run}\n")
    (source / "queue.py").write_text(QUEUE)
    queue = [sys.executable, "{source}/queue.py", "{source}/queue"]
    hold = str(jobs if hold is None else hold)
    return experiment(
        name="series",
        source=str(source),
        program={"command": ["/bin/sh", "-c", script, "{source}/log", "{trial}", "{p}", "{kind}"]},
        factors={"p": [4, 8, 16], "kind": ["a", "b"]},
        design={"blocks": blocks, "discard": 0},
        metrics=metrics or {},
        launch={
            "kind": "template",
            "script": "job.in",
            "submit": [*queue, "submit", hold, "nodes={p}", "{script}", "{log}"],
            "job": r"job (\d+)",
            "cancel": [*queue, "cancel", "{job}"],
            "alive": [*queue, "alive", "{job}"],
            "poll": "0.1 s",
            "hand_on": ["ALLOC"],
            "jobs": jobs,
            **options,
        },
    )


def logged(source):
    """(trial, job, nodes, p) of each line that a trial wrote."""
    return [line.split() for line in (source / "log").read_text().splitlines()]


def ran_once(source, trials):
    return Counter(int(trial) for trial, *_ in logged(source)) == Counter(range(1, trials + 1))


def test_each_level_has_a_job_with_its_own_options_and_every_trial_runs_once(tmp_path):
    assert run(asked(tmp_path), tmp_path / "it.lab") == "complete"
    assert ran_once(tmp_path, 18)
    result = defaultdict(set)
    for _, job, nodes, p in logged(tmp_path):
        assert nodes == f"nodes={p}"
        result[p].add(job)
    assert {p: len(jobs) for p, jobs in result.items()} == {"4": 1, "8": 1, "16": 1}
    assert (tmp_path / "queue" / "begun").read_text().split() == ["3", "2", "1"]
    with Record.open(tmp_path / "it.lab") as record:
        assert record.progress().blocks["complete"] == 3
        assert record.journals() == []


def test_within_a_job_the_arms_of_each_block_run_in_the_order_that_was_drawn(tmp_path):
    run(asked(tmp_path), tmp_path / "it.lab")
    with Record.open(tmp_path / "it.lab") as record:
        drawn = {
            trial: treatment
            for outcome in record.outcomes()
            for trial, treatment in enumerate(outcome.block.order, outcome.block.first_trial)
        }
        levels = {item.id: item.levels for item in record.treatments}
    for p in (4, 8, 16):
        mine = [int(trial) for trial, _, _, level in logged(tmp_path) if level == str(p)]
        assert mine == [trial for trial in sorted(drawn) if levels[drawn[trial]]["p"] == p]


@pytest.mark.parametrize("jobs", [1, 2])
def test_no_more_jobs_wait_or_run_at_once_than_were_asked_for(tmp_path, jobs):
    counts = 'touch "$0.on.$ALLOC_JOB"; ls "$0".on.* | wc -l >> "$0.at_once"; sleep 0.05; '
    leaves = '[ "$2" ] && ' + WRITES
    going_on = asked(tmp_path, jobs=jobs, hold=1, script=f'{counts}{leaves}; rm -f "$0.on.$ALLOC_JOB"')
    assert run(going_on, tmp_path / "it.lab") == "complete"
    assert ran_once(tmp_path, 18)
    assert max(map(int, (tmp_path / "log.at_once").read_text().split())) <= jobs
    assert len(jobs_in(tmp_path / "it.lab" / JOBS)) == 3


def test_what_order_means_is_said_in_the_record_and_in_the_answer(tmp_path):
    run(asked(tmp_path), tmp_path / "it.lab")
    with Record.open(tmp_path / "it.lab") as record:
        (warning,) = [item for item in record.warnings() if item.kind == "jobs_by_level"]
        answer = analyze(record)
    assert "each level of p ran in jobs of its own (3 in all, up to 3 at once)" in warning.text
    assert "what differs from job to job" in warning.text
    assert warning.text in repr(answer)


def test_a_job_that_is_killed_costs_its_level_one_trial_and_the_others_none(tmp_path):
    once = 'if [ "$1" -gt 6 ] && [ "$2" = 8 ] && mkdir "$0.once" 2>/dev/null;'
    once += " then kill -KILL $PPID; sleep 9; fi; "
    assert run(asked(tmp_path, hold=1, script=once + WRITES), tmp_path / "it.lab") == "complete"
    with Record.open(tmp_path / "it.lab") as record:
        failed = [item for _, item in record.stream_measurements() if item.status != "ok"]
        levels = {treatment.id: treatment.levels for treatment in record.treatments}
        assert record.progress().blocks["complete"] == 3
    assert [levels[element.treatment]["p"] for element in failed] == [8]
    assert "its machine was taken away" in (failed[0].reason or "")


def test_an_interrupted_run_takes_all_of_its_jobs_back_and_goes_on_later(tmp_path, eventually):
    waits = f'while ! [ -e "$0.go" ] && [ "$1" -gt 6 ]; do sleep 0.01; done; {WRITES}'
    going_on = asked(tmp_path, script=waits)
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            run(going_on, tmp_path / "it.lab")
        except InterruptedRunError:
            code = 130
        finally:
            os._exit(code)
    eventually(lambda: (tmp_path / "log").exists() and len(logged(tmp_path)) == 6)
    os.kill(pid, signal.SIGINT)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 130
    jobs = jobs_in(tmp_path / "it.lab" / JOBS)
    assert [(job.settled, job.end is not None) for job in jobs] == [(True, True)] * 3
    with Record.open(tmp_path / "it.lab") as record:
        assert (record.progress().trials, record.progress().failed) == (6, 0)
    (tmp_path / "log.go").touch()
    assert run(going_on, tmp_path / "it.lab") == "complete"
    assert ran_once(tmp_path, 18)


def test_jobs_that_outlive_steelyard_are_all_waited_for_and_nothing_runs_twice(tmp_path, eventually):
    going_on = asked(
        tmp_path, script=f'while ! [ -e "$0.go" ] && [ "$1" -gt 6 ]; do sleep 0.01; done; {WRITES}'
    )
    pid = os.fork()
    if pid == 0:
        try:
            run(going_on, tmp_path / "it.lab")
        finally:
            os._exit(0)
    eventually(lambda: (tmp_path / "log").exists() and len(logged(tmp_path)) == 6)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    (tmp_path / "log.go").touch()
    assert run(going_on, tmp_path / "it.lab") == "complete"
    assert ran_once(tmp_path, 18)
    assert len(jobs_in(tmp_path / "it.lab" / JOBS)) == 3
    with Record.open(tmp_path / "it.lab") as record:
        assert (record.progress().trials, record.progress().failed) == (18, 0)
        assert record.journals() == []


def test_three_jobs_of_one_level_in_vain_end_the_run_and_cancel_the_others(tmp_path):
    dies = f'if [ "$2" = 4 ]; then kill -KILL $PPID; sleep 9; fi; [ "$2" != 4 ] && sleep 0.3; {WRITES}'
    with pytest.raises(ProgramError, match="3 jobs in a row ended without finishing a trial"):
        run(asked(tmp_path, hold=1, script=dies, blocks=40), tmp_path / "it.lab")
    jobs = jobs_in(tmp_path / "it.lab" / JOBS)
    assert all(job.settled for job in jobs)
    ends = Counter(job.end.exit for job in jobs if job.end is not None)
    assert ends[STOPPED] == 2  # those of the other levels


def test_a_plan_says_how_many_jobs_are_in_flight(tmp_path):
    from steelyard.extensions.plan.question import format_where

    going_on = asked(tmp_path)
    assert format_where(going_on.launch).endswith("up to 3 jobs at once")
    assert preview(going_on, tmp_path / "it.lab").refused == ()


REFUSED = {
    "a factor where a job is cancelled": ({"cancel": ["x", "{job}", "{p}"]}, r"{job} alone says which job"),
    "an unknown placeholder": ({"submit": ["x", "{script}", "{q}"]}, r"unknown placeholder {q}"),
    "no job at all": ({"jobs": 0}, "jobs"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_with_its_place(case, tmp_path):
    more, message = REFUSED[case]
    with pytest.raises(SpecError, match=message):
        asked(tmp_path, **more)


@pytest.mark.parametrize("level", ["--clusters=b", "-Mb"])
def test_another_cluster_is_refused_in_a_level_too(level):
    with pytest.raises(SpecError, match="on the cluster that they are submitted to"):
        experiment(
            name="it", program={"command": ["true"]}, factors={"where": [level, "--x"]},
            launch={"kind": "slurm", "options": ["{where}"]},
        )  # fmt: skip


def test_a_factor_of_the_queue_alone_is_used():
    spec = experiment(
        name="it", program={"command": ["true"]}, factors={"nodes": [1, 2]},
        launch={"kind": "slurm", "options": ["--nodes={nodes}"], "jobs": 2},
    )  # fmt: skip
    assert spec.launch.jobs == 2


def test_blocks_are_dealt_out_to_jobs_where_the_queue_is_told_no_factor(tmp_path):
    queue = [sys.executable, "{source}/queue.py", "{source}/queue"]
    plain = [*queue, "submit", "2", "any", "{script}", "{log}"]
    assert run(asked(tmp_path, jobs=2, submit=plain, blocks=4), tmp_path / "it.lab") == "complete"
    assert ran_once(tmp_path, 24)
    by_trial = {int(trial): job for trial, job, *_ in logged(tmp_path)}
    with Record.open(tmp_path / "it.lab") as record:
        jobs = [{by_trial[outcome.block.first_trial + i] for i in range(6)} for outcome in record.outcomes()]
    assert [len(item) for item in jobs] == [1] * 4
    assert jobs[0] == jobs[2] != jobs[1] == jobs[3]


def test_orders_without_blocks_are_not_dealt_out(tmp_path):
    with pytest.raises(SpecError, match="jobs = 3 deals out blocks"):
        experiment(
            name="it", program={"command": ["true"]}, design={"blocks": 3, "order": "sequential"},
            launch={"kind": "slurm", "jobs": 3},
        )  # fmt: skip


def test_jobs_that_run_at_once_do_not_write_over_the_metrics_of_each_other(tmp_path):
    line = '{{"steelyard": 1, "metric": "own", "unit": "s", "values": [%d]}}\\n'
    writes = f'printf \'{line}\' "1$1" > "$STEELYARD_METRICS"; sleep 0.1'
    own = {"own": {"source": "lines", "unit": "s"}}
    assert run(asked(tmp_path, script=writes, metrics=own, blocks=2), tmp_path / "it.lab") == "complete"
    with Record.open(tmp_path / "it.lab") as record:
        read = [value for sample in record.samples("own") for value in sample.values]
    assert sorted(value - 1e12 for value in read) == list(range(1, 13))
