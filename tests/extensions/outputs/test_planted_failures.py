"""Twenty files of fourteen formats in which runs failed, as the tools wrote them: no failure is uncounted.

Each file is asked at three doors: a record that is imported, a history of reports, and a gate over reports.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.imported import ImportSource, import_files
from steelyard.extensions.exchange.importers import Chosen
from steelyard.extensions.gate.reports import ReportsRequest, gate_reports
from steelyard.extensions.history.reports import read_reports
from steelyard.lab.answer.analyze import analyze
from steelyard.store import Record

pytestmark = pytest.mark.extensions("gate", "history")
HERE = Path(__file__).parent / "files"
IMPORTERS = Path(__file__).parents[1] / "exchange" / "importers" / "files"

PLANTED = {
    "benchexec-table.csv": ("", 4),
    "benchexec.xml.bz2": ("", 2),
    "exacb.json": ("", 1),
    "fio-error.json": ("", 1),
    "hpl-failed.txt": ("hpl.txt", 2),
    "iperf3-error.json": ("iperf3.json", 1),
    "junit-pytest.xml": ("", 1),
    "k6-failed.json": ("k6.json", 1),
    "k6-unreached.json": ("k6.json", 1),
    "mlperf-aborted.txt": ("mlperf-success.txt", 1),
    "mlperf-cut.txt": ("mlperf-success.txt", 1),
    "pgbench-aborted.txt": ("pgbench.txt", 1),
    "pgbench-serial.txt": ("pgbench.txt", 1),
    "pgbench-unreached.txt": ("pgbench.txt", 1),
    "ramble.json": ("", 1),
    "rebench-part.data": ("rebench.data", 2),
    "reframe-failed.json": ("", 1),
    "sysbench-fatal.txt": ("sysbench-cpu.txt", 1),
    "wrk-refused.txt": ("wrk.txt", 1),
    "wrk-unreached.txt": ("wrk.txt", 1),
}
"""Runs that failed in each file, and a file of the same tool in which none did, where there is one."""


def find(name):
    return HERE / name if (HERE / name).exists() else IMPORTERS / name


@pytest.fixture(params=PLANTED)
def sides(request, tmp_path):
    """A folder of a good report, or else of the bad one, and one of the bad one; and its failures."""
    good, number = PLANTED[request.param]
    for side, name in (("before", good or request.param), ("after", request.param)):
        (tmp_path / side).mkdir()
        shutil.copy(find(name), tmp_path / side)
    return tmp_path / "before", tmp_path / "after", number, bool(good)


def test_a_record_counts_planted_failures_and_judges_no_benchmark_that_has_one(sides, tmp_path):
    before, after, number, is_pair = sides
    paths = [("before", *before.iterdir())] * is_pair + [("after", *after.iterdir())]
    import_files([ImportSource(*pair) for pair in paths], tmp_path / "it.lab").close()
    with Record.open(tmp_path / "it.lab") as record:
        failed = {
            treatment.id: record.failures()[treatment.id].failed
            for treatment in record.treatments
            if treatment.levels.get("file", "after") == "after"
        }
        # A run that failed before it said its labels counts for each benchmark that it may have been.
        assert sum(failed.values()) >= number
        assert all(record.failures()[id_].reason for id_, runs in failed.items() if runs)
        answer = analyze(record)
    judged = [comparison for comparison in answer.judged if failed.get(comparison.treatment.id)]
    assert all(comparison.verdict == "not_resolved" for comparison in judged)
    assert "failures" in [notice.kind for notice in answer.warnings]


def test_a_history_tells_planted_failures_with_their_number(sides):
    _, after, number, _ = sides
    (out,) = [out for out in read_reports([after], Chosen()).left_out if " runs, which " in out.why]
    match = re.match(r"lacks (\d+) of (\d+) runs", out.why)
    assert match is not None
    assert number <= int(match[1]) <= int(match[2])
    assert out.unreadable


def gate(request, directory):
    """The answer of a gate; ``None`` where both sides share nothing that ended well."""
    try:
        return gate_reports(request, directory)
    except UsageError as error:
        return None if re.search("no value|share no variable", error.message) else error


def test_a_gate_over_reports_is_never_green_where_failures_are_planted(sides, tmp_path):
    before, after, number, _ = sides
    answer = gate(ReportsRequest(base=before, head=after, margin=0.02), tmp_path / "it.lab")
    assert answer is None or answer.failures >= number
    assert answer is None or "failed runs" in answer.list_troubles(strict=False)
