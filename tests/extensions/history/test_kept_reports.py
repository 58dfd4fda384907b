"""Reports in a file of summaries and in a lake: a history of them is that of the folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers import Chosen
from steelyard.extensions.history.gathering import collect, export_reports
from steelyard.extensions.history.history import HistoryRequest, history

NIGHTS = Path(__file__).parents[3] / "examples" / "nightly" / "reports"


def judge(name):
    """The history of a place, without the names by which files call a report."""
    result = history(HistoryRequest(names=[name]))
    return replace(result, left_out=tuple(out.why for out in result.left_out))


def write_hyperfine(path: Path, *, exit_code: int = 0) -> None:
    result = {"command": "./solve", "times": [1.0], "exit_codes": [exit_code]}
    path.write_text(json.dumps({"results": [result]}))


def test_a_collected_file_gives_the_history_of_the_folder_with_its_failures(tmp_path):
    file = tmp_path / "nights.sqlite"
    assert len(collect(file, [NIGHTS]).records) == 24
    assert collect(file, [NIGHTS]).records == ()
    assert judge(file) == judge(NIGHTS)


@pytest.mark.extensions("lake")
def test_a_lake_gives_the_history_of_the_folder_with_its_failures(tmp_path):
    lake = tmp_path / "lake"
    assert export_reports([NIGHTS], lake, Chosen()).written == 24
    assert export_reports([NIGHTS], lake, Chosen()).unchanged == 24
    assert judge(lake) == judge(NIGHTS)
    assert judge(lake / "reports=reframe") == judge(NIGHTS)


@pytest.mark.extensions("lake")
def test_every_value_and_failed_run_is_a_row_of_the_lake(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    export_reports([NIGHTS], tmp_path / "lake", Chosen())
    table = duckdb.read_parquet(f"{tmp_path}/lake/reports=reframe/day=*/*.parquet")
    rows = table.aggregate("status, count(*), count(value)", "status").order("status").fetchall()
    assert rows == [("failed", 1, 0), ("ok", 285, 285)]
    ((reason,),) = table.filter("status = 'failed'").project("reason").fetchall()
    assert reason.startswith("sanity error: pattern")


@pytest.mark.extensions("lake")
def test_a_damaged_report_of_a_lake_is_left_out_and_named(tmp_path):
    export_reports([NIGHTS], tmp_path / "lake", Chosen())
    facts = sorted((tmp_path / "lake").rglob("*.json.gz"))
    facts[0].write_bytes(facts[0].read_bytes()[:-9])
    facts[1].rename(facts[1].with_name("0123456789abcdef.json.gz"))
    result = history(HistoryRequest(names=[tmp_path / "lake"]))
    assert result.records == 22
    assert [out.why[:10] for out in result.left_out if "damaged" in out.why] == ["is damaged"] * 2


@pytest.mark.parametrize("numbers", [(1,), (1, 2)])
def test_reports_that_only_names_order_are_kept_nowhere(tmp_path, numbers):
    (tmp_path / "reports").mkdir()
    for number in numbers:
        write_hyperfine(tmp_path / "reports" / f"run{number}.json")
    for keep in (
        lambda: collect(tmp_path / "it.sqlite", [tmp_path / "reports"]),
        lambda: export_reports([tmp_path / "reports"], tmp_path / "lake", Chosen()),
    ):
        with pytest.raises(UsageError, match="say when they were made"):
            keep()


@pytest.mark.extensions("lake")
def test_a_report_that_cannot_be_read_is_told_by_the_exit_code(tmp_path, steelyard_cli):
    (tmp_path / "reports").mkdir()
    write_hyperfine(tmp_path / "reports" / "2026-01-01.json", exit_code=1)
    write_hyperfine(tmp_path / "reports" / "2026-01-02.json")
    done = steelyard_cli("history", "reports", "--to", "lake", cwd=tmp_path)
    assert (done.returncode, "lake: 2 reports written" in done.stderr) == (0, True), done.stderr
    (tmp_path / "reports" / "2026-01-03.json").write_text('{"results": [')
    done = steelyard_cli("history", "reports", "--to", "lake", cwd=tmp_path)
    assert done.returncode == 2
    assert "lake: 0 reports written, 2 there already" in done.stderr
    refused = steelyard_cli("history", "reports", "--to", "lake", "--check", cwd=tmp_path)
    assert (refused.returncode, "run steelyard history lake --check" in refused.stderr) == (2, True)
    refused = steelyard_cli("analyze", "lake", cwd=tmp_path)
    assert (refused.returncode, "holds reports and no record" in refused.stderr) == (2, True)
