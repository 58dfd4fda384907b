"""``gate --explain``: benchmarks that are slower have reasons, and the verdicts never hang on these."""

from __future__ import annotations

import shutil

import msgspec
import pytest
from gate_answers import make_answer

from steelyard.core.errors import MachineError
from steelyard.extensions.explain.sampling import Perf
from steelyard.extensions.gate import explaining
from steelyard.extensions.gate.gate import gate
from steelyard.extensions.gate.markdown import render
from steelyard.extensions.gate.plan import Plan, PlannedProgram
from steelyard.extensions.gate.request import GateRequest
from steelyard.extensions.gate.results import ExplainedFunction, GatedBenchmark, GatedMetric, Reason
from steelyard.extensions.gate.sides import GateSides
from steelyard.extensions.gate.text import list_lines
from steelyard.extensions.repository.repository import Repository
from steelyard.report.text.line import plain
from steelyard.results.interval import Interval


def request_of(base, head, **changes):
    fixed = {
        "words": ("./bench",),
        "harness": "google-benchmark",
        "seed": 1,
        "max_time_s": 60.0,
        "explain": True,
    }
    return GateRequest(base=base, head=head, **{**fixed, **changes})


def answer(reason):
    slower = GatedBenchmark(
        *("sort", "slower", 6, 1e-7, 1.2e-7, 0.2, Interval(0.19, 0.21), 0.0, 1.0, 1.0),
        reason=reason,
        metric="real_time_s",
    )
    return make_answer(slower)


def test_a_slower_benchmark_has_a_reason_and_an_equal_one_has_none(suites, tmp_path, monkeypatch):
    try:
        Perf().refuse_missing()
    except MachineError as error:
        pytest.skip(error.message)
    if shutil.which("env") is None:
        pytest.skip("there is no env")
    monkeypatch.setattr(explaining, "BLOCKS", 12)
    base, head = suites.suite(sort=100, find=100), suites.suite(sort=130, find=100)
    result = gate(request_of(base, head), Repository(suites.path), tmp_path / "found")
    by_name = {entry.name: entry for entry in result.benchmarks}
    assert by_name["sort"].verdict == "slower"
    assert by_name["find"].reason is None
    reason = by_name["sort"].reason
    assert reason is not None
    assert "not explained" not in reason.text
    # 30 % in all: the harness reports it, whatever this machine does.
    assert sum(function.value for function in reason.functions) < 0.45
    assert (tmp_path / "found" / "explained-1.lab").is_dir()


PROGRAM = """\
#include <stdio.h>
__attribute__((noinline)) unsigned parse(unsigned n) {
    unsigned h = n;
    for (unsigned i = 0; i < TIMES * 2000000u; i++) h = h * 33 + i;
    return h;
}
int main(void) { printf("%d\\n", parse(3) == 5); return 0; }
"""


def test_lines_of_base_are_put_back_into_head(tmp_path, monkeypatch):
    try:
        Perf().refuse_missing()
    except MachineError as error:
        pytest.skip(error.message)
    monkeypatch.setattr(explaining, "BLOCKS", 12)
    for side, times in (("base", "1"), ("head", "4")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "p.c").write_text(PROGRAM.replace("TIMES", times))
    request = request_of(
        *(str(tmp_path / side) for side in ("base", "head")),
        words=("./p",),
        build="cc -O1 -g p.c -o p",
        harness="time",
        are_directories=True,
        validate=True,
    )
    (entry,) = gate(request, None, tmp_path / "found").benchmarks
    assert entry.verdict == "slower"
    # Beside other work another function may be named, too.
    texts = [text for text in entry.reason.validations if text.startswith("with p.c:4 of base, head is ")]
    assert [text.endswith("parse is confirmed") for text in texts] == [True]
    assert not list((tmp_path / "found").glob("*-trees"))


def test_what_was_put_to_the_test_stands_under_the_functions():
    function = ExplainedFunction("parse", "p.c:3", 0.2, Interval(0.19, 0.21))
    result = answer(Reason("sampling", (function,), ("with p.c:4 of base: <parse> is confirmed",)))
    assert "p.c:3\nwith p.c:4 of base: <parse> is confirmed\nsampling\n" in plain(list_lines(result))
    markdown = render(result, strict=False)
    assert "<br>with p.c:4 of base: " in markdown
    assert "<parse>" not in markdown


def test_a_test_of_what_is_not_explained_is_refused(steelyard_cli):
    done = steelyard_cli("gate", "--base-dir", ".", "--head-dir", ".", "--time", "--validate", "--", "true")
    assert done.returncode == 2
    assert "hint: add --explain" in done.stderr


def test_functions_stand_under_their_benchmark_in_text_and_in_markdown():
    functions = tuple(ExplainedFunction(f"f{i}_x", "s.c:3", 0.05, Interval(0.04, 0.06)) for i in range(3))
    result = answer(Reason("sampling made OLD 1 % and NEW 1 % slower", functions))
    text = plain(list_lines(result))
    assert "sort is slower by\n  + 5.0 % (4.0 to 6.0) f0_x, s.c:3\n" in text
    assert max(map(len, text.splitlines())) <= 80
    row = next(line for line in render(result, strict=False).splitlines() if "f0" in line)
    assert row.count("<br>") == 2
    assert "f0\\_x" in row


def test_a_benchmark_that_cannot_be_explained_says_why():
    result = answer(Reason("items is no time of a run"))
    assert "sort: items is no time of a run" in plain(list_lines(result))
    assert "items is no time of a run" in render(result, strict=False)


def test_a_benchmark_that_was_renamed_is_not_explained_and_says_so(tmp_path):
    metric = GatedMetric("time_s", "s", "lower", 0.03)
    program = PlannedProgram("", {}, {}, old_names={"BenchmarkNew": "BenchmarkOld"})
    plan = Plan("go", (metric,), (program,))
    request = request_of("a", "b")
    sides = GateSides(request, None, tmp_path)
    reason = explaining.explain_benchmark(
        *(plan, metric, program, "BenchmarkNew", sides, tmp_path / "x.lab"),
        gate=request,
        seed=1,
        watch=lambda _: None,
        tell=lambda _: None,
    )
    assert reason.text.startswith("it was BenchmarkOld in base")
    assert not (tmp_path / "x.lab").exists()


def test_without_perf_nothing_is_built(monkeypatch, tmp_path, steelyard_cli):
    (tmp_path / "bin").mkdir()
    done = steelyard_cli(
        *("gate", "--base-dir", ".", "--head-dir", ".", "--time", "--explain", "--", "true"),
        env={"PATH": str(tmp_path / "bin")},
    )
    assert done.returncode == 4
    assert "perf, which is not found" in done.stderr


def test_documents_of_a_gate_without_reasons_can_still_be_read():
    document = msgspec.to_builtins(GatedBenchmark("sort", "open"))
    del document["reason"]
    assert msgspec.convert(document, GatedBenchmark).reason is None


def test_where_nothing_is_slower_the_answer_says_why_nothing_is_explained(suites, tmp_path):
    try:
        Perf().refuse_missing()
    except MachineError as error:
        pytest.skip(error.message)
    base, head = suites.suite(sort=100), suites.suite(sort=70)
    result = gate(request_of(base, head), Repository(suites.path), tmp_path / "found")
    assert "--explain: only slower benchmarks are explained, and none is slower." in result.notes
