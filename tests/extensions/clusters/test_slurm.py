"""Experiments in the jobs of a real Slurm: nothing is lost or doubled, whoever dies."""

from __future__ import annotations

import os
import signal
import subprocess
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from steelyard.core.errors import MachineError, ProgramError
from steelyard.extensions.clusters.job import Job, jobs_in
from steelyard.extensions.clusters.jobs import JOBS
from steelyard.extensions.clusters.scheduler import Handover
from steelyard.extensions.clusters.slurm import Slurm
from steelyard.extensions.plan.preview import preview
from steelyard.lab.run.run import run
from steelyard.spec import experiment
from steelyard.store import Record

pytestmark = pytest.mark.extensions("plan")

MPIRUN = Path(__file__).parents[3] / ".cache" / "mpi" / "openmpi" / "bin" / "mpirun"
TIMEOUT_S = 120.0


def asked(source, *, pause_s=0.0, options=()):
    """Two factors; every trial writes its number, its ranks and its job into ``source/log``."""
    script = f'srun --mpi=none -n "$2" sh -c "echo $1 \\$SLURM_PROCID $SLURM_JOB_ID >> $0" && sleep {pause_s}'
    return experiment(
        name="queued",
        source=str(source),
        program={
            "command": ["/bin/sh", "-c", script, "{source}/log", "{trial}", "{p}", "{kind}"],
            "env": {"SLURM_CONF": os.environ["SLURM_CONF"]},
        },
        factors={"p": [1, 2], "kind": ["a", "b"]},
        design={"blocks": 2, "discard": 0},
        launch={"kind": "slurm", "poll": "0.2 s", "options": ["--ntasks=2", *options]},
    )


def logged(source):
    """How often each rank of each trial ran."""
    lines = (source / "log").read_text().splitlines()
    return Counter((int(trial), int(rank)) for trial, rank, _ in map(str.split, lines))


def exit_code(process):
    process.join(TIMEOUT_S)
    return process.exitcode


def jobs_of(source):
    return jobs_in(source / "it.lab" / JOBS)


def test_a_two_factor_experiment_runs_in_one_job_with_the_ranks_that_were_asked_for(slurm, tmp_path):
    assert run(asked(tmp_path), tmp_path / "it.lab") == "complete"
    with Record.open(tmp_path / "it.lab") as record:
        order = [treatment for outcome in record.outcomes() for treatment in outcome.block.order]
        (run_,) = record.runs()
    ranks = {1: 1, 2: 1, 3: 2, 4: 2}  # by treatment, the last factor varies fastest
    counter = Counter(
        (trial, rank) for trial, treatment in enumerate(order, 1) for rank in range(ranks[treatment])
    )
    assert logged(tmp_path) == counter
    (job,) = jobs_of(tmp_path)
    assert job.end is not None
    assert (job.end.exit, job.settled) == (0, True)
    assert job.end.host in {"n1", "n2", "n3", "n4"}
    assert run_.state == "complete"
    assert run_.host["hostname"] == job.end.host


def test_a_job_outlives_steelyard_which_attaches_to_it_and_doubles_nothing(
    slurm, tmp_path, begin, eventually
):
    going_on = asked(tmp_path, pause_s=0.2)
    process = begin(going_on, tmp_path / "it.lab")
    eventually((tmp_path / "log").exists, process)
    process.kill()
    assert exit_code(process) == -signal.SIGKILL
    assert run(going_on, tmp_path / "it.lab") == "complete"
    result = logged(tmp_path)
    assert {trial for trial, _ in result} == set(range(1, 9))
    assert set(result.values()) == {1}
    assert len(jobs_of(tmp_path)) == 1
    with Record.open(tmp_path / "it.lab") as record:
        assert [run_.state for run_ in record.runs()][-1] == "complete"
        assert record.progress().failed == 0


def test_cancelled_job_costs_no_more_than_trials_whose_ranks_it_ended_first(
    slurm, tmp_path, begin, eventually
):
    going_on = asked(tmp_path, pause_s=0.3)
    process = begin(going_on, tmp_path / "it.lab")
    eventually(lambda: (tmp_path / "log").exists() and len(logged(tmp_path)) > 3, process)
    subprocess.run(["scancel", "--signal=KILL", "--full", jobs_of(tmp_path)[0].id], check=True)
    assert exit_code(process) == 0
    with Record.open(tmp_path / "it.lab") as record:
        failed = [m for _, m in record.stream_measurements() if m.status != "ok"]
        states = Counter(outcome.state for outcome in record.outcomes())
    # Slurm ends the ranks first: of one trial, and of the next where that begins before the runner is ended.
    # Their srun ends as if by itself. A trial that ran when the runner was ended runs again.
    assert len(failed) <= 2
    assert not any("its machine was taken away" in (item.reason or "") for item in failed)
    assert states["complete"] == 2
    assert states["incomplete"] <= len(failed)
    assert len(jobs_of(tmp_path)) >= 2


def test_ranks_that_slurm_ends_before_the_runner_are_missing_at_random(slurm, tmp_path, begin, eventually):
    """A plain scancel ends the ranks, refuses others, and kills the runner some seconds later."""
    going_on = asked(tmp_path, pause_s=0.3)
    process = begin(going_on, tmp_path / "it.lab")
    eventually(lambda: (tmp_path / "log").exists() and len(logged(tmp_path)) > 3, process)
    subprocess.run(["scancel", jobs_of(tmp_path)[0].id], check=True)
    assert exit_code(process) == 0
    with Record.open(tmp_path / "it.lab") as record:
        assert record.progress().failed == 0
        assert record.progress().blocks == {"complete": 2}


def test_options_have_the_levels_and_the_directory_of_the_spec_put_in():
    queue = Slurm(["--export-file={source}/env", "--nodes={p}", "--comment={{p}}"], source="/spec")
    filled = queue._fill_options(Handover(job=None, name="it", levels={"p": "2"}))
    assert filled == ["--export-file=/spec/env", "--nodes=2", "--comment={p}"]


def test_levels_in_the_options_have_a_job_each_and_srun_starts_the_ranks(slurm, tmp_path):
    script = 'echo "$1 $SLURM_PROCID $SLURM_JOB_ID $SLURM_JOB_NUM_NODES $SLURM_NTASKS" >> "$0"'
    spec = experiment(
        name="series",
        source=str(tmp_path),
        program={
            "command": ["/bin/sh", "-c", script, "{source}/log", "{trial}", "{kind}"],
            "env": {"SLURM_CONF": os.environ["SLURM_CONF"]},
        },
        factors={"p": [1, 2], "kind": ["a", "b"]},
        design={"blocks": 2, "discard": 0},
        launch={
            "kind": "slurm",
            "poll": "0.2 s",
            "ranks": "{p}",
            "jobs": 2,
            "options": ["--nodes={p}", "--ntasks={p}"],
        },
    )
    assert run(spec, tmp_path / "it.lab") == "complete"
    lines = [line.split() for line in (tmp_path / "log").read_text().splitlines()]
    assert {(nodes, tasks) for *_, nodes, tasks in lines} == {("1", "1"), ("2", "2")}
    assert len({job for _, _, job, nodes, _ in lines if nodes == "2"}) == 1
    assert Counter((int(trial), rank) for trial, rank, *_ in lines).most_common(1)[0][1] == 1
    assert len(lines) == 2 * (1 + 1 + 2 + 2)
    assert len(jobs_of(tmp_path)) == 2


def test_more_ranks_than_a_job_has_room_for_are_a_failure_in_slurms_words(slurm, tmp_path):
    spec = experiment(
        name="crowded", source=str(tmp_path), program={"command": ["true"]},
        design={"blocks": 2, "discard": 0},
        launch={"kind": "slurm", "poll": "0.2 s", "ranks": 9, "options": ["--ntasks=1"]},
    )  # fmt: skip
    spec = msgspec.structs.replace(
        spec,
        program=msgspec.structs.replace(spec.program, env={"SLURM_CONF": os.environ["SLURM_CONF"]}),
    )
    with pytest.raises(ProgramError, match="Unable to create step"):
        run(spec, tmp_path / "it.lab")


def test_a_node_that_vanishes_costs_no_more_than_its_job(slurm, tmp_path, begin, eventually):
    going_on = asked(tmp_path, pause_s=0.3, options=["--nodelist=n3"])
    process = begin(going_on, tmp_path / "it.lab")
    eventually((tmp_path / "log").exists, process)
    try:
        subprocess.run(["scontrol", "update", "nodename=n3", "state=down", "reason=test"], check=True)
        eventually(lambda: Slurm().state(jobs_of(tmp_path)[0]) == "ended")
    finally:
        # Refused where the node is back by itself.
        subprocess.run(
            ["scontrol", "update", "nodename=n3", "state=resume"], check=False, capture_output=True
        )
    assert exit_code(process) == 0
    with Record.open(tmp_path / "it.lab") as record:
        assert record.progress().blocks["complete"] == 2
        assert record.progress().failed <= 1


def test_an_interrupted_run_takes_its_job_back_and_goes_on_later(slurm, tmp_path, begin, eventually):
    going_on = asked(tmp_path, pause_s=0.3)
    process = begin(going_on, tmp_path / "it.lab")
    eventually((tmp_path / "log").exists, process)
    os.kill(process.pid, signal.SIGINT)
    assert exit_code(process) == 130
    eventually(lambda: Slurm().state(jobs_of(tmp_path)[0]) == "ended")
    before = sum(1 for _ in logged(tmp_path))
    assert run(going_on, tmp_path / "it.lab") == "complete"
    assert sum(1 for _ in logged(tmp_path)) > before
    with Record.open(tmp_path / "it.lab") as record:
        assert record.progress().blocks["complete"] == 2


def test_a_queue_that_refuses_is_an_error_with_its_words(slurm, tmp_path):
    with pytest.raises(MachineError, match="invalid partition") as message:
        run(asked(tmp_path, options=["--partition=none"]), tmp_path / "it.lab")
    assert "under [launch]" in (message.value.hint or "")


def test_a_cluster_that_runs_answers(slurm):
    Slurm().check()


PINGS = {
    "no configuration": ("echo 'scontrol: fatal: none' >&2; exit 1", "answers: scontrol: fatal: none"),
    "a controller that is away": ("echo 'Slurmctld(primary) at head is DOWN'", "at head is DOWN"),
    "nothing": ("exit 1", "scontrol ping says nothing"),
}


@pytest.mark.parametrize("case", PINGS)
def test_commands_without_a_cluster_are_no_queue_for_a_plan_and_for_a_run(case, tmp_path, monkeypatch):
    answer, message = PINGS[case]
    commands = tmp_path / "commands"
    commands.mkdir()
    for name in ("sbatch", "squeue", "scancel", "scontrol"):
        does = answer if name == "scontrol" else f"touch {tmp_path}/asked"
        (commands / name).write_text(f"#!/bin/sh\n{does}\n")
        (commands / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}:{os.environ['PATH']}")
    going_on = experiment(
        name="queued", source=str(tmp_path), program={"command": ["true"]}, launch={"kind": "slurm"}
    )
    (refused,) = preview(going_on, tmp_path / "it.lab").refused
    with pytest.raises(MachineError, match="no Slurm cluster answers") as error:
        run(going_on, tmp_path / "it.lab")
    assert message in refused.error
    assert (refused.error, refused.hint) == (error.value.message, error.value.hint)
    assert not (tmp_path / "asked").exists()
    assert not (tmp_path / "it.lab").exists()


def test_a_number_that_slurm_never_gave_is_that_of_a_job_that_has_ended(slurm, tmp_path):
    job = Job(tmp_path)
    job.note_id("99999")
    assert Slurm().state(job) == "ended"
    assert Slurm().find(job, "steelyard-nobody-000001") is None
    Slurm().cancel(job)


def dealt(source, *, blocks=6, more="", options=()):
    """Blocks for three jobs at once; every trial writes its number and the node of its job."""
    script = f'{more}sleep 0.05; echo "$1 $SLURMD_NODENAME $SLURM_ARRAY_TASK_ID" >> "$0"'
    return experiment(
        name="dealt",
        source=str(source),
        program={"command": ["/bin/sh", "-c", script, "{source}/log", "{trial}", "{kind}"]},
        factors={"kind": ["a", "b"]},
        design={"blocks": blocks, "discard": 0},
        launch={"kind": "slurm", "poll": "0.2 s", "jobs": 3, "options": ["--exclusive", *options]},
    )


def rows(source):
    return [line.split() for line in (source / "log").read_text().splitlines()]


def test_blocks_are_dealt_out_to_the_tasks_of_one_array(slurm, tmp_path):
    assert run(dealt(tmp_path), tmp_path / "it.lab") == "complete"
    assert Counter(int(trial) for trial, *_ in rows(tmp_path)) == Counter(range(1, 13))
    assert {task for *_, task in rows(tmp_path)} == {"1", "2", "3"}
    numbers = [job.id.partition("_") for job in jobs_of(tmp_path)]
    assert len({number for number, *_ in numbers}) == 1
    assert [task for *_, task in numbers] == ["1", "2", "3"]
    with Record.open(tmp_path / "it.lab") as record:
        tasks = {int(trial): task for trial, _, task in rows(tmp_path)}
        for outcome in record.outcomes():
            block = outcome.block
            assert len({tasks[block.first_trial + i] for i in range(len(block.order))}) == 1
        (warning,) = [item for item in record.warnings() if item.kind == "jobs_at_once"]
    assert "dealt out to up to 3 jobs at once" in warning.text


def test_an_array_that_outlives_steelyard_is_waited_for_and_nothing_runs_twice(
    slurm, tmp_path, begin, eventually
):
    waits = 'while ! [ -e "$0.go" ] && [ "$1" -gt 6 ]; do sleep 0.05; done; '
    going_on = dealt(tmp_path, more=waits)
    process = begin(going_on, tmp_path / "it.lab")
    eventually(lambda: (tmp_path / "log").exists() and len(rows(tmp_path)) >= 6, process)
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    jobs = jobs_of(tmp_path)
    for job in jobs:  # as where it died before it noted the numbers
        (job.directory / "id").unlink()
    (jobs[0].directory / "answer").unlink()
    (tmp_path / "log.go").touch()
    assert run(going_on, tmp_path / "it.lab") == "complete"
    assert Counter(int(trial) for trial, *_ in rows(tmp_path)) == Counter(range(1, 13))
    assert len(jobs_of(tmp_path)) == 3


def test_a_task_of_an_array_that_is_cancelled_costs_no_trial(slurm, tmp_path, begin, eventually):
    waits = 'while ! [ -e "$0.go" ] && [ "$1" -gt 6 ]; do sleep 0.05; done; '
    going_on = dealt(tmp_path, more=waits)
    process = begin(going_on, tmp_path / "it.lab")
    eventually(lambda: (tmp_path / "log").exists() and len(rows(tmp_path)) >= 6, process)
    subprocess.run(["scancel", jobs_of(tmp_path)[1].id], check=True)
    eventually(lambda: Slurm().state(jobs_of(tmp_path)[1]) == "ended")
    (tmp_path / "log.go").touch()
    assert exit_code(process) == 0
    assert Counter(int(trial) for trial, *_ in rows(tmp_path)) == Counter(range(1, 13))
    with Record.open(tmp_path / "it.lab") as record:
        assert record.progress().failed == 0


def test_ranks_of_open_mpi_run_in_the_jobs_of_slurm_over_two_factors(slurm, tmp_path, mpi_program):
    program = mpi_program("openmpi", "latency")
    alone = ["--prtemca", "ras", "^slurm", "--prtemca", "plm", "^slurm", "--map-by", ":OVERSUBSCRIBE"]
    going_on = experiment(
        name="collectives",
        source=str(tmp_path),
        program={
            "command": [str(MPIRUN), *alone, "-n", "{p}", program, "{op}", "5", "1e-4"],
            "env": {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
            "timeout": "60 s",
        },
        factors={"p": [1, 2], "op": ["barrier", "bcast"]},
        design={"blocks": 1, "discard": 0},
        metrics={"latency_quantile_s": {"source": "lines", "unit": "s"}},
        analysis={"metric": "latency_quantile_s"},
        launch={"kind": "slurm", "poll": "0.2 s", "options": ["--ntasks=2"]},
    )
    assert run(going_on, tmp_path / "it.lab") == "complete"
    with Record.open(tmp_path / "it.lab") as record:
        seen = {
            (sample.treatment.levels["p"], sample.treatment.levels["op"]): sample
            for sample in record.samples("latency_quantile_s")
            if len(sample)
        }
    assert set(seen) == {(p, op) for p in (1, 2) for op in ("barrier", "bcast")}
    for sample in seen.values():
        # Each line named what its treatment is, which is left out.
        assert ({"p", "op"}.isdisjoint(sample.labels), len(sample)) == (True, 1)
    assert len(jobs_of(tmp_path)) == 1


def test_ranks_of_mpich_that_srun_starts_are_of_one_world(slurm, tmp_path, mpi_program):
    going_on = experiment(
        name="started",
        source=str(tmp_path),
        program={
            "command": [mpi_program("mpich", "latency"), "barrier", "5", "1e-4"],
            "env": {"SLURM_CONF": os.environ["SLURM_CONF"]},
            "timeout": "60 s",
        },
        factors={"p": [1, 4]},
        design={"blocks": 2, "discard": 0},
        metrics={"latency_quantile_s": {"source": "lines", "unit": "s"}},
        analysis={"metric": "latency_quantile_s"},
        launch={"kind": "slurm", "ranks": "{p}", "poll": "0.2 s", "options": ["--ntasks=4"]},
    )
    assert run(going_on, tmp_path / "it.lab") == "complete"
    with Record.open(tmp_path / "it.lab") as record:
        assert (record.progress().trials, record.progress().failed) == (4, 0)
        # A rank that is a world of its own would say p = 1 in its line, which is no label of p = 4.
        samples = [sample for sample in record.samples("latency_quantile_s") if len(sample)]
    assert [(sample.treatment.levels["p"], "p" in sample.labels, len(sample)) for sample in samples] == [
        (1, False, 2),
        (4, False, 2),
    ]
