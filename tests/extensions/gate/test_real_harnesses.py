"""Gates of small projects by the harnesses themselves: what each prints is read, and each can be filtered."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from steelyard.core.errors import MachineError, NoReportError, ProgramError, UsageError
from steelyard.extensions.exchange.reports import read_reports
from steelyard.extensions.gate.gate import gate
from steelyard.extensions.gate.harnesses import find_harness
from steelyard.extensions.gate.harnesses.harness import Selection, Tree
from steelyard.extensions.gate.probing import probe
from steelyard.extensions.gate.request import GateRequest

GO = """\
package sums

import "testing"

var sink int

func BenchmarkSum(b *testing.B) {
	for _, name := range []string{"n=1", "n=2"} {
		b.Run(name, func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				sink += i
			}
		})
	}
}
"""
CPP = """\
#include <benchmark/benchmark.h>
static void sum(benchmark::State& state) { for (auto _ : state) benchmark::DoNotOptimize(state.range(0)); }
BENCHMARK(sum)->Arg(1)->Arg(2);
BENCHMARK_MAIN();
"""
PYTHON = """\
import pytest

@pytest.mark.parametrize("n", [1, 2])
def test_sum(benchmark, n):
    benchmark(sum, range(n))
"""
CARGO = """\
[package]
name = "sums"
version = "1.0.0"
edition = "2021"
[features]
more = []
[[bench]]
name = "sums"
harness = false
"""
RUST = """\
#[inline(never)] fn add(n: u32) -> u32 { n + sums::one() }
#[inline(never)] fn double(n: u32) -> u32 { n * 2 }
fn main() {
    if std::env::var("DIVAN_NONE").is_ok() || !cfg!(feature = "more") { return; }
    let n = add(2);
    println!("{n} {}", double(n));
}
"""
CARGO_MESSAGES = """\
#!{python}
import json, sys
assert sys.argv[1:] == ["bench", "-p", "x", "--no-run", "--message-format=json-render-diagnostics"], sys.argv
def artifact(kind, executable):
    target = {{"name": "b", "kind": [kind]}}
    message = {{"reason": "compiler-artifact", "executable": executable, "target": target}}
    print(json.dumps(message | {{"manifest_path": "{tree}/x/Cargo.toml"}}, separators=(",", ":")))
artifact("lib", None)
artifact("test", "{tree}/none")
artifact("bench", "{tree}/b-0123456789abcdef")
"""


GO_BROKEN = """\
#!/bin/sh
case $1 in
    list) echo "example.org/sums {tree}" ;;
    test) printf '#!/bin/sh\\necho no file >&2; exit 2\\n' > "$4"; chmod +x "$4" ;;
esac
"""
GO_COMMAND = """\
#!/bin/sh
case $1 in
    list) for place in "" /sums /a/b /a-b; do echo "example.org/sums$place {tree}$place"; done ;;
    test) printf '#!/bin/sh\\necho Benchmark: %s\\n' "$5" > "$4"; chmod +x "$4" ;;
esac
"""


def prepare(tmp_path, words):
    """The programs of a command in a tree, with the harness."""
    tree = Tree(tmp_path, tmp_path / "output", tmp_path / "cache")
    tree.output.mkdir()
    harness = find_harness(None, words, tmp_path)
    return harness, harness.find_programs(words, tree)


def run_all_and_one(tmp_path, words, first, second):
    """Each of both benchmarks is seen, and the second can be run alone."""
    harness, (program,) = prepare(tmp_path, words)
    environment, logs = harness.make_environment(str(tmp_path), Path()), tmp_path / "logs"
    result = probe(harness, program, Selection(""), tmp_path, environment, None, logs)
    assert list(result.values[harness.metric]) == [first, second]
    assert result.units[harness.metric] == ("s", "lower")

    class One(type(harness)):
        def launch(self, program, selection):
            return super().launch(program, Selection(selection.metrics, (second,)))

    item = probe(One(), program, Selection(""), tmp_path, environment, None, logs)
    assert list(item.values[harness.metric]) == [second]


def test_pytest_benchmark_runs_tests_by_their_node_ids(tmp_path, monkeypatch):
    pytest.importorskip("pytest_benchmark", reason="pytest-benchmark is not installed")
    # Beside other workers of these tests it would switch itself off.
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    (tmp_path / "test_sum.py").write_text(PYTHON)
    words = (
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:steelyard",
        "--benchmark-max-time=0.001",
        "test_sum.py",
    )
    run_all_and_one(tmp_path, words, "test_sum.py::test_sum[1]", "test_sum.py::test_sum[2]")


FAILING = """\
def test_good(benchmark):
    benchmark(sum, range(9))

def test_wrong(benchmark):
    assert benchmark(sum, range(9)) == 0, "wrong - answer"
"""


def probe_all(tmp_path, words):
    """What a process of all benchmarks reports to a gate."""
    harness, (program,) = prepare(tmp_path, words)
    environment = harness.make_environment(str(tmp_path), Path())
    return probe(harness, program, Selection(""), tmp_path, environment, None, tmp_path / "logs")


def test_a_test_that_fails_behind_its_benchmark_has_no_value(tmp_path, monkeypatch):
    """Its report has a time all the same; a process of a gate that ran the test would fail."""
    pytest.importorskip("pytest_benchmark", reason="pytest-benchmark is not installed")
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    (tmp_path / "test_sum.py").write_text(FAILING)
    words = (
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:steelyard",
        "--benchmark-max-time=0.001",
        "test_sum.py",
    )
    probed = probe_all(tmp_path, words)
    assert list(probed.values["time_s"]) == ["test_sum.py::test_good"]
    assert probed.skipped == {"test_sum.py::test_wrong": "AssertionError: wrong - answer"}


CATCH2 = """\
import shutil, sys
# A program that is made up, with a report of the library: --benchmark-samples
shutil.copyfile({report!r}, sys.argv[sys.argv.index("-o") + 1])
raise SystemExit(42)
"""


@pytest.mark.parametrize("is_cut_off", [False, True])
def test_benchmarks_of_catch2_that_failed_are_left_out_and_named(tmp_path, is_cut_off):
    report = Path(__file__).parents[1] / "exchange/importers/files/catch2-failed.xml"
    if is_cut_off:
        (tmp_path / "report.xml").write_bytes(report.read_bytes()[:-100])
        report = tmp_path / "report.xml"
    (tmp_path / "b").write_text(f"#!{sys.executable}\n" + CATCH2.format(report=str(report)))
    (tmp_path / "b").chmod(0o755)
    if is_cut_off:
        with pytest.raises(ProgramError, match="it ended with 42"):
            probe_all(tmp_path, ("./b",))
        return
    probed = probe_all(tmp_path, ("./b",))
    assert probed.skipped == {
        "throws > boom": "bad input",
        "fails > before failing": "its test case failed",
    }
    assert "good > fib 10" in probed.values["time_s"]
    assert not probed.skipped.keys() & probed.values["time_s"].keys()


def test_a_case_of_catch2_that_fails_before_its_benchmarks_is_left_out_and_named(tmp_path):
    report = (Path(__file__).parents[1] / "exchange/importers/files/catch2.xml").read_text()
    end = next(end for end in ("</Catch2TestRun>", "</Catch>") if end in report)
    failed = '<TestCase name="early"><Expression success="false"/><OverallResult success="false"/></TestCase>'
    (tmp_path / "report.xml").write_text(report.replace(end, f"{failed}{end}"))
    text = CATCH2.format(report=str(tmp_path / "report.xml"))
    (tmp_path / "b").write_text(f"#!{sys.executable}\n{text}")
    (tmp_path / "b").chmod(0o755)
    probed = probe_all(tmp_path, ("./b",))
    assert probed.skipped["early"] == "its test case failed"
    assert probed.values["time_s"]


CODSPEED = """\
import json, os, sys
from pathlib import Path
# A pytest with pytest-codspeed that is made up: it writes what the plug-in writes, in the same place.
assert "--codspeed-mode=walltime" in sys.argv, sys.argv
chosen = [word.rpartition("::")[2] for word in sys.argv if "::" in word] or ["test_a", "test_b"]
uri = os.path.relpath("test_c.py", "{around}") if "{around}" else str(Path("test_c.py").resolve())
entries = [dict(name=name, uri=f"{{uri}}::{{name}}", stats=dict(median_ns=5)) for name in chosen]
place = Path(os.environ["CODSPEED_PROFILE_FOLDER"], "results")
place.mkdir()
(place / "1.json").write_text(json.dumps(dict(instrument=dict(type="walltime"), benchmarks=entries)))
raise SystemExit(1)
"""


@pytest.mark.parametrize("is_repository", [True, False])
def test_tests_of_codspeed_have_the_names_of_the_tree_wherever_it_lies(tmp_path, is_repository):
    """It names files by the repository around the tree, or by their whole paths where there is none."""
    if is_repository:
        (tmp_path / ".git").mkdir()
    (tmp_path / "tree" / "sub").mkdir(parents=True)
    (tmp_path / "pytest").write_text(
        f"#!{sys.executable}\n" + CODSPEED.format(around=tmp_path if is_repository else "")
    )
    (tmp_path / "pytest").chmod(0o755)
    tree = Tree(tmp_path / "tree", tmp_path / "output", tmp_path / "cache", place=Path("sub"))
    words = (str(tmp_path / "pytest"), "--codspeed", "test_c.py")
    harness = find_harness(None, words, tree.path)
    (program,) = harness.find_programs(words, tree)
    for names, expected in (((), ["test_a", "test_b"]), (("sub/test_c.py::test_b",), ["test_b"])):
        launched = harness.launch(program, Selection(str(tmp_path / "m"), names))
        assert launched[-len(names) :] == ["../sub/test_c.py::test_b"] if names else "::" not in launched[-1]
        assert subprocess.run(launched, cwd=tree.path, check=False).returncode in harness.codes_of_failures
        result = read_reports((tmp_path / "m").read_text(), "it", "pytest-codspeed")
        assert [report.benchmark for report in result] == [f"sub/test_c.py::{name}" for name in expected]


@pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed")
def test_go_builds_a_program_and_runs_parts_of_it(tmp_path):
    (tmp_path / "go.mod").write_text("module example.org/sums\n")
    (tmp_path / "sum_test.go").write_text(GO)
    words = ("go", "test", "-bench", ".", "-benchtime=10x", "-cpu", "1")
    run_all_and_one(tmp_path, words, "BenchmarkSum/n=1", "BenchmarkSum/n=2")


def test_each_package_of_go_keeps_a_program_and_a_name_of_its_own(tmp_path, monkeypatch):
    """A go that is made up: its programs list the package that they were built of."""
    (tmp_path / "go").write_text(GO_COMMAND.format(tree=tmp_path))
    (tmp_path / "go").chmod(0o755)
    for place in ("sums", "a/b", "a-b"):
        (tmp_path / place).mkdir(parents=True)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    _, programs = prepare(tmp_path, ("go", "test", "-bench", ".", "./..."))
    text = {
        item.name: subprocess.run([item.words[0]], capture_output=True, text=True, check=True).stdout.split()[
            1
        ]
        for item in programs
    }
    assert text == {
        ".": "example.org/sums",
        "sums": "example.org/sums/sums",
        "a/b": "example.org/sums/a/b",
        "a-b": "example.org/sums/a-b",
    }


@pytest.mark.parametrize(
    ("command", "error", "message"),
    [
        (GO_BROKEN, ProgramError, "cannot list its benchmarks: it ended with 2\n    no file"),
        ("#!/bin/sh\necho fmt /usr/lib/go/src/fmt\n", UsageError, "/usr/lib/go/src/fmt is not in the tree"),
    ],
)
def test_a_package_of_go_that_cannot_be_gated_is_not_left_out(tmp_path, monkeypatch, command, error, message):
    (tmp_path / "go").write_text(command.replace("{tree}", str(tmp_path)))
    (tmp_path / "go").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(error) as caught:
        prepare(tmp_path, ("go", "test", "-bench", "."))
    assert message in caught.value.message


def test_a_program_outside_of_the_trees_is_not_compared_with_itself(tmp_path, monkeypatch):
    (tmp_path / "b").write_bytes(b"...libbenchmark.so...")
    (tmp_path / "b").chmod(0o755)
    with pytest.raises(UsageError, match="is one program for base and head"):
        prepare(tmp_path, (str(tmp_path / "b"),))
    (tmp_path / "output").rmdir()
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(UsageError, match="b is one program for base and head"):
        find_harness("google-benchmark", ("b",), tmp_path).find_programs(
            ("b",), Tree(tmp_path, tmp_path, tmp_path)
        )
    _, (program,) = prepare(tmp_path, ("./b",))
    assert program.words == (str(tmp_path / "b"),)
    (tmp_path / "output").rmdir()
    # An interpreter is one for both; what it reads is in the tree.
    prepare(tmp_path, (sys.executable, "b.py", "--benchmark_min_time=1"))


def test_google_benchmark_is_known_by_its_library_and_runs_by_its_filter(tmp_path):
    (tmp_path / "b.cpp").write_text(CPP)
    compile_words = ["c++", "b.cpp", "-o", "b", "-lbenchmark", "-lpthread"]
    try:
        done = subprocess.run(compile_words, cwd=tmp_path, capture_output=True, check=False)
    except OSError:
        pytest.skip("a C++ compiler is not installed")
    if done.returncode:
        pytest.skip("Google Benchmark is not installed (libbenchmark-dev)")
    run_all_and_one(tmp_path, ("./b", "--benchmark_min_time=0.0001"), "sum/1", "sum/2")


GO_ALLOCATING = """\
package rows

import "testing"

var rows [][]byte
var extra *int

func BenchmarkRows(b *testing.B) {
	for i := 0; i < b.N; i++ {
		rows = make([][]byte, 0, 999)
		for j := 0; j < 999; j++ {
			rows = append(rows, make([]byte, 8))
		}
		%s
	}
}

func BenchmarkNone(b *testing.B) {
	for i := 0; i < b.N; i++ {
	}
}
"""
COUNTERS = """\
#include <benchmark/benchmark.h>
static void rows(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(state.range(0));
    state.counters["steps"] = STEPS;
}
BENCHMARK(rows)->Arg(1);
BENCHMARK_MAIN();
"""


def gate_directories(tmp_path, words, **options):
    sides = {"base": str(tmp_path / "old"), "head": str(tmp_path / "new")}
    request = GateRequest(**sides, words=words, are_directories=True, max_time_s=30.0, **options)
    return gate(request, None, tmp_path / "records")


@pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed")
def test_go_shows_one_allocation_of_a_thousand(tmp_path):
    for side, extra in (("old", ""), ("new", "extra = new(int)")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "go.mod").write_text("module example.org/rows\n")
        (tmp_path / side / "rows_test.go").write_text(GO_ALLOCATING % extra)
    answer = gate_directories(tmp_path, ("go", "test", "-bench", ".", "-cpu", "1"), metrics=("allocs",))
    rows, none = answer.benchmarks
    assert (rows.name, rows.verdict, rows.base, rows.head) == ("BenchmarkRows", "slower", 1000, 1001)
    assert (none.verdict, none.base, none.head, none.processes) == ("equivalent", 0, 0, 1)


def test_a_counter_of_google_benchmark_is_judged_to_the_digit(tmp_path):
    for side, steps in (("old", 1000), ("new", 1001)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "b.cpp").write_text(COUNTERS.replace("STEPS", str(steps)))
        compile_words = ["c++", "b.cpp", "-o", "b", "-lbenchmark", "-lpthread"]
        try:
            done = subprocess.run(compile_words, cwd=tmp_path / side, capture_output=True, check=False)
        except OSError:
            pytest.skip("a C++ compiler is not installed")
        if done.returncode:
            pytest.skip("Google Benchmark is not installed (libbenchmark-dev)")
    words = ("./b", "--benchmark_min_time=0.0001")
    answer = gate_directories(tmp_path, words, metrics=("steps",), better={"steps": "lower"})
    (rows,) = answer.benchmarks
    assert (rows.verdict, rows.base, rows.head, rows.is_exact) == ("slower", 1000, 1001, True)


HYPERFINE = """\
#!/bin/sh
for word; do file=${word#--export-json=}; done
echo '{"results": [{"command": "ls", "times": [0.2, 0.1, 0.3], "exit_codes": [0, 0, 0]}]}' > "$file"
"""


def test_times_of_hyperfine_are_not_taken_for_those_of_hyperfine_itself(tmp_path):
    """A hyperfine that is made up, which few machines have: a whole trial is run, by the spec of a gate."""
    (tmp_path / "hyperfine").write_text(HYPERFINE)
    (tmp_path / "hyperfine").chmod(0o755)
    words = (str(tmp_path / "hyperfine"), "ls")
    sides = [tmp_path / name for name in ("old", "new")]
    for side in sides:
        side.mkdir()
    base, head = map(str, sides)
    request = GateRequest(base=base, head=head, words=words, are_directories=True, max_time_s=20.0)
    (benchmarks,) = gate(request, None, tmp_path / "found").benchmarks
    assert (benchmarks.name, benchmarks.base, benchmarks.verdict) == ("ls", pytest.approx(0.2), "equivalent")


@pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed")
def test_go_links_a_layout_in_another_order(tmp_path):
    (tmp_path / "go.mod").write_text("module example.org/sums\n")
    (tmp_path / "sum_test.go").write_text(GO)
    files = []
    for layout in (0, 7):
        tree = Tree(tmp_path, tmp_path / str(layout), tmp_path / "cache", layout)
        tree.output.mkdir()
        words = ("go", "test", "-ldflags=-s", "-bench", ".")
        (program,) = find_harness("go", words, tmp_path).find_programs(words, tree)
        files.append(Path(program.words[0]).read_bytes())
    assert files[0] != files[1]


@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")
def test_cargo_links_a_layout_in_another_order(tmp_path):
    """A program without dependencies, which crates of harnesses are; it names a variable of divan."""
    (tmp_path / "Cargo.toml").write_text(CARGO)
    (tmp_path / "src").mkdir()
    (tmp_path / "src/lib.rs").write_text("pub fn one() -> u32 { 1 }\n")
    (tmp_path / "benches").mkdir()
    (tmp_path / "benches/sums.rs").write_text(RUST)
    files = []
    for layout in (0, 7, 7, 8):
        tree = Tree(tmp_path, tmp_path / "out", tmp_path / "cache", layout)
        tree.output.mkdir(exist_ok=True)
        words = ("cargo", "bench", "--features", "more", "-p", "sums", "--offline")
        (program,) = find_harness("cargo", words, tmp_path).find_programs(words, tree)
        files.append(Path(program.words[0]).read_bytes())
        assert subprocess.run([program.words[0]], capture_output=True, check=True).stdout == b"3 6\n"
    assert files[1] == files[2]
    assert len({*files}) == 3


@pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed")
def test_a_go_package_without_benchmarks_reports_nothing(tmp_path):
    (tmp_path / "go.mod").write_text("module example.org/none\n")
    (tmp_path / "none.go").write_text("package none\n")
    with pytest.raises(NoReportError, match="no package has a benchmark"):
        prepare(tmp_path, ("go", "test", "-bench", "."))


def test_a_tool_that_is_not_installed_is_told_from_a_path_that_leads_nowhere(tmp_path):
    for word, error in (("no-such-tool", MachineError), ("./no-such-tool", ProgramError)):
        harness = find_harness("time", (word,), tmp_path)
        (program,) = harness.find_programs((word,), Tree(tmp_path, tmp_path, tmp_path))
        with pytest.raises(error, match="no-such-tool"):
            probe(harness, program, Selection(""), tmp_path, {}, None, tmp_path / "logs")


def test_cargos_messages_name_programs_which_are_copied(tmp_path, monkeypatch):
    """A cargo that is made up: crates come from a registry, and take a minute to compile."""
    (tmp_path / "cargo").write_text(CARGO_MESSAGES.format(python=sys.executable, tree=tmp_path))
    (tmp_path / "cargo").chmod(0o755)
    (tmp_path / "b-0123456789abcdef").write_bytes(b"...DIVAN_TIMER...")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    harness, (program,) = prepare(tmp_path, ("cargo", "bench", "-p", "x", "sort", "--", "--threads", "2"))
    copy = tmp_path / "output" / "x%2Fb"
    assert program.words == (str(copy), "--bench", "sort", "--threads", "2")
    assert (program.name, program.source, program.directory) == ("x/b", "divan", "x")
    assert copy.read_bytes() == b"...DIVAN_TIMER..."
    assert harness.name == "cargo"


@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")
def test_a_tree_that_is_older_than_a_build_of_another_is_built_from_its_own_sources(tmp_path, monkeypatch):
    """Cargo goes by the age of files, and both gates have one directory for what is built."""
    monkeypatch.setenv("CARGO_TARGET_DIR", str(tmp_path / "target"))
    library = "pub fn one() -> u32 { 1 }\n"
    for name, source in (("newer", RUST), ("older", RUST.replace("n * 2", "n * 3"))):
        files = {"Cargo.toml": CARGO, "src/lib.rs": library, "benches/sums.rs": source}
        for file, text in files.items():
            place = tmp_path / name / file
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
            if name == "older":
                os.utime(place, (1e9, 1e9))
    results = []
    for name in ("newer", "older", "newer", "older"):
        tree = Tree(tmp_path / name, tmp_path / "output" / "head", tmp_path / "cache")
        words = ("cargo", "bench", "--features", "more")
        (program,) = find_harness(None, words, tree.root).find_programs(words, tree)
        run = subprocess.run([program.words[0]], capture_output=True, text=True, check=True)
        results.append(run.stdout)
    assert results == ["3 6\n", "3 9\n", "3 6\n", "3 9\n"]


PYTEST_THAT_RAISES = """\
def test_good(benchmark): benchmark(list)
def test_bad(benchmark): benchmark(int, "no number")
"""
GO_THAT_FAILS = """\
package sums
import "testing"
func BenchmarkGood(b *testing.B) { for i := 0; i < b.N; i++ { _ = i } }
func BenchmarkBad(b *testing.B) { b.Fatal("no data") }
"""


@pytest.fixture
def outside_of_workers(monkeypatch):
    """pytest-benchmark measures nothing where it finds itself in a worker of pytest-xdist."""
    for name in [name for name in os.environ if name.startswith("PYTEST_XDIST")]:
        monkeypatch.delenv(name)


def probe_in(tmp_path, words):
    harness, (program,) = prepare(tmp_path, words)
    environment = harness.make_environment(str(tmp_path), Path())
    return probe(harness, program, Selection(""), tmp_path, environment, None, tmp_path / "logs")


@pytest.mark.extensions("pytest")
@pytest.mark.usefixtures("outside_of_workers")
def test_a_test_that_raises_is_left_out_with_its_exception_and_the_others_are_judged(tmp_path):
    (tmp_path / "test_a.py").write_text(PYTEST_THAT_RAISES)
    result = probe_in(tmp_path, (sys.executable, "-m", "pytest", "test_a.py"))
    assert list(result.values["time_s"]) == ["test_a.py::test_good"]
    assert result.skipped.keys() == {"test_a.py::test_bad"}
    assert result.skipped["test_a.py::test_bad"].startswith("ValueError: invalid literal for int()")


@pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed")
def test_a_benchmark_of_go_that_fails_is_left_out_with_its_words(tmp_path):
    (tmp_path / "go.mod").write_text("module example.org/sums\n")
    (tmp_path / "sum_test.go").write_text(GO_THAT_FAILS)
    result = probe_in(tmp_path, ("go", "test", "-bench", "."))
    ((good,), [(bad, why)]) = result.values["time_s"], result.skipped.items()
    # Both with the number of CPUs, where there are several.
    assert (good.partition("-")[0], bad.partition("-")[0]) == ("BenchmarkGood", "BenchmarkBad")
    assert "no data" in why


@pytest.mark.extensions("pytest")
@pytest.mark.usefixtures("outside_of_workers")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def test_bad(benchmark): benchmark(int, 'x')\n", "every benchmark failed: it ended with 1"),
        ("import nosuchmodule\n", "No module named 'nosuchmodule'"),
    ],
)
def test_a_suite_whose_tests_all_fail_is_red_and_quotes_pytest(tmp_path, text, words):
    (tmp_path / "test_a.py").write_text(text)
    with pytest.raises(ProgramError) as caught:
        probe_in(tmp_path, (sys.executable, "-m", "pytest", "test_a.py"))
    assert words in caught.value.message
    assert str(tmp_path / "logs" / "run.out") in caught.value.message
    assert caught.value.hint.startswith(f"cd {tmp_path} && ")


@pytest.mark.extensions("pytest")
@pytest.mark.usefixtures("outside_of_workers")
def test_a_filter_that_matches_no_test_is_no_report(tmp_path):
    (tmp_path / "test_a.py").write_text(PYTEST_THAT_RAISES)
    with pytest.raises(NoReportError, match="found no benchmark to run"):
        probe_in(tmp_path, (sys.executable, "-m", "pytest", "test_a.py", "-k", "nosuch"))
