"""A metric of the runner is an entry of one table: with one more, records, answers and exports have it."""

from __future__ import annotations

import csv
import shutil

import pytest
from copied_package import COMMAND_LINE, copy_package, run_copy

from steelyard.core.units import RUNNER_METRICS
from steelyard.run.measure.measurement import OBSERVED
from steelyard.run.runner.journal import RawTrial
from steelyard.store.schema import TABLES

TABLE = "RUNNER_METRICS: Final = (\n"
ENTRY = """    RunnerMetric(
        Metric("faults", "", "builtin", "lower", "page faults"), ("minor_faults", "major_faults")
    ),
"""
SPEC = """
name = "added"
[program]
command = ["/bin/true"]
[metrics.faults_per_s]
unit = "1/s"
better = "neither"
derive = "faults / wall_s"
[design]
blocks = 3
"""


@pytest.fixture
def place(tmp_path):
    place = copy_package(tmp_path / "place", shutil.ignore_patterns("__pycache__"))
    units = place / "steelyard" / "core" / "units.py"
    text = units.read_text()
    assert text.count(TABLE) == 1
    units.write_text(text.replace(TABLE, TABLE + ENTRY))
    return place


def test_a_metric_is_added_by_one_entry_of_the_table(place, tmp_path):
    (tmp_path / "added.toml").write_text(SPEC)
    done = run_copy(place, COMMAND_LINE, "run", "added.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = run_copy(place, COMMAND_LINE, "analyze", "added.lab", "--metric", "faults", cwd=tmp_path)
    assert "faults" in done.stdout, done.stderr
    done = run_copy(place, COMMAND_LINE, "export", "added.lab", "-o", "added.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "added.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) >= 3
    for row in rows:
        assert int(row["faults"]) == int(row["minor_faults"]) + int(row["major_faults"]) > 0
        assert float(row["faults_per_s"]) == pytest.approx(int(row["faults"]) / float(row["wall_s"]))


def test_every_column_of_a_metric_is_in_the_journal_in_a_trial_and_in_the_record():
    trial = TABLES[TABLES.index("CREATE TABLE trial") :]
    for metric in RUNNER_METRICS:
        for column in metric.columns:
            assert column in RawTrial.__struct_fields__
            assert column in OBSERVED
            (line,) = (line for line in trial.splitlines() if line.split()[:1] == [column])
            assert ("NOT NULL" in line) is not metric.may_lack
