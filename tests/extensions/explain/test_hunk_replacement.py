"""Lines of OLD in NEW: which can be tested, what is built, and why others cannot."""

from __future__ import annotations

import json
import sys

import msgspec
import pytest
from explanations import contribution, explanation

from steelyard.core.errors import ProgramError, UsageError
from steelyard.extensions.explain.hunk_replacement import HunkReplacement, choose_make
from steelyard.extensions.explain.request import ExplainRequest
from steelyard.extensions.explain.sources import Sources
from steelyard.extensions.explain.validation import DIRECTORY, FILE_OF_TESTS, Trial, validate
from steelyard.store import Record

OLD = """\
#include <stdio.h>
int f(int x) {
    return x;
}
int g(int x) { return x; }
int main(void) { printf("%d\\n", f(1) + g(1)); return 0; }
"""
BUILD = "cc -O1 -w {source}/p.c -o {program}"


def replacement_of(tmp_path, new, old=OLD, build=BUILD):
    for side, text in (("old", old), ("new", new)):
        (tmp_path / side).mkdir(parents=True)
        (tmp_path / side / "p.c").write_text(text)
    sources = Sources(tmp_path / "old", tmp_path / "new", build)
    request = ExplainRequest(old=("old/p", "x"), new=("new/p", "{x}"), blocks=12, max_time_s=60)
    return HunkReplacement(request, sources, tmp_path / "trees", choose_make(request, sources))


def validate_named(replacement, tmp_path, *named):
    directory = tmp_path / "x.lab"
    directory.mkdir()
    answer = explanation(contributions=named)
    validate(replacement, answer, directory, watch=lambda _: None, tell=lambda _: None)
    return msgspec.json.decode((directory / FILE_OF_TESTS).read_bytes(), type=list[Trial])


def function(name="f", **fields):
    return contribution(name, 0.05, **{"file": "src/p.c", "line": 2} | fields)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"line": 5, "name": "g"}, "both programs have the same lines of it in p.c"),
        ({"file": "other.c"}, "no source file is called other.c"),
        ({"file": "more.c"}, "only the new program has this file"),
        ({"line": 0}, "where it ends in p.c cannot be told"),
        ({"presence": "gone"}, "only the old program has this function"),
    ],
)
def test_a_function_whose_lines_cannot_be_replaced_has_its_reason(tmp_path, fields, reason):
    replacement = replacement_of(tmp_path, OLD.replace("return x;\n", "return x + 0;\n"))
    (tmp_path / "new/more.c").write_text("int f(int x) { return x; }\n")
    (trial,) = replacement.list_trials([function(**fields)])
    assert reason in trial.reason


def test_lines_of_a_function_are_put_into_new_and_measured_beside_both(tmp_path):
    replacement = replacement_of(tmp_path, OLD.replace("return x;\n", "return x + 0 * x;\n"))
    (trial,) = validate_named(replacement, tmp_path, function())
    assert (trial.object, trial.functions, trial.reason) == ("p.c:3", ("f",), "")
    with Record.open(tmp_path / "x.lab" / DIRECTORY) as record:
        words = record.experiment.program.commands
        assert len(record.samples("cpu_s")[0].values) == 12
    assert list(words) == ["old", "new", trial.arm]
    # Names of one length, and the words of each side.
    assert len({len(command[0]) for command in words.values()}) == 1
    assert [command[1] for command in words.values()] == ["x", "{{x}}", "{{x}}"]
    assert (tmp_path / "trees/tree-2/p.c").read_text() == OLD
    replacement.discard(tmp_path / "x.lab")
    assert not (tmp_path / "trees").exists()


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        (
            OLD.replace("int f(int x) {\n", "int f(int x, int y) {\n").replace("f(1)", "f(1, 2)"),
            "cannot be built with them: --build ends with exit code 1: ",
        ),
        (OLD.replace("return x;\n", "return 8;\n").replace("f(1)", "f(1) - 7"), "then prints something else"),
        (
            OLD.replace("return x;\n", "return 8;\n").replace("return 0", "return f(1) < 5"),
            "then ends with exit code 1",
        ),
    ],
)
def test_lines_of_another_interface_are_not_measured(tmp_path, new, reason):
    (trial,) = validate_named(replacement_of(tmp_path, new), tmp_path, function())
    assert reason in trial.reason
    assert not trial.arm


def test_a_build_that_fails_without_a_change_is_an_error_with_its_cause(tmp_path):
    replacement = replacement_of(tmp_path, OLD.replace("return x;\n", "return y;\n"))
    with pytest.raises(ProgramError, match=r"error: .*undeclared"):
        validate_named(replacement, tmp_path, function())
    replacement = replacement_of(tmp_path / "b", OLD.replace("return x;\n", "return x + 0;\n"), build="true")
    (tmp_path / "b/x.lab").parent.mkdir(exist_ok=True)
    with pytest.raises(ProgramError, match=r"--build left no \{program\}"):
        replacement.prepare(replacement.list_trials([function()])[0])


def test_a_build_that_needs_a_shell_is_refused_with_how_to_have_one(tmp_path):
    replacement = replacement_of(
        tmp_path, OLD.replace("return x;\n", "return x + 0;\n"), build=f"{BUILD} && true"
    )
    with pytest.raises(ProgramError) as refused:
        replacement.prepare(replacement.list_trials([function()])[0])
    assert "without a shell" in refused.value.hint


def test_where_only_a_header_differs_it_is_named_and_programs_are_not(tmp_path):
    replacement = replacement_of(tmp_path, OLD)
    for side, text in (("old", "1"), ("new", "2")):
        (tmp_path / side / "h.h").write_text(f"#define ROUNDS {text}\n")
        (tmp_path / side / "p.o").write_bytes(b"\0" + text.encode())
    (trial,) = replacement.list_trials([function()])
    assert "the same lines of it in p.c; what differs is h.h, and" in trial.reason


def test_a_program_that_runs_from_its_sources_is_moved_with_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for side in ("old", "new"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "m.py").write_text("")
    sources = Sources(tmp_path / "old", tmp_path / "new")
    old = ("env", "PYTHONPATH=old", "python", "old/m.py", "old", "--out=old/x", "other")
    request = ExplainRequest(old=old, new=("python", str(tmp_path / "new/m.py"), "=new"))
    make = choose_make(request, sources)
    tree = tmp_path / "trees/tree-0"
    assert make(tree, "old") == (
        *("env", f"PYTHONPATH={tree}", "python", f"{tree}/m.py", f"{tree}", f"--out={tree}/x", "other"),
    )
    assert make(tree, "new") == ("python", f"{tree}/m.py", "=new")
    with pytest.raises(UsageError, match="python -m m does not run from new"):
        choose_make(ExplainRequest(old=old, new=("python", "-m", "m")), sources)


def test_a_difference_of_python_is_named_and_put_to_the_test(steelyard_cli, tmp_path):
    # A profiler whose samples are the CPU time of the run: what is more in one program is its function's.
    (tmp_path / "profiler.py").write_text(
        "import resource, subprocess, sys\nfile, *command = sys.argv[1:]\ndone = subprocess.run(command)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "us = round(1e6 * (used.ru_utime + used.ru_stime))\n"
        "open(file, 'w').write(f'main 1000\\nmain;parse (m.py:1) {us - 1000}\\n')\n"
        "sys.exit(done.returncode)\n"
    )
    for side, work in (("old", "pass"), ("new", "sum(range(3000000))")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "m.py").write_text(f"def parse():\n    {work}\n\n\nparse()\nprint('ok')\n")
    profiler = f"{sys.executable} profiler.py {{profile}} {{command}}"
    words = ("--profile-command", profiler, "--validate", "--sources", "old", "new", "-m", "12", "--json")
    programs = (f"{sys.executable} old/m.py", f"{sys.executable} new/m.py")
    done = steelyard_cli("explain", *words, "-o", "x.lab", *programs)
    assert done.returncode == 0, done.stderr
    (test,) = json.loads(done.stdout)["validations"]
    assert (test["object"], test["functions"], test["blocks"]) == ("m.py:2", ["parse"], 12)
    assert test["verdict"] != "not_tested"
    assert not list(tmp_path.glob("*-trees"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--sources", "old", "new"), "nothing is put to the test"),
        (("--validate", "--objects", "a", "b", "--sources", "old", "new"), "--objects says where the parts"),
        (("--validate", "--sources", "old", "none"), "none is not a directory"),
        (("--validate", "--sources", "old", "new", "--build", "make"), "does not name {source}"),
    ],
)
def test_sources_without_the_rest_are_refused_with_it(steelyard_cli, tmp_path, arguments, message):
    for side in ("old", "new"):
        (tmp_path / side).mkdir()
    done = steelyard_cli("explain", *arguments, "true", "true")
    assert done.returncode == 2
    assert message in done.stderr
    assert "hint: " in done.stderr
