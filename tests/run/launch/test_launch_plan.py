"""From a treatment and a context to what the runner starts."""

from __future__ import annotations

import os

import pytest

from steelyard.core.errors import UsageError
from steelyard.design import Context, treatments
from steelyard.run.launch.launch_plan import LaunchPlan, set_trial
from steelyard.spec import experiment


def launches_of(**keys) -> LaunchPlan:
    spec_ = experiment(**{"source": "/", **keys})
    return LaunchPlan(spec_, treatments(spec_), builds={})


def variables(launch) -> dict[str, str]:
    return dict(entry.split("=", 1) for entry in launch.env)


def test_a_program_inherits_path_home_and_lang_and_nothing_else(monkeypatch):
    monkeypatch.setenv("A_SECRET", "planted")
    monkeypatch.setenv("LANG", "C.UTF-8")
    (launch,) = launches_of(program={"command": ["true"], "env": {"MINE": 1}}).start_in_context(None).values()
    named = {name for name in variables(launch) if not name.startswith("STEELYARD_")}
    assert named == {"PATH", "HOME", "LANG", "MINE"} & {*os.environ, "MINE"}


def test_with_inherit_a_program_gets_all_but_the_variables_of_an_outer_run(monkeypatch):
    monkeypatch.setenv("A_VARIABLE", "kept")
    monkeypatch.setenv("STEELYARD_TRIAL", "of an outer run")
    (launch,) = launches_of(program={"command": ["true"], "inherit": True}).start_in_context(None).values()
    assert variables(launch)["A_VARIABLE"] == "kept"
    assert "STEELYARD_TRIAL" not in variables(launch)


def test_factors_expand_in_words_environment_and_stdin_and_a_level_stays_one_word(tmp_path):
    (tmp_path / "two words.txt").write_text("")
    (tmp_path / "other.txt").write_text("")
    context = launches_of(
        source=str(tmp_path),
        program={"command": ["echo", "{which}"], "env": {"W": "<{which}>"}, "stdin": "{which}.txt"},
        factors={"which": ["two words", "other"]},
    ).start_in_context(None)
    assert context[1].argv == ("echo", "two words")
    assert variables(context[1])["W"] == "<two words>"
    assert context[1].stdin == str(tmp_path / "two words.txt")


def test_a_level_in_a_shell_command_is_quoted():
    context = launches_of(
        program={"command": "echo {which}", "shell": True}, factors={"which": ["; touch /tmp/x", "b"]}
    ).start_in_context(None)
    assert context[1].argv[:2] == ("/bin/sh", "-c")
    assert context[1].argv[2] == "echo '; touch /tmp/x'"


def test_a_factor_that_is_an_intervention_changes_the_launch_and_not_the_command():
    context = launches_of(
        program={"command": ["true"]}, factors={"env_bytes": [0, 64], "aslr": ["off"]}
    ).start_in_context(None)
    assert context[2].env_bytes - context[1].env_bytes == 64
    assert context[1].argv == context[2].argv == ("true",)
    assert context[1].aslr_off


def test_a_context_changes_all_treatments_alike():
    launches = launches_of(
        program={"command": ["echo", "{n}"]},
        factors={"n": [1, 1000]},
        contexts={"env_bytes": [0, 32], "aslr": "off"},
    )
    small, large = (
        launches.start_in_context(Context(i, {"env_bytes": i * 32, "aslr": "off"})) for i in (0, 1)
    )
    for treatment in (1, 2):
        assert large[treatment].env_bytes - small[treatment].env_bytes == 32
    totals = {item.argv_bytes + item.env_bytes for item in small.values()}
    assert len(totals) == 1


def test_every_process_of_a_record_is_marked_by_a_variable_of_fixed_length(tmp_path):
    launches = launches_of(program={"command": ["true"]})
    launches.mark("0123456789abcdef", metrics_file=tmp_path / "metrics")
    (launch,) = launches.start_in_context(None).values()
    assert variables(launch)["STEELYARD_TRIAL"] == "0123456789abcdef-000000000000"
    assert "STEELYARD_METRICS" not in variables(launch)


def test_the_line_protocol_gets_a_file(tmp_path):
    launches = launches_of(
        program={"command": ["true"]}, metrics={"latency": {"source": "lines", "unit": "s"}}
    )
    launches.mark("0123456789abcdef", metrics_file=tmp_path / "metrics")
    (launch,) = launches.start_in_context(None).values()
    assert launch.metrics_path == variables(launch)["STEELYARD_METRICS"] == str(tmp_path / "metrics")


@pytest.mark.parametrize(
    ("spec", "needed"),
    [
        ({}, False),
        ({"analysis": {"metric": "queue_wait_s"}}, True),
        ({"metrics": {"busy_s": {"derive": "wall_s - queue_wait_s", "unit": "s"}}}, True),
        ({"claims": [{"limit": "queue_wait_s", "max": 0.1}]}, True),
        ({"claims": [{"limit": "wall_s", "max": 0.1}]}, False),
    ],
)
def test_the_wait_for_a_cpu_is_asked_for_after_every_run_where_the_spec_needs_it(spec, needed):
    (launch,) = launches_of(program={"command": ["true"]}, **spec).start_in_context(None).values()
    assert launch.queue_wait == needed


def test_the_number_of_the_trial_has_a_fixed_width_and_most_launches_need_no_copy():
    (launch,) = launches_of(program={"command": ["echo", "{trial}"]}).start_in_context(None).values()
    assert set_trial(launch, 42).argv == ("echo", "000000000042")
    (hooked,) = (
        launches_of(program={"command": ["true"], "prepare": ["echo", "{trial}"]})
        .start_in_context(None)
        .values()
    )
    assert set_trial(hooked, 7).prepare[0].argv == ("echo", "000000000007")
    (plain,) = launches_of(program={"command": ["echo"]}).start_in_context(None).values()
    assert set_trial(plain, 42) is plain


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("no-such-program-anywhere", "command not found: no-such-program-anywhere"),
        ("./missing", "the program ./missing does not exist"),
        ("./directory", "the program ./directory is not a file"),
        ("./text", "may not be executed"),
    ],
)
def test_a_program_that_cannot_be_started_is_refused_before_anything_runs(tmp_path, word, message):
    (tmp_path / "directory").mkdir()
    (tmp_path / "text").write_text("no program")
    launches = launches_of(source=str(tmp_path), program={"command": [word]})
    with pytest.raises(UsageError, match=message) as caught:
        launches.start_in_context(None)
    assert caught.value.hint


def test_each_treatment_has_the_file_that_it_starts(tmp_path):
    (tmp_path / "link").symlink_to("/bin/true")
    result = launches_of(source=str(tmp_path), program={"commands": {"a": ["./link"], "b": ["/bin/true"]}})
    assert result.paths() == {1: str(tmp_path / "link"), 2: "/bin/true"}


def test_output_that_nobody_reads_is_kept_only_as_far_as_a_failure_needs_it():
    (unread,) = launches_of(program={"command": ["true"]}).start_in_context(None).values()
    searching = {"command": ["true"], "verify": {"stdout": "ok"}}
    (searched,) = launches_of(program=searching).start_in_context(None).values()
    metrics = {"rate": {"source": "stdout", "pattern": "([0-9]+)"}}
    (read,) = launches_of(program={"command": ["true"]}, metrics=metrics).start_in_context(None).values()
    assert unread.capture_limit_bytes < searched.capture_limit_bytes == read.capture_limit_bytes == 1 << 20


def test_standard_input_that_would_not_open_at_once_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    launches = launches_of(source=str(tmp_path), program={"command": ["cat"], "stdin": "pipe"})
    with pytest.raises(UsageError, match="is not a regular file"):
        launches.start_in_context(None)


def test_a_working_directory_that_is_none_is_found_before_the_first_trial(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "room 1").mkdir()
    program = {"command": ["true"], "cwd": "room {n}"}
    launches = launches_of(source=str(tmp_path), program=program, factors={"n": [1, 2]})
    with pytest.raises(
        UsageError, match=r"working directory room \{n\} does not exist \(looked for .*/room 2\)"
    ):
        launches.start_in_context(None)
    launches = launches_of(source=str(tmp_path), program={"command": ["true"], "cwd": "file"})
    with pytest.raises(UsageError, match="working directory file is not a directory"):
        launches.start_in_context(None)


@pytest.mark.parametrize(
    ("command", "files"),
    [
        (["sh", "-u", "bench.py", "out"], ["bench.py"]),
        (["sh", "-c", "true", "out"], []),
        (["/bin/cat", "bench.py"], []),
        (["sh", "run-{trial}"], []),
    ],
)
def test_a_script_belongs_to_the_program_and_what_it_may_write_does_not(tmp_path, command, files):
    for name in ("bench.py", "out"):
        (tmp_path / name).write_text("pass")
    launches = launches_of(source=str(tmp_path), program={"command": command})
    (program,) = set(launches.paths().values())
    assert set(launches.files()) == {program, *(str(tmp_path / name) for name in files)}


def test_the_number_of_the_trial_is_filled_into_the_working_directory(tmp_path):
    launches = launches_of(source=str(tmp_path), program={"command": ["true"], "cwd": "run-{trial}"})
    (launch,) = launches.start_in_context(None).values()
    assert set_trial(launch, 3).cwd == str(tmp_path / "run-000000000003")
