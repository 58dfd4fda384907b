from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers import read


def file(*runs, version="1.0", **metadata):
    about = {"name": "f", "unit": "second", "hostname": "here", **metadata}
    return {"version": version, "metadata": about, "benchmarks": [{"runs": list(runs)}]}


def test_a_worker_process_is_a_unit_and_its_values_are_repetitions(written):
    runs = [{"warmups": [[1, 0.5]]}, {"values": [0.1, 0.2]}, {"values": [0.3]}]
    result = read(written(file(*runs)))
    assert result.repeats == "process"
    assert result.series[0].values == ((0.1, 0.2), (0.3,))
    assert (result.series[0].metric, result.series[0].unit) == ("time_s", "s")


def test_bytes_are_bytes(written):
    result = read(written(file({"values": [1024]}, unit="byte")))
    assert (result.series[0].metric, result.series[0].unit) == ("size_bytes", "B")


def test_the_python_that_ran_is_a_fact_of_the_machine_where_the_file_names_one(written):
    assert read(written(file({"values": [1]}, python_version="3.14.2"))).host["runtime"] == "Python 3.14.2"
    assert "runtime" not in read(written(file({"values": [1]}))).host


def test_another_version_of_the_format_is_refused_by_its_number(written):
    with pytest.raises(UsageError, match=r"version 2\.0 of pyperf's format, of which 1\.0 is known"):
        read(written(file({"values": [0.1]}, version="2.0")))


def test_a_file_that_pyperf_made_is_read_whole(made_by_the_tool):
    result = read(made_by_the_tool("pyperf.json"))
    assert len(result.series) == 1
    assert len(result.series[0].values) == 3
    assert all(len(values) == 3 for values in result.series[0].values)
