"""Any queue by its commands: here, processes in the background, which are as real a queue as none."""

from __future__ import annotations

import os
import signal
import subprocess
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from steelyard.core.errors import MachineError, ProgramError, RecordBusyError, UsageError
from steelyard.extensions.clusters.awaiting import await_job
from steelyard.extensions.clusters.job import Job, jobs_in
from steelyard.extensions.clusters.jobs import JOBS
from steelyard.extensions.clusters.scheduler import Handover
from steelyard.extensions.clusters.submission import Submission
from steelyard.extensions.clusters.template import Template
from steelyard.lab.run.run import run
from steelyard.spec import experiment
from steelyard.store import Record

SUBMIT = [
    "/bin/sh",
    "-c",
    'ALLOCATION=$$ setsid bash "$0" >"$1" 2>&1 </dev/null & echo "job $!"',
    "{script}",
    "{log}",
]
CANCEL = ["/bin/sh", "-c", 'kill -TERM -"$0"', "{job}"]
# A zombie is no job, and tests adopt orphans without waiting for them.
ALIVE = ["/bin/sh", "-c", "grep -q '^State:.[^Z]' /proc/$0/status", "{job}"]
SCRIPT = "#!/bin/bash\necho begins\n{run}\necho ends\n"


def asked(source, *, script=SCRIPT, command=None, before_block=(), **launch):
    (source / "job.in").write_text(script)
    words = command or ["/bin/sh", "-c", 'echo "$1 $ALLOCATION" >> "$0"', "{source}/log", "{trial}"]
    return experiment(
        name="queued",
        source=str(source),
        program={"command": words, "before_block": list(before_block)},
        design={"blocks": 5, "discard": 0},
        launch={
            "kind": "template", "script": "job.in", "submit": SUBMIT, "job": r"job (\d+)", "cancel": CANCEL,
            "alive": ALIVE, "poll": "0.1 s", "hand_on": ["ALLOC"], **launch,
        },
    )  # fmt: skip


def test_trials_run_where_the_script_has_its_place_for_them_and_see_their_allocation(tmp_path):
    assert run(asked(tmp_path), tmp_path / "it.lab") == "complete"
    lines = [line.split() for line in (tmp_path / "log").read_text().splitlines()]
    assert [int(trial) for trial, _ in lines] == [1, 2, 3, 4, 5]
    assert len({allocation for _, allocation in lines}) == 1
    (job,) = jobs_in(tmp_path / "it.lab" / JOBS)
    assert job.tail().split() == ["begins", "ends"]


def test_facts_of_the_host_are_those_of_the_node_and_not_of_the_submitter(tmp_path):
    run(
        asked(tmp_path, script='uname() { if [ "$1" = -n ]; then echo node7; else echo 6.1; fi; }\n{run}'),
        tmp_path / "it.lab",
    )
    with Record.open(tmp_path / "it.lab") as record:
        (host,) = [item.host for item in record.runs()]
    assert (host["hostname"], host["kernel"]) == ("node7", "Linux 6.1")
    assert host["submitted_from"] == os.uname().nodename
    assert "cpus_online" not in host
    assert "memory_bytes" not in host


def test_the_directory_of_the_spec_and_braces_stand_in_commands_of_the_queue(tmp_path):
    hands_in = tmp_path / "hands_in"
    hands_in.write_text(
        '#!/bin/sh\necho "$3" > "$0.asked"\nsetsid bash "$1" >"$2" 2>&1 </dev/null & echo "job $!"\n'
    )
    hands_in.chmod(0o755)
    submit = ["{source}/hands_in", "{script}", "{log}", "{{p}} ${HOME} {print $1}"]
    assert run(asked(tmp_path, submit=submit), tmp_path / "it.lab") == "complete"
    assert (tmp_path / "hands_in.asked").read_text() == "{p} ${HOME} {print $1}\n"


def test_variables_that_are_not_handed_on_do_not_reach_a_program(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", "hidden")
    command = ["/bin/sh", "-c", 'env > "$0"', "{source}/log"]
    run(asked(tmp_path, command=command), tmp_path / "it.lab")
    text = (tmp_path / "log").read_text()
    assert "ALLOCATION=" in text
    assert "SECRET" not in text


def test_what_programs_inherit_is_for_nobody_else_and_does_not_stay(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", "hidden from others")
    command = ["/bin/sh", "-c", 'stat -c %a "$0"/it.lab/jobs/*/orders > "$0/mode"', "{source}"]
    going_on = asked(tmp_path, command=command)
    program = msgspec.structs.replace(going_on.program, inherit=True)
    run(msgspec.structs.replace(going_on, program=program), tmp_path / "it.lab")
    assert (tmp_path / "mode").read_text() == "600\n"
    files = [file for file in (tmp_path / "it.lab").rglob("*") if file.is_file()]
    assert not [file for file in files if b"hidden from others" in file.read_bytes()]


def test_a_cancelled_job_that_never_began_is_not_waited_for_without_end(tmp_path):
    """Where no command tells, it says nothing; the wait for it ends all the same."""
    job = Job(tmp_path / "000001")
    job.directory.mkdir()
    job.note_id("7")
    silent = Submission(Template(["true"], "(.*)", ["true"]), "{run}", poll_s=0.05)
    await_job(job, silent, "it", lambda _: None, cancelled_s=0.2)
    assert job.end is None


def test_a_queue_that_denies_a_job_now_and_then_gets_no_second_one(tmp_path):
    """Its server restarts: the command that tells fails twice in three, of a job that does its work."""
    count = 'n=$(cat "$1" 2>/dev/null || echo 0); echo $((n + 1)) > "$1"; [ $((n % 3)) -eq 2 ]'
    denying = ["/bin/sh", "-c", count, "{job}", "{source}/asked"]
    assert run(asked(tmp_path, command=SLOWLY, alive=denying), tmp_path / "it.lab") == "complete"
    assert int((tmp_path / "asked").read_text()) >= 3
    assert len(jobs_in(tmp_path / "it.lab" / JOBS)) == 1
    assert logged_once(tmp_path)


def test_a_job_that_the_queue_denies_is_believed_in_as_long_as_it_writes(tmp_path, monkeypatch):
    monkeypatch.setattr(Template, "absence_s", 0.0)
    monkeypatch.setattr(Template, "denials", 1)
    # Not before the runner of the job has begun: until then, only the queue knows of it.
    alive = ["/bin/sh", "-c", '! [ -s "$1"/it.lab/jobs/000001/replies ]', "{job}", "{source}"]
    assert run(asked(tmp_path, command=SLOWLY, alive=alive), tmp_path / "it.lab") == "complete"
    assert len(jobs_in(tmp_path / "it.lab" / JOBS)) == 1
    assert logged_once(tmp_path)


def test_a_job_that_is_away_counts_as_ended_after_a_minute_and_some_answers(tmp_path, monkeypatch):
    job = Job(tmp_path / "000001")
    job.directory.mkdir()
    job.note_id("7")
    now, message = [0.0], []
    monkeypatch.setattr(Template, "absence_s", 60.0)
    clock = SimpleNamespace(
        monotonic=lambda: now[0], sleep=lambda seconds: now.__setitem__(0, now[0] + seconds)
    )
    monkeypatch.setattr("steelyard.extensions.clusters.awaiting.time", clock)
    queue = Submission(Template(["true"], "(.*)", ["true"], ["false"]), "{run}", poll_s=10.0)
    await_job(job, queue, "it", message.append)
    assert 60 <= now[0] < 75
    assert set(message) == {"job 7, not found in the queue"}


def test_a_trial_whose_job_the_queue_cancelled_is_missing_at_random_and_run_again(tmp_path):
    """As PBS does at the end of a job's time: SIGTERM to all of it, once, in the midst of the third trial."""
    script = 'if [ "$1" -eq 3 ] && mkdir "$0.once" 2>/dev/null; then kill -TERM -"$ALLOCATION"; sleep 9; fi'
    command = ["/bin/sh", "-c", f'{script}; echo "$1 x" >> "$0"', "{source}/log", "{trial}"]
    assert run(asked(tmp_path, command=command), tmp_path / "it.lab") == "complete"
    with Record.open(tmp_path / "it.lab") as record:
        assert Counter(outcome.state for outcome in record.outcomes()) == {"complete": 5}
        assert (record.progress().trials, record.progress().failed) == (5, 0)
    assert logged_once(tmp_path)


@pytest.mark.parametrize("script", ["#!/bin/bash\nexit 3\n# {run}", "#!/bin/bash\nkill -KILL $$\n{run}"])
def test_jobs_that_end_again_and_again_without_a_trial_stop_the_run_with_their_log(tmp_path, script):
    with pytest.raises(ProgramError, match="3 jobs in a row ended without finishing a trial") as error:
        run(asked(tmp_path, script=script), tmp_path / "it.lab")
    assert str(jobs_in(tmp_path / "it.lab" / JOBS)[-1].log) in (error.value.hint or "")
    with Record.open(tmp_path / "it.lab") as record:
        assert record.progress().trials == 0


def test_a_command_before_a_block_that_fails_in_a_job_is_named_with_its_end(tmp_path):
    with pytest.raises(ProgramError, match=r"(?m)failed: sh -c 'exit 7': exit code 7$"):
        run(asked(tmp_path, before_block=["sh", "-c", "exit 7"]), tmp_path / "it.lab")


def test_a_runner_that_is_killed_costs_one_trial(tmp_path):
    """The first trial of the second block kills the runner above it, once."""
    once = 'if [ "$1" -eq 2 ] && ! [ -e "$0.once" ]; then touch "$0.once";'
    script = f'{once} kill -KILL "$(ps -o ppid= -p $$)"; sleep 5; fi'
    command = ["/bin/sh", "-c", script, "{source}/log", "{trial}"]
    assert run(asked(tmp_path, command=command), tmp_path / "it.lab") == "complete"
    with Record.open(tmp_path / "it.lab") as record:
        states = Counter(outcome.state for outcome in record.outcomes())
        (failed,) = [m for _, m in record.stream_measurements() if m.status != "ok"]
    assert states == {"complete": 5, "incomplete": 1}
    assert failed.trial == 2
    assert "its machine was taken away" in (failed.reason or "")


def test_a_job_whose_number_was_not_written_down_is_not_begun_by_us(tmp_path):
    """Python died between handing it in and noting it; its script and its orders are there."""
    folder = tmp_path / "it.lab" / JOBS / "000001"
    going_on = asked(tmp_path)
    assert run(going_on, tmp_path / "it.lab") == "complete"
    (folder / "id").unlink()
    (folder / "settled").unlink()
    assert run(going_on, tmp_path / "it.lab") == "complete"
    assert len(jobs_in(tmp_path / "it.lab" / JOBS)) == 1


START = 'ALLOCATION=$$ setsid bash "$0" >"$1" 2>&1 </dev/null & echo "job $!";'
# Hands the job in, and ends who asked for that before saying its number.
DIES_FIRST = 'ALLOCATION=$$ setsid bash "$0" >"$1" 2>&1 </dev/null & kill -KILL $PPID; echo "job $!"'
SLOWLY = ["/bin/sh", "-c", 'echo "$1 $ALLOCATION" >> "$0"; sleep 0.3', "{source}/log", "{trial}"]


UNTIL_TOLD = ["/bin/sh", "-c", 'echo "$1 x" >> "$0"; while ! [ -e go ]; do sleep 0.01; done', *SLOWLY[3:]]


def killed_while_it_hands_in(source, submit, command=SLOWLY):
    """The spec of a run that was killed between handing in its job and noting the number."""
    # Once only: who hands in another job, which should not be, is a test that must say so.
    once = submit.replace("kill", f'mkdir "{source}/killed" 2>/dev/null && kill')
    words = ["/bin/sh", "-c", once, "{script}", "{log}"]
    pid = os.fork()
    if pid == 0:
        try:
            run(asked(source, command=command, submit=words), source / "it.lab")
        finally:
            os._exit(0)
    _, status = os.waitpid(pid, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL
    (job,) = jobs_in(source / "it.lab" / JOBS)
    assert (job.id, job.settled) == (None, False)
    return asked(source, command=command, submit=words), job


def logged_once(source):
    counter = Counter(line.split()[0] for line in (source / "log").read_text().splitlines())
    return dict.fromkeys(map(str, range(1, 6)), 1) == {str(int(trial)): n for trial, n in counter.items()}


def test_a_job_whose_number_was_lost_is_waited_for_and_nothing_runs_twice(tmp_path, eventually):
    going_on, job = killed_while_it_hands_in(tmp_path, DIES_FIRST)
    eventually(lambda: "job" in job.answer.read_text())  # said after the death of who asked
    assert run(going_on, tmp_path / "it.lab") == "complete"
    assert logged_once(tmp_path)
    assert job.id is not None
    assert jobs_in(tmp_path / "it.lab" / JOBS) == [job]
    with Record.open(tmp_path / "it.lab") as record:
        assert (record.progress().trials, record.progress().failed) == (5, 0)


def test_a_job_that_runs_and_whose_number_is_lost_is_not_run_beside(tmp_path, eventually):
    going_on, job = killed_while_it_hands_in(tmp_path, DIES_FIRST.replace("echo", "exit #"), UNTIL_TOLD)
    eventually((tmp_path / "log").exists)
    with pytest.raises(RecordBusyError, match="its number is not known") as error:
        run(going_on, tmp_path / "it.lab")
    assert f"touch {job.directory / 'settled'}" in (error.value.hint or "")
    (tmp_path / "go").touch()
    eventually(lambda: job.end is not None)
    assert run(going_on, tmp_path / "it.lab") == "complete"
    assert logged_once(tmp_path)
    assert jobs_in(tmp_path / "it.lab" / JOBS) == [job]


def test_a_job_that_begins_after_its_number_was_lost_finds_no_orders(tmp_path):
    """It waits in its queue while another takes its place."""
    going_on = tmp_path / "going on"
    start = f'if [ -e "{going_on}" ]; then {START} else kill -KILL $PPID; fi'
    spec, job = killed_while_it_hands_in(tmp_path, start)
    assert job.orders.exists()
    going_on.touch()
    assert run(spec, tmp_path / "it.lab") == "complete"
    assert [item.directory.name for item in jobs_in(tmp_path / "it.lab" / JOBS)] == ["000001", "000002"]
    assert not job.orders.exists()
    subprocess.run([job.script], check=False, capture_output=True, cwd=tmp_path)
    assert job.end.exit == 1
    assert logged_once(tmp_path)


def test_output_without_a_job_in_it_is_refused(tmp_path):
    queue = Template(["echo", "no number"], r"(\d+)", ["true"])
    with pytest.raises(MachineError, match="finds no job"):
        queue.submit(Handover(Job(tmp_path), "name"))


def test_without_a_command_that_tells_a_job_runs_until_it_says_that_it_ended():
    assert Template(["true"], "(.*)", ["true"]).state(Job(Path("1"))) == "running"


@pytest.mark.parametrize(
    ("script", "message"),
    [("#!/bin/bash\n", "0 times"), ("{run}\n{run}\n", "2 times"), (None, "cannot be read")],
)
def test_a_script_needs_one_place_for_the_trials(tmp_path, script, message):
    going_on = asked(tmp_path, script=script or "")
    if script is None:
        (tmp_path / "job.in").unlink()
    with pytest.raises(UsageError, match=message):
        run(going_on, tmp_path / "it.lab")


def test_an_absent_command_of_the_queue_is_said(tmp_path):
    with pytest.raises(MachineError, match="the queue cannot be asked: no-such-queue"):
        run(asked(tmp_path, submit=["no-such-queue", "{script}"]), tmp_path / "it.lab")


def test_signals_reach_the_trials_of_a_cancelled_job(tmp_path, eventually):
    command = ["/bin/sh", "-c", 'echo $$ > "$0"; exec sleep 60', "{source}/pid"]
    going_on = asked(tmp_path, command=command)
    pid = os.fork()
    if pid == 0:
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            run(going_on, tmp_path / "it.lab")
        finally:
            os._exit(0)
    eventually(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip())
    os.kill(pid, signal.SIGINT)
    os.waitpid(pid, 0)
    eventually(lambda: not Path("/proc", (tmp_path / "pid").read_text().strip(), "exe").exists())
