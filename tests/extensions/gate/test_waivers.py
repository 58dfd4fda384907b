"""Waivers: what they accept, for how long, and what of them is refused or named."""

import datetime as dt

import msgspec
import pytest
from gate_answers import make_answer

from steelyard.core.errors import UsageError
from steelyard.extensions.gate.gate import gate
from steelyard.extensions.gate.request import GateRequest
from steelyard.extensions.gate.results import GatedBenchmark, GatedMetric
from steelyard.extensions.gate.waivers import apply_waivers, find_spelling, parse_renames, parse_waivers
from steelyard.extensions.gate.words import write_headline
from steelyard.extensions.repository.repository import Repository

TODAY = dt.date(2026, 6, 30)
TIME = GatedMetric("time_s", "s", "lower", 0.03)
ALLOCS = GatedMetric("allocs_per_op", "", "lower")
RATE = GatedMetric("throughput", "B/s", "higher", 0.03)
TEXT = """
[[waivers]]
benchmark = "sort"
ceiling = "{ceiling}"
reason = "a stable order"
until = {until}
{metric}
"""


def make(ceiling="20%", until="2026-06-30", metric=""):
    return parse_waivers(TEXT.format(ceiling=ceiling, until=until, metric=metric).encode())


def answer_of(*entries):
    return make_answer(*entries, metrics=(TIME, ALLOCS, RATE))


def slower(change=0.15, metric="time_s", **options):
    return GatedBenchmark(
        "sort", "slower", blocks=9, base=1.0, head=1 + change, change=change, metric=metric, **options
    )


def test_what_is_accepted_is_green_until_its_date_and_says_why():
    answer = apply_waivers(answer_of(slower()), make(), TODAY)
    (entry,) = answer.benchmarks
    assert (entry.verdict, entry.waiver.reason) == ("waived", "a stable order")
    assert answer.exit_code(strict=True) == 0
    assert write_headline(answer) == "1 of 1 waived"
    assert answer.notes == ()


@pytest.mark.parametrize(
    ("entry", "waivers", "note"),
    [
        (slower(0.21), make(), "21 % is above its ceiling of 20 %"),
        (slower(), make(until="2026-06-29"), "it ended on 2026-06-29"),
        (slower(-0.3, "throughput"), make(metric='metric = "throughput"'), "30 % is above its ceiling"),
        (
            GatedBenchmark("sort", "slower", base=0, head=2, metric="allocs_per_op", is_exact=True),
            make(metric='metric = "allocs"'),
            "a count that was 0 has no relative change",
        ),
    ],
)
def test_above_the_ceiling_or_after_the_date_it_is_red_again(entry, waivers, note):
    answer = apply_waivers(answer_of(entry), waivers, TODAY)
    assert answer.exit_code(strict=False) == 1
    assert note in answer.notes[0]


def test_a_throughput_may_fall_by_its_ceiling():
    answer = apply_waivers(
        answer_of(slower(-0.19, "throughput")), make(metric='metric = "throughput"'), TODAY
    )
    assert answer.benchmarks[0].verdict == "waived"


def test_a_waiver_is_of_one_metric():
    entries = (slower(0.1), slower(0.1, "allocs_per_op", is_exact=True))
    answer = apply_waivers(answer_of(*entries), make(), TODAY)
    assert [entry.verdict for entry in answer.benchmarks] == ["waived", "slower"]
    assert answer.exit_code(strict=False) == 1


@pytest.mark.parametrize(
    ("entry", "state"),
    [
        (GatedBenchmark("find", "slower", metric="time_s"), "it is not in this gate"),
        (GatedBenchmark("sort", "equivalent", metric="time_s"), "it is equivalent"),
        (GatedBenchmark("sort", "gone", metric="time_s"), "it is gone"),
    ],
)
def test_a_waiver_that_is_not_needed_is_named(entry, state):
    answer = apply_waivers(answer_of(entry), make(), TODAY)
    assert answer.benchmarks == (entry,)
    assert f"the waiver of sort (time) is not used: {state}." in answer.notes[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[waivers]]\nbenchmark = 1", "Expected `str`"),
        ("[[waivers]]\nbenchmark = 'a'", "missing required field"),
        ("[[waiver]]\nbenchmark = 'a'", "unknown field `waiver`"),
        (
            TEXT.format(ceiling="20%", until="2026-01-01", metric="until_when = 1"),
            "unknown field `until_when`",
        ),
        (TEXT.format(ceiling="20%", until="'soon'", metric=""), "Expected `date`, got `str`"),
        (TEXT.format(ceiling="0", until="2026-01-01", metric=""), "ceiling '0' is no fraction above 0"),
        (TEXT.format(ceiling="inf", until="2026-01-01", metric=""), "is no fraction above 0"),
        (TEXT.format(ceiling="nan", until="2026-01-01", metric=""), "is no fraction above 0"),
        (TEXT.format(ceiling="much", until="2026-01-01", metric=""), "is no fraction above 0"),
        (2 * TEXT.format(ceiling="1%", until="2026-01-01", metric=""), "two waivers of sort"),
        (
            TEXT.format(ceiling="1%", until="2026-01-01", metric="").replace("a stable order", " "),
            "no reason",
        ),
        ("waivers = ", "waivers.toml: "),
    ],
)
def test_a_file_that_is_not_understood_is_refused(text, message):
    with pytest.raises(UsageError, match=r"waivers\.toml: ") as caught:
        parse_waivers(text.encode())
    assert message in caught.value.message


def test_the_file_of_head_counts_and_a_damaged_one_ends_the_gate_first(suites, tmp_path):
    base = suites.suite(sort=100, find=100)
    suites.suite(sort=115, find=120)
    (suites.path / ".steelyard").mkdir()
    (suites.path / ".steelyard" / "waivers.toml").write_text(
        TEXT.format(ceiling="20%", until="9999-01-01", metric="")
    )
    head = suites.commit(".steelyard/waivers.toml")
    request = GateRequest(
        base=base, head=head, words=("./bench",), harness="google-benchmark", seed=1, max_time_s=60.0
    )
    answer = gate(request, Repository(suites.path), tmp_path / "records")
    assert {entry.name: entry.verdict for entry in answer.benchmarks} == {"sort": "waived", "find": "slower"}
    (suites.path / ".steelyard" / "waivers.toml").write_text("[[waivers]]")
    damaged = suites.commit(".steelyard/waivers.toml")
    runs = len(suites.filters)
    request = GateRequest(base=base, head=damaged, words=("./bench",), harness="google-benchmark")
    with pytest.raises(UsageError, match=r"\.steelyard/waivers\.toml: .*missing required field"):
        gate(request, Repository(suites.path), tmp_path / "others")
    assert len(suites.filters) == runs


@pytest.mark.parametrize(
    ("name", "names", "harness", "meant"),
    [
        ("BenchmarkSort", ["BenchmarkSort-8", "BenchmarkSortAll-8"], "go", "BenchmarkSort-8"),
        ("BenchmarkSort-8", ["BenchmarkSort-8"], "go", "BenchmarkSort-8"),
        ("BenchmarkSort/n=1-2", ["BenchmarkSort/n=1-2-4"], "go", "BenchmarkSort/n=1-2-4"),
        ("BenchmarkSort", ["BenchmarkSort", "BenchmarkSort-2"], "go", "BenchmarkSort"),
        ("BenchmarkSort", ["BenchmarkSort-2", "BenchmarkSort-4"], "go", "BenchmarkSort"),
        ("sort", ["sort-8"], "catch2", "sort"),
    ],
)
def test_a_name_of_go_holds_on_machines_with_any_number_of_cpus(name, names, harness, meant):
    assert find_spelling(name, names, harness) == meant


def test_a_waiver_of_a_benchmark_of_go_needs_no_number_of_cpus():
    entry = msgspec.structs.replace(slower(), name="sort-4")
    answer = msgspec.structs.replace(answer_of(entry), harness="go")
    assert apply_waivers(answer, make(), TODAY).benchmarks[0].verdict == "waived"


RENAMES = """
[[renames]]
old = "sort"
new = "stable_sort"

[[renames]]
old = "was"
new = "is"
"""


def test_a_renamed_benchmark_is_compared_with_its_old_name(suites, tmp_path):
    base = suites.suite(sort=100, find=100)
    suites.suite(stable_sort=130, find=100)
    (suites.path / ".steelyard").mkdir()
    (suites.path / ".steelyard" / "waivers.toml").write_text(RENAMES)
    head = suites.commit(".steelyard/waivers.toml")
    request = GateRequest(
        base=base, head=head, words=("./bench",), harness="google-benchmark", max_time_s=60.0
    )
    answer = gate(request, Repository(suites.path), tmp_path / "records")
    assert {entry.name: entry.verdict for entry in answer.benchmarks} == {
        "stable_sort": "slower",
        "find": "equivalent",
    }
    assert "Renamed: stable_sort was sort in base." in answer.notes
    assert "The rename of was to is is not used: base has no such benchmark, or head none." in answer.notes
    # Each side is asked for its own name.
    assert "^(sort|find)$" in suites.filters
    assert "^(stable_sort|find)$" in suites.filters


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [("a", "c", "two renames of a"), ("b", "c", "two renames of c"), ("d", "d", "d is renamed to itself")],
)
def test_renames_that_contradict_each_other_are_refused_with_a_cure(old, new, problem):
    text = "".join(
        f'[[renames]]\nold = "{x}"\nnew = "{y}"\n' for x, y in (("a", "b"), ("e", "c"), (old, new))
    )
    with pytest.raises(UsageError, match=problem) as caught:
        parse_renames(text.encode())
    assert caught.value.hint
