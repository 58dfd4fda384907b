from __future__ import annotations

import json

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.imported import ImportSource, import_files
from steelyard.extensions.exchange.importers.machines import MACHINE, describe_differences, make_host


def write_go(tmp_path, name, cpu):
    path = tmp_path / f"{name}.txt"
    lines = "".join(f"BenchmarkParse-4 \t 100\t {10 + place} ns/op\n" for place in range(5))
    path.write_text(f"goos: linux\npkg: m\ncpu: {cpu}\n{lines}")
    return ImportSource(name, path)


def test_files_of_two_machines_are_refused_with_what_differs(tmp_path):
    sources = [write_go(tmp_path, "old", "AMD EPYC 7763"), write_go(tmp_path, "new", "Intel Xeon 8370C")]
    with pytest.raises(UsageError, match=r"CPU AMD EPYC 7763 \(.*old.txt\) and Intel Xeon 8370C") as caught:
        import_files(sources, tmp_path / "it.lab")
    assert "--across-machines" in caught.value.hint
    assert not (tmp_path / "it.lab").exists()


def test_across_machines_they_are_compared_and_every_answer_says_so(tmp_path):
    sources = [write_go(tmp_path, "old", "AMD"), write_go(tmp_path, "new", "Intel")]
    with import_files(sources, tmp_path / "it.lab", across_machines=True) as record:
        (warning,) = [warning.text for warning in record.warnings() if "CPU" in warning.text]
    assert warning.startswith("Different CPU AMD (")


def test_a_runtime_that_differs_is_no_other_machine_and_is_told(tmp_path):
    sources = []
    for name, version in (("old", "3.11.7"), ("new", "3.12.1")):
        path = tmp_path / f"{name}.json"
        rows = [{"name": "test_a", "fullname": "t.py::test_a", "stats": {"mean": 1.0, "data": [1.0, 1.1]}}]
        path.write_text(
            json.dumps({"machine_info": {"node": "x", "python_version": version}, "benchmarks": rows})
        )
        sources.append(ImportSource(name, path))
    with import_files(sources, tmp_path / "it.lab") as record:
        texts = [warning.text for warning in record.warnings()]
    assert any(text.startswith("Different runtime Python 3.11.7 (") for text in texts)


def test_what_only_one_file_says_is_no_difference():
    hosts = {"old": make_host(host="a", cpu="X"), "new": make_host(host="a", cpu=None, os="")}
    assert describe_differences(hosts, MACHINE) == []


def test_many_files_of_two_machines_are_named_once_each():
    hosts = {f"{place}": {"cpu": f"c{place % 2}"} for place in range(40)}
    assert describe_differences(hosts, MACHINE) == ["CPU c0 (0) and c1 (1)"]
