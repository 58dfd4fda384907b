"""Records of other tools' files answer like any other, and say what the files cannot support."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from steelyard.core.errors import RecordError, UsageError
from steelyard.extensions.exchange.export import export
from steelyard.extensions.exchange.imported import ImportSource, import_files, refuse_other_metrics
from steelyard.extensions.exchange.importers import read
from steelyard.extensions.exchange.importers.columns import Chosen
from steelyard.extensions.exchange.recording import Quantity, RecordedTrial, Selection, Taken, write_record
from steelyard.extensions.exchange.variable_claims import VariableClaims
from steelyard.lab.answer.analyze import analyze
from steelyard.lab.answer.check import check
from steelyard.lab.run.run import run
from steelyard.report.answer.text import render
from steelyard.report.claims.claim import format_evidence_words
from steelyard.report.claims.text import words
from steelyard.results.assumptions import ONE_CONTEXT
from steelyard.store import Record

OLD = [1.00, 1.02, 0.99, 1.01, 1.00, 1.03, 0.98, 1.01, 1.00, 1.02, 0.99, 1.00]
NEW = [value / 1.5 for value in reversed(OLD)]


@pytest.fixture
def hyperfine(tmp_path):
    """A file of these commands, with their elapsed times."""

    def write(name, **commands):
        results = [
            {"command": command, "mean": sum(times) / len(times), "times": times}
            for command, times in commands.items()
        ]
        (tmp_path / name).write_text(json.dumps({"results": results}))
        return ImportSource(Path(name).stem, tmp_path / name)

    return write


@pytest.fixture
def pytest_benchmark(tmp_path):
    def write(name, **tests):
        benchmarks = [
            {"name": test, "stats": {"mean": sum(data) / len(data), "data": data}}
            for test, data in tests.items()
        ]
        (tmp_path / name).write_text(json.dumps({"machine_info": {}, "benchmarks": benchmarks}))
        return ImportSource(Path(name).stem, tmp_path / name)

    return write


def imported(sources, tmp_path, **options):
    directory = tmp_path / "it.lab"
    import_files(sources, directory, **options).close()
    return Record.open(directory)


def test_commands_of_one_file_are_compared_by_welchs_test_of_logarithms(hyperfine, tmp_path):
    """Witness: scipy.stats.ttest_ind of the logarithms, unequal variances."""
    import numpy as np
    from scipy.stats import ttest_ind

    with imported([hyperfine("it.json", old=OLD, new=NEW)], tmp_path) as record:
        answer = analyze(record)
    (comparison,) = answer.comparisons
    assert comparison.verdict == "faster"
    assert comparison.speedup.method == "unpaired-log-ratio-t"
    assert "sequential_order" in comparison.flags
    assert ONE_CONTEXT not in comparison.assumptions  # hyperfine 2 draws the length of the environment
    assert comparison.p == pytest.approx(ttest_ind(np.log(OLD), np.log(NEW), equal_var=False).pvalue)
    assert any(notice.kind == "sequential_order" for notice in answer.warnings)


def test_every_raw_value_is_kept_in_the_order_of_the_file(hyperfine, tmp_path):
    with imported([hyperfine("it.json", old=OLD, new=NEW)], tmp_path) as record:
        old, new = record.samples("wall_s")
    assert list(old.values) == pytest.approx(OLD, abs=1e-9)
    assert list(new.values) == pytest.approx(NEW, abs=1e-9)
    assert list(old.trials) == list(range(1, 13))


def test_what_the_tool_did_not_observe_is_in_no_answer_and_no_export(hyperfine, tmp_path):
    with imported([hyperfine("it.json", old=OLD, new=NEW)], tmp_path) as record:
        assert {metric.name for metric in record.metrics} == {"wall_s"}
        with pytest.raises(UsageError, match="has no metric 'rss_bytes'"):
            record.samples("rss_bytes")
        export(record, tmp_path / "it.csv", "csv")
    header = (tmp_path / "it.csv").read_text().splitlines()[0].split(",")
    assert "wall_s" in header
    assert "cpu_s" not in header


def test_files_are_compared_benchmark_by_benchmark_with_the_first(pytest_benchmark, tmp_path):
    files = [pytest_benchmark("old.json", f=OLD, g=OLD), pytest_benchmark("new.json", f=NEW, g=OLD)]
    with imported(files, tmp_path) as record:
        answer = analyze(record)
    result = {item.stratum["benchmark"]: item for item in answer.comparisons}
    assert {name: element.baseline.levels["file"] for name, element in result.items()} == {
        "f": "old",
        "g": "old",
    }
    assert result["f"].verdict == "faster"
    assert result["g"].verdict == "not_resolved"


def test_repetitions_of_one_process_are_told_in_the_answer_and_in_every_verdict(pytest_benchmark, tmp_path):
    claim = {"faster": {"benchmark": "g"}, "than": {"benchmark": "f"}}
    with imported(
        [pytest_benchmark("it.json", f=OLD, g=NEW)], tmp_path, question=Selection("benchmark", claims=[claim])
    ) as record:
        answer, checked = analyze(record), check(record)
    assert "one_process" in answer.comparisons[0].flags
    assert any(notice.kind == "one_process" for notice in answer.warnings)
    (verdict,) = checked.verdicts
    assert verdict.outcome == "holds"
    assert "24 repetitions in one process, if nothing drifted" in words(verdict)


def test_launches_one_after_the_other_are_told_in_every_verdict(hyperfine, tmp_path):
    claim = {"faster": {"benchmark": "new"}, "than": {"benchmark": "old"}}
    source = hyperfine("it.json", old=OLD, new=NEW)
    with imported([source], tmp_path, question=Selection(claims=[claim])) as record:
        (verdict,) = check(record).verdicts
    assert "24 runs one after the other, if nothing drifted" in words(verdict)


def test_a_mean_alone_gets_no_verdict_and_a_note(tmp_path):
    for name, mean in (("old", 2.0), ("new", 1.0)):
        (tmp_path / f"{name}.json").write_text(json.dumps({"results": [{"command": "a", "mean": mean}]}))
    sources = [ImportSource(name, tmp_path / f"{name}.json") for name in ("old", "new")]
    with imported(sources, tmp_path) as record:
        answer = analyze(record)
    (comparison,) = answer.comparisons
    assert comparison.verdict == "not_resolved"
    assert "undefined" in comparison.flags
    assert any("no verdict rests on it" in str(notice.fields.get("text")) for notice in answer.warnings)


def test_files_of_one_name_are_sessions_whose_means_are_the_units(pytest_benchmark, tmp_path):
    files = [pytest_benchmark(f"{i}.json", f=[value, value * 1.01]) for i, value in enumerate(OLD)]
    old = [ImportSource("old", item.path) for item in files[:6]]
    new = [ImportSource("new", file.path) for file in files[6:]]
    with imported([*old, *new], tmp_path) as record:
        samples = record.samples("time_s")
    assert [(sample.treatment.levels["file"], len(sample)) for sample in samples] == [("old", 6), ("new", 6)]
    assert {element.provenance for element in samples} == {"session"}
    assert samples[0].values[0] == pytest.approx(OLD[0] * 1.005)
    with Record.open(tmp_path / "it.lab") as record:
        (comparison,) = analyze(record).comparisons
        text = render(analyze(record))
    assert (comparison.speedup.n, comparison.flags[:1]) == (12, ("sessions",))
    assert "6 sessions of each" in text


def test_launches_of_several_files_of_a_name_are_no_units(hyperfine, tmp_path):
    # Launches of a session agree to 0.1 %, sessions differ by 10 %: two of each say nothing.
    rng = np.random.default_rng(416)
    sources = []
    for name, level in (("old", 1.0), ("old", 1.1), ("new", 1.15), ("new", 1.05)):
        file = hyperfine(f"{len(sources)}.json", f=list(level * (1 + 0.001 * rng.normal(size=30))))
        sources.append(ImportSource(name, file.path))
    with imported(sources, tmp_path) as record:
        samples = record.samples("wall_s")
        (comparison,) = analyze(record).comparisons
    assert [len(sample) for sample in samples] == [2, 2]
    assert samples[0].values[0] == pytest.approx(1.0, rel=1e-3)
    assert comparison.verdict == "not_resolved"


def test_one_file_a_side_says_that_its_verdict_is_of_two_sessions(pytest_benchmark, tmp_path):
    files = [pytest_benchmark(f"{name}.json", f=values) for name, values in (("old", OLD), ("new", NEW))]
    claims = ({"faster": {"file": "new"}, "than": {"file": "old"}},)
    sources = [ImportSource(file.path.stem, file.path) for file in files]
    with imported(sources, tmp_path, question=Selection(claims=claims)) as record:
        assert [sample.session for sample in record.samples("time_s")] == ["old", "new"]
        answer, (verdict,) = analyze(record), check(record).verdicts
    text = render(answer)
    assert "of each in these two sessions" in text
    joined = " ".join(text.split())
    assert "new: one file each, so that verdicts hold for these two sessions: variation between" in joined
    assert "variation between sessions is not covered by any interval" in joined
    assert "of these two sessions" in format_evidence_words(verdict.claim, verdict.instances[0])


def test_benchmarks_of_one_file_are_of_one_session_and_nothing_is_said(pytest_benchmark, tmp_path):
    file = pytest_benchmark("it.json", f=OLD, g=NEW)
    question = Selection(compare="benchmark")
    with imported([ImportSource("it", file.path)], tmp_path, question=question) as record:
        (comparison,) = analyze(record).comparisons
    assert "two_sessions" not in comparison.flags


@pytest.mark.parametrize("tool", ["pytest-benchmark", "hyperfine"])
def test_the_benchmarks_of_one_suite_are_a_list_and_commands_are_compared(request, tmp_path, tool):
    write = request.getfixturevalue(tool.replace("-", "_"))
    with imported([write("it.json", f=OLD, g=NEW)], tmp_path) as record:
        answer = analyze(record)
    assert len(answer.samples) == 2
    assert len(answer.comparisons) == int(tool == "hyperfine")


def test_benchmarks_of_two_files_are_compared_file_by_file(pytest_benchmark, tmp_path):
    files = [pytest_benchmark("a.json", f=OLD, g=NEW), pytest_benchmark("b.json", f=NEW, g=NEW)]
    with imported(files, tmp_path) as record:
        answer = analyze(record)
    pairs = [(entry.baseline.levels, entry.treatment.levels) for entry in answer.comparisons]
    assert [(base["file"], new["file"]) for base, new in pairs] == [("a", "b")] * 2
    assert all(base["benchmark"] == new["benchmark"] for base, new in pairs)


def test_processes_are_units_and_their_values_iterations(tmp_path):
    runs = [{"values": [value, value]} for value in OLD]
    document = {"version": "1.0", "metadata": {"name": "f"}, "benchmarks": [{"runs": runs}]}
    (tmp_path / "it.json").write_text(json.dumps(document))
    with imported([ImportSource("it", tmp_path / "it.json")], tmp_path) as record:
        (sample,) = record.samples("time_s")
        values = [len(m.values) for _, m in record.stream_measurements()]
    assert len(sample) == len(OLD)
    assert sample.provenance == "measured"
    assert set(values) == {2}


def test_benchmarks_that_lack_a_parameter_of_others_have_the_level_none(tmp_path):
    rows = [
        {"name": name, "run_name": name, "run_type": "iteration", "real_time": 1.0, "time_unit": "ns"}
        for name in ("A/8", "A/16", "B")
    ]
    (tmp_path / "it.json").write_text(json.dumps({"context": {}, "benchmarks": rows}))
    with imported([ImportSource("it", tmp_path / "it.json")], tmp_path) as record:
        levels = [dict(treatment.levels) for treatment in record.treatments]
    assert levels == [
        {"benchmark": "A", "arg": 8},
        {"benchmark": "A", "arg": 16},
        {"benchmark": "B", "arg": "none"},
    ]


def zenbench_rounds(order_of):
    """Twenty rounds of a machine that becomes slower by a tenth each, in which head takes 2 % longer."""
    rng = np.random.default_rng(1)
    samples = []
    for number in range(20):
        base = 1e6 * 1.1**number * (1 + 0.002 * rng.standard_normal())
        samples.append(
            {"iterations": 1000, "compensated_ns": [base, 1.02 * base], "execution_order": order_of(number)}
        )
    benchmarks = [{"name": name, "summary": {"median": 1.0}} for name in ("base", "head")]
    return {
        "run_id": "1",
        "comparisons": [{"group_name": "g", "benchmarks": benchmarks, "samples": samples}],
    }


def test_rounds_of_zenbench_pair_its_benchmarks_whatever_the_machine_does(tmp_path):
    file = tmp_path / "it.json"
    for order_of, verdict in ((lambda n: [1 - n % 2, n % 2], "slower"), (lambda _: [], "not_resolved")):
        file.write_text(json.dumps(zenbench_rounds(order_of)))
        directory = tmp_path / f"{verdict}.lab"
        with import_files(
            [ImportSource("it", file)], directory, question=Selection(compare="benchmark")
        ) as record:
            answer = analyze(record)
        (comparison,) = answer.comparisons
        assert (comparison.baseline.levels["benchmark"], comparison.verdict) == ("g/base", verdict)
        assert comparison.blocks == 20
        assert 1 / comparison.speedup.value == pytest.approx(1.02, abs=0.001)


def test_values_that_are_missing_are_left_out_and_told(tmp_path):
    (tmp_path / "it.csv").write_text("kind,time\na,1.0\na,n/a\na,2.0\n")
    chosen = Chosen(("time",), ("kind",), "s")
    with imported([ImportSource("it", tmp_path / "it.csv")], tmp_path, chosen=chosen) as record:
        (sample,) = record.samples("time")
        notes = [warning.text for warning in record.warnings()]
    assert list(sample.values) == [1.0, 2.0]
    assert notes == ["Left out: line 3: time is 'n/a'."]


def test_files_of_two_tools_are_refused(hyperfine, pytest_benchmark, tmp_path):
    with pytest.raises(UsageError, match=r"is a file of hyperfine, and .* of pytest-benchmark"):
        imported([hyperfine("a.json", f=OLD), pytest_benchmark("b.json", f=OLD)], tmp_path)


def test_files_without_a_metric_in_common_are_refused_with_the_metrics_of_both(tmp_path):
    for name, metric in (("old", "copy"), ("new", "triad")):
        (tmp_path / f"{name}.csv").write_text(f"arm,{metric}[s]\na,1\na,2\n")
    contents = [
        (
            ImportSource(name, tmp_path / f"{name}.csv"),
            read(tmp_path / f"{name}.csv", None, Chosen((metric,), ("arm",))),
        )
        for name, metric in (("old", "copy"), ("new", "triad"))
    ]
    with pytest.raises(UsageError, match="old has copy, and new has triad: no metric in common"):
        refuse_other_metrics(contents)


def test_a_benchmark_whose_metric_changes_its_unit_is_refused(tmp_path):
    def write(name, **units):
        rows = [
            {
                "jmhVersion": "1",
                "benchmark": benchmark,
                "mode": "m",
                "primaryMetric": {"score": 1.0, "scoreUnit": unit, "rawData": [[1.0]]},
            }
            for benchmark, unit in units.items()
        ]
        (tmp_path / f"{name}.json").write_text(json.dumps(rows))
        return ImportSource(name, tmp_path / f"{name}.json")

    with pytest.raises(UsageError, match="throughput is in 1/s and in B/s"):
        imported([write("old", f="ops/s"), write("new", f="MB/s")], tmp_path)
    with imported([write("old", f="ops/s", g="MB/s")], tmp_path) as record:
        names = {metric.name for metric in record.metrics}
    assert {"throughput_1_s", "throughput_B_s"} <= names


def test_the_factor_and_the_level_of_comparison_can_be_chosen(pytest_benchmark, tmp_path):
    files = [pytest_benchmark("old.json", f=OLD, g=NEW), pytest_benchmark("new.json", f=OLD, g=NEW)]
    question = Selection(compare="benchmark", against="g")
    with imported(files, tmp_path, question=question) as record:
        answer = analyze(record)
    assert {
        (item.stratum["file"], item.baseline.levels["benchmark"], item.verdict) for item in answer.comparisons
    } == {
        ("old", "g", "slower"),
        ("new", "g", "slower"),
    }


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (Selection(compare="colour"), "--compare colour: not a factor"),
        (Selection(compare="benchmark", against="h"), "--against h: benchmark has no such level"),
        (Selection(metric="joules"), "unknown metric 'joules'"),
        (Selection(claims=[{"faster": {"benchmark": "h"}, "than": {"benchmark": "f"}}]), "h"),
    ],
)
def test_a_question_about_what_was_not_measured_is_refused_and_leaves_nothing(
    pytest_benchmark, tmp_path, question, text
):
    with pytest.raises(UsageError, match=text):
        imported([pytest_benchmark("it.json", f=OLD, g=NEW)], tmp_path, question=question)
    assert not (tmp_path / "it.lab").exists()


def test_a_record_that_is_there_is_not_replaced(hyperfine, tmp_path):
    source = hyperfine("it.json", old=OLD)
    imported([source], tmp_path).close()
    with pytest.raises(RecordError, match="exists already"):
        imported([source], tmp_path)


def test_what_another_tool_measured_cannot_be_continued(hyperfine, tmp_path):
    with imported([hyperfine("it.json", old=OLD)], tmp_path) as record:
        experiment, directory = record.experiment, record.directory
    with pytest.raises(RecordError, match="was imported from another tool"):
        run(experiment, directory)


def test_the_file_and_its_hash_are_in_the_record(hyperfine, tmp_path):
    source = hyperfine("it.json", old=OLD)
    with imported([source], tmp_path) as record:
        about = record.program[str(source.path)]
    assert about["imported_from"] == "hyperfine"
    assert len(about["sha256"]) == 64


@pytest.mark.extensions("growth")
def test_sizes_become_parameters_of_models(tmp_path):
    rows = [
        {
            "name": f"A/{n}",
            "run_name": f"A/{n}",
            "run_type": "iteration",
            "real_time": n * (1 + 0.01 * i),
            "time_unit": "ns",
        }
        for n in (8, 16, 32, 64, 128, 256)
        for i in range(5)
    ]
    (tmp_path / "it.json").write_text(json.dumps({"context": {}, "benchmarks": rows}))
    claim = {"scales": "real_time_s", "parameter": "arg", "expect": "O(arg)"}
    with imported(
        [ImportSource("it", tmp_path / "it.json")], tmp_path, question=Selection(claims=[claim])
    ) as record:
        (verdict,) = check(record).verdicts
    assert verdict.outcome == "holds"


@pytest.mark.parametrize(("time", "output"), [("-1.5", "-1.5"), ("1e32", "1e+32")])
def test_a_time_that_no_clock_gives_is_refused(tmp_path, time, output):
    file = tmp_path / "a.json"
    file.write_text(f'{{"results": [{{"command": "sort", "times": [0.1, {time}]}}]}}')
    with pytest.raises(
        UsageError, match=rf"a\.json: wall_s of sort is {re.escape(output)} s, which is no duration"
    ):
        import_files([ImportSource("a", file)], tmp_path / "a.lab")
    assert not (tmp_path / "a.lab").exists()


def test_more_values_than_a_record_holds_are_refused_before_they_are_placed(tmp_path, monkeypatch):
    monkeypatch.setattr("steelyard.extensions.exchange.imported.MOST_VALUES", 3)
    monkeypatch.setattr("steelyard.extensions.exchange.importers.MOST_VALUES", 3)
    (tmp_path / "a.json").write_text('{"results": [{"command": "sort", "times": [1, 2, 3, 4]}]}')
    (tmp_path / "a.csv").write_text("p,t[s]\n1,1\n1,2\n1,3\n1,4\n")
    with pytest.raises(UsageError, match="4 values: a record holds what at most 3 trials have measured"):
        import_files([ImportSource("a", tmp_path / "a.json")], tmp_path / "a.lab")
    with pytest.raises(UsageError, match=r"a\.csv: 5 rows, of which a record holds at most 3"):
        import_files([ImportSource("a", tmp_path / "a.csv")], tmp_path / "a.lab")


@pytest.mark.parametrize("metric", ["cpu_s", "user_s", "system_s", "minor_faults"])
def test_metrics_of_every_run_are_kept_as_they_were_read(tmp_path, metric):
    values = [3.0, 4.0, 5.0]
    trials = [RecordedTrial((("kind", "a"),), {"wall_s": (9.0,), metric: (value,)}) for value in values]
    recording = Taken("made up", {"wall_s": Quantity("s"), metric: Quantity("")})
    write_record(tmp_path / "it.lab", trials, recording, Selection()).close()
    with Record.open(tmp_path / "it.lab") as record:
        assert list(record.samples(metric)[0].values) == values


def hyperfine_file(tmp_path, name, times, codes):
    path = tmp_path / f"{name}.json"
    results = [{"command": "x", "times": times, "exit_codes": codes}]
    path.write_text(json.dumps({"results": results}))
    return ImportSource(name, path)


def import_failing(tmp_path, policy, codes):
    old = hyperfine_file(tmp_path, "old", [1.0 + place / 100 for place in range(12)], [0] * 12)
    new = hyperfine_file(tmp_path, "new", [0.5 + place / 100 for place in range(12)], codes)
    claim = {"faster": {"file": "new"}, "than": {"file": "old"}}
    directory = tmp_path / f"{policy}.lab"
    return import_files([old, new], directory, question=Selection(claims=[claim]), policy=policy)


@pytest.mark.parametrize(
    ("policy", "outcome", "failed", "runs"),
    [("refuse", "not_judged", 6, 6), ("ignore", "holds", 6, 6), ("count", "holds", 0, 12)],
)
def test_runs_that_failed_are_counted_and_judged_as_told(tmp_path, policy, outcome, failed, runs):
    with import_failing(tmp_path, policy, [1, 0] * 6) as record:
        samples = record.samples("wall_s")
        (verdict,) = check(record).verdicts
    assert verdict.outcome == outcome
    assert [(len(sample), sample.failures.failed) for sample in samples] == [(12, 0), (runs, failed)]


def test_a_side_of_which_every_run_failed_is_there_and_not_judged(tmp_path):
    with import_failing(tmp_path, "refuse", [1] * 12) as record:
        (verdict,) = check(record).verdicts
        counts = record.failures()
    assert verdict.outcome == "not_judged"
    assert [(count.attempted, count.failed) for count in counts.values()] == [(12, 0), (12, 12)]


def test_more_runs_that_failed_than_went_well_are_all_counted(tmp_path):
    old = hyperfine_file(tmp_path, "old", [1.0, 1.1], [0, 0])
    new = hyperfine_file(tmp_path, "new", [0.5] * 9, [0, *[1] * 8])
    with import_files([old, new], tmp_path / "it.lab") as record:
        assert [(count.attempted, count.failed) for count in record.failures().values()] == [(2, 0), (9, 8)]


def test_a_benchmark_that_ended_with_an_error_leaves_its_comparison_open(tmp_path):
    good = {"name": "BM_a", "run_name": "BM_a", "real_time": 10.0, "cpu_time": 10.0, "time_unit": "ns"}
    bad = {"name": "BM_a", "run_name": "BM_a", "error_occurred": True, "error_message": "no device"}
    sources = []
    for name, rows in (("old", [good] * 3), ("new", [bad])):
        path = tmp_path / f"{name}.json"
        numbered = [row | {"repetition_index": place} for place, row in enumerate(rows)]
        path.write_text(json.dumps({"context": {}, "benchmarks": numbered}))
        sources.append(ImportSource(name, path))
    claim = {"faster": {"file": "new"}, "than": {"file": "old"}}
    with import_files(sources, tmp_path / "it.lab", question=Selection(claims=[claim])) as record:
        assert [count.failed for count in record.failures().values()] == [0, 1]
        assert check(record).verdicts[0].outcome == "not_judged"


def test_files_of_one_command_each_are_compared_whatever_it_is_called(tmp_path):
    sources = []
    for name, scale in (("old", 1.0), ("new", 1.5)):
        path = tmp_path / f"{name}.json"
        times = [scale * (1 + place / 100) for place in range(12)]
        path.write_text(json.dumps({"results": [{"command": f"./{name} input", "times": times}]}))
        sources.append(ImportSource(name, path))
    with import_files(sources, tmp_path / "it.lab") as record:
        (judged,) = analyze(record).judged
        texts = [warning.text for warning in record.warnings()]
    assert (judged.treatment.levels["file"], judged.verdict) == ("new", "slower")
    assert (
        "Each file has one benchmark, and these are compared: './old input' (old), './new input' (new)."
        in texts
    )


def test_files_without_a_common_benchmark_say_that_nothing_is_compared(hyperfine, tmp_path):
    sources = [hyperfine("old.json", a=OLD, b=OLD), hyperfine("new.json", c=NEW)]
    with imported(sources, tmp_path) as record:
        texts = [warning.text for warning in record.warnings()]
    assert "The files have no benchmark in common: nothing of one is compared with another." in texts


def write_wrk(directory, name, rate):
    """A file of wrk; without a rate, one of a server that was not reached."""
    text = "unable to connect to here:80 Connection refused\n"
    if rate is not None:
        text = f"Running 2s test @ http://here/\n  1 threads and 2 connections\nRequests/sec:  {rate}\n"
    (directory / name).write_text(text)
    return directory / name


@pytest.mark.extensions("outputs")
def test_a_run_that_failed_before_it_said_its_levels_keeps_its_side_open(tmp_path):
    old = [ImportSource("old", write_wrk(tmp_path, f"old{i}", 100 + i)) for i in range(8)]
    new = [ImportSource("new", write_wrk(tmp_path, f"new{i}", 200 + i if i else None)) for i in range(8)]
    record = import_files([*old, *new], tmp_path / "it.lab")
    with Record.open(record.directory) as record:
        assert len(record.treatments) == 2
        text = render(analyze(record))
    assert "not resolved, since runs failed or timed out" in text
    assert "new: 1 of 8 runs failed" in text


@pytest.mark.extensions("outputs")
def test_a_side_of_which_all_runs_failed_is_the_same_benchmark(tmp_path):
    old = [ImportSource("old", write_wrk(tmp_path, f"old{i}", 100 + i)) for i in range(3)]
    lost = ImportSource("new", write_wrk(tmp_path, "new", None))
    record = import_files([*old, lost], tmp_path / "it.lab")
    with Record.open(record.directory) as record:
        assert len(record.treatments) == 2
        assert "new: 1 of 1 runs failed" in render(analyze(record))


def test_each_variable_of_each_test_has_a_claim_and_all_are_one_family(tmp_path):
    cases = {
        side: [
            {
                "name": f"Solver %node={node}",
                "result": "pass",
                "perfvalues": {
                    "s:p:rate": [100.0 * factor + number, None, None, None, "GFLOP/s", "pass"],
                    "s:p:start": [2.0 + number / 100, None, None, None, "s", "pass"],
                },
            }
            for node in ("n1", "n2")
            for number in range(10)
            for factor in (0.5 if (side, node) == ("new", "n2") else 1.0,)
        ]
        for side in ("old", "new")
    }
    for side, entries in cases.items():
        document = {"session_info": {"version": "4.6.0"}, "runs": [{"testcases": entries}]}
        (tmp_path / f"{side}.json").write_text(json.dumps(document))
    sources = [ImportSource(side, tmp_path / f"{side}.json") for side in cases]
    claims = VariableClaims(margin=0.1)
    with import_files(sources, tmp_path / "it.lab", claims=claims) as record:
        checked = check(record)
    outcomes = {verdict.claim.name: verdict.outcome for verdict in checked.verdicts}
    assert outcomes.pop("rate of Solver node=n2") == "fails"
    assert set(outcomes.values()) <= {"holds", "not_resolved"}
    assert sorted(outcomes) == [
        "rate of Solver node=n1",
        "start of Solver node=n1",
        "start of Solver node=n2",
    ]
    with pytest.raises(UsageError, match="there is one side only"):
        import_files(sources[:1], tmp_path / "one.lab", claims=VariableClaims())


def test_memory_that_only_one_command_has_is_left_out_and_named(tmp_path):
    commands = {
        "a": {"mean": 1.0, "times": OLD, "memory_usage_byte": [1_000_000] * len(OLD)},
        "b": {"mean": 2.0, "times": NEW},
    }
    file = tmp_path / "both.json"
    file.write_text(json.dumps({"results": [{"command": name, **rest} for name, rest in commands.items()]}))
    with imported([ImportSource("both", file)], tmp_path) as record:
        assert [metric.name for metric in record.metrics] == ["wall_s"]
        answer = analyze(record)
    assert "rss_bytes is left out: 12 of 24 runs have none" in render(answer)


def test_a_run_that_failed_in_one_mode_counts_for_that_mode_alone(tmp_path):
    """JMH's modes are levels where names are not enough; a failed fork counted once for each of them."""

    def write(name, forks):
        results = [
            {
                "jmhVersion": "1.37",
                "benchmark": "a.B.c",
                "mode": mode,
                "primaryMetric": {"score": 1.0, "scoreUnit": "us/op", "rawData": [[1.0, 1.1], *extra]},
            }
            for mode, extra in (("avgt", forks), ("sample", []))
        ]
        (tmp_path / f"{name}.json").write_text(json.dumps(results))
        return ImportSource(name, tmp_path / f"{name}.json")

    with imported([write("old", []), write("new", [[]])], tmp_path) as record:
        failures = record.failures()
        failed = [item.levels["mode"] for item in record.treatments if failures[item.id].failed]
    assert failed == ["avgt"]
    assert sum(entry.failed for entry in failures.values()) == 1
