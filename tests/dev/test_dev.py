"""``./dev`` itself: what it says, and what it hands over."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from door import alone, levels, stages

DEV = Path(__file__).parents[2] / "dev"


@pytest.fixture
def dev(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader = SourceFileLoader("dev", str(DEV))
    spec = importlib.util.spec_from_loader("dev", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_native_tests_that_did_not_run_are_told(dev: ModuleType) -> None:
    output = """\
100% tests passed, 0 tests failed out of 3

The following tests did not run:
\t  2 - Counters.HardwareCycles (Skipped)
\t  3 - Guard.Forever (Disabled)
"""
    stage = dev.Stage("native tests, release", passed=True, output=output)
    assert dev.not_run(stage) == [
        "native tests, release: Counters.HardwareCycles (Skipped)",
        "native tests, release: Guard.Forever (Disabled)",
    ]


class Handed(NamedTuple):
    """How commands end, by a word of them; and what pytest was handed."""

    ends: dict[str, tuple[int, str]]
    summary: dict[str, list[str]]
    arguments: list[str]


@pytest.fixture
def handed(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Handed:
    """No command is run: it ends as a test says, and otherwise well and without a word."""
    handed = Handed({}, {}, [])

    def run(command: list[str], **options: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
        if command[1:3] == ["-m", "pytest"]:
            handed.summary.update(json.loads(options["env"]["STEELYARD_DEV_SUMMARY"]))
            handed.arguments.extend(command[3:])
        words = {*command, Path(command[0]).name}
        code, text = next((end for word, end in handed.ends.items() if word in words), (0, ""))
        return subprocess.CompletedProcess(command, code, text.encode())

    monkeypatch.setattr(dev, "set_up", lambda needs, *locks: None)
    monkeypatch.setattr(dev, "ensure_system", lambda needs: None)
    monkeypatch.setattr(dev.subprocess, "run", run)
    return handed


def test_where_every_stage_passes_so_does_the_whole(dev: ModuleType, handed: Handed) -> None:
    assert dev.test(["all"]) == 0
    assert handed.summary == {"failed": [], "not_run": []}


def test_a_failed_early_stage_fails_the_whole_and_is_handed_to_pytest(
    dev: ModuleType, handed: Handed
) -> None:
    handed.ends["mypy"] = (1, "error: incompatible type")
    assert dev.test(["all", "-k", "something"]) == 1
    failed = ["mypy --strict", "mypy --strict, benchmarks", "mypy --strict, what tests share"]
    assert handed.summary == {"failed": failed, "not_run": []}
    assert handed.arguments[-5:-3] == ["-k", "something"]


def test_workloads_that_do_not_configure_or_compile_fail_the_whole(dev: ModuleType, handed: Handed) -> None:
    handed.ends["scripts/mpi.py"] = (1, "error: plain: cmake: exit code 1")
    assert dev.test(["all"]) == 1
    assert handed.summary["failed"] == ["MPI libraries, SimGrid, and the workloads for each"]


def test_a_library_that_cannot_be_had_fails_nothing_and_is_told(
    dev: ModuleType, handed: Handed, capsys: pytest.CaptureFixture[str]
) -> None:
    handed.ends["scripts/mpi.py"] = (4, "pip says much\nnot built: workloads for mpich: no index\n")
    assert dev.test(["all"]) == 0
    assert handed.summary["failed"] == []
    (message,) = handed.summary["not_run"]
    assert message.endswith(": not built: workloads for mpich: no index")
    assert "pip says much" in capsys.readouterr().err


def test_sources_that_clang_tidy_did_not_look_at_are_told(dev: ModuleType, handed: Handed) -> None:
    handed.ends["scripts/tidy.py"] = (4, "not looked at: 9 of 9 sources\n0 files, 0 with complaints\n")
    assert dev.test(["all"]) == 0
    assert handed.summary["not_run"] == [
        f"clang-tidy of {house}/: not looked at: 9 of 9 sources" for house in ("workloads", "native")
    ]


def test_complaints_of_clang_tidy_fail_the_whole_and_lint(dev: ModuleType, handed: Handed) -> None:
    assert dev.lint([]) == 0
    handed.ends["scripts/tidy.py"] = (1, "a.cpp:1: complaint")
    assert dev.test(["all"]) == 1
    assert handed.summary["failed"] == ["clang-tidy of workloads/", "clang-tidy of native/"]
    assert dev.lint([]) == 1


LABORATORY = ["tests"]
WORKLOADS = ["workloads/tests"]
STUDIES = ["studies/tests"]


@pytest.mark.parametrize(
    ("arguments", "level", "left"),
    [
        ([], "changed", LABORATORY),
        (["-x"], "changed", ["-x", *LABORATORY]),
        (["laboratory", "-x"], "laboratory", ["-x", *LABORATORY]),
        (["-k", "scripts"], "laboratory", ["-k", "scripts", *LABORATORY]),
        (["tests/cli"], "laboratory", ["tests/cli"]),
        (["workloads"], "workloads", WORKLOADS),
        (["workloads", "-k", "sort"], "workloads", ["-k", "sort", *WORKLOADS]),
        (["workloads/tests/programs/test_graph.py::test_x"], "workloads", None),
        (["studies"], "studies", STUDIES),
        (["-x", "studies/tests/test_specs.py"], "studies", None),
        (["all"], "all", [*LABORATORY, *WORKLOADS, *STUDIES]),
    ],
)
def test_the_first_word_or_the_tests_that_are_named_choose_the_level(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, arguments: list[str], level: str, left: list[str] | None
) -> None:
    # Where git cannot tell what has changed, nothing is spared.
    monkeypatch.setattr(levels, "list_changes", lambda: None)
    assert dev.choose_level(arguments) == (level, arguments if left is None else left)


def test_extensions_in_which_nothing_changed_are_spared_by_default(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = [
        "src/steelyard/extensions/gate/gate.py",
        "tests/extensions/lake/test_place.py",
        "a",
    ]
    monkeypatch.setattr(levels, "list_changes", lambda: changes)
    level, arguments = dev.choose_level(["-x"])
    assert level == "changed"
    assert "--ignore=tests/extensions/history" in arguments
    spared = {Path(word).name for word in arguments if word.startswith("--ignore=")}
    assert not spared & {"gate", "lake", "outside"}
    assert arguments[-1] == "tests"
    assert not any(word.startswith("--ignore") for word in dev.choose_level(["laboratory"])[1])


def test_extensions_that_need_a_changed_one_are_not_spared(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(levels, "list_changes", lambda: ["src/steelyard/extensions/bisect/bisect.py"])
    spared = {Path(word).name for word in dev.choose_level([])[1] if word.startswith("--ignore=")}
    assert "gate" in spared
    assert not spared & {"bisect", "history"}


def test_changes_are_those_since_the_main_branch_and_new_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(*words: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True)

    monkeypatch.setattr(levels, "ROOT", tmp_path)
    ask("init", "-q", "-b", "main")
    (tmp_path / "first").write_text("1")
    ask("add", ".")
    ask("commit", "-qm", "first")
    assert levels.list_changes() == []
    ask("checkout", "-qb", "work")
    (tmp_path / "second").write_text("2")
    ask("add", ".")
    ask("commit", "-qm", "second")
    (tmp_path / "first").write_text("3")
    (tmp_path / "third").write_text("4")
    assert levels.list_changes() == ["first", "second", "third"]
    monkeypatch.setattr(levels, "ROOT", tmp_path / ".git")
    assert levels.list_changes() is None


@pytest.mark.parametrize("level", ["changed", "laboratory", "workloads", "studies", "all"])
def test_a_level_names_what_it_leaves_out_and_all_leaves_out_nothing(
    dev: ModuleType, handed: Handed, level: str
) -> None:
    assert dev.test([level]) == 0
    left_out = list(dev.LEVELS[level].left_out)
    assert handed.summary == {"failed": [], "not_run": left_out}
    assert (left_out == []) == (level in ("studies", "all"))
    assert any("not simulates" in word for word in handed.arguments) == (level != "all")


def test_all_has_every_folder_tree_and_preset_of_the_other_levels(dev: ModuleType) -> None:
    stages = dev.LEVELS["all"]
    for level in dev.LEVELS.values():
        assert {*level.paths} <= {*stages.paths}
        assert {*level.needs} <= {*stages.needs}
        assert {*level.mpi} - {"--libraries"} <= {*stages.mpi}
        assert {*level.presets} <= {*stages.presets}


def test_all_cpus_are_used_unless_the_arguments_say_how_many(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev.os, "sched_getaffinity", lambda _: {0, 1, 2})
    assert dev.in_parallel(["-k", "something"]) == ["-n", "3"]
    assert dev.in_parallel([]) == ["-n", "3"]
    for text in ("-n0", "-n", "--numprocesses=4", "--pdb", "-s"):
        assert dev.in_parallel([text]) == []


def test_fast_hands_the_marker_to_pytest_and_builds_nothing(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        calls.append(command[1:])
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(dev, "set_up", lambda needs, *locks: None)
    monkeypatch.setattr(dev, "prepare_mpi", lambda words: pytest.fail("built"))
    monkeypatch.setattr(dev.subprocess, "run", run)
    assert dev.test(["-x", "--fast"]) == 0
    fast = ["-m", "pytest", "-m", "fast", "--hypothesis-profile=fast"]
    assert [item[:5] + item[-1:] for item in calls] == [[*fast, "-x"]]


@pytest.mark.parametrize(
    ("arguments", "ends", "code", "end"),
    [
        (["lake", "core", "-k", "word"], {"core": 0, "lake": 5}, 0, "1 of 1 pass alone"),
        (["lake", "core", "-kword"], {"core": 0, "lake": 1}, 1, "failed alone: lake"),
        (["lake", "core"], {"core": 0, "lake": 5}, 1, "failed alone: lake"),
        (["lake", "core"], {"core": 0, "lake": 0}, 0, "2 of 2 pass alone"),
    ],
)
def test_a_part_without_a_test_of_the_chosen_word_does_not_fail_alone(
    arguments: list[str],
    ends: dict[str, int],
    code: int,
    end: str,
    dev: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    set_ends(dev, monkeypatch, ends)
    assert dev.test(["alone", *arguments]) == code
    assert capsys.readouterr().err.endswith(f"{end}\n")


def test_a_word_that_no_part_has_a_test_of_is_refused(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_ends(dev, monkeypatch, {"core": 5, "lake": 5})
    with pytest.raises(dev.DevError, match="no part has a test") as caught:
        dev.test(["alone", "core", "lake", "-k", "wrod"])
    assert caught.value.exit_code == 2


def set_ends(dev: ModuleType, monkeypatch: pytest.MonkeyPatch, ends: dict[str, int]) -> None:
    """Let pytest end so in the copy of each part, which has no file."""

    def end(command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        name = "core" if "tests/stats" in command else Path(command[-1]).name
        return subprocess.CompletedProcess(command, ends[name], b"\n")

    monkeypatch.setattr(dev, "set_up", lambda needs, *locks: None)
    monkeypatch.setattr(alone, "copy_tree", lambda part, copy: None)
    monkeypatch.setattr(
        alone.Part, "list_tests", lambda part, copy: ["tests/stats" if part.name == "core" else part.name]
    )
    monkeypatch.setattr(stages.subprocess, "run", end)


@pytest.mark.parametrize(
    ("result", "hint"),
    [("/usr/bin/python3.13", "/usr/bin/python3.13 ./dev test -x"), (None, "install a newer python3")],
)
def test_a_python_that_is_too_old_is_named_with_the_one_to_use(
    dev: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    result: str | None,
    hint: str,
) -> None:
    monkeypatch.setattr(dev.sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(dev.sys, "version", "3.9.2 (default)")
    monkeypatch.setattr(dev.sys, "executable", "/usr/bin/python3")
    monkeypatch.setattr(dev.shutil, "which", lambda name: result if name == "python3.13" else None)
    code = dev.main(["test", "-x"])
    # At once: pytest asks for the version too.
    monkeypatch.undo()
    assert code == 4
    err = capsys.readouterr().err
    assert (
        err == f"error: Steelyard needs Python 3.11 or later, and /usr/bin/python3 is 3.9.2\n\nhint: {hint}\n"
    )


def dev_process(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(DEV), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_help_names_every_command() -> None:
    ended = dev_process("--help")
    assert ended.returncode == 0
    assert [line.split()[0] for line in ended.stdout.splitlines()[2:] if line[2] != " "] == [
        "demo",
        "test",
        "lint",
        "docs",
        "site",
        "bench",
        "size",
        "wheel",
        "release",
        "mpi",
        "lock",
    ]


def test_a_command_that_does_not_exist_is_an_error_with_a_cure() -> None:
    ended = dev_process("tset")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "error: ./dev has no command 'tset'\n\nhint: ./dev --help\n"


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_with_mpi_names_its_libraries_and_sets_nothing_up(option: str) -> None:
    ended = dev_process("mpi", option)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "./dev mpi impi" in ended.stdout


@pytest.mark.parametrize(
    "words", [("test", "--help"), ("test", "--fast", "-h"), ("test", "-k", "x", "--help"), ("bench", "-h")]
)
def test_help_of_a_command_is_printed_and_nothing_is_set_up(
    dev: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
) -> None:
    monkeypatch.setattr(dev, "set_up", lambda *_: pytest.fail("set up"))
    assert dev.main([*words]) == 0
    assert capsys.readouterr().out.startswith(f"usage: ./dev {words[0]} [ARGUMENT ...]\n\n  {words[0]} ")


def test_help_of_a_benchmark_is_left_to_it(dev: ModuleType) -> None:
    assert not dev.needs_help("bench", "runner", "--help")
    assert not dev.needs_help("test", "-k", "help")


@pytest.mark.parametrize("command", [[], ["test"], ["mpi"]])
def test_help_fits_a_terminal_of_80_columns(command: list[str]) -> None:
    lines = dev_process(*command, "--help").stdout.splitlines()
    assert lines
    assert [line for line in lines if len(line) > 80] == []


def test_every_mpi_library_is_listed_with_the_command_that_makes_it_ready() -> None:
    ended = dev_process("mpi", "--list")
    assert ended.returncode == 0
    listed = {line.split()[0]: line.split(None, 1)[1] for line in ended.stdout.splitlines()}
    assert listed.keys() == {"openmpi", "mpich", "impi", "smpi", "virtual", "plain", "tests", "sanitized"}
    assert all(text in ("ready", f"./dev mpi {name}") for name, text in listed.items())


def test_a_benchmark_that_does_not_exist_is_an_error() -> None:
    ended = dev_process("bench", "nothing")
    assert ended.returncode == 2
    assert ended.stderr.startswith("error: there is no benchmark 'nothing'\n\nhint: ")


def test_an_option_that_a_command_does_not_have_is_refused() -> None:
    ended = dev_process("lint", "--fux")
    assert (ended.returncode, ended.stderr) == (
        2,
        "error: ./dev lint: cannot use --fux\n\nhint: ./dev lint --fix\n",
    )
