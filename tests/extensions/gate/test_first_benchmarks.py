"""Changes that bring the first benchmarks, or one beside others."""

import shutil
import sys

import pytest

from steelyard.core.errors import NoReportError, ProgramError
from steelyard.extensions.gate.gate import gate
from steelyard.extensions.gate.harnesses import HARNESSES
from steelyard.extensions.gate.harnesses.harness import Tree
from steelyard.extensions.gate.plan import list_words
from steelyard.extensions.gate.request import GateRequest
from steelyard.extensions.repository.repository import Repository

GO = """\
package sums

import "testing"

var sink int

func BenchmarkSum(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink += i
	}
}
"""
NO_BENCHMARK = 'package sums\n\nimport "testing"\n\nfunc TestNothing(t *testing.T) {}\n'


def gate_directories(tmp_path, words, **options):
    sides = {"base": str(tmp_path / "old"), "head": str(tmp_path / "new")}
    return gate(
        GateRequest(**sides, words=words, are_directories=True, max_time_s=20.0, **options),
        None,
        tmp_path / "records",
    )


def write(directory, **files):
    for name, text in files.items():
        file = directory / name.replace("__", "/").replace("_dot_", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def test_a_program_that_only_head_has_brings_new_benchmarks(suites, tmp_path):
    (suites.path / "README").write_text("no benchmarks yet")
    base, head = suites.commit("README"), suites.suite(sort=100)
    request = GateRequest(base=base, head=head, words=("./bench",), harness="google-benchmark")
    answer = gate(request, Repository(suites.path), tmp_path / "records")
    assert [(entry.name, entry.verdict) for entry in answer.benchmarks] == [("sort", "new")]
    assert answer.exit_code(strict=True) == 0
    assert any("all are new, none is compared" in note for note in answer.notes)
    # The other way round the suite is gone, which is no reason for green.
    request = GateRequest(base=head, head=base, words=("./bench",), harness="google-benchmark", is_tip=True)
    with pytest.raises(ProgramError, match=r"^head "):
        gate(request, Repository(suites.path), tmp_path / "reversed")


@pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed")
def test_the_first_benchmark_of_go_is_new(tmp_path):
    for side, text in (("old", NO_BENCHMARK), ("new", GO)):
        write(tmp_path / side, go_dot_mod="module example.org/sums\n", sum_test_dot_go=text)
    answer = gate_directories(tmp_path, ("go", "test", "-bench", ".", "-cpu", "1"))
    assert [(entry.name, entry.verdict) for entry in answer.benchmarks] == [("BenchmarkSum", "new")]
    assert answer.exit_code(strict=False) == 0
    with pytest.raises(NoReportError, match=r"head .*no package has a benchmark"):
        gate(
            GateRequest(
                base=str(tmp_path / "new"),
                head=str(tmp_path / "old"),
                words=("go", "test", "-bench", "."),
                are_directories=True,
            ),
            None,
            tmp_path / "reversed",
        )


def harness_of(name):
    return next(entry for entry in HARNESSES if entry.name == name)


@pytest.mark.parametrize(
    ("words", "of_base"),
    [
        (("pytest", "old.py", "new.py"), ("pytest", "old.py")),
        (("pytest", "new.py::test_f[1]", "-q"), None),
        (("pytest", "-q", "old.py"), ("pytest", "-q", "old.py")),
        (("pytest",), ("pytest",)),
        # The value of an option is no choice of benchmarks, and a path that nobody has fails on both sides.
        (("pytest", "-c", "new.py", "old.py"), ("pytest", "-c", "new.py", "old.py")),
        (("pytest", "nosuch.py"), ("pytest", "nosuch.py")),
        (("./new.py", "old.py"), None),
    ],
)
def test_base_runs_what_it_has(tmp_path, words, of_base):
    write(tmp_path / "old", old_dot_py="")
    write(tmp_path / "new", old_dot_py="", new_dot_py="")
    trees = {
        side: Tree(tmp_path / name, tmp_path / "out", tmp_path / "cache")
        for side, name in (("base", "old"), ("head", "new"))
    }
    harness = harness_of("pytest-benchmark")
    assert list_words(words, harness, trees, "base") == of_base
    assert list_words(words, harness, trees, "head") == words


def test_an_input_that_base_lacks_is_no_choice_of_benchmarks(tmp_path):
    write(tmp_path / "old", bench="")
    write(tmp_path / "new", bench="", input="")
    trees = {
        side: Tree(tmp_path / name, tmp_path / "out", tmp_path / "cache")
        for side, name in (("base", "old"), ("head", "new"))
    }
    words = ("./bench", "input")
    assert list_words(words, harness_of("time"), trees, "base") == words


CARGO = """\
#!{python}
import json
for name in {names}:
    message = {{"reason": "compiler-artifact", "executable": "{tree}/" + name}}
    message["target"] = {{"name": name, "kind": ["bench"]}}
    print(json.dumps(message | {{"manifest_path": "{tree}/Cargo.toml"}}, separators=(",", ":")))
"""


def test_a_target_of_an_unknown_harness_leaves_the_others_to_be_run(tmp_path, monkeypatch):
    write(tmp_path, sums="...DIVAN_TIMER...", other="a harness of its own")
    tree = Tree(tmp_path, tmp_path / "output", tmp_path / "cache")
    tree.output.mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "tools"))
    cargo = tmp_path / "tools" / "cargo"
    cargo.parent.mkdir()
    cargo.write_text(CARGO.format(python=sys.executable, names=["sums", "other"], tree=tmp_path))
    cargo.chmod(0o755)
    programs = harness_of("cargo").find_programs(("cargo", "bench"), tree)
    assert {entry.name: entry.trouble for entry in programs} == {
        "sums": None,
        "other": "other has none of criterion, divan, tango, zenbench, gungraun, libtest in it",
    }
    cargo.write_text(CARGO.format(python=sys.executable, names=["other"], tree=tmp_path))
    with pytest.raises(
        ProgramError, match="other has none of criterion, divan, tango, zenbench, gungraun, libtest in it"
    ):
        harness_of("cargo").find_programs(("cargo", "bench"), tree)
