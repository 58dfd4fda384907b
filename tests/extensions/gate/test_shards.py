"""One suite over several jobs: each benchmark in one of them, one level, and one verdict of all."""

from __future__ import annotations

import datetime as dt

import msgspec
import pytest
from gate_answers import make_answer
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.extensions.gate.gate import _list_troubles, gate
from steelyard.extensions.gate.harnesses.harness import HarnessProgram
from steelyard.extensions.gate.plan import Plan, PlannedProgram, keep_shard
from steelyard.extensions.gate.probing import ProbedHarness
from steelyard.extensions.gate.request import ALPHA, GateRequest
from steelyard.extensions.gate.results import GATE, GatedBenchmark, GatedMetric, Shard
from steelyard.extensions.gate.shards import merge_shards, parse_shard, read_shards
from steelyard.extensions.gate.waivers import apply_waivers, parse_waivers
from steelyard.extensions.gate.words import list_notes
from steelyard.extensions.repository.repository import Repository
from steelyard.results.interval import Interval

METRICS = (GatedMetric("time_s", "s", "lower", 0.03),)
NAMES = st.lists(st.text("abc", min_size=1, max_size=3), min_size=4, max_size=20, unique=True)


def program(name, base, head):
    def probe(names):
        return ProbedHarness({"time_s": dict.fromkeys(names, 1.0)}, {"time_s": ("s", "lower")}, 8.0)

    launched = HarnessProgram(name, ("./bench",), "google-benchmark")
    return PlannedProgram(
        name, {"base": launched, "head": launched}, {"base": probe(base), "head": probe(head)}
    )


def names_of(programs):
    return {
        (entry.name, name)
        for entry in programs
        for side in entry.probes
        for name in entry.list_names("time_s", side)
    }


@given(NAMES, NAMES, st.integers(1, 4))
def test_each_benchmark_of_either_side_is_in_exactly_one_shard(base, head, count):
    suite = [program("x", base, head), program("y", head, base[:1])]
    shards = [keep_shard(suite, METRICS, Shard(number, count)) for number in range(1, count + 1)]
    parts = [names_of(programs) for programs, _ in shards]
    assert [shard.rows for _, shard in shards] == [*map(len, parts)]
    assert set.union(*parts) == names_of(suite)
    assert sum(map(len, parts)) == len(names_of(suite)) == shards[0][1].suite
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_the_time_of_a_process_is_that_of_the_benchmarks_that_stay():
    (shard,), _ = keep_shard([program("", "abcd", "abcd")], METRICS, Shard(1, 4))
    assert (shard.list_common("time_s"), shard.pair_s) == (("a",), pytest.approx(4.0))


def test_more_shards_than_benchmarks_are_refused():
    with pytest.raises(UsageError, match="--shard 2/3: the suite has 2 benchmarks"):
        keep_shard([program("", "ab", "ab")], METRICS, Shard(2, 3))


@pytest.mark.parametrize("text", ["", "2", "0/4", "5/4", "1/0", "a/b", "1/4/2", "-1/4", "1/1001"])
def test_a_shard_is_a_number_of_a_count(text):
    with pytest.raises(UsageError, match="expected NUMBER/COUNT, as in 2/4"):
        parse_shard(text)
    assert parse_shard("2/4") == Shard(2, 4)


def test_shards_of_a_real_gate_make_its_verdicts(suites, tmp_path):
    base = suites.suite(sort=100, find=100, fill=100, old=5)
    head = suites.suite(sort=130, find=100, fill=70, new=5)
    files = []
    for number in (1, 2):
        request = GateRequest(
            base=base,
            head=head,
            words=("./bench",),
            harness="google-benchmark",
            seed=1,
            max_time_s=60.0,
            shard=Shard(number, 2),
        )
        answer = gate(request, Repository(suites.path), tmp_path / f"gate-{number}")
        assert (answer.alpha, answer.shard) == (ALPHA / 2, Shard(number, 2, 5, 4 - number))
        files.append(tmp_path / f"{number}.json")
        files[-1].write_text(GATE.text(answer))
    merged = read_shards(files)
    assert {entry.name: entry.verdict for entry in merged.benchmarks} == {
        "sort": "slower",
        "find": "equivalent",
        "fill": "faster",
        "old": "gone",
        "new": "new",
    }
    assert (merged.alpha, merged.shard, merged.exit_code(strict=False)) == (pytest.approx(ALPHA), None, 1)
    (sort,) = merged.select("slower")
    assert isinstance(sort.ci95, Interval)
    assert sort.p_worse <= ALPHA


def test_a_program_that_cannot_run_is_in_the_first_shard_alone():
    broken = HarnessProgram("z", ("./z",), None, trouble="its harness is not known")
    suite = [program("x", "ab", "ab"), PlannedProgram("z", {"base": broken, "head": broken}, {})]
    shards = [keep_shard(suite, METRICS, Shard(number, 2))[1] for number in (1, 2)]
    assert [(shard.suite, shard.rows) for shard in shards] == [(3, 2), (3, 1)]
    for number in (1, 2):
        programs, shard = keep_shard(suite, METRICS, Shard(number, 2))
        plan = Plan("cargo", METRICS, tuple(programs), shard=shard)
        assert [entry.name for entry in _list_troubles(plan)] == ["z"] * (2 - number)


def answer_of(number, *names, count=2, **changes):
    benchmarks = [
        GatedBenchmark(name, "open", p_worse=0.4, p_better=1.0, p_equivalent=0.01, metric="real_time_s")
        for name in names
    ]
    answer = make_answer(
        *benchmarks,
        alpha=ALPHA / count,
        measured_s=2.0,
        max_time_s=3.0,
        notes=("a note of all",),
        shard=Shard(number, count, 3 if count > 1 else len(names), len(names)),
    )
    return replace(answer, **changes)


def write(tmp_path, *answers):
    files = [tmp_path / f"{place}.json" for place in range(len(answers))]
    for file, answer in zip(files, answers, strict=True):
        file.write_text(GATE.text(answer))
    return files


def test_p_values_count_over_all_shards_and_notes_stand_once():
    merged = merge_shards([answer_of(1, "a"), answer_of(2, "b", "c")])
    assert [(entry.p_worse, entry.p_better, entry.p_equivalent) for entry in merged.benchmarks] == [
        (0.8, 1.0, 0.02)
    ] * 3
    assert (merged.measured_s, merged.max_time_s, merged.notes) == (4.0, 6.0, ("a note of all",))
    assert not any("Shard" in note for note in list_notes(merged))
    assert any("Shard 2 of 2: of 3 benchmarks these alone" in note for note in list_notes(answer_of(2, "b")))


def test_what_shards_say_of_their_machines_is_said_once_with_the_largest_numbers():
    waits = [
        "Other work took CPUs: processes waited for one 3.4 % of their time.",
        "Other work took CPUs: processes waited for one 12 % of their time.",
    ]
    shards = [
        answer_of(1, "a", count=3, notes=(waits[0], "fib 10 failed and is not judged")),
        answer_of(2, "b", count=3, notes=(waits[1], "fib 12 failed and is not judged")),
        answer_of(3, "c", count=3, notes=(waits[0], "fib 10 failed and is not judged")),
    ]
    assert merge_shards(shards).notes == (
        "fib 10 failed and is not judged",
        "fib 12 failed and is not judged",
        f"{waits[1]} (shard 2; less in 1 and 3)",
    )
    everywhere = [replace(shard, notes=(waits[0],)) for shard in shards]
    assert merge_shards(everywhere).notes == (waits[0],)
    assert merge_shards([*shards[:2], everywhere[2]]).notes[-1] == f"{waits[1]} (shard 2; less in 1 and 3)"


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        ([answer_of(1, "a")], "shard 2/2 is missing"),
        ([answer_of(1, "a"), answer_of(1, "a")], "shard 1/2 is there twice"),
        ([answer_of(1, "a"), answer_of(2, "b", head="c")], "different gates: head differs"),
        ([answer_of(1, "a"), answer_of(2, "b", margin=0.1)], "different gates: margin differs"),
        ([answer_of(1, "a"), answer_of(2, "b", count=3)], "different numbers of jobs"),
        ([answer_of(1, "a"), answer_of(2, "a", "b")], "divided different suites"),
        ([answer_of(1, "a"), answer_of(2, "b", shard=Shard(2, 2, 9, 1))], "divided different suites"),
        ([answer_of(1, "a"), answer_of(2, "b")], "divided different suites"),
        ([answer_of(1, "a"), answer_of(2, "b", shard=Shard(2, 2, 3, 2))], "rows of 1 benchmark, and gated 2"),
        ([answer_of(1, "a"), answer_of(2, shard=Shard(2, 2, 3, 2))], "rows of 0 benchmarks, and gated 2"),
        ([answer_of(1, "a"), answer_of(2, "b", shard=Shard(2, 2, 3))], "rows of 1 benchmark, and gated 0"),
        ([answer_of(1, "a", shard=None)], "of a whole suite, not of a shard"),
    ],
)
def test_shards_that_are_not_one_gate_are_refused(tmp_path, answers, problem):
    with pytest.raises(UsageError, match=problem):
        read_shards(write(tmp_path, *answers))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "steelyard/gate", "version": 1}'])
def test_a_file_that_no_shard_wrote_is_refused(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(UsageError, match=r"a\.json"):
        read_shards([tmp_path / "a.json"])


def test_a_merge_that_is_refused_leaves_no_green_file(tmp_path, steelyard_cli):
    (tmp_path / "it.md").write_text("### ✓ Steelyard: of an earlier run\n")
    (tmp_path / "1.json").write_text("{}")
    done = steelyard_cli("gate", "--merge", "1.json", "--markdown", "it.md", cwd=tmp_path)
    assert done.returncode == 2
    text = (tmp_path / "it.md").read_text()
    assert "1.json" in text
    assert "✓" not in text


def test_a_damaged_answer_is_refused_with_the_place(tmp_path):
    (file,) = write(tmp_path, answer_of(1, "a", count=1))
    document = msgspec.json.decode(file.read_bytes())
    file.write_bytes(msgspec.json.encode({**document, "margin": "3 %"}))
    with pytest.raises(UsageError, match=r"0\.json: .*`\$\.margin`"):
        read_shards([file])


@pytest.mark.parametrize("bounds", [[2, 1], [1], "1", [None, 1]])
def test_bounds_that_are_no_interval_are_refused(tmp_path, bounds):
    entry = replace(answer_of(1, "a", count=1).benchmarks[0], ci95=Interval(-0.5, 1.0))
    (file,) = write(tmp_path, answer_of(1, "a", count=1, benchmarks=(entry,)))
    assert read_shards([file]).benchmarks[0].ci95 == Interval(-0.5, 1.0)
    document = msgspec.json.decode(file.read_bytes())
    document["benchmarks"][0]["ci95"] = bounds
    file.write_bytes(msgspec.json.encode(document))
    with pytest.raises(UsageError, match=r"0\.json: "):
        read_shards([file])


def test_a_waiver_of_another_shard_is_used_there_and_one_of_none_is_named():
    text = "".join(
        f'[[waivers]]\nbenchmark = "{name}"\nceiling = "9%"\nreason = "x"\nuntil = 2026-12-31\n'
        for name in ("a", "z")
    )
    waivers = parse_waivers(text.encode())
    today = dt.date(2026, 1, 1)
    shards = [apply_waivers(answer_of(number, name), waivers, today) for number, name in ((1, "a"), (2, "b"))]
    assert [shard.shard.unmatched for shard in shards] == [("z (time)",), ("a (time)", "z (time)")]
    notes = [note for note in merge_shards(shards).notes if "waiver" in note]
    assert [note.partition("waiver of ")[2] for note in notes] == [
        "a (time) is not used: it is open.",
        "z (time) is not used: it is not in this gate.",
    ]


def test_a_harness_that_cannot_choose_is_refused(suites, tmp_path):
    request = GateRequest(
        base=suites.suite(sort=1),
        head=suites.suite(sort=2),
        words=("./bench",),
        harness="time",
        shard=Shard(1, 2),
    )
    with pytest.raises(UsageError, match="--shard: time cannot run a part of its benchmarks"):
        gate(request, Repository(suites.path), tmp_path / "gate")
