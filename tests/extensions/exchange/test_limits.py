"""Runs of other tools' files that timed out, counted as at least the limit under which they were made."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.imported import ImportSource, find_source, import_files
from steelyard.extensions.exchange.importers.columns import Chosen
from steelyard.lab.answer.analyze import analyze
from steelyard.store import Record

BY_INSTANCE = Chosen(("time",), ("arm",), "s", instance="problem")


@pytest.fixture
def table(tmp_path):
    """Twelve problems, of which b takes twice as long as a, under 60 s; the words of some runs."""

    def write(**words):
        lines = ["problem,arm,time,status"]
        for place in range(12):
            for arm, factor in (("a", 1), ("b", 2)):
                time = (place + 1) * factor * (1 + place % 3 / 100) * 3.5
                word = words.get(f"{arm}{place}", "ok" if time < 60 else "TIMEOUT")
                lines.append(f"p{place},{arm},{min(time, 60)},{word}")
        (tmp_path / "runs.csv").write_text("\n".join(lines))
        return ImportSource("runs", tmp_path / "runs.csv")

    return write


def judge(source, tmp_path, **options):
    directory = tmp_path / "it.lab"
    import_files(
        [source], directory, policy="as-limit", **{"chosen": BY_INSTANCE, "limit": 60.0} | options
    ).close()
    with Record.open(directory) as record:
        (comparison,) = analyze(record).judged
        return comparison, record.experiment


def test_runs_that_timed_out_count_as_at_least_the_limit_instance_by_instance(table, tmp_path):
    comparison, experiment = judge(table(), tmp_path)
    assert comparison.verdict == "slower"
    assert comparison.speedup.value == pytest.approx(1 / 2)
    assert experiment.limit == 60


def test_another_failure_is_unknown_and_withholds_the_verdict(table, tmp_path):
    comparison, _ = judge(table(b0="CRASHED"), tmp_path)
    assert comparison.verdict == "not_resolved"
    assert "failures_otherwise" in comparison.flags


def test_without_pairs_such_runs_leave_no_ratio(table, tmp_path):
    comparison, _ = judge(table(), tmp_path, chosen=Chosen(("time",), ("arm",), "s"))
    assert comparison.speedup.reason == "late_without_pairs"


def test_a_limit_below_a_run_that_went_well_and_none_at_all_are_refused(table, tmp_path):
    source = table()
    with pytest.raises(UsageError, match="--limit 50: a run that went well has time 5"):
        judge(source, tmp_path, limit=50.0)
    with pytest.raises(UsageError, match="at which time were runs ended"):
        judge(source, tmp_path, limit=None)


@pytest.mark.extensions("outputs")
def test_the_limit_of_a_file_of_benchexec_is_known(tmp_path):
    runs = "".join(
        f'<run name="t{place}.c"><column title="status" value="{word}"/><column title="category"'
        f' value="missing"/><column title="cputime" value="{time}s"/></run>'
        for place, (word, time) in enumerate((("true", 1.0), ("TIMEOUT", 61.2)))
    )
    head = '<result benchmarkname="b" toolmodule="m" generator="BenchExec 3.35" timelimit="60s">'
    (tmp_path / "a.xml").write_text(f"{head}{runs}</result>")
    with import_files(
        [find_source(str(tmp_path / "a.xml"))], tmp_path / "it.lab", policy="as-limit"
    ) as record:
        assert record.experiment.limit == 60


def test_the_command_asks_for_as_limit_where_a_limit_is_given(steelyard_cli, table, tmp_path):
    source = table()
    columns = ("--value", "time", "--by", "arm", "--unit", "s", "--instance", "problem", "--limit", "1min")
    refused = steelyard_cli("import", str(source.path), *columns)
    assert (refused.returncode, "--limit needs --failures as-limit" in refused.stderr) == (2, True)
    done = steelyard_cli("import", str(source.path), *columns, "--failures", "as-limit")
    assert done.returncode == 0, done.stderr
