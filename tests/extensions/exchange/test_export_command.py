"""``steelyard export``, as a user types it; the tables themselves are tested beside it."""

from __future__ import annotations

import csv
import io
import json

import pytest

from steelyard.extensions.exchange.files import read_series


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


SPEC = """\
[program]
command = ["sleep", "{seconds}"]
env = { LIBRARY = "{library}" }
[factors]
seconds = [0.001, 0.002]
library = ["a", "b"]
[design]
blocks = 3
"""


@pytest.mark.parametrize("name", ["it.txt", "it.json"])
def test_what_models_are_made_of_is_written_for_extra_p(steelyard_cli, tmp_path, name):
    (tmp_path / "it.toml").write_text(SPEC)
    assert steelyard_cli("run", "it.toml").returncode == 0
    inputs = ["--metric", "wall_s", "--metric", "cpu_s", "--parameter", "seconds"]
    done = steelyard_cli("export", "it.lab", *inputs, "-o", name)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    result = {(item.name, item.metric): item for item in read_series(tmp_path / name)}
    assert set(result) == {(lib, metric) for lib in "ab" for metric in ("wall_s", "cpu_s")}
    points = result["a", "wall_s"].points
    assert [(point.at, len(point.values)) for point in points] == [((0.001,), 3), ((0.002,), 3)]
    trials = csv.DictReader(io.StringIO(steelyard_cli("export", "it.lab").stdout))
    counted = [
        float(row["wall_s"])
        for row in trials
        if (row["library"], row["seconds"], row["block_state"]) == ("a", "0.001", "complete")
    ]
    assert sorted(points[0].values) == pytest.approx(sorted(counted))
    assert steelyard_cli("model", name).returncode == 0


def test_options_that_a_format_has_no_use_for_are_refused(steelyard_cli, record):
    long = steelyard_cli("export", record, "-f", "extrap-json", "--long")
    assert (long.returncode, long.stderr.splitlines()[0]) == (
        2,
        "error: --long is about rows; Extra-P's files have none",
    )
    metric = steelyard_cli("export", record, "--metric", "wall_s")
    assert metric.returncode == 2
    assert metric.stderr.endswith("hint: leave them out, or --format extrap-json\n")
    flat = steelyard_cli("export", record, "-o", "it.json")
    assert flat.returncode == 2
    assert "varies nothing numeric" in flat.stderr
