"""Failures planted in files of many formats: each is counted by treatment, and no verdict rests on the rest.

The files have the shapes that the tools write; each has runs that went well and runs that did not.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from steelyard.extensions.exchange.imported import ImportSource, import_files
from steelyard.extensions.exchange.importers.columns import Chosen
from steelyard.extensions.exchange.recording import Selection
from steelyard.extensions.history.reports import read_reports
from steelyard.lab.answer.analyze import analyze
from steelyard.report.answer.sentences import format_notice
from steelyard.store import Record

pytestmark = pytest.mark.extensions("history")

TABLE = Chosen(("time",), ("arm",), "s")


def rows(bad: str, *, title: str = "", good: str = "") -> str:
    """A table of 8 good and 2 bad rows of b, and 10 good ones of a."""
    lines = [f"arm,time{',' + title if title else ''}"]
    for arm in "ab":
        for number in range(10):
            cell = bad if arm == "b" and number < 2 else good
            value = f"{1 + number / 100}"
            lines.append(f"{arm},{value},{cell}" if title else f"{arm},{value if cell == good else cell}")
    return "\n".join(lines) + "\n"


def hyperfine(*codes: int | None) -> str:
    results = [
        {"command": arm, "mean": 1.0, "times": [1 + n / 100 for n in range(10)], "exit_codes": list(exits)}
        for arm, exits in (("a", [0] * 10), ("b", [*codes, *[0] * (10 - len(codes))]))
    ]
    return json.dumps({"results": results})


def google(failed: int, **words: Any) -> str:
    benchmarks = [
        {
            "name": f"BM_{arm}",
            "run_name": f"BM_{arm}",
            "run_type": "iteration",
            "repetition_index": number,
            "iterations": 10,
            "real_time": 100.0 + number,
            "cpu_time": 100.0 + number,
            "time_unit": "ns",
            **(words if arm == "b" and number < failed else {}),
        }
        for arm in "ab"
        for number in range(10)
    ]
    return json.dumps({"context": {"library_version": "v1.8.3"}, "benchmarks": benchmarks})


def reframe(*results: str) -> str:
    cases = [
        {
            "name": arm,
            "result": result,
            "perfvalues": {"s:p:rate": [100.0 + number, None, None, None, "GFLOP/s", result]}
            if result == "pass"
            else None,
        }
        for arm, outcomes in (("a", ["pass"] * 10), ("b", [*results, *["pass"] * (10 - len(results))]))
        for number, result in enumerate(outcomes)
    ]
    return json.dumps({"session_info": {"version": "4.6.0"}, "runs": [{"testcases": cases}]})


def go(failure: str) -> str:
    good = "".join(f"Benchmark{arm}-4 100 {100 + n} ns/op\n" for arm in "AB" for n in range(8))
    return f"goos: linux\npkg: example.org/x\n{good}{failure * 2}FAIL\n"


def jsonl(**bad: Any) -> str:
    entries = [
        {"arm": arm, "time": 1 + n / 100, "status": "ok"} | (bad if arm == "b" and n < 2 else {})
        for arm in "ab"
        for n in range(10)
    ]
    return "".join(json.dumps(entry) + "\n" for entry in entries)


def tree(**bad: Any) -> str:
    arms = {
        arm: [{"time": 1 + n / 100} | (bad if arm == "b" and n < 2 else {}) for n in range(10)]
        for arm in "ab"
    }
    return json.dumps({"results": {"arms": arms}})


def jmh() -> str:
    return json.dumps(
        [
            {
                "benchmark": arm,
                "mode": "avgt",
                "primaryMetric": {"score": 1.0, "scoreUnit": "ns/op", "rawData": data},
            }
            for arm, data in (("a", [[1.0], [1.1], [1.2]]), ("b", [[1.0], [], []]))
        ]
    )


CASES = {
    "csv, a word in place of the value": ("runs.csv", rows("TIMEOUT"), TABLE),
    "csv, another word": ("runs.csv", rows("crashed"), TABLE),
    "csv, a value that is not there": ("runs.csv", rows("NA"), TABLE),
    "csv, a status": ("runs.csv", rows("FAILED", title="status", good="ok"), TABLE),
    "csv, a state of Slurm": ("runs.csv", rows("OUT_OF_MEMORY", title="State", good="COMPLETED"), TABLE),
    "csv, an exit code": ("runs.csv", rows("139", title="exit_code", good="0"), TABLE),
    "csv, an exit code of sacct": ("runs.csv", rows("0:9", title="ExitCode", good="0:0"), TABLE),
    "csv with semicolons": ("runs.csv", rows("TIMEOUT").replace(",", ";"), TABLE),
    "tsv, a status": ("runs.tsv", rows("killed", title="outcome", good="pass").replace(",", "\t"), TABLE),
    "jube, a word": (
        "runs.txt",
        "".join(f"| {line.replace(',', ' | ')} |\n" for line in rows("failed").split()),
        TABLE,
    ),
    "json lines, null": ("runs.jsonl", jsonl(time=None), TABLE),
    "json lines, a status": ("runs.jsonl", jsonl(status="timeout"), TABLE),
    "json, a return code": (
        "runs.json",
        tree(returncode=1),
        Chosen(("results/arms/*/*/time",), ("arms",), "s"),
    ),
    "json, an error": ("runs.json", tree(time="error"), Chosen(("results/arms/*/*/time",), ("arms",), "s")),
    "hyperfine, exit codes": ("h.json", hyperfine(1, 1), None),
    "hyperfine, signals": ("h.json", hyperfine(None, 139), None),
    "google benchmark, errors": ("g.json", google(2, error_occurred=True, error_message="bad"), None),
    "reframe, failures": ("r.json", reframe("fail", "error"), None),
    "go, --- FAIL": ("go.txt", go("--- FAIL: BenchmarkB-4\n"), None),
    "go, FAIL behind the name": ("go.txt", go("BenchmarkB-4 --- FAIL: BenchmarkB-4\n"), None),
    "jmh, forks without iterations": ("jmh.json", jmh(), None),
}


@pytest.mark.parametrize("case", CASES)
def test_two_planted_failures_are_counted_and_withhold_the_verdict(written, tmp_path, case):
    name, text, chosen = CASES[case]
    file = written(text, name)
    # A suite is a list, unless somebody compares its benchmarks.
    factor = "test" if case.startswith("reframe") else "benchmark"
    source, question = ImportSource("runs", file), Selection(None if chosen else factor)
    import_files([source], tmp_path / "it.lab", chosen=chosen, question=question).close()
    with Record.open(tmp_path / "it.lab") as record:
        counts = {label: record.failures()[item.id] for item in record.treatments for label in [item.label]}
        answer = analyze(record)
    failed = {label: item.failed for label, item in counts.items()}
    (bad,) = [label for label, number in failed.items() if number]
    assert failed[bad] == 2
    (comparison,) = answer.judged
    assert comparison.verdict == "not_resolved"
    assert "failures_unequal" in comparison.flags
    assert "failures" in [notice.kind for notice in answer.warnings]


@pytest.mark.parametrize("case", CASES)
def test_two_planted_failures_are_told_by_a_history_of_reports(written, case):
    name, text, chosen = CASES[case]
    reports = read_reports([written(text, name)], chosen or Chosen())
    (out,) = reports.left_out
    assert re.search(r"lacks 2 of \d+ runs, which (failed|timed out)", out.why), out.why
    assert out.unreadable


def test_an_answer_gives_the_reason_of_failures(written, tmp_path):
    file = written(google(2, error_occurred=True, error_message="no license left"), "g.json")
    import_files([ImportSource("runs", file)], tmp_path / "it.lab").close()
    with Record.open(tmp_path / "it.lab") as record:
        answer = analyze(record)
    sentences = [format_notice(notice, {}) for notice in answer.warnings]
    assert any("2 of 10 runs failed: no license left." in sentence for sentence in sentences)


def test_a_test_program_of_go_that_panics_is_named(written, tmp_path):
    text = "pkg: example.org/x\nBenchmarkA-4 100 100 ns/op\npanic: boom\nFAIL\texample.org/x\t0.5s\n"
    import_files([ImportSource("runs", written(text, "go.txt"))], tmp_path / "it.lab").close()
    with Record.open(tmp_path / "it.lab") as record:
        notes = " ".join(warning.text for warning in record.warnings())
    assert "example.org/x failed (panic: boom): what it had still to run is missing." in notes
