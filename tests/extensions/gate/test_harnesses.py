"""Words of processes that each harness gets, and commands by which it is recognised."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from steelyard.core.errors import MachineError, UsageError
from steelyard.extensions.gate.harnesses import HARNESSES, NAMES, find_harness
from steelyard.extensions.gate.harnesses.harness import HarnessProgram, Selection, Tree, escape, match_any

ONLY = Selection("/m", ("a/b", "c+d"))


def launched(name, words, selection=ONLY, source=None):
    harness = next(item for item in HARNESSES if item.name == name)
    return harness.launch(HarnessProgram("", words, source or harness.source), selection)


def test_names_are_those_of_the_command_line():
    from steelyard.extensions.gate.command import HARNESSES as OFFERED

    assert set(OFFERED) == set(NAMES)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("cargo", "bench"), "cargo"),
        (("cargo", "+nightly", "bench", "-p", "x"), "cargo"),
        (("go", "test", "-bench", "."), "go"),
        (("pytest", "benchmarks"), "pytest-benchmark"),
        (("python", "-m", "pytest"), "pytest-benchmark"),
        (("pytest", "--codspeed", "benchmarks"), "pytest-codspeed"),
        (("python", "-m", "pytest", "--codspeed-mode=walltime"), "pytest-codspeed"),
        (("npx", "vitest", "bench"), "vitest"),
        (("hyperfine", "ls"), "hyperfine"),
        (("asv", "run"), "asv"),
        (("python", "-m", "asv", "run"), "asv"),
        (("./bench", "--benchmark_filter=x"), "google-benchmark"),
    ],
)
def test_a_command_shows_its_harness(words, name, tmp_path):
    assert find_harness(None, words, tmp_path).name == name


def test_a_program_shows_its_harness_by_what_is_in_it(tmp_path):
    (tmp_path / "google").write_bytes(b"\x7fELF...libbenchmark.so.1...")
    (tmp_path / "nano").write_bytes(b"\x7fELF...NANOBENCH_ENDLESS...")
    with zipfile.ZipFile(tmp_path / "b.jar", "w") as jar:
        jar.writestr("META-INF/BenchmarkList", "")
    assert find_harness(None, ("./google",), tmp_path).name == "google-benchmark"
    assert find_harness(None, ("./nano",), tmp_path).name == "nanobench"
    assert find_harness(None, ("java", "-jar", "b.jar"), tmp_path).name == "jmh"
    (tmp_path / "b.mjs").write_text("import { Bench } from 'tinybench'")
    assert find_harness(None, ("node", "b.mjs"), tmp_path).name == "tinybench"
    for file in ("B.dll", "BenchmarkDotNet.dll"):
        (tmp_path / file).touch()
    assert find_harness(None, ("dotnet", "B.dll"), tmp_path).name == "benchmarkdotnet"
    with pytest.raises(UsageError, match=r"./other: not recognised as a harness of benchmarks"):
        find_harness(None, ("./other",), tmp_path)
    assert find_harness("time", ("./other",), tmp_path).name == "time"


def test_names_become_regular_expressions_of_themselves_alone():
    assert escape("a.b(c) d-e") == r"a\.b\(c\) d-e"
    assert match_any(["a/b", "c+d"]) == r"^(a/b|c\+d)$"


def test_google_benchmark_writes_to_the_file_and_keeps_what_the_user_asks():
    words = launched("google-benchmark", ("./b", "--benchmark_min_time=1"))
    assert "--benchmark_min_time=1" in words
    assert not any(word.startswith("--benchmark_min_time=0") for word in words)
    assert words[-3:] == [
        "--benchmark_out=/m",
        "--benchmark_out_format=json",
        r"--benchmark_filter=^(a/b|c\+d)$",
    ]


def test_pytest_takes_node_ids_in_place_of_paths():
    words = launched("pytest-benchmark", ("pytest", "-x", "benchmarks/", "t.py::test_a"))
    assert words[:2] == ["pytest", "-x"]
    assert not {"benchmarks/", "t.py::test_a"} & {*words}
    assert words[-3:] == ["--benchmark-json=/m", "a/b", "c+d"]
    assert "benchmarks/" in launched("pytest-benchmark", ("pytest", "benchmarks/"), Selection("/m"))


def test_criterion_gets_one_filter_and_divan_several():
    words = launched("cargo", ("/c", "--bench", "old"), source="criterion")
    assert words[:2] == ["/c", "--bench"]
    assert words[-1] == r"^(a/b|c\+d)$"
    assert "old" not in words
    assert launched("cargo", ("/d", "--bench"), source="divan")[-2:] == ["^(a/b)$", r"^(c\+d)$"]


def test_numbers_of_threads_are_no_part_of_divans_filter():
    names = Selection("/m", ("c::m::t::t=1", "c::m::t::t=2", "c::x"))
    words = launched("cargo", ("/d", "--bench"), names, source="divan")
    assert words[-2:] == ["^(c::m::t)$", "^(c::x)$"]


def test_libtest_gets_exact_names_and_zenbench_one_group():
    words = launched("cargo", ("/l", "--bench", "old"), source="libtest")
    assert words == ["/l", "--bench", "-Z", "unstable-options", "--format=json", "--exact", "a/b", "c+d"]
    item, several = Selection("/m", ("g/a", "g/b")), Selection("/m", ("g/a", "h"))
    assert launched("cargo", ("/z", "--bench"), item, source="zenbench")[2:] == ["--format=json", "--group=g"]
    assert launched("cargo", ("/z", "--bench"), several, source="zenbench")[2:] == ["--format=json"]


def test_catch2_writes_xml_and_runs_whole_test_cases():
    names = Selection("/m", ("a, b > f", "a, b > s > g", "c[1] > f"))
    words = launched("catch2", ("./b", "[bench]", "--benchmark-samples", "7"), names)
    assert words[:4] == ["./b", "--benchmark-samples", "7", "--benchmark-resamples"]
    assert "[bench]" not in words
    assert words[-5:] == ["-r", "xml", "-o", "/m", r"a\, b,c\[1\]"]
    assert "[bench]" in launched("catch2", ("./b", "[bench]"), Selection("/m"))


LIBTEST = """\
{ "type": "suite", "event": "started", "test_count": 2 }
{ "type": "bench", "name": "a", "median": 2, "deviation": 0 }
{ "type": "test", "name": "b", "event": "failed" }
"""
VITEST = {
    "numTotalTests": 1,
    "testResults": [
        {"assertionResults": [{"fullName": "t", "title": "t", "status": "failed", "failureMessages": ["no"]}]}
    ],
}
ASV = {
    "result_columns": ["result", "params"],
    "results": {"m.time_a": [[1e-6, None], [["1", "2"]]]},
    "version": 2,
}


@pytest.mark.parametrize(
    ("name", "code", "output", "report", "failed"),
    [
        ("cargo", 101, LIBTEST, "", {"b": "it failed"}),
        ("cargo", 101, "thread 'main' panicked at b.rs:1", "", {}),
        ("vitest", 1, "", json.dumps(VITEST), {"t": "no"}),
        ("asv", 2, "", json.dumps(ASV), {"m.time_a(2)": "ASV has no result of it"}),
        ("catch2", 42, "", "<Catch2TestRun><BenchmarkResults", {}),
    ],
)
def test_benchmarks_that_failed_are_those_of_a_whole_report(name, code, output, report, failed):
    harness = next(entry for entry in HARNESSES if entry.name == name)
    assert code in harness.codes_of_failures
    assert harness.find_failures(output, report) == failed


def test_failures_of_pytest_keep_parameters_with_any_text():
    output = (
        "FAILED a/t.py::test_f[c d::e - f]g-1] - ValueError: [x] - y\n"
        "ERROR t.py::TestA::test_b - OSError: why\nFAILED t.py::test_c\n"
    )
    harness = next(entry for entry in HARNESSES if entry.name == "pytest-benchmark")
    assert harness.find_failures(output, "") == {
        "a/t.py::test_f[c d::e - f]g-1]": "ValueError: [x] - y",
        "t.py::TestA::test_b": "OSError: why",
        "t.py::test_c": "failed",
    }


def test_scripts_of_mitata_and_reports_for_services_run_as_they_are(tmp_path):
    (tmp_path / "b.mjs").write_text("import { run } from 'mitata'")
    assert find_harness(None, ("node", "b.mjs"), tmp_path).name == "mitata"
    for name in ("mitata", "bencher", "github-action-benchmark"):
        assert launched(name, ("node", "b.mjs")) == ["node", "b.mjs"]


@pytest.mark.parametrize(("source", "seconds"), [("criterion", 8.5), ("divan", 1.0), ("tango", 1.0)])
def test_a_budget_is_that_of_the_harness_within_the_program(source, seconds):
    harness = find_harness("cargo", ("cargo", "bench"), Path())
    assert harness.get_default_s(HarnessProgram("", ("/p",), source)) == seconds


def test_tango_runs_alone_and_gets_one_glob():
    names = Selection("/m", ("a/b", "c{d}"))
    words = launched("cargo", ("/t", "--bench", "-f", "old"), names, source="tango")
    assert words == ["/t", "solo", "-t", "0.1", "-f", "{a/b,c[{]d[}]}"]


def test_asv_runs_the_commit_of_the_tree_and_its_attributes_are_kept(suites):
    commit = suites.suite(sort=1)
    (suites.path / "asv.conf.json").write_text("{}")
    harness = find_harness("asv", ("asv", "run"), suites.path)
    tree = Tree(suites.path, suites.path, suites.path)
    (program,) = harness.find_programs(("asv", "run", "-a", "repeat=9"), tree)
    assert program.words[:4] == ("asv", "run", "CONFIG=asv.conf.json", f"--set-commit-hash={commit}")
    words = harness.launch(program, Selection("/m", ("s.time_a(1)",)))
    assert words[3:5] == ["/m", "results/*/*-*.json"]
    assert "repeat=5" not in words
    assert words[-3:] == ["--record-samples", "--bench", r"^(s\.time_a\(1\))$"]
    with pytest.raises(UsageError, match=r"other\.json is not in the tree"):
        harness.find_programs(("asv", "--config", "other.json", "run"), tree)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("jmh", ("java", "-cp", "/p/target/classes:/m2/jmh.jar", "org.openjdk.jmh.Main")),
        ("tinybench", ("node", "/p/bench/index.mjs")),
    ],
)
def test_what_is_one_for_base_and_head_is_not_compared_with_itself(tmp_path, name, words):
    harness = find_harness(name, words, tmp_path)
    with pytest.raises(UsageError, match=r"/p/.* is one .* for base and head"):
        harness.find_programs(words, Tree(tmp_path, tmp_path, tmp_path))


def test_benchmarkdotnet_runs_in_its_own_process_and_replaces_the_filter(tmp_path):
    program = ("dotnet", "/t/B.dll", "--filter", "*", "x*", "--iterationCount", "9")
    words = launched("benchmarkdotnet", program, Selection("/m", ("N.T.M(n: 1)",)))
    assert words[3:7] == ["/m", "results/*-report-full.json", "dotnet", "/t/B.dll"]
    assert words[-2:] == ["--filter", "N.T.M(n: 1)"]
    assert ("*" in words, "5" in words, "--inProcess" in words) == (False, False, True)
    harness = find_harness("benchmarkdotnet", ("dotnet", "run"), tmp_path)
    with pytest.raises(UsageError, match="names no built library"):
        harness.find_programs(("dotnet", "run"), Tree(tmp_path, tmp_path, tmp_path))


def test_go_gets_a_regular_expression_for_each_part_of_a_name_and_any_cpus():
    names = ("BenchmarkA/n=1-8", "BenchmarkA/n=2-8", "BenchmarkB/n=1-8")
    words = launched("go", ("/t", "-test.bench=."), Selection("/m", names))
    assert "-test.bench=^(BenchmarkA|BenchmarkB)$/^(n=1(-8)?|n=2(-8)?)$" in words
    assert "-test.bench=." not in words
    assert "-test.run=^$" in words


def test_parameters_of_jmh_are_no_part_of_what_is_matched():
    names = ("p.B.sort n=10", "p.B.sort n=20 threads=2", "p.B.find")
    words = launched("jmh", ("java", "-jar", "b.jar"), Selection("/m", names))
    assert words[-2:] == [r"^(p\.B\.sort)$", r"^(p\.B\.find)$"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("java", "Main"), "java Main: no jar and no class path"),
        (("java", "-jar", "/x/b.jar"), "/x/b.jar is one jar for base and head"),
        (("java", "-jar", "b.jar"), "b.jar is not in the tree"),
    ],
)
def test_jmh_without_a_jar_of_the_tree_is_refused(words, message, tmp_path):
    harness = find_harness("jmh", words, tmp_path)
    with pytest.raises(UsageError, match=message) as error:
        harness.find_programs(words, Tree(tmp_path, tmp_path, tmp_path))
    assert error.value.hint


def test_jmh_takes_every_jar_from_the_tree_and_class_paths_as_they_are(tmp_path):
    words = ("java", "-javaagent:/opt/agent.jar", "-cp", "a.jar:b.jar", "org.openjdk.jmh.Main", "x.jar")
    (tmp_path / "x.jar").touch()
    (program,) = find_harness("jmh", words, tmp_path).find_programs(words, Tree(tmp_path, tmp_path, tmp_path))
    assert program.words == (*words[:-1], str(tmp_path / "x.jar"))


def test_vitest_that_no_commit_has_is_a_tool_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    tree = Tree(tmp_path, tmp_path / "output", tmp_path / "cache")
    harness = find_harness(None, ("npx", "vitest", "bench"), tmp_path)
    with pytest.raises(MachineError, match="vitest is not in node_modules") as error:
        harness.find_programs(("npx", "vitest", "bench"), tree)
    assert "npm ci" in error.value.hint


def test_jmh_hyperfine_and_vitest_write_their_reports_to_the_file():
    assert launched("jmh", ("java", "-jar", "b.jar"))[-4:] == ["-rff", "/m", "^(a/b)$", r"^(c\+d)$"]
    assert launched("hyperfine", ("hyperfine", "ls"))[-1] == "--export-json=/m"
    assert "--runs=3" not in launched("hyperfine", ("hyperfine", "ls", "-r", "5"))
    assert launched("vitest", ("vitest", "bench"), Selection("/m", ("f > g > x",)))[-3:] == [
        "-t",
        "(x)$",
        "--outputJson=/m",
    ]


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("4.1.0", ["-t", r"(x)$", "--outputJson=/m"]),
        ("5.1.2", ["-t", r"(sum > cmp)$", "--reporter=json", "--outputFile=/m"]),
    ],
)
def test_the_report_of_vitest_is_asked_for_in_the_words_of_its_version(tmp_path, version, words):
    package = tmp_path / "node_modules" / "vitest"
    package.mkdir(parents=True)
    (package / "package.json").write_text(json.dumps({"version": version}))
    (package / "vitest.mjs").touch()
    program = tmp_path / "node_modules" / ".bin" / "vitest"
    program.parent.mkdir()
    program.symlink_to("../vitest/vitest.mjs")
    launched_words = launched("vitest", (str(program), "bench"), Selection("/m", ("sum > cmp > x",)))
    assert launched_words[-len(words) :] == words
