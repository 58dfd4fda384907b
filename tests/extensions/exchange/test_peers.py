"""What is written for other tools has the values of the record, and is read back."""

from __future__ import annotations

import json
from statistics import fmean, stdev

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange import export, export_for_peers
from steelyard.extensions.exchange.importers import read
from steelyard.extensions.exchange.recording import Quantity, RecordedTrial, Selection, Taken, write_record
from steelyard.store import Record

OLD, NEW = [0.010, 0.012, 0.011], [0.020, 0.021, 0.022]


@pytest.fixture
def record(tmp_path):
    """Elapsed times and rates of two treatments."""
    trials = [
        RecordedTrial((("kind", kind), ("n", 8)), {"wall_s": (value,), "rate": (1 / value,)})
        for kind, values in (("a b", OLD), ("c", NEW))
        for value in values
    ]
    source = Taken("made up", {"wall_s": Quantity("s"), "rate": Quantity("1/s", "higher")})
    write_record(tmp_path / "it.lab", trials, source, Selection(compare="kind")).close()
    with Record.open(tmp_path / "it.lab") as opened:
        yield opened


def exported(record, tmp_path, form, metrics=()):
    export_for_peers(record, tmp_path / "out", form, metrics)
    return (tmp_path / "out").read_text()


def test_hyperfines_file_has_every_time_and_is_read_back(record, tmp_path):
    results = json.loads(exported(record, tmp_path, "hyperfine"))["results"]
    assert [result["times"] for result in results] == [OLD, NEW]
    assert results[0]["mean"] == pytest.approx(fmean(OLD))
    assert results[0]["stddev"] == pytest.approx(stdev(OLD))
    assert [item["parameters"] for item in results] == [{"kind": "a b", "n": "8"}, {"kind": "c", "n": "8"}]
    assert [element.values for element in read(tmp_path / "out").series] == [
        tuple((v,) for v in OLD),
        tuple((v,) for v in NEW),
    ]


def test_hyperfines_format_has_elapsed_times_only(record, tmp_path):
    with pytest.raises(UsageError, match=r"elapsed times \(wall_s\) only, not rate"):
        exported(record, tmp_path, "hyperfine", ("rate",))


def test_benchstats_text_has_a_line_a_launch_and_is_read_back(record, tmp_path):
    lines = exported(record, tmp_path, "benchstat").splitlines()
    assert lines[0] == "BenchmarkIt/kind=a_b/n=8 1 10000000 ns/op"
    assert len(lines) == 6
    series = read(tmp_path / "out").series
    assert [item.values for item in series] == [(pytest.approx(tuple(OLD)),), (pytest.approx(tuple(NEW)),)]


def test_benchers_format_has_mean_and_one_standard_deviation_in_nanoseconds(record, tmp_path):
    result = json.loads(exported(record, tmp_path, "bencher", ("wall_s", "rate")))
    latency = result["a b"]["latency"]
    assert latency["value"] == pytest.approx(fmean(OLD) * 1e9)
    assert latency["upper_value"] - latency["value"] == pytest.approx(stdev(OLD) * 1e9)
    assert latency["value"] - latency["lower_value"] == pytest.approx(stdev(OLD) * 1e9)
    assert result["c"]["rate"]["value"] == pytest.approx(fmean(1 / value for value in NEW))


def test_github_action_benchmark_gets_a_mean_with_its_unit(record, tmp_path):
    first, second = json.loads(exported(record, tmp_path, "github-action-benchmark"))
    assert (first["name"], first["unit"]) == ("a b", "s")
    assert first["value"] == pytest.approx(fmean(OLD))
    assert first["extra"].startswith("mean of 3 runs, s = ")
    assert second["name"] == "c"


def test_metrics_of_which_smaller_and_bigger_are_better_do_not_mix(record, tmp_path):
    with pytest.raises(UsageError, match="takes metrics of which smaller is better, or bigger, not both"):
        exported(record, tmp_path, "github-action-benchmark", ("wall_s", "rate"))


def test_arrow_has_the_rows_of_csv_with_types_and_units(record, tmp_path):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    export(record, tmp_path / "it.arrow", "arrow")
    table = pa.ipc.open_file(tmp_path / "it.arrow").read_all()
    assert table["wall_s"].to_pylist() == pytest.approx([*OLD, *NEW])
    assert table.schema.field("wall_s").metadata == {b"unit": b"s"}


def test_hyperfines_file_of_version_2_has_its_metrics_and_is_read_back(tmp_path):
    trials = [
        RecordedTrial((("kind", kind),), {"wall_s": (wall,), "cpu_s": (wall / 2,), "rss_bytes": (4096.0,)})
        for kind, values in (("a b", OLD), ("c", NEW))
        for wall in values
    ]
    source = Taken("made up", {"wall_s": Quantity("s"), "cpu_s": Quantity("s"), "rss_bytes": Quantity("B")})
    write_record(tmp_path / "it.lab", trials, source, Selection(compare="kind")).close()
    with Record.open(tmp_path / "it.lab") as opened:
        document = json.loads(exported(opened, tmp_path, "hyperfine-2"))
    assert (document["schema_version"], document["primary_metric"]) == (2, "time_wall_clock")
    with Record.open(tmp_path / "it.lab") as opened:
        by_faults = json.loads(exported(opened, tmp_path, "hyperfine-2", ["minor_faults"]))
    assert by_faults["primary_metric"] == "minor_faults"
    first = document["results"][0]
    assert first["measurements"][0]["time_cpu"] == {"value": OLD[0] / 2, "unit": "second"}
    assert first["parameters"] == {"kind": {"value": "a b"}}
    assert first["summary"]["time_wall_clock"]["mean"] == pytest.approx(fmean(OLD))
    assert first["summary"]["time_wall_clock"]["stddev"] == pytest.approx(stdev(OLD))
    result = {(item.levels["kind"], item.metric): item for item in read(tmp_path / "out").series}
    assert result["c", "wall_s"].values == tuple((value,) for value in NEW)
    assert result["a b", "cpu_s"].values == tuple((value / 2,) for value in OLD)
    assert result["c", "rss_bytes"].values == ((4096.0,),) * 3
