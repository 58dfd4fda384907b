"""A run from its first block to its last, and again where it stopped."""

from __future__ import annotations

import json
import os
import shutil
import signal
import threading
from collections import Counter
from pathlib import Path

import pytest

from steelyard.core.errors import InterruptedRunError, ProgramError, RecordError, UsageError
from steelyard.lab.answer.analyze import analyze
from steelyard.lab.run.run import run
from steelyard.results.status import Progress
from steelyard.store import Record


def trials(record: Record) -> list[tuple[int, int]]:
    """(block, treatment) of every trial in the order of the plan."""
    return [
        (outcome.block.id, treatment)
        for outcome in record.outcomes()
        for treatment in outcome.block.order
        if outcome.state != "planned"
    ]


def values(record: Record, metric: str) -> list[list[float]]:
    return [list(sample.values) for sample in record.samples(metric)]


def test_every_block_is_run_once_and_the_first_is_discarded(run_in):
    record = run_in()
    states = Counter(outcome.state for outcome in record.outcomes())
    assert states == {"discarded": 1, "complete": 3}
    assert record.progress().trials == 8
    assert [len(sample) for sample in record.samples("wall_s")] == [3, 3]
    assert [item.state for item in record.runs()] == ["complete"]
    assert not list((record.directory / "journal").iterdir())


def test_the_end_is_told_when_no_process_is_left_and_the_record_is_still_open(tmp_path, make_experiment):
    message = []

    def children():
        return set(Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split())

    before = children()  # An orphan of an earlier test may have been adopted.

    def at_end():
        leftovers = children() - before
        with Record.open(tmp_path / "a.lab") as record:
            message.append((leftovers, record.holder().pid, record.runs()[0].state, record.progress().trials))

    run(make_experiment(), tmp_path / "a.lab", at_end=at_end)
    assert message == [(set(), os.getpid(), "running", 8)]


def test_the_end_of_a_run_that_failed_is_not_told(tmp_path, make_experiment):
    with pytest.raises(ProgramError):
        run(make_experiment(program={"command": ["/bin/false"]}), tmp_path / "a.lab", at_end=pytest.fail)


def test_a_finished_record_is_not_run_again(tmp_path, run_in, make_experiment):
    before = (run_in().directory / "record.sqlite").read_bytes()
    assert run(make_experiment(), tmp_path / "made.lab") == "complete"
    assert (tmp_path / "made.lab" / "record.sqlite").read_bytes() == before


def test_an_interrupted_run_goes_on_in_the_same_order_and_repeats_nothing(tmp_path, make_experiment):
    keys = {
        "program": {"commands": {"a": ["sleep", "0.02"], "b": ["sleep", "0.021"]}},
        "design": {"blocks": 12},
    }

    def interrupt(at) -> None:
        if at.blocks_done >= 3 and not interrupted:
            interrupted.append(at.blocks_done)
            raise KeyboardInterrupt

    interrupted: list[int] = []
    directory = tmp_path / "made.lab"
    with pytest.raises(InterruptedRunError) as caught:
        run(make_experiment(**keys), directory, watch=interrupt)
    assert str(directory) in (caught.value.hint or "")
    with Record.open(directory) as record:
        assert record.runs()[-1].state == "interrupted"
        first = trials(record)
    assert run(make_experiment(**keys), directory, watch=interrupt) == "complete"
    whole_record = tmp_path / "whole.lab"
    run(make_experiment(**keys), whole_record)
    with Record.open(directory) as record, Record.open(whole_record) as uninterrupted:
        assert trials(record)[: len(first)] == first
        assert trials(record) == trials(uninterrupted)


def test_sigterm_in_the_middle_of_a_trial_ends_it_and_the_run_can_be_continued(
    tmp_path, make_experiment, held, meanwhile
):
    keys = {"program": {"command": [held]}, "design": {"blocks": 2, "discard": 0}}
    with (
        pytest.raises(InterruptedRunError),
        meanwhile((tmp_path / "here").exists, lambda: os.kill(os.getpid(), signal.SIGTERM)),
    ):
        run(make_experiment(**keys), tmp_path / "made.lab")
    with Record.open(tmp_path / "made.lab") as record:
        assert record.progress().trials == 0
        assert [outcome.state for outcome in record.outcomes()] == ["planned"]


def test_a_block_with_a_failed_trial_is_kept_used_nowhere_and_replaced(tmp_path, run_in):
    # The third trial fails: a counter in a file decides, since a program knows nothing of blocks.
    (tmp_path / "sometimes").write_text(
        f"#!/bin/sh\ncd {tmp_path}\nn=$(cat n 2>/dev/null || echo 0)\nn=$((n+1))\necho $n >n\n[ $n -ne 3 ]\n"
    )
    (tmp_path / "sometimes").chmod(0o755)
    record = run_in(program={"command": ["./sometimes"]}, design={"blocks": 4, "discard": 0})
    assert [outcome.state for outcome in record.outcomes()].count("incomplete") == 1
    assert [len(sample) for sample in record.samples("wall_s")] == [4]
    failures = record.failures()[1]
    assert (failures.attempted, failures.failed) == (5, 1)


def test_three_failures_in_a_row_stop_the_run_and_their_output_is_kept(tmp_path, make_experiment):
    program = {"command": ["sh", "-c", "echo what went wrong >&2; exit 7"]}
    with pytest.raises(ProgramError, match=r"3 trials in a row failed.*exit code 7") as caught:
        run(make_experiment(program=program), tmp_path / "made.lab")
    assert "failed" in (caught.value.hint or "")
    ordered = sorted((tmp_path / "made.lab" / "failed").glob("*.stderr"))
    assert len(ordered) >= 3
    assert ordered[0].read_text() == "what went wrong\n"


@pytest.mark.parametrize(
    ("keys", "reason", "cure"),
    [
        (
            {"command": ["sh", "-c", "exit 7"]},
            "ended with exit code 7",
            "verify = { exit = 7 } under [program]",
        ),
        ({"command": ["sleep", "9"], "timeout": "0.05 s"}, "was still running", "timeout in [program]"),
        ({"command": ["true"], "prepare": ["false"]}, "a prepare or cleanup command", "prepare and cleanup"),
        (
            {"command": ["true"], "prepare": ["sleep", "90"], "hook_timeout": "0.05 s"},
            "a prepare or cleanup command failed: it was still running at its time limit, hook_timeout",
            "prepare and cleanup",
        ),
        ({"command": ["true"], "cwd": "{trial}"}, "program /", "run the command by itself"),
        (
            {"command": ["true"], "verify": {"stdout": "x"}},
            "'x' matches nothing",
            "run the command by itself",
        ),
    ],
)
def test_what_cures_a_failure_depends_on_its_kind(tmp_path, make_experiment, keys, reason, cure):
    with pytest.raises(ProgramError) as caught:
        run(make_experiment(program=keys), tmp_path / "made.lab")
    assert f"; the last one: {reason}" in caught.value.message
    assert cure in (caught.value.hint or "")


@pytest.mark.parametrize("hook", ["setup_once", "before_block", "after_block", "cleanup_once"])
def test_a_command_of_a_block_or_run_that_does_not_end_fails_at_its_limit(tmp_path, make_experiment, hook):
    program = {"command": ["true"], hook: ["sleep", "90"], "hook_timeout": "0.05 s"}
    with pytest.raises(ProgramError, match="it had not ended at its time limit, hook_timeout") as caught:
        run(make_experiment(program=program), tmp_path / "made.lab")
    assert caught.value.hint == "give it more time: hook_timeout under [program]"


def test_failures_of_two_treatments_in_turn_are_not_in_a_row_of_one(tmp_path, run_in):
    flag = tmp_path / "flag"
    flips = f"if [ -e {flag} ]; then rm {flag}; exit 1; else touch {flag}; fi"
    record = run_in(program={"command": ["sh", "-c", flips]}, design={"blocks": 5, "discard": 0})
    assert record.failures()[1].failed >= 4


def test_another_spec_is_refused_with_the_difference(tmp_path, run_in, make_experiment):
    run_in()
    with pytest.raises(RecordError, match=r"(?s)holds another experiment.*design\.blocks: 3 → 4"):
        run(make_experiment(design={"blocks": 4}), tmp_path / "made.lab")


def test_a_program_that_is_rebuilt_between_two_runs_is_refused(tmp_path, make_experiment):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    result = make_experiment(program={"command": ["./program"]})
    with pytest.raises(ProgramError):
        run(result, tmp_path / "made.lab")
    program.write_text("#!/bin/sh\nexit 0\n")
    with pytest.raises(RecordError, match=r"is not the program that .* has measured so far"):
        run(result, tmp_path / "made.lab")


def test_a_script_that_changes_is_noticed_although_its_interpreter_does_not(tmp_path, make_experiment):
    (tmp_path / "bench.sh").write_text('echo "# again" >> "$0"\n')
    with pytest.raises(ProgramError, match="the program changed during the experiment"):
        run(make_experiment(program={"command": ["sh", "bench.sh"]}), tmp_path / "made.lab")


def test_programs_that_fail_too_often_for_whole_blocks_end_the_run(tmp_path, make_experiment):
    # One fails in every odd block, the other in every even one: never three in a row, and no block is whole.
    count = "n=$(cat $0 2>/dev/null || echo 0); n=$((n+1)); echo $n >$0; "
    commands = {
        "odd": ["sh", "-c", count + "[ $((n % 2)) -eq 0 ]", "n-odd"],
        "even": ["sh", "-c", count + "[ $((n % 2)) -eq 1 ]", "n-even"],
    }
    with pytest.raises(ProgramError, match="too often for blocks of all treatments"):
        run(make_experiment(program={"commands": commands}, design={"blocks": 50}), tmp_path / "made.lab")


def test_failures_may_be_ignored_where_the_spec_says_so(tmp_path, run_in):
    fails = "n=$(cat n 2>/dev/null || echo 0); n=$((n+1)); echo $n >n; echo cost=1.$((n % 3)); [ $n -ne 9 ]"
    program = {"commands": {"a": ["sh", "-c", fails], "b": ["echo", "cost=5"]}}
    for failures, verdict in (("refuse", "not_resolved"), ("ignore", "slower")):
        (tmp_path / "n").unlink(missing_ok=True)
        shutil.rmtree(tmp_path / "made.lab", ignore_errors=True)
        record = run_in(
            program=program,
            metrics={"cost_s": {"source": "stdout", "pattern": "cost=(.*)", "unit": "s"}},
            design={"blocks": 10},
            analysis={"metric": "cost_s", "failures": failures},
        )
        assert analyze(record).judged[0].verdict == verdict


def test_a_program_that_rewrites_itself_stops_the_run(tmp_path, make_experiment):
    (tmp_path / "program").write_text('#!/bin/sh\necho "# again" >> "$0"\n')
    (tmp_path / "program").chmod(0o755)
    with pytest.raises(ProgramError, match="the program changed during the experiment"):
        run(make_experiment(program={"command": ["./program"]}), tmp_path / "made.lab")


def test_a_command_that_does_not_exist_leaves_no_record(tmp_path, make_experiment):
    with pytest.raises(UsageError, match="command not found"):
        run(make_experiment(program={"command": ["no-such-program-anywhere"]}), tmp_path / "made.lab")
    assert not (tmp_path / "made.lab").exists()


def test_metrics_of_the_program_are_reduced_derived_and_checked_against_each_other(tmp_path, run_in):
    lines = json.dumps(
        {
            "steelyard": 1,
            "metric": "latency",
            "unit": "s",
            "labels": {"op": "bcast"},
            "values": [3e-6, 1e-6, 2e-6],
        }
    )
    (tmp_path / "lines.json").write_text(lines + "\n")
    record = run_in(
        program={"command": ["sh", "-c", 'cat lines.json > "$STEELYARD_METRICS"; echo work=12']},
        metrics={
            "work": {"source": "stdout", "pattern": "work=([0-9]+)", "better": "neither"},
            "latency": {"source": "lines", "unit": "s", "reduce": "median"},
            "rate": {"derive": "work / wall_s", "unit": "1/s", "better": "higher"},
        },
    )
    (work,), (wall,), (rate,) = values(record, "work"), values(record, "wall_s"), values(record, "rate")
    assert work == [12.0] * 3
    assert rate == pytest.approx([12.0 / item for item in wall], rel=1e-12)
    (latency,) = record.samples("latency")
    assert list(latency.values) == [2e-6] * 3
    assert latency.labels == {"op": "bcast"}


def test_hooks_run_where_they_are_said_to(tmp_path, run_in):
    def note(word: str) -> list[str]:
        return ["sh", "-c", f"printf '{word} ' >> {tmp_path}/order"]

    run_in(
        program={
            "command": note("trial"),
            "prepare": note("prepare"),
            "cleanup": note("cleanup"),
            "setup_once": note("setup"),
            "cleanup_once": note("end"),
            "before_block": note("before"),
            "after_block": note("after"),
        },
        design={"blocks": 2, "discard": 0},
    )
    block = "before prepare trial cleanup after"
    assert (tmp_path / "order").read_text().split() == ["setup", *f"{block} {block}".split(), "end"]


def test_a_hook_that_fails_stops_the_run_and_cleanup_once_still_runs(tmp_path, make_experiment):
    program = {
        "command": ["true"],
        "before_block": ["sh", "-c", "exit 3"],
        "cleanup_once": ["touch", str(tmp_path / "cleaned")],
    }
    with pytest.raises(ProgramError, match="of a level, failed: sh -c 'exit 3': exit code 3"):
        run(make_experiment(program=program), tmp_path / "made.lab")
    assert (tmp_path / "cleaned").exists()


def test_every_block_has_its_own_context_and_both_arms_the_same_totals(tmp_path, run_in):
    record = run_in(
        contexts={"env_bytes": "random"},
        design={"blocks": 8},
        program={
            "commands": {"a": ["/bin/true"], "b": ["/bin/true", "a much longer argument", "and another"]}
        },
    )
    blocks = [outcome.block for outcome in record.outcomes() if outcome.state == "complete"]
    assert len({block.context.id for block in blocks}) == 8
    totals: dict[int, set[int]] = {}
    for block, argv, env in record._connection.execute("SELECT block, argv_bytes, env_bytes FROM trial"):
        totals.setdefault(block, set()).add(argv + env)
    assert all(len(total) == 1 for total in totals.values())
    assert len({item.pop() for item in totals.values()}) > 4


def test_several_passes_visit_every_context_that_often(run_in):
    record = run_in(contexts={"env_bytes": "random", "passes": 3}, design={"blocks": 12})
    visits = Counter(o.block.context.id for o in record.outcomes() if o.state == "complete")
    assert visits == dict.fromkeys(range(1, 5), 3)


def test_a_sequential_order_runs_one_treatment_after_the_other(run_in):
    record = run_in(design={"blocks": 5, "order": "sequential", "discard": 0})
    (outcome,) = record.outcomes()
    assert outcome.block.order == (1,) * 5 + (2,) * 5
    assert [len(sample) for sample in record.samples("wall_s")] == [5, 5]


def test_each_program_is_built_once_for_the_factors_that_the_build_names(tmp_path, run_in, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "say.c").write_text("#include <stdio.h>\nint main(void) { puts(WORD); return 0; }\n")
    record = run_in(
        program={"command": ["{build}/say", "{n}"], "verify": {"stdout": "^(one|two)$"}},
        build={"command": ["cc", '-DWORD="{word}"', "-o", "{build}/say", "say.c"], "inputs": ["say.c"]},
        factors={"word": ["one", "two"], "n": [1, 2]},
        design={"blocks": 2},
    )
    assert len(record.samples("wall_s")) == 4
    assert len(list(Path(tmp_path, "cache").rglob("say"))) == 2
    assert len(list((record.directory / "build").glob("*.log"))) == 2


def test_builds_are_told_before_the_first_block(tmp_path, make_experiment, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "in").write_text("")
    message = []
    result = make_experiment(
        program={"command": ["{build}/program"]},
        build={"command": ["cp", "/bin/true", "{build}/program"], "inputs": ["in"]},
    )
    run(result, tmp_path / "made.lab", watch=message.append)
    assert [(at.noun, at.blocks_done, at.blocks_wanted) for at in message[:2]] == [
        ("programs", 0, 1),
        ("blocks", 0, 3),
    ]
    assert message[-1].target is None


def test_a_run_that_a_precision_ends_tells_what_is_wanted_and_what_its_last_look_saw(
    tmp_path, make_experiment
):
    message = []
    stop = {"rel_halfwidth": 1e-9, "max_blocks": 12}
    result = make_experiment(
        program={"command": ["true", "{n}"]}, factors={"n": [1, 2]}, design={"stop": stop}
    )
    assert run(result, tmp_path / "made.lab", watch=message.append) == "precision_not_reached"
    assert (message[0].target, message[0].reached, message[0].to_end) == (1e-9, None, True)
    with Record.open(tmp_path / "made.lab") as record:
        first = next(look for look in record.looks() if look.decision == "continue")
    assert message[-1].reached == first.rel_halfwidth > 1e-9
    assert message[-1].elapsed_s > 0


class Ticks:
    """A clock that shows one time after another, and then the last one for ever."""

    def __init__(self, *seconds: float) -> None:
        self.seconds = list(seconds)

    def monotonic(self) -> float:
        return self.seconds.pop(0) if len(self.seconds) > 1 else self.seconds[0]


def times_left(make_experiment, tmp_path, monkeypatch, *seconds):
    """What is told of a run of 30 blocks, by such a clock; the first block is in a batch of its own."""
    monkeypatch.setattr("steelyard.lab.run.run_loop.time", Ticks(0.0, *seconds))
    message: list[Progress] = []
    run(make_experiment(design={"blocks": 30, "discard": 0}), tmp_path / "made.lab", watch=message.append)
    return [(item.blocks_done, item.remaining_s) for item in message]


def test_the_time_left_is_told_from_the_second_batch_on_without_start_up(
    make_experiment, tmp_path, monkeypatch
):
    result = times_left(make_experiment, tmp_path, monkeypatch, 0.0, 0.1, 0.2)
    assert result[:2] == [(0, None), (1, None)]
    # 5 blocks, since the first seemed to take 0.1 s; of 0.02 s each, and 24 are left.
    assert result[2] == (6, pytest.approx(0.48))


def test_one_long_block_tells_how_long_others_take(make_experiment, tmp_path, monkeypatch):
    assert times_left(make_experiment, tmp_path, monkeypatch, 0.0, 60.0)[1] == (1, pytest.approx(29 * 60.0))
