"""Commands that misbehave, through the whole of a run: told with their cure, or harmless."""

from __future__ import annotations

import resource
import signal

import killing
import pytest

from steelyard.core.errors import ProgramError, RecordError, UsageError
from steelyard.lab.answer.analyze import analyze
from steelyard.lab.run.run import run
from steelyard.report.answer.text import render
from steelyard.spec import experiment
from steelyard.store import Record

GIGABYTE = 1 << 30


@pytest.fixture
def make_experiment(tmp_path):
    """``make_experiment(script, **program)``: a script of the shell against ``true``."""

    def make(script, *, blocks=2, **program):
        commands = {"a": ["/bin/sh", "-c", script], "b": ["/bin/true"]}
        return experiment(
            name="misbehaving",
            source=str(tmp_path),
            program={"commands": commands, **program},
            design={"blocks": blocks, "discard": 0},
        )

    return make


def states(directory):
    with Record.open(directory) as record:
        return [outcome.state for outcome in record.outcomes()]


@pytest.mark.parametrize(
    ("make", "message", "cure"),
    [
        (lambda path: None, "does not exist (looked for ", "give the path of the program"),
        (lambda path: path.write_text("no program"), "may not be executed", "chmod +x "),
        (lambda path: path.mkdir(), "is not a file", "give the path of the program"),
    ],
    ids=["missing", "not executable", "a directory"],
)
def test_a_command_that_cannot_be_started_is_refused_before_anything_runs(tmp_path, make, message, cure):
    make(tmp_path / "prog")
    broken = experiment(name="broken", source=str(tmp_path), program={"command": ["./prog"]})
    with pytest.raises(UsageError) as error:
        run(broken, tmp_path / "a.lab")
    assert message in error.value.message
    assert cure in str(error.value.hint)
    assert not (tmp_path / "a.lab").exists()


@pytest.mark.parametrize(
    ("script", "program", "message"),
    [
        ("kill -SEGV $$", {}, "SIGSEGV"),
        ("echo on the way out; exit 3", {}, "3"),
        ("echo wrong", {"verify": {"stdout": "right"}}, "right"),
        ("sleep 1000", {"timeout": "0.05 s"}, "0.05 s"),
        ("trap '' TERM; sleep 1000", {"timeout": "0.05 s"}, "0.05 s"),
        ("printf '\\377\\376\\000no text\\n' >&2; exit 1", {}, "no text"),
    ],
    ids=["signal", "exit code", "verification", "never ends", "ignores SIGTERM", "no UTF-8"],
)
def test_a_command_that_keeps_failing_stops_the_run_with_its_reason(
    tmp_path, make_experiment, script, program, message
):
    with pytest.raises(ProgramError) as error:
        run(make_experiment(script, blocks=5, **program), tmp_path / "a.lab")
    assert error.value.exit_code == 5
    assert "3 trials in a row failed" in error.value.message
    assert message in error.value.message
    assert error.value.hint
    error.value.message.encode()  # can be printed, whatever the program said
    assert states(tmp_path / "a.lab")[:3] == ["incomplete"] * 3


@pytest.mark.parametrize(
    "script",
    [
        "exec 0<&- 1>&- 2>&-",
        "cd / && rmdir /nowhere-at-all 2>/dev/null; true",
        "printf '\\377\\376\\000no text\\n'",
        "setsid sleep 1000 & setsid sh -c 'setsid sleep 1000 & sleep 1000' &",
        "(exec 0<&- 1>&- 2>&-; trap '' TERM HUP; sleep 1000) &",
        "ulimit -c 0; umask 777; trap 'exit 0' TERM; kill -TERM $$",
    ],
    ids=["closes", "changes directory", "no UTF-8", "daemons", "daemon without streams", "limits"],
)
def test_a_command_that_is_odd_but_ends_well_is_measured_and_leaves_nothing(
    tmp_path, make_experiment, script
):
    assert run(make_experiment(script), tmp_path / "a.lab") == "complete"
    assert states(tmp_path / "a.lab") == ["complete"] * 2


def test_a_gigabyte_of_output_is_counted_and_python_does_not_grow_by_it(tmp_path, make_experiment):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    flood = make_experiment(f"head -c {GIGABYTE} /dev/zero", verify={"exit": 0}, blocks=1)
    assert run(flood, tmp_path / "a.lab") == "complete"
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert grown < GIGABYTE / 10
    assert (
        sum(file.stat().st_size for file in (tmp_path / "a.lab").rglob("*") if file.is_file())
        < GIGABYTE / 100
    )


def test_failures_of_a_part_of_the_runs_are_in_the_answer(tmp_path, make_experiment):
    script = f'[ -e "{tmp_path}/was here" ] || (touch "{tmp_path}/was here"; echo once >&2; exit 7)'
    assert run(make_experiment(script, blocks=3), tmp_path / "a.lab") == "complete"
    assert sorted(states(tmp_path / "a.lab")) == ["complete"] * 3 + ["incomplete"]
    with Record.open(tmp_path / "a.lab") as record:
        answer = analyze(record)
    assert "1 of 4" in render(answer)
    assert (tmp_path / "a.lab" / "failed").is_dir()


def changing(tmp_path, how):
    """An experiment whose program changes itself at its fifth trial, and logs which version ran."""
    (tmp_path / "prog").write_text(
        f'#!/bin/sh\necho old $STEELYARD_TRIAL >> log\n[ "$(wc -l < log)" -ne 5 ] || {how}\n'
    )
    (tmp_path / "prog").chmod(0o755)
    return experiment(
        name="changing",
        source=str(tmp_path),
        program={"commands": {"a": ["./prog"], "b": ["/bin/true"]}},
        design={"blocks": 1000, "discard": 0},
    )


def logged(tmp_path):
    """(version, trial) of every start of the program."""
    words = [line.split() for line in (tmp_path / "log").read_text().splitlines()]
    return [(version, int(mark.rpartition("-")[2])) for version, mark in words]


def counted(directory):
    """Trials in complete blocks."""
    with Record.open(directory) as record:
        complete = [item.block for item in record.outcomes() if item.state == "complete"]
    return {block.first_trial + place for block in complete for place in range(len(block.order))}


def test_a_program_that_is_deleted_in_mid_experiment_stops_the_run(tmp_path):
    result = changing(tmp_path, "rm prog")
    with pytest.raises(ProgramError) as error:
        run(result, tmp_path / "a.lab")
    assert "the program changed during the experiment" in error.value.message
    assert str(tmp_path / "prog") in error.value.message
    assert "measure the new program into a new record" in str(error.value.hint)
    assert len(logged(tmp_path)) == 5


def test_program_rebuilt_in_mid_experiment_stops_the_run_and_its_trials_do_not_count(
    tmp_path,
):
    result = changing(tmp_path, "(sed 's/old/new/' prog > next; chmod +x next; mv next prog)")
    old = (tmp_path / "prog").read_text()
    with pytest.raises(ProgramError, match="the program changed during the experiment"):
        run(result, tmp_path / "a.lab")
    assert not {trial for version, trial in logged(tmp_path) if version == "new"} & counted(
        tmp_path / "a.lab"
    )
    with pytest.raises(RecordError, match="is not the program that") as error:
        run(result, tmp_path / "a.lab")
    assert "put the old program back" in str(error.value.hint)
    (tmp_path / "prog").write_text(old)
    before = len(logged(tmp_path))
    pid = killing.start_run(result, tmp_path / "a.lab")
    while len(logged(tmp_path)) < before + 20 and not killing.has_ended(pid):
        pass
    killing.kill(pid, signal.SIGTERM)
    assert killing.end_of(pid) == 130, "with the old program it goes on"
    assert counted(tmp_path / "a.lab")
