"""``steelyard compare``, as a user types it."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from steelyard.cli.compare_output import tell_context
from steelyard.cli.compare_request import read_metrics
from steelyard.core.errors import UsageError
from steelyard.interventions.aslr import Aslr
from steelyard.lab.compare.compare import CompareRequest
from steelyard.results.assumptions import ONE_CONTEXT
from steelyard.store import Record

MEMORY = ("compare", "--metric", "rss_bytes")


def test_two_commands_are_compared_in_blocks_and_the_record_is_named(steelyard_cli, sizes):
    done = steelyard_cli(*MEMORY, "-r", "10", *sizes)
    assert done.returncode == 0, done.stderr
    assert "./large has" in done.stdout
    assert "more rss_bytes than ./small" in done.stdout
    *_, last = done.stdout.splitlines()
    assert last.startswith("record: ")
    assert len(done.stdout.splitlines()) <= 14
    assert all(len(line) <= 100 for line in done.stdout.splitlines()[:-1])
    with Record.open(Path(last.removeprefix("record: "))) as record:
        assert record.progress().trials == 22
    assert done.stderr == ""


CONTEXTS = "one context: with --contexts, the interval covers other environment sizes"


def test_an_answer_in_one_context_says_so_and_what_contexts_would_add(steelyard_cli, sizes):
    done = steelyard_cli(*MEMORY, "-r", "3", *sizes)
    assert " 3 blocks in one context)" in " ".join(done.stdout.split())
    *_, scope, record = done.stdout.splitlines()
    assert record.startswith("record: ")
    assert scope == CONTEXTS or Aslr().missing("off") is not None
    directory = record.removeprefix("record: ")
    document = json.loads(steelyard_cli("analyze", directory, "--json").stdout)
    assert all(ONE_CONTEXT in row["speedup"]["assumptions"] for row in document["comparisons"])


@pytest.mark.skipif(Aslr().missing("off") is not None, reason="contexts cannot be drawn on this machine")
def test_an_answer_over_contexts_does_not_speak_of_one(steelyard_cli, sizes):
    done = steelyard_cli(*MEMORY, "-r", "3", "--contexts", *sizes)
    assert "3 blocks, each in its own context)" in " ".join(done.stdout.split())
    assert "one context" not in done.stdout
    directory = done.stdout.splitlines()[-1].removeprefix("record: ")
    document = json.loads(steelyard_cli("analyze", directory, "--json").stdout)
    assert all(ONE_CONTEXT not in row["speedup"]["assumptions"] for row in document["comparisons"])


def test_a_machine_that_draws_no_contexts_is_not_told_to_draw_some(monkeypatch):
    question = CompareRequest(commands=("./a", "./b")).experiment()
    monkeypatch.setattr(Aslr, "missing", lambda *_: "refused")
    assert tell_context(question) == "one context: this machine cannot draw others (steelyard doctor)"


def test_a_command_alone_is_described(steelyard_cli):
    done = steelyard_cli("compare", "-r", "5", "true")
    assert done.returncode == 0, done.stderr
    assert "true" in done.stdout


def test_a_quote_that_is_not_closed_is_an_error_and_no_traceback(steelyard_cli):
    done = steelyard_cli("compare", "echo 'open", "true")
    assert done.returncode == 2
    assert done.stderr.startswith('error: "echo \'open" cannot be split into words')
    assert "\n\nhint: " in done.stderr


def test_json_is_one_document_of_the_declared_form(steelyard_cli, sizes):
    done = steelyard_cli(*MEMORY, "-r", "10", "--json", *sizes)
    document = json.loads(done.stdout)
    assert (document["format"], document["version"]) == ("steelyard/comparison", 1)
    assert document["design"]["order"] == "randomized-blocks"
    assert document["design"]["blocks"] == 10
    assert document["design"]["seed"] >= 0
    (comparison,) = [item for item in document["comparisons"] if item["metric"] == "rss_bytes"]
    assert comparison["verdict"] == "slower"
    assert comparison["speedup"]["ci95"][1] < 1
    samples = [sample for sample in document["samples"] if sample["metric"] == "wall_s"]
    assert [element["n"] for element in samples] == [10, 10]
    assert set(samples[0]) >= {
        "treatment",
        "unit",
        "failed",
        "mean",
        "median",
        "s",
        "u",
        "cv",
        "rsu",
        "quartiles",
    }


def test_nothing_but_the_result_is_on_stdout_and_no_progress_in_a_pipe(steelyard_cli):
    done = steelyard_cli("compare", "-r", "3", "true", "true")
    assert "\r" not in done.stdout + done.stderr
    assert "\x1b" not in done.stdout + done.stderr


def test_a_pipe_without_a_shell_is_hinted_at_and_with_a_shell_it_works(steelyard_cli):
    done = steelyard_cli("compare", "-r", "3", "echo a | tr a b", "true")
    assert done.returncode == 0
    assert "hint: 'echo a | tr a b' runs without a shell" in done.stderr
    assert "--shell default" in done.stderr
    done = steelyard_cli("compare", "-r", "3", "--shell", "default", "echo a | grep -q a", "true")
    assert (done.returncode, done.stderr) == (0, "")


def test_options_of_hyperfine_are_understood(steelyard_cli, tmp_path):
    done = steelyard_cli(
        "compare", "--warmup", "2", "--min-runs", "3", "--max-runs", "3", "--setup", "touch in",
        "--prepare", "test -e in", "--cleanup", "rm in", "-N", "-L", "n", "1,2", "test {n} -gt 0",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "in").exists()


def test_a_scan_a_reference_and_a_command_after_each_run_are_understood(steelyard_cli, tmp_path):
    done = steelyard_cli(
        "compare", "-r", "2", "-w", "0", "-P", "n", "1", "2", "-D", "0.5", "--reference", "echo {n}",
        "--conclude", "echo {n} >> seen", "--output", "null", "--json", "printf {n}",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert sorted((tmp_path / "seen").read_text().split()) == sorted(["1.0", "1.5", "2.0"] * 4)
    result = json.loads(done.stdout)
    levels = {sample["treatment"]["id"]: sample["treatment"]["levels"] for sample in result["samples"]}
    assert {levels[item["baseline"]]["command"] for item in result["comparisons"]} == {"echo {n}"}
    assert not (tmp_path / "null").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("-P", "n", "1", "2", "-L", "n", "3,4"),
        ("-P", "n", "1", "2", "-P", "n", "3", "4"),
        ("-L", "n", "1,2", "-L", "n", "3,4"),
    ],
)
def test_a_parameter_that_is_given_twice_is_refused_and_none_of_its_values_lost(steelyard_cli, words):
    done = steelyard_cli("compare", "-r", "2", *words, "echo {n}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: the parameter n is given twice\n\nhint: ")


def test_a_step_without_a_scan_is_refused(steelyard_cli):
    done = steelyard_cli("compare", "-r", "2", "-D", "1", "true")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: --parameter-step-size 1 needs --parameter-scan\n\nhint: ")


def test_output_on_the_terminal_is_refused_with_a_cure(steelyard_cli):
    done = steelyard_cli("compare", "--output", "inherit", "true")
    assert (done.returncode, done.stdout) == (2, "")
    assert "hint: --output null" in done.stderr


@pytest.mark.parametrize(("name", "cure"), [("-", "NAME.lab"), ("out.txt", "out.lab")])
def test_an_output_that_means_a_file_is_refused_since_a_record_is_a_directory(
    steelyard_cli, tmp_path, name, cure
):
    done = steelyard_cli("compare", "-r", "2", "-o", name, "true")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: --output {name}: a record is a directory")
    assert "for the output of the programs" in done.stderr
    assert f"hint: --output {cure} for the record" in done.stderr
    assert not (tmp_path / name).exists()


def test_the_help_says_what_words_of_hyperfine_mean_as_output(steelyard_cli):
    result = " ".join(steelyard_cli("compare", "--help").stdout.split())
    assert "null discards what the commands print, and pipe captures it (the default)" in result


def test_a_command_that_fails_stops_with_5_unless_that_is_ignored(steelyard_cli):
    done = steelyard_cli("compare", "-r", "5", "false", "true")
    assert done.returncode == 5
    assert done.stderr.startswith("error: false: 3 trials in a row failed")
    assert "hint: " in done.stderr
    assert steelyard_cli("compare", "-r", "5", "-i", "false", "true").returncode == 0


def test_a_cleanup_that_fails_after_all_runs_says_where_their_record_is(steelyard_cli):
    done = steelyard_cli("compare", "-r", "2", "-c", "false", "true")
    assert (done.returncode, done.stdout) == (5, "")
    part = done.stderr.split("; steelyard analyze ")[1]
    record = part.removesuffix(" answers from the measurements so far\n")
    answer = steelyard_cli("analyze", record)
    assert answer.returncode == 0, answer.stderr
    assert "2 runs" in answer.stdout or "2 blocks" in answer.stdout
    early = steelyard_cli("compare", "-r", "2", "-s", "false", "true")
    assert early.returncode == 5
    assert "steelyard analyze" not in early.stderr


def test_a_command_that_does_not_exist_is_a_usage_error(steelyard_cli):
    done = steelyard_cli("compare", "no-such-program-anywhere", "true")
    assert done.returncode == 2
    assert (
        done.stderr
        == "error: command not found: no-such-program-anywhere\n\nhint: give its path, or check PATH\n"
    )


def test_what_is_not_decided_is_0_and_with_strict_3(steelyard_cli):
    options = ("compare", "--max-runs", "10", "--margin", "0.000001", "true", "true")
    assert steelyard_cli(*options).returncode == 0
    assert steelyard_cli(*options, "--strict").returncode == 3


def test_by_default_a_difference_is_decided_and_the_looks_are_told(steelyard_cli, sizes):
    done = steelyard_cli(*MEMORY, "--json", *sizes)
    document = json.loads(done.stdout)
    assert document["design"]["decided"] is True
    assert document["design"]["looks"][-1] == document["design"]["blocks"] >= 5
    (memory,) = [item for item in document["comparisons"] if item["metric"] == "rss_bytes"]
    assert memory["verdict"] == "slower"


def test_an_interrupted_comparison_prints_the_answer_so_far(
    steelyard_started, sizes, held, tmp_path, eventually
):
    # The warm-up and eight blocks, and then a command that does not end.
    until = f"test $(wc -l < runs) -le 18 || exec {held}"
    process = steelyard_started(
        *MEMORY, "-r", "500", "-o", "it.lab", "--prepare", f"echo >> runs; {until}", *sizes
    )
    eventually((tmp_path / "here").exists, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130
    assert "more rss_bytes than ./small" in out
    assert "hint: steelyard run it.lab goes on" in err


def test_output_is_shown_once_and_beside_a_document_on_stderr(steelyard_cli):
    done = steelyard_cli("compare", "-r", "2", "--show-output", "echo hello", "echo you")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("hello\n") == 1
    done = steelyard_cli("compare", "-r", "2", "--json", "--show-output", "echo hello", "echo you")
    assert "hello\n" in done.stderr
    json.loads(done.stdout)


def test_times_have_the_unit_asked_for_and_commands_the_order_of_their_means(steelyard_cli):
    done = steelyard_cli(
        "compare", "-r", "5", "-u", "second", "--sort", "mean-time", "sleep 0.03", "sleep 0.001"
    )
    assert done.returncode == 0, done.stderr
    assert "mean ± SE s" in done.stdout
    rows = [line for line in done.stdout.splitlines() if line.startswith("sleep") and " … " in line]
    means = [float(re.search(r"([\d.]+) ±", row)[1]) for row in rows]
    assert len(means) == 2
    assert means == sorted(means)


def test_one_prepare_a_command_runs_before_its_own_command_only(steelyard_cli, tmp_path):
    done = steelyard_cli(
        "compare", "-r", "3", "-w", "0", "-p", "echo a >> seen", "-p", "echo b >> seen",
        "test -e seen", "true",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert sorted((tmp_path / "seen").read_text().split()) == ["a"] * 3 + ["b"] * 3


def test_an_exact_number_of_runs_and_a_least_number_contradict_each_other(steelyard_cli):
    done = steelyard_cli("compare", "-r", "5", "--min-runs", "4", "true", "true")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: --runs 5 is an exact number, so --min-runs 4 has no meaning")


@pytest.mark.parametrize("option", ["--confirm", "--across-libraries"])
def test_what_only_two_records_have_is_refused_of_commands_with_the_line_for_records(steelyard_cli, option):
    done = steelyard_cli("compare", "true", "echo", option)
    assert done.returncode == 2
    assert f"error: {option} is for two records; " in done.stderr
    assert done.stderr.endswith(f"\nhint: steelyard compare OLD.lab NEW.lab {option}\n")


def test_a_missing_runs_option_value_names_the_option(steelyard_cli):
    done = steelyard_cli("compare", "-r", "0", "true")
    assert done.returncode == 2
    assert "'-r' / '--runs'" in done.stderr


def test_ctrl_c_ends_the_programs_exits_130_and_run_continues_the_record(
    steelyard_cli, steelyard_started, tmp_path, held, eventually
):
    process = steelyard_started("compare", "-r", "5", "-o", "it.lab", held, held)
    eventually((tmp_path / "here").exists, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out) == (130, "")
    assert "hint: steelyard run " in err
    (tmp_path / "go").touch()
    done = steelyard_cli("run", "it.lab")
    assert done.returncode == 0, done.stderr
    assert "5 blocks" in done.stdout


STOPPED = """\
import importlib, sys
from steelyard.cli import main
def stopped(*_, **__):
    raise KeyboardInterrupt
importlib.import_module(f"steelyard.cli.{sys.argv[1]}").print_answer = stopped
main()
"""


@pytest.mark.parametrize(
    "words", [["run", "it.toml"], ["compare", "-r", "2", "-o", "it.lab", "true", "true"]]
)
def test_ctrl_c_while_a_record_that_has_ended_answers_says_where_the_answer_is(
    steelyard_cli, steelyard_env, tmp_path, words
):
    (tmp_path / "it.toml").write_text('[program]\ncommand = ["true"]\n[factors]\nnice = [0, 1]\n')
    done = subprocess.run(
        [sys.executable, "-c", STOPPED, *words],
        check=False,
        env=steelyard_env,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (130, "")
    error, _, hint = done.stderr.splitlines()
    assert "is complete" in error
    assert hint == "hint: steelyard analyze it.lab"
    assert steelyard_cli("analyze", "it.lab").returncode == 0


def test_progress_is_drawn_on_a_terminal_and_taken_away(steelyard_env, tmp_path):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "steelyard", "compare", "-r", "5", "sleep 0.06", "sleep 0.06"],
        env={**steelyard_env, "TERM": "xterm"}, cwd=tmp_path, stderr=theirs, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(theirs)
    drawn = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        drawn += piece
    os.close(ours)
    assert process.wait() == 0
    assert b"/5 blocks" in drawn
    assert drawn.endswith(b"\r\x1b[K")


def test_what_is_wrong_is_said_in_options_and_not_in_keys_of_a_spec(steelyard_cli):
    question = {
        ("--metric", "foo", "true"): "error: --metric: unknown metric foo",
        ("-L", "n", "1,1", "echo {n}"): "error: --parameter-list n[2]: 1 is a level of n twice",
        ("-P", "n", "1", "2", "true"): "error: --parameter-scan n: nothing uses the factor n,"
        " so all of its levels would be the same",
        ("-P", "n", "1", "2", "-L", "m", "3,4", "echo {n}"): "error: parameter m: nothing uses the factor m,"
        " so all of its levels would be the same",
        ("-M", "15", "-m", "20", "true"): "error: --max-runs 15 is less than --min-runs 20",
    }
    for words, message in question.items():
        done = steelyard_cli("compare", *words)
        assert (done.returncode, done.stderr.splitlines()[0]) == (2, message)
        assert "experiment()" not in done.stderr
        assert "[program]" not in done.stderr


@pytest.mark.parametrize(("option", "named"), [("-p", "--prepare"), ("-C", "--conclude")])
def test_a_command_before_or_after_a_run_that_fails_is_named_by_its_option(steelyard_cli, option, named):
    done = steelyard_cli("compare", "-r", "5", option, "false", "true")
    assert (done.returncode, done.stdout) == (5, "")
    assert f"the last one: a {named} command failed: it ended with exit code 1" in done.stderr
    assert f"hint: run the commands of {named} by themselves to see why" in done.stderr


@pytest.mark.extensions("exchange")
def test_a_near_name_of_a_metric_is_answered_with_the_metric_wherever_one_is_named(steelyard_cli):
    steelyard_cli("compare", "-r", "3", "-o", "it.lab", "true", "true")
    for words in (
        ("compare", "true"),
        ("analyze", "it.lab"),
        ("export", "-f", "extrap-text", "it.lab"),
    ):
        done = steelyard_cli(*words, "--metric", "rss")
        assert done.returncode == 2
        assert done.stderr.endswith("hint: did you mean rss_bytes?\n")


def test_the_same_comparison_into_the_same_record_shows_it_again(steelyard_cli):
    words = ("compare", "-r", "3", "-o", "it.lab", "true", "true")
    first = steelyard_cli(*words)
    again = steelyard_cli(*words)
    assert (again.returncode, again.stdout) == (0, first.stdout)
    process = steelyard_cli("compare", "-r", "4", "-o", "it.lab", "true", "true")
    assert (process.returncode, "design.seed" in process.stderr, "design.blocks" in process.stderr) == (
        2,
        False,
        True,
    )


def test_a_time_limit_that_ends_before_the_first_block_says_so(steelyard_cli):
    done = steelyard_cli("compare", "--max-time", "0.1 s", "sleep 0.1", "sleep 0.1")
    assert done.returncode == 2
    assert "time ran out before every treatment had run once (2 trials ended)" in done.stderr
    assert "--max-time" in done.stderr


def test_a_program_that_deletes_the_record_gets_an_error_and_no_traceback(steelyard_cli):
    done = steelyard_cli("compare", "-r", "5", "-o", "it.lab", "rm -rf it.lab", "true")
    assert done.returncode == 2
    assert "is gone, and with it the last trials" in done.stderr
    assert "Traceback" not in done.stderr


def test_s_alone_is_the_default_shell_as_in_hyperfine_2(steelyard_cli):
    done = steelyard_cli("compare", "-r", "3", "-S", "echo a | grep -q a", "true", "--json")
    assert done.returncode == 0, done.stderr
    labels = list(
        dict.fromkeys(sample["treatment"]["label"] for sample in json.loads(done.stdout)["samples"])
    )
    assert labels == ["echo a | grep -q a", "true"]


def test_s_before_a_shell_names_it_as_in_hyperfine_1(steelyard_cli):
    done = steelyard_cli("compare", "-r", "3", "-S", "bash", "[[ a == a ]]", "true", "--json")
    assert done.returncode == 0, done.stderr
    labels = list(
        dict.fromkeys(sample["treatment"]["label"] for sample in json.loads(done.stdout)["samples"])
    )
    assert labels == ["[[ a == a ]]", "true"]


def test_a_shell_that_is_none_is_an_error_that_names_the_fix(steelyard_cli):
    done = steelyard_cli("compare", "--shell", "./old", "./new")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--shell './old': not the name of a shell" in done.stderr
    assert "hint: -S alone, or --shell default, is /bin/sh" in done.stderr


def test_variables_hold_for_all_commands_and_may_name_parameters(steelyard_cli, tmp_path):
    script = "sh -c 'echo $N$GREETING >> seen'"
    done = steelyard_cli(
        "compare", "-r", "2", "-w", "0", "-L", "n", "1,2", "--env", "N={n} GREETING='a b'", script
    )
    assert done.returncode == 0, done.stderr
    assert {*(tmp_path / "seen").read_text().splitlines()} == {"1a b", "2a b"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--env", "N"], "--env 'N': expected NAME=VALUE"),
        (["--env", "=1"], "--env '=1': expected NAME=VALUE"),
        (["--env", "N=1", "--env", "N=2"], "--env is given 2 times, and holds for all commands"),
    ],
)
def test_variables_that_cannot_be_set_are_refused(steelyard_cli, options, message):
    done = steelyard_cli("compare", *options, "true", "false")
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize(
    ("text", "metrics"),
    [
        ("time_cpu,memory_peak_resident", ("cpu_s", "rss_bytes")),
        ("time", ("cpu_s", "user_s", "system_s")),
        ("cycles:u,cpu_cycles,wall_s", ("cycles:u", "cycles")),
        (None, ()),
    ],
)
def test_metrics_are_read_by_our_names_and_by_hyperfines(text, metrics):
    assert read_metrics(text, None) == metrics


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "--metrics: unknown metric 'nonsense'"),
        ("time_cpu:ms", "--metrics time_cpu:ms: a metric has no"),
    ],
)
def test_metrics_that_are_none_are_refused(text, message):
    with pytest.raises(UsageError) as caught:
        read_metrics(text, None)
    assert caught.value.message.startswith(message)


def test_metrics_that_are_listed_have_a_row_with_their_ratio(steelyard_cli, sizes):
    done = steelyard_cli("compare", "-r", "10", "--metrics", "rss_bytes,minor_faults", *sizes)
    assert done.returncode == 0, done.stderr
    rows = done.stdout.partition("also measured")[2].splitlines()
    assert [row.split()[0] for row in rows[1:3]] == ["rss_bytes", "minor_faults"]


def test_metrics_of_two_records_are_refused_with_the_option_for_one(steelyard_cli):
    for name in ("old", "new"):
        assert steelyard_cli("compare", "-r", "2", "-o", f"{name}.lab", "true").returncode == 0
    done = steelyard_cli("compare", "old.lab", "new.lab", "--metrics", "rss_bytes")
    assert done.returncode == 2
    assert "hint: --metric rss_bytes" in done.stderr


def test_two_names_of_one_program_are_told(steelyard_cli, tmp_path):
    for name in ("old", "new"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    done = steelyard_cli("compare", "-r", "5", "./old", "./new")
    assert "are the same program, byte for byte" in " ".join(done.stdout.split())


def test_a_setup_command_that_fails_is_named_by_its_option(steelyard_cli, tmp_path):
    process = steelyard_cli("compare", "-r", "2", "--setup", "false", "true", "true", cwd=tmp_path)
    assert process.returncode != 0
    assert "a --setup command failed: /bin/sh -c false: exit code 1" in process.stderr


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--runs", "5", "true", "false"), "--runs 5 is an exact number, so --until verdict has no meaning"),
        (("true",), "--until verdict: one command has no verdict"),
        (("-L", "n", "1", "true {n}"), "--until verdict: one command has no verdict"),
        (("-P", "n", "2", "2", "true {n}"), "--until verdict: one command has no verdict"),
    ],
)
def test_until_verdict_needs_a_verdict_that_can_end_the_run(steelyard_cli, words, text):
    done = steelyard_cli("compare", "--until", "verdict", *words)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {text}")
