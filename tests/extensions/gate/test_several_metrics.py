"""Gates of times and of counts, with processes of a made-up harness that reports both."""

import shutil

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.gate.gate import gate
from steelyard.extensions.gate.request import GateRequest
from steelyard.extensions.repository.repository import Repository

COUNTING = """#!/bin/sh
for word; do
    case $word in
        --benchmark_out=*) out=${word#*=} ;;
        --benchmark_filter=*) filter=${word#*=} ;;
    esac
done
runs=$(wc -l < RUNS)
echo "$filter" >> RUNS
awk -v runs="$runs" -v filter="$filter" '
    BEGIN { printf "{\\"context\\": {}, \\"benchmarks\\": [" }
    $1 ~ filter {
        for (repetition = 0; repetition < 3; repetition++) {
            time = $2 * (1 + ((runs * 7 + NR * 3) % 11 - 5) / 2000)
            allocs = $3 + (repetition == 2 && runs % 10 < $4)
            printf "%s{\\"name\\": \\"%s\\", \\"repetition_index\\": %d, \\"run_type\\": \\"iteration\\", ",
                comma, $1, repetition
            rate = 1e9 / (time + 1e-9)
            printf "\\"real_time\\": %.6f, \\"time_unit\\": \\"ns\\", \\"hits\\": 7, ", time
            printf "\\"allocs\\": %.6f, \\"items_per_second\\": %.3f}", allocs, rate
            comma = ","
        }
    }
    END { print "]}" }' values > "$out"
"""


@pytest.fixture
def counting(suites):
    """Commits of benchmarks: time, count, and of ten processes those with one more in a repetition."""

    def commit(**values):
        lines = [f"{name} {time} {count} {varies}\n" for name, (time, count, varies) in values.items()]
        suites.suite(bench=COUNTING.replace("RUNS", str(suites.runs)))
        (suites.path / "values").write_text("".join(lines))
        return suites.commit("values")

    return commit


def run(suites, tmp_path, base, head, **changes):
    inputs = {"words": ("./bench",), "harness": "google-benchmark", "seed": 1, "max_time_s": 60.0}
    request = GateRequest(base=base, head=head, **{**inputs, **changes})
    return gate(request, Repository(suites.path), tmp_path / "records")


def verdicts(answer):
    return {(entry.name, entry.metric): entry.verdict for entry in answer.benchmarks}


def test_one_allocation_more_is_a_fact_and_equal_ones_run_in_one_process(suites, counting, tmp_path):
    base = counting(sort=(100, 999, 0), find=(100, 0, 0), fill=(100, 0, 0))
    head = counting(sort=(100, 1000, 0), find=(100, 0, 0), fill=(100, 1, 0))
    answer = run(suites, tmp_path, base, head, metrics=("allocs",))
    assert verdicts(answer) == {
        ("sort", "allocs"): "slower",
        ("find", "allocs"): "equivalent",
        ("fill", "allocs"): "slower",
    }
    sort, find, fill = answer.benchmarks
    assert (sort.base, sort.head, sort.is_exact, sort.ci95) == (999, 1000, True, None)
    # 2 * 4**-n is below a third of 5 % from 4 processes on.
    assert (find.processes, find.blocks, sort.processes, sort.blocks) == (1, 0, 4, 3)
    assert (fill.base, fill.head, fill.change) == (0, 1, None)
    assert answer.exit_code(strict=False) == 1
    # What is the same ran in the first process of each side, and in no other.
    assert suites.filters[:2] == ["", ""]
    assert {*suites.filters[2:]} == {"^(sort|fill)$"}


def test_a_single_count_that_differs_is_a_fact_after_three_processes_a_side(suites, counting, tmp_path):
    base, head = counting(sort=(100, 1000, 0)), counting(sort=(100, 1001, 0))
    (sort,) = run(suites, tmp_path, base, head, metrics=("allocs",)).benchmarks
    assert (sort.verdict, sort.is_exact, sort.processes) == ("slower", True, 3)
    assert len(suites.filters) == 2 * 3


def test_suites_of_equal_counts_end_after_one_process_a_side(suites, counting, tmp_path):
    base = counting(sort=(100, 9, 0), find=(100, 0, 0))
    head = counting(sort=(200, 9, 0), find=(50, 0, 0))
    answer = run(suites, tmp_path, base, head, metrics=("allocs",))
    assert {*verdicts(answer).values()} == {"equivalent"}
    assert len(suites.filters) == 2
    assert not answer.is_unmeasured
    assert answer.exit_code(strict=True) == 0


def test_times_and_counts_are_one_family_with_margins_of_their_own(suites, counting, tmp_path):
    base = counting(sort=(100, 100, 0), find=(100, 100, 0))
    head = counting(sort=(120, 101, 0), find=(100, 102, 0))
    answer = run(suites, tmp_path, base, head, metrics=("time", "allocs"), margins={"allocs": 0.01})
    assert verdicts(answer) == {
        ("sort", "real_time_s"): "slower",
        ("sort", "allocs"): "equivalent",
        ("find", "real_time_s"): "equivalent",
        ("find", "allocs"): "slower",
    }
    # The first process of each side, which told which benchmarks there are, counts too.
    find = next(entry for entry in answer.benchmarks if (entry.name, entry.metric) == ("find", "allocs"))
    time = next(entry for entry in answer.benchmarks if (entry.name, entry.metric) == ("find", "real_time_s"))
    assert find.is_exact
    assert time.blocks >= find.blocks
    assert [metric.margin for metric in answer.metrics] == [0.03, 0.01]


def test_a_metric_that_is_reported_turns_no_gate_red(suites, counting, tmp_path):
    base, head = counting(sort=(100, 9, 0)), counting(sort=(200, 9, 0))
    answer = run(suites, tmp_path, base, head, metrics=("allocs",), reported=("time",))
    assert verdicts(answer) == {("sort", "allocs"): "equivalent", ("sort", "real_time_s"): "reported"}
    time = answer.benchmarks[1] if answer.benchmarks[1].metric == "real_time_s" else answer.benchmarks[0]
    assert time.change == pytest.approx(1.0, abs=0.02)
    assert time.ci95.low < 1.0 < time.ci95.high
    assert time.blocks == 6
    assert answer.exit_code(strict=True) == 0


def test_a_count_that_varies_in_one_process_of_ten_is_never_exact(suites, counting, tmp_path):
    base, head = counting(sort=(100, 50, 1)), counting(sort=(100, 50, 1))
    answer = run(suites, tmp_path, base, head, metrics=("time", "allocs"), margins={"allocs": 0.0})
    allocs = next(entry for entry in answer.benchmarks if entry.metric == "allocs")
    assert not allocs.is_exact
    assert allocs.verdict in ("open", "equivalent")
    # A margin of 0 is none for a count that varies: it is judged by that of times.
    assert allocs.margin == 0.03
    assert answer.exit_code(strict=False) == 0


def test_a_count_that_varies_and_doubles_is_found_by_the_ordinary_judge(suites, counting, tmp_path):
    base, head = counting(sort=(100, 50, 5)), counting(sort=(100, 100, 5))
    answer = run(suites, tmp_path, base, head, metrics=("allocs",))
    (sort,) = answer.benchmarks
    assert (sort.verdict, sort.is_exact) == ("slower", False)
    assert sort.change == pytest.approx(1.0, abs=0.05)
    assert sort.ci95 is not None


def test_a_count_of_zero_that_varies_is_judged_by_signs(suites, counting, tmp_path):
    base, head = counting(sort=(100, 0, 0)), counting(sort=(100, 2, 5))
    answer = run(suites, tmp_path, base, head, metrics=("time", "allocs"))
    sort = next(entry for entry in answer.benchmarks if entry.metric == "allocs")
    assert (sort.verdict, sort.is_exact, sort.base, sort.change) == ("slower", False, 0, None)


def test_a_time_of_zero_is_not_judged_and_all_others_are(suites, counting, tmp_path):
    base, head = counting(sort=(100, 9, 0), find=(100, 9, 0)), counting(sort=(0, 9, 0), find=(200, 9, 0))
    answer = run(suites, tmp_path, base, head)
    sort, find = answer.benchmarks
    assert (sort.verdict, find.verdict) == ("open", "slower")
    assert "may have removed the work" in sort.trouble


def test_a_throughput_that_falls_is_slower_and_its_change_is_below_0(suites, counting, tmp_path):
    base, head = counting(sort=(100, 9, 0)), counting(sort=(125, 9, 0))
    (sort,) = run(suites, tmp_path, base, head, metrics=("items_per_second",)).benchmarks
    assert sort.verdict == "slower"
    assert sort.change == pytest.approx(-0.2, abs=0.01)
    assert sort.ci95.low < -0.2 < sort.ci95.high < 0
    assert sort.typical.change == pytest.approx(-0.2, abs=0.01)


def test_a_budget_for_no_look_ends_with_3_and_not_as_a_mistake(suites, counting, tmp_path):
    base, head = counting(sort=(100, 9, 0)), counting(sort=(200, 9, 0))
    answer = run(suites, tmp_path, base, head, max_time_s=1e-6)
    assert (answer.is_unmeasured, answer.exit_code(strict=False)) == (True, 3)
    assert any("is too short: 3 blocks of this suite take about" in note for note in answer.notes)


def test_a_metric_without_a_side_is_refused_with_the_option_that_names_it(suites, counting, tmp_path):
    base, head = counting(sort=(100, 9, 0)), counting(sort=(100, 9, 0))
    with pytest.raises(UsageError, match="--metric hits: the harness does not say") as caught:
        run(suites, tmp_path, base, head, metrics=("hits",))
    assert caught.value.hint == "--better hits=lower, or --better hits=higher"
    shutil.rmtree(tmp_path / "records")
    answer = run(suites, tmp_path, base, head, metrics=("hits",), better={"hits": "higher"})
    assert verdicts(answer) == {("sort", "hits"): "equivalent"}
