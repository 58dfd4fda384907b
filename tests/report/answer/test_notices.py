from __future__ import annotations

from msgspec.structs import replace

from steelyard.report.answer.notices import brief, lines, sentences
from steelyard.report.text.line import plain
from steelyard.results.notice import Notice

CALLED = {"a": "a", "b": "b", "c": "c"}


def outliers(label, count, farthest, n=30):
    return Notice("outliers", (label,), {"count": count, "n": n, "farthest": farthest})


def test_what_touches_a_verdict_stands_before_what_describes_values():
    inputs = [
        outliers("a", 1, 3.0),
        Notice("trend", ("b",), {"blocked": True, "alone": False}),
        Notice("trend_of_difference", ("b",)),
        Notice("note", fields={"text": "the machine was changed"}),
    ]
    text = plain(lines("Warnings", inputs, CALLED, 80))
    assert [line for line in text.splitlines() if line.startswith("- ")] == [
        "- b: the difference itself drifts during the run; the ratio is its average.",
        "- the machine was changed",
        "- b: times drift during the run; comparisons are corrected for that, s and CV",
        "- a: 1 of 30 values are outliers, the farthest at 3 × the median; none is",
    ]


def test_the_same_of_several_treatments_is_one_sentence_with_a_range():
    inputs = [outliers("a", 2, 3.0), outliers("b", 7, 4.25), outliers("c", 3, 3.5)]
    assert sentences(inputs, CALLED) == [
        (
            "all treatments: 2 to 7 of 30 values are outliers, the farthest at 3 to 4.25 × the median;"
            " none is discarded."
        )
    ]
    assert sentences(inputs[:2], CALLED) == [
        (
            "a and b: 2 to 7 of 30 values are outliers, the farthest at 3 to 4.25 × the median; none is"
            " discarded."
        )
    ]


def test_ranges_of_shares_have_one_sign_and_equal_numbers_no_range():
    inputs = [
        Notice("bimodal", ("a",), {"share": 0.22, "ratio": 1.1}),
        Notice("bimodal", ("b",), {"share": 0.3, "ratio": 1.1}),
    ]
    assert sentences(inputs, CALLED) == [
        (
            "a and b: values fall into two groups, 1.1 × apart, the smaller with 22 to 30 % of the values;"
            " the mean describes neither."
        )
    ]


def test_a_few_treatments_that_failed_are_told_one_by_one_and_many_together():
    def failed(label, count, late=0):
        return Notice("failures", (label,), {"failed": count, "timed_out": late, "attempted": 30})

    assert sentences([failed("a", 1), failed("b", 2)], CALLED) == [
        "a: 1 of 30 runs failed.",
        "b: 2 of 30 runs failed.",
    ]
    called = {name: name for name in "abcde"}
    assert sentences([failed(name, i, i // 2) for i, name in enumerate("abcd", 1)], called) == [
        "a, b, c and d: 1 to 4 of 30 runs failed, up to 2 of them timed out."
    ]


def test_many_treatments_that_failed_for_several_reasons_say_so():
    inputs = [
        Notice("failures", (name,), {"failed": 1, "timed_out": 0, "attempted": 1, "reason": reason})
        for name, reason in zip("abcde", ("boom", "boom", "crash", "killed", "boom"), strict=True)
    ]
    called = {name: name for name in "abcde"}
    assert sentences(inputs, called) == ["all treatments: 1 of 1 runs failed: boom (and 2 other reasons)."]
    alike = [replace(notice, fields={**notice.fields, "reason": "boom"}) for notice in inputs]
    assert sentences(alike, called) == ["all treatments: 1 of 1 runs failed: boom."]


def test_failures_are_said_in_the_brief_answer_however_many_other_cautions_there_are():
    called = {name: name for name in "ab"}
    inputs = [Notice(kind, (name,)) for kind in ("crowded", "one_process") for name in "ab"]
    inputs += [Notice("failures", ("a",), {"failed": 1, "timed_out": 0, "attempted": 3})]
    assert "a: 1 of 3 runs failed." in plain(brief(inputs, called, 80))


def test_names_of_several_levels_are_not_listed_beyond_two():
    called = {f"opt=O{i}, n=1": f"opt=O{i}, n=1" for i in range(9)}
    (result,) = sentences([outliers(label, 1, 2.0) for label in list(called)[:5]], called)
    assert result.startswith("opt=O0, n=1; and 4 more: 1 of 30 values are outliers")


def test_no_warning_is_left_out():
    notes = [Notice("note", fields={"text": f"number {i}"}) for i in range(30)]
    assert plain(lines("Warnings", notes, CALLED, 80)).count("- number") == 30


def test_slow_runs_of_several_treatments_are_one_sentence_whose_bounds_hold_for_all():
    def slow(label, count, low, high):
        fields = {"count": count, "n": 12, "ratio": 2.0 * count, "within": 1.01, "low": low, "high": high}
        return Notice("slow_mode", (label,), fields)

    assert sentences([slow("a", 1, 0.002, 0.38), slow("b", 2, 0.021, 0.48)], CALLED) == [
        (
            "a and b: 1 to 2 of 12 runs are slow (2 to 4 × the rest; 0.2 % to 48 % of all runs, 95 % sure);"
            " the treatment that it is compared with has none. Without the slow runs the ratio of medians is"
            ' 1.01. Run more to estimate how often; use estimand = "quantile" to measure the cost.'
        )
    ]


def test_carry_over_says_which_way_it_goes_for_times_and_rates():
    def carried(ratio, unit="s", better="lower", *, is_of_two=True):
        fields = {"ratio": ratio, "runs": 20, "control_runs": 22, "p": 0.001, "unit": unit, "better": better}
        (sentence,) = sentences([Notice("carry_over", ("b", "a"), fields | {"is_of_two": is_of_two})], CALLED)
        return sentence

    assert carried(1.24) == (
        "b is 1.24 × slower right after a than after itself (20 and 22 runs): they share something (files,"
        " caches, a server), and the ratio contains that. Reset it before each run, or give each a copy of"
        " its own; compare --isolate gives each run files of its own."
    )
    assert carried(0.8).startswith("b is 1.25 × faster right after a than after itself")
    assert carried(0.8, "1/s", "higher", is_of_two=False).startswith(
        "b is 1.25 × slower right after a than after others"
    )
    assert carried(2.0, "B").startswith("b is 2 × more right after a")


def test_a_verdict_by_cpu_time_is_told_as_the_one_by_elapsed_time():
    def judged(speedup, lowest, highest, verdict):
        fields = {"speedup": speedup, "lowest": lowest, "highest": highest, "level": 0.99, "verdict": verdict}
        (sentence,) = sentences([Notice("by_cpu_time", ("b", "a"), fields)], CALLED)
        return sentence

    assert (
        judged(0.8, 0.76, 0.84, "slower") == "By CPU time, b is 1.25 × slower than a (99 % CI 1.19 to 1.32)."
    )
    assert (
        judged(1.25, 1.19, 1.32, "faster") == "By CPU time, b is 1.25 × faster than a (99 % CI 1.19 to 1.32)."
    )
    assert judged(0.99, 0.9, 1.09, "not_resolved").startswith(
        "By CPU time, b is not shown to differ from a ("
    )
