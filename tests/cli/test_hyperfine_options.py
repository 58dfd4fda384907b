"""Options of hyperfine 2.0.0 beside its own behaviour, which was seen with the program itself."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from steelyard.store import Record


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


def test_an_export_to_a_dash_is_all_of_stdout_and_the_answer_is_on_stderr(steelyard_cli, tmp_path):
    done = steelyard_cli("compare", "-r", "2", "--export-json", "-", "true")
    assert done.returncode == 0, done.stderr
    (result,) = json.loads(done.stdout)["results"]
    assert (result["command"], len(result["times"])) == ("true", 2)
    assert "true takes" in done.stderr
    assert "record: " in done.stderr
    assert not (tmp_path / "-").exists()


def test_two_documents_on_stdout_are_refused(steelyard_cli):
    done = steelyard_cli("compare", "-r", "2", "--json", "--export-csv", "-", "true")
    assert done.returncode == 2
    assert "both write a document to standard output" in json.loads(done.stdout)["message"]


@pytest.mark.extensions("page")
def test_any_output_file_may_be_a_dash(steelyard_cli, tmp_path):
    assert steelyard_cli("compare", "-r", "2", "-o", "a.lab", "true").returncode == 0
    done = steelyard_cli("report", "a.lab", "-o", "-")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("<!doctype html>")
    assert not (tmp_path / "-").exists()


@pytest.mark.parametrize("form", ["--export-json", "--export-csv", "--export-markdown"])
def test_names_stand_for_commands_in_exports(steelyard_cli, form):
    done = steelyard_cli("compare", "-r", "2", "-n", "old", "-n", "new", form, "-", "true", "true x")
    assert done.returncode == 0, done.stderr
    assert "old" in done.stdout
    assert "new" in done.stdout
    assert "true" not in done.stdout.replace('"true"', "")


def test_a_name_may_name_a_parameter(steelyard_cli):
    done = steelyard_cli(
        "compare", "-r", "2", "-L", "v", "1,2", "-n", "n{v}", "--export-markdown", "-", "echo {v}"
    )
    assert "`n1`" in done.stdout, done.stderr
    assert "`n2`" in done.stdout


@pytest.mark.parametrize("option", ["-s", "-c"])
def test_a_setup_or_cleanup_that_names_a_parameter_is_refused(steelyard_cli, tmp_path, option):
    done = steelyard_cli("compare", "-L", "v", "1,2", option, "touch made{v}", "echo {v}")
    assert done.returncode == 2
    assert "names {v}, and runs once for all values" in done.stderr
    assert not list(tmp_path.glob("made*"))


@pytest.mark.parametrize(
    ("option", "code"),
    [
        ("-i", 0),
        ("-i=1,2", 0),
        ("-i=1", 0),
        ("--ignore-failure=1,2", 0),
        ("--ignore-failure=all-non-zero", 0),
        ("-Ni", 0),
        ("-i=2", 5),
    ],
)
def test_exit_codes_that_are_ignored_may_be_named(steelyard_cli, option, code):
    done = steelyard_cli("compare", "-r", "2", option, "false", "true")
    assert done.returncode == code, done.stderr


def test_the_command_after_i_is_no_value_of_it_and_a_wrong_code_is_refused(steelyard_cli):
    assert steelyard_cli("compare", "-r", "2", "-i", "false").returncode == 0
    for value in ("x", "256", "", "1,,2"):
        done = steelyard_cli("compare", "-r", "2", f"-i={value}", "false")
        assert done.returncode == 2, value
        assert "is not an exit code, 0 to 255" in done.stderr


def test_a_death_by_a_signal_is_none_of_the_codes_that_are_named(steelyard_cli):
    assert steelyard_cli("compare", "-r", "2", "-i=1,137", "sh -c 'kill -9 $$'").returncode == 5
    assert steelyard_cli("compare", "-r", "2", "-i", "sh -c 'kill -9 $$'").returncode == 0


def test_a_shell_may_have_options_and_reads_commands_around_runs_too(steelyard_cli, tmp_path):
    done = steelyard_cli(
        "compare",
        *("-r", "2", "-w", "0", "--shell", "bash --norc"),
        *("-p", "[[ 1 == 1 ]] && echo before >> log"),
        "echo $BASH_VERSION >> log",
    )
    assert done.returncode == 0, done.stderr
    assert lines(tmp_path / "log")[::2] == ["before"] * 2
    assert all(line[0].isdigit() for line in lines(tmp_path / "log")[1::2])


def test_a_prepare_of_each_command_keeps_its_quotes_and_values(steelyard_cli, tmp_path):
    done = steelyard_cli(
        "compare",
        *("-r", "2", "-w", "0", "-n", "a", "-n", 'b"}', "-L", "v", "x,y z"),
        *("-p", "echo 'a \"{v}\" $((1+1))' >> log", "-p", 'echo "b {v} {other} \\" $((1+1))" >> log'),
        *("true", "true {v}"),
    )
    assert done.returncode == 0, done.stderr
    assert sorted(lines(tmp_path / "log")) == sorted(
        [f'a "{value}" $((1+1))' for value in ("x", "y z")] * 2
        + [f'b {value} {{other}} " 2' for value in ("x", "y z")] * 2
    )


def test_input_null_is_empty_input_and_a_file_of_that_name_has_a_path(steelyard_cli, tmp_path):
    (tmp_path / "null").write_text("text\n")
    for value, size in (("null", "0"), ("./null", "5")):
        done = steelyard_cli("compare", "-S", "-r", "2", "--input", value, f"test $(wc -c) = {size}")
        assert done.returncode == 0, done.stderr


def test_one_run_is_measured_and_has_no_interval(steelyard_cli):
    done = steelyard_cli("compare", "-r", "1", "true")
    assert done.returncode == 0, done.stderr
    assert "(1 run)" in done.stdout
    assert "Only 1 block: there is no interval" in done.stdout
    done = steelyard_cli("compare", "-r", "1", "true", "false", "-i")
    assert "no ratio, since there is only one complete block" in done.stdout
    assert steelyard_cli("compare", "-r", "1", "--strict", "true", "false", "-i").returncode == 3


def test_a_command_that_mentions_its_iteration_gets_the_number_of_hyperfine(steelyard_cli, tmp_path):
    echo = 'echo "{} $HYPERFINE_ITERATION" >> log'
    done = steelyard_cli(
        *("compare", "-S", "-w", "1", "-r", "2", echo.format("run")),
        *("-s", echo.format("setup"), "-p", echo.format("before")),
        *("-C", echo.format("after"), "-c", echo.format("cleanup")),
    )
    assert done.returncode == 0, done.stderr
    rounds = [f"{name} {number}" for number in ("warmup-0", 0, 1) for name in ("before", "run", "after")]
    assert lines(tmp_path / "log") == ["setup ", *rounds, "cleanup "]


def test_both_commands_of_a_block_have_the_same_iteration_and_env_may_pass_it_on(steelyard_cli, tmp_path):
    (tmp_path / "note").write_text("#!/bin/sh\necho $1 $AT >> log\n")
    (tmp_path / "note").chmod(0o755)
    done = steelyard_cli("compare", "-w", "1", "-r", "2", "--env", "AT={iteration}", "./note a", "./note b")
    assert done.returncode == 0, done.stderr
    assert sorted(lines(tmp_path / "log")) == [
        f"{arm} {number}" for arm in "ab" for number in ("0", "1", "warmup-0")
    ]


SERVER = "sleep 1000 & echo $! > pid"


def warnings(done, tmp_path: Path) -> list[str]:
    with Record.open(tmp_path / "a.lab") as record:
        return [warning.text for warning in record.warnings() if warning.kind == "left_processes"]


def test_a_server_of_setup_lives_until_cleanup_ends_it(steelyard_cli, tmp_path):
    done = steelyard_cli(
        *("compare", "-S", "-r", "3", "-o", "a.lab", "-s", SERVER),
        *("-c", "kill $(cat pid) && echo ended > log", "kill -0 $(cat pid)"),
    )
    assert done.returncode == 0, done.stderr
    assert lines(tmp_path / "log") == ["ended"]
    assert warnings(done, tmp_path) == []


@pytest.mark.parametrize("start", [SERVER, "setsid sleep 1000 > /dev/null 2>&1 < /dev/null & echo $! > pid"])
def test_a_server_that_no_cleanup_ends_is_ended_and_named(steelyard_cli, tmp_path, start):
    done = steelyard_cli("compare", "-S", "-r", "3", "-o", "a.lab", "-s", start, "kill -0 $(cat pid)")
    assert done.returncode == 0, done.stderr
    pid = int((tmp_path / "pid").read_text())
    (text,) = warnings(done, tmp_path)
    assert text.startswith("commands around blocks left processes, which were ended after the last block: ")
    assert f"sleep ({pid})" in text
    assert "commands around blocks left processes" in " ".join(done.stdout.split())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_server_lives_until_cleanup_where_the_command_fails(steelyard_cli, tmp_path):
    done = steelyard_cli(
        *("compare", "-S", "-r", "3", "-o", "a.lab", "-s", SERVER),
        *("-c", "kill $(cat pid) && echo ended > log", "exit 3"),
    )
    assert done.returncode == 5
    assert lines(tmp_path / "log") == ["ended"]
    assert "3 trials in a row failed" in done.stderr


def test_a_cleanup_that_fails_after_a_failure_does_not_hide_it(steelyard_cli, tmp_path):
    done = steelyard_cli("compare", "-S", "-r", "3", "-o", "a.lab", "-c", "exit 7", "exit 3")
    assert done.returncode == 5
    assert "3 trials in a row failed" in done.stderr
    with Record.open(tmp_path / "a.lab") as record:
        (text,) = [warning.text for warning in record.warnings() if warning.kind == "cleanup_failed"]
    assert "exit code 7" in text


def test_a_file_with_a_path_has_the_standard_output_of_the_last_run(steelyard_cli, tmp_path):
    (tmp_path / "out.txt").write_text("before\n" * 100)
    done = steelyard_cli("compare", "-r", "3", "--output", "./out.txt", "sh -c 'echo out; echo err >&2'")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.txt").read_text() == "out\n"


@pytest.mark.parametrize("file", ["./prog.out", "./in.txt", "./missing/out.txt", "./a.lab/out.txt"])
def test_a_file_for_output_replaces_nothing_that_is_read(steelyard_cli, tmp_path, file):
    assert steelyard_cli("compare", "-r", "2", "-o", "a.lab", "true").returncode == 0
    (tmp_path / "prog.out").write_text("#!/bin/sh\ncat\n")
    (tmp_path / "prog.out").chmod(0o755)
    (tmp_path / "in.txt").write_text("in\n")
    done = steelyard_cli("compare", "-r", "2", "--output", file, "--input", "in.txt", "./prog.out")
    assert done.returncode == 2, done.stdout
    assert (tmp_path / "prog.out").read_text() == "#!/bin/sh\ncat\n"
    assert (tmp_path / "in.txt").read_text() == "in\n"
