"""What hyperfine's users read: names of fields and columns are those of its own exports."""

from __future__ import annotations

import csv
import io
import json
import statistics

import pytest

from steelyard.lab.compare.hyperfine import render_csv, render_json, render_markdown

TIMES = [0.010, 0.012, 0.011]


def result(command, mean, n):
    summary = {"mean": mean, "stddev": 0.001, "median": mean, "user": 0.004, "system": 0.002}
    runs = {"times": TIMES, "memory_usage_byte": [4096] * 3, "exit_codes": [0] * 3}
    return {"command": command, **summary, "min": 0.010, "max": 0.012, **runs, "parameters": {"n": n}}


RESULTS = [result("./a | cat", 0.011, "1"), result("./b", 0.022, "2")]


def test_json_has_what_plotting_scripts_read():
    (first, _) = json.loads(render_json(RESULTS))["results"]
    assert set(first) == {
        "command", "mean", "stddev", "median", "user", "system", "min", "max", "times", "memory_usage_byte",
        "exit_codes", "parameters",
    }  # fmt: skip
    assert first["times"] == TIMES
    assert first["parameters"] == {"n": "1"}


def test_csv_has_the_columns_of_hyperfine_and_one_for_each_parameter():
    rows = list(csv.reader(io.StringIO(render_csv(RESULTS))))
    assert rows[0] == [
        "command", "mean", "stddev", "median", "user", "system", "min", "max", "parameter_n"
    ]  # fmt: skip
    assert rows[2][0] == "./b"
    assert float(rows[2][1]) == 0.022


@pytest.mark.parametrize(
    ("unit", "mean"), [(None, "11.000"), ("second", "0.011"), ("microsecond", "11000.000")]
)
def test_markdown_is_a_table_in_the_unit_asked_for(unit, mean):
    lines = render_markdown(RESULTS, unit).splitlines()
    assert lines[2].startswith("| `./a \\| cat` | " + mean)
    assert lines[3].endswith("| 2.000 |")
    assert "±" not in lines[0]


def test_what_is_written_is_what_was_measured(steelyard_cli, tmp_path):
    files = {form: tmp_path / f"it.{form}" for form in ("json", "csv", "markdown")}
    options = [word for form, file in files.items() for word in (f"--export-{form}", str(file))]
    done = steelyard_cli("compare", "-r", "4", "-L", "n", "1,2", *options, "-o", "it.lab", "test {n} -gt 0")
    assert done.returncode == 0, done.stderr
    results = json.loads(files["json"].read_text())["results"]
    assert [item["command"] for item in results] == ["test 1 -gt 0", "test 2 -gt 0"]
    assert [result["parameters"] for result in results] == [{"n": "1"}, {"n": "2"}]
    for element in results:
        assert len(element["times"]) == 4
        assert element["mean"] == pytest.approx(statistics.fmean(element["times"]))
        assert element["exit_codes"] == [0] * 4
    assert len(files["csv"].read_text().splitlines()) == 3
    assert len(files["markdown"].read_text().splitlines()) == 4


def test_a_file_that_cannot_be_written_is_refused_before_anything_runs(steelyard_cli, tmp_path):
    done = steelyard_cli("compare", "-r", "2", "--export-json", "no/such/a.json", "-o", "it.lab", "true")
    assert done.returncode == 2
    assert "--export-json no/such/a.json: cannot be written" in done.stderr
    assert not (tmp_path / "it.lab").exists()
