"""Histories of folders of reports: 24 nights that ReFrame wrote, and files of other tools."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers import Chosen
from steelyard.extensions.history.history import HistoryRequest, history
from steelyard.extensions.history.reports import holds_reports, read_reports

NIGHTS = Path(__file__).parents[3] / "examples" / "nightly" / "reports"
"""``examples/nightly/bench.sh`` has one slow node from night 8 on, and a change of all nodes in night 12."""


NOISE = (
    (1.01, 1.0),
    (0.99, 1.0),
    (1.0, 1.02),
    (1.01, 0.99),
    (1.0, 1.0),
    (0.98, 1.01),
    (1.0, 1.01),
    (0.99, 1.01),
)
"""Times of eight nights without a change."""


def write_hyperfine(path: Path, *times: float, exit_code: int = 0) -> None:
    result = {"command": "./solve", "times": [*times], "exit_codes": [exit_code] * len(times)}
    path.write_text(json.dumps({"results": [result]}))


def test_each_test_and_variable_of_nightly_reports_is_a_series():
    result = history(HistoryRequest(names=[NIGHTS]))
    assert (result.records, result.order, len(result.series)) == (24, "time", 12)
    firsts = {
        (series.metric.name, series.treatment[-5:]): [
            (change.first, change.direction) for change in series.changes
        ]
        for series in result.series
    }
    change = ("2026-11-12", "worse")
    assert firsts["triad", "nid03"] == [("2026-11-08", "worse")]
    assert all(change in firsts["rate", node] for node in ("nid01", "nid02", "nid04"))
    quiet = [("triad", node) for node in ("nid01", "nid02", "nid04")]
    quiet += [("start", f"nid0{number}") for number in range(1, 5)]
    assert all(firsts[key] == [] for key in quiet)


def test_a_run_that_failed_is_told_with_its_report_and_reason():
    (out,) = read_reports([NIGHTS], Chosen()).left_out
    assert out.record.endswith("2026-11-05.json.gz")
    assert "lacks 1 of 4 runs" in out.why
    assert "Solver node=nid02: sanity error: pattern 'PASSED' not found" in out.why


def test_failed_runs_keep_a_strict_check_from_holding(tmp_path, steelyard_cli):
    for night in range(8):
        write_hyperfine(tmp_path / f"2026-01-0{night + 1}.json", *NOISE[night])
    assert steelyard_cli("history", str(tmp_path), "--check", "--strict").returncode == 0
    write_hyperfine(tmp_path / "2026-01-04.json", 1.0, exit_code=1)
    done = steelyard_cli("history", str(tmp_path), "--check", "--strict")
    assert done.returncode == 3
    assert "2026-01-04.json lacks 1 of 1 runs, which failed" in " ".join(done.stdout.split())


def test_a_benchmark_whose_line_what_it_printed_broke_is_named_with_its_reports(tmp_path):
    for night in range(3):
        lines = "BenchmarkA-8 1000 5.0 ns/op\nBenchmarkB/k=v w-8 1000 7.0 ns/op\n"
        (tmp_path / f"2026-01-0{night + 1}.txt").write_text(f"goos: linux\n{lines}PASS\n")
    (out,) = read_reports([tmp_path], Chosen()).left_out
    assert out.record.endswith("2026-01-01.txt and 2 more")
    assert out.why == "have no value of BenchmarkB/k=v: what it printed broke the line of its result"


def write_reframe(path: Path, **tests: tuple[float, float]) -> None:
    """A report with a rate and a percentage of each test."""
    cases = [
        {
            "name": name,
            "display_name": name,
            "system": "c",
            "partition": "p",
            "environ": "e",
            "result": "pass",
            "perfvalues": {
                "c:p:rate": [rate, 0, None, None, "GB/s", "pass"],
                "c:p:hits": [hits, 0, None, None, "%", "pass"],
            },
        }
        for name, (rate, hits) in tests.items()
    ]
    session = {"data_version": "4.2", "version": "4.10.4", "hostname": "h"}
    path.write_text(json.dumps({"session_info": session, "runs": [{"testcases": cases}]}))


@pytest.fixture
def ending(tmp_path: Path) -> Path:
    """Sixteen nights: one test ends after the tenth, a weekly one goes on, and hits fall in the ninth."""
    (tmp_path / "nights").mkdir()
    for night in range(1, 17):
        tests = {"fft": (100 + night % 3, (90 if night < 9 else 60) + night % 2)}
        tests |= {"sort": tests["fft"]} if night <= 10 else {}
        tests |= {"weekly": tests["fft"]} if night % 7 == 3 else {}
        write_reframe(tmp_path / "nights" / f"2026-01-{night:02}.json", **tests)
    return tmp_path / "nights"


def test_a_test_that_the_newest_reports_lack_is_named_and_a_weekly_one_is_not(ending, steelyard_cli):
    ends = {
        (series.treatment, series.metric.name): series.ends
        for series in history(HistoryRequest(names=[ending])).series
    }
    assert {key for key, last in ends.items() if last} == {("sort", "rate"), ("sort", "hits")}
    assert ends["sort", "rate"].endswith("2026-01-10")
    done = steelyard_cli("history", str(ending), "--check", "--metric", "rate", "--strict")
    assert done.returncode == 3
    words = " ".join(done.stdout.split())
    assert "The newest records lack rate of sort; the last with this is 2026-01-10." in words
    assert "rate of sort ends with 2026-01-10" in words


@pytest.mark.extensions("lake")
def test_a_percentage_has_the_side_that_is_named_in_folders_and_in_lakes(ending, tmp_path, steelyard_cli):
    unclear = steelyard_cli("history", str(ending), "--check")
    assert unclear.returncode == 0
    assert "units do not say which way is better (--better NAME=higher): hits." in " ".join(
        unclear.stdout.split()
    )
    lake = str(tmp_path / "lake")
    assert steelyard_cli("history", str(ending), "--to", lake).returncode == 0
    for place in (str(ending), lake):
        assert steelyard_cli("history", place, "--check", "--better", "hits=higher").returncode == 1
        assert steelyard_cli("history", place, "--check", "--better", "hits=lower").returncode == 0
    refused = steelyard_cli("history", str(ending), "--better", "nosuch=higher")
    assert "--better nosuch=…: no report has it" in refused.stderr


def test_reports_without_a_time_have_the_order_of_their_names(tmp_path):
    for number in (10, 9, 1, 2):
        write_hyperfine(tmp_path / f"run{number}.json", 1.0)
    reports = read_reports([tmp_path], Chosen())
    assert reports.by_name
    assert [Path(record.name).stem for record in reports.records] == ["run1", "run2", "run9", "run10"]
    assert history(HistoryRequest(names=[tmp_path])).order == "name"


def test_dates_in_names_order_files_of_several_folders(tmp_path):
    for name in ("b/20260103", "a/2026-01-04", "c/2026-01-02T0730"):
        (tmp_path / name).parent.mkdir()
        write_hyperfine(tmp_path / f"{name}.json", 1.0)
    reports = read_reports([tmp_path], Chosen())
    assert not reports.by_name
    assert [Path(record.name).parent.name for record in reports.records] == ["c", "b", "a"]


def test_tables_need_the_names_of_their_columns(tmp_path, steelyard_cli):
    for night in range(7):
        rows = f"fft,{1 + night % 2 / 100}\nsort,{2 if night < 4 else 3}\n"
        (tmp_path / f"2026-02-0{night + 1}.csv").write_text(f"test,time_s\n{rows}")
    refused = steelyard_cli("history", str(tmp_path))
    assert refused.returncode == 2
    assert "--value time_s --by test" in refused.stderr
    done = steelyard_cli("history", str(tmp_path), "--value", "time_s", "--by", "test", "--json")
    series = json.loads(done.stdout)["series"]
    assert sorted(entry["treatment"] for entry in series) == ["fft", "sort"]


def test_files_that_cannot_be_read_are_named_and_keep_no_other_out(tmp_path):
    for night in range(6):
        write_hyperfine(tmp_path / f"2026-01-0{night + 1}.json", 1.0)
    (tmp_path / "2026-01-07.json").write_text('{"results": [{"comm')
    (tmp_path / "notes.txt").write_text("a word about these files\n")
    result = history(HistoryRequest(names=[tmp_path]))
    assert result.records == 6
    assert [Path(out.record).name for out in result.left_out] == ["2026-01-07.json", "notes.txt"]
    assert all(out.unreadable for out in result.left_out)


def test_reports_of_two_tools_are_refused_with_both_names(tmp_path):
    write_hyperfine(tmp_path / "2026-01-01.json", 1.0)
    shutil.copy(next(NIGHTS.iterdir()), tmp_path)
    words = r"files of 2 kinds, .* \(hyperfine: 2026-01-01.json; reframe: 2026.*.json.gz\)"
    with pytest.raises(UsageError, match=words):
        read_reports([tmp_path], Chosen())


@pytest.mark.parametrize("chosen", [Chosen(), Chosen(("time",), ("test",), "s")])
def test_a_table_among_reports_of_a_tool_is_refused_whatever_columns_are_named(tmp_path, chosen):
    write_hyperfine(tmp_path / "2026-01-01.json", 1.0)
    (tmp_path / "2026-01-02.csv").write_text("test,time\nfft,1\n")
    with pytest.raises(UsageError, match=r"hyperfine: 2026-01-01.json; csv: 2026-01-02.csv"):
        read_reports([tmp_path], chosen)


def test_files_for_people_are_skipped_by_their_names_and_that_is_said(tmp_path):
    write_hyperfine(tmp_path / "2026-01-01.json", 1.0)
    for name in ("README", "run.sh", "index.html"):
        (tmp_path / name).write_text("a,b\n1,2\n")
    reports = read_reports([tmp_path], Chosen())
    assert [(Path(out.record).name, out.unreadable) for out in reports.left_out] == [
        ("README", False),
        ("index.html", False),
        ("run.sh", False),
    ]


def test_a_unit_that_changes_is_refused(tmp_path):
    for name, unit in (("2026-01-01", "img"), ("2026-01-02", "row")):
        (tmp_path / f"{name}.csv").write_text(f"test,x[{unit}]\nfft,1\n")
    with pytest.raises(UsageError, match="x is in row, and in img in files before"):
        read_reports([tmp_path], Chosen(("x",), ("test",), better="higher"))


def test_values_that_are_not_positive_are_told_once_for_all_reports(tmp_path):
    for night in range(1, 8):
        results = [
            {"command": name, "times": [time], "exit_codes": [0]} for name, time in (("a", 1), ("b", 0))
        ]
        (tmp_path / f"{night}.json").write_text(json.dumps({"results": results}))
    reports = read_reports([tmp_path], Chosen())
    assert [out.why for out in reports.left_out] == ["have no positive value of wall_s of b"]
    assert reports.left_out[0].record.endswith("1.json and 6 more")


def test_folders_with_records_and_empty_ones_hold_no_reports(tmp_path):
    assert not holds_reports(tmp_path)
    (tmp_path / "a.lab").mkdir()
    (tmp_path / "a.lab" / "record.sqlite").write_bytes(b"")
    (tmp_path / "notes.md").write_text("")
    assert not holds_reports(tmp_path)
    assert not holds_reports(tmp_path / "a.lab")
    assert holds_reports(NIGHTS)
