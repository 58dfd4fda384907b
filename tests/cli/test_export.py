"""``steelyard export``, as a user types it; the tables themselves are tested in tests/exchange."""

from __future__ import annotations

import csv
import io
import json

import pytest


@pytest.fixture
def record(steelyard_cli):
    assert (
        steelyard_cli("compare", "-r", "3", "-o", "it.lab", "-n", "a", "-n", "b", "true", "true").returncode
        == 0
    )
    return "it.lab"


def test_one_row_a_trial_goes_to_standard_output_as_csv(steelyard_cli, record):
    done = steelyard_cli("export", record)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert len(rows) == 8
    assert {row["command"] for row in rows} == {"a", "b"}
    assert all(float(row["wall_s"]) > 0 for row in rows)


def test_the_name_of_the_file_says_the_format(steelyard_cli, record, tmp_path):
    assert steelyard_cli("export", record, "-o", "it.jsonl", "--long").returncode == 0
    rows = [json.loads(line) for line in (tmp_path / "it.jsonl").read_text().splitlines()]
    assert {row["metric"] for row in rows} >= {"wall_s", "rss_bytes"}


def test_a_file_that_does_not_say_its_format_is_refused(steelyard_cli, record):
    done = steelyard_cli("export", record, "-o", "it.dat")
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, "error: it.dat does not say which format")
