"""Three houses under one roof: the laboratory, the workloads, and the studies, which use both.

The door (``dev``, ``scripts`` and its tests, ``tests/dev``) knows all of them, and so does this file.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from checkout import imported, list_files

ROOT = Path(__file__).parents[1]
DOOR = (ROOT / "tests" / "dev", ROOT / "tests" / "docs" / "test_decision_index.py", Path(__file__))
TEXT = {".c", ".cpp", ".h", ".hpp", ".py", ".sh", ".toml", ".txt", ".json", ".xml"}
MEASURED = {
    "audit": {"run"},
    "bisect": {"stats"},
    "coverage": {"stats", "design"},
    "gate": {"stats"},
    "history": {"stats"},
    "lake": {"run", "design"},
    "record": {"run", "design"},
    "runner": {"run"},
    "stats": {"stats"},
    "until": {"stats", "design"},
}
"""Rooms whose inside a benchmark is about; all others it meets as a program does, or by their types."""
TYPED = {"claims", "core", "extensions", "lab", "report", "results", "spec", "store"}
"""Rooms whose answers and questions cross the house."""


def sources(*folders: str) -> list[Path]:
    """Files of program text that git knows, or would."""
    return [file for file in list_files(*folders) if file.suffix in TEXT]


def test_nothing_of_the_laboratory_refers_to_workloads_or_studies():
    files = [
        file
        for file in sources("src", "tests", "native")
        if not any(file.is_relative_to(door) for door in DOOR)
    ]
    assert len(files) > 1000
    refers = re.compile(r"\b(workloads|studies)\b", re.IGNORECASE)
    assert [file for file in files if refers.search(file.read_text())] == []


def test_workloads_know_of_the_laboratory_only_its_line_format():
    files = sources("workloads")
    assert len(files) > 200
    headers = {
        file.name for file in sources("src", "native", "tests", "studies") if file.suffix in (".h", ".hpp")
    }
    assert "steelyard.h" in headers
    for file in files:
        if file.suffix == ".py":
            assert not {name for name in imported(file) if name.split(".")[0] == "steelyard"}, file
        text = file.read_text()
        included = {Path(name) for name in re.findall(r'#include ["<](.+?)[">]', text)}
        own = {name for name in included if (ROOT / "workloads" / name).is_file()}
        assert not {name.name for name in included - own} & headers, file
        for name in re.findall(r"(?:\.\./)+[\w-]+", text):
            place = (file.parent / name).resolve()
            assert place.is_relative_to(ROOT / "workloads") or place.name in ("build", ".cache"), (file, name)


def test_studies_use_only_what_programs_may_rely_on():
    files = [file for file in sources("studies") if file.suffix == ".py"]
    assert len(files) > 40
    for file in files:
        inside = {name for name in imported(file) if name.startswith("steelyard.")}
        assert {name for name in inside if not re.match(r"steelyard\.api\b", name)} == set(), file


def test_a_benchmark_looks_into_no_room_but_that_which_it_measures():
    for file in (source for source in sources("benchmarks") if source.suffix == ".py"):
        rooms = {name.split(".")[1] for name in imported(file) if name.startswith("steelyard.")}
        assert rooms <= TYPED | {"api", "cli"} | MEASURED.get(file.parent.name, set()), file


def test_studies_start_programs_of_the_workloads_and_include_none_of_their_sources():
    for file in sources("studies"):
        names = re.findall(r'#include "(.+?)"', file.read_text())
        assert not [name for name in names if (ROOT / "workloads" / name).exists()], file


@pytest.mark.parametrize("house", ["workloads", "studies"])
def test_a_house_is_whole(house):
    for name in ("README.md", "CHANGELOG.md", "tests", "decisions"):
        assert (ROOT / house / name).exists(), name
    assert len((ROOT / house / "README.md").read_text().splitlines()) > 10
