"""What is said of a gate that decided nothing, and of a benchmark that its typical run decided."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from steelyard.extensions.gate import github, junit, markdown, page, sarif
from steelyard.extensions.gate.results import Gate, GatedBenchmark, GatedMetric, TypicalChange
from steelyard.extensions.gate.text import list_lines
from steelyard.extensions.gate.words import describe_benchmark, write_headline
from steelyard.report.text.line import plain
from steelyard.results.interval import Interval

METRICS = (GatedMetric("time_s", "s", "lower", 0.03),)
OPEN = GatedBenchmark("sort", "open", 20, 0.01, 0.0101, 0.01, Interval(-0.04, 0.06), 1.0, 1.0, 0.2, 30.0)
TYPICAL = TypicalChange(2.0, Interval(1.9, 2.1), 19, 1, "base", 1)
SLOWER = GatedBenchmark(
    *("sum", "slower", 20, 0.015, 0.03, 1.2, Interval(-0.1, 4.1), 0.02, 1.0, 1.0, None, "typical", TYPICAL)
)
EQUAL = GatedBenchmark("find", "equivalent", 20, 0.01, 0.01, 0.0, Interval(-0.01, 0.01), 1.0, 1.0, 0.01)


def answered(*benchmarks):
    names = ("base", "head", "go", "go test")
    rows = tuple(replace(entry, metric=entry.metric or "time_s", margin=0.03) for entry in benchmarks)
    return Gate(*names, METRICS, 0.03, 0.05, 60.0, 60.0, out_of_time=True, benchmarks=rows)


def test_a_gate_that_decided_nothing_says_first_that_it_let_everything_pass():
    answer = answered(OPEN)
    assert write_headline(answer) == "nothing was decided: this gate let everything pass; 1 of 1 open"
    assert write_headline(answer, strict=True) == "nothing was decided; 1 of 1 open"
    assert markdown.render(answer, strict=False).startswith("### ? nothing was decided: this gate let")
    assert markdown.render(answer, strict=True).startswith("### ✗ nothing was decided; 1 of 1 open")
    assert "nothing was decided" in page.render(answer, strict=False)
    assert "let everything pass" in plain(list_lines(answer, 120))
    assert "let everything pass" not in plain(list_lines(answer, 120, strict=True))


def test_in_github_it_is_a_warning_of_its_own_and_an_error_under_strict():
    title = "nothing was decided%3A this gate let everything pass"
    assert github.render(answered(OPEN), strict=False).startswith(
        f"::warning title={title}::1 benchmark open"
    )
    assert github.render(answered(OPEN), strict=True).startswith("::error title=nothing was decided::")


@pytest.mark.parametrize("beside", [EQUAL, SLOWER, GatedBenchmark("old", "gone")])
def test_a_gate_that_decided_something_does_not_say_so(beside):
    answer = answered(OPEN, beside)
    assert not answer.is_undecided
    assert "nothing was decided" not in write_headline(answer) + github.render(answer, strict=False)


def test_a_new_benchmark_decides_nothing():
    assert answered(OPEN, GatedBenchmark("more", "new")).is_undecided


@pytest.mark.parametrize(
    ("base", "head", "change", "words"),
    [
        (1e-6, 1e-9, -0.999, "sum: 99.9 % faster: the work may have been removed"),
        (2e-9, 1e-10, -0.95, "sum: 0.10 ns, less than a clock cycle: the work may have been removed"),
        (1e-6, 1e-7, -0.9, None),
        (1e-10, 1e-10, 0.0, "sum: 0.10 ns on both sides, less than a clock cycle: the work may have been"),
        (3e-10, 3e-10, 0.0, None),
    ],
)
def test_work_that_may_have_been_removed_is_named(base, head, change, words):
    entry = GatedBenchmark("sum", "faster", 20, base, head, change, Interval(change - 1e-4, change + 1e-4))
    text = plain(list_lines(answered(entry), 200))
    assert ("may have been removed" in text) == (words is not None)
    assert words is None or words in text


def test_the_typical_run_is_named_where_it_decides():
    answer = answered(SLOWER)
    text = describe_benchmark(answer, answer.benchmarks[0])
    assert text.startswith("sum: slower in 19 of 20 blocks; one slow run of base; a typical run +200 %")
    assert "on average +120 % (95 % CI -10.0 to +410)" in text
    assert write_headline(answer) == "1 of 1 slower, by a factor of 3"
    lines = plain(list_lines(answer, 120))
    assert "slower, typical run" in lines
    assert "- sum: slower in 19 of 20 blocks; one slow run of base; a typical run +200 %" in lines
    assert "slower, typical run" in markdown.render(answer, strict=False)


def test_a_typical_run_that_goes_the_other_way_than_the_mean_is_named():
    faster = TypicalChange(-0.1, Interval(-0.12, -0.08), 3, 17, "head", 3)
    answer = answered(
        GatedBenchmark(
            *("sum", "open", 20, 0.01, 0.02, 0.4, Interval(-0.2, 1.4), 1.0, 1.0, 1.0, 9.0, None, faster)
        )
    )
    lines = plain(list_lines(answer, 120))
    assert "sum: faster in 17 of 20 blocks; 3 slow runs of head; a typical run -10.0 %" in lines


@pytest.mark.parametrize(("unchanged", "code", "sign"), [(False, 0, "✓"), (True, 1, "✗")])
def test_what_is_better_fails_where_no_change_is_allowed(unchanged, code, sign):
    answer = replace(answered(replace(EQUAL, verdict="faster", change=-0.1)), unchanged=unchanged)
    assert answer.exit_code(strict=False) == code
    assert plain(list_lines(answer)).startswith(sign)
    assert ("--unchanged allows no change" in write_headline(answer)) == unchanged
    assert ("<failure" in junit.render(answer, strict=False)) == unchanged
    assert ('"ruleId": "faster"' in sarif.render(answer, strict=False)) == unchanged
    assert ("::error" in github.render(answer, strict=False)) == unchanged
