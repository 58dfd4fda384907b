"""``studies/parallel-sorting`` at a reduced size: what its specs catch, and the tables made of them."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys

import pytest
from reduced_specs import ROOT, built, reduced

from steelyard.api import Record

STUDY = ROOT / "studies" / "parallel-sorting"
sys.path.insert(0, str(STUDY.parent))

import readme_tables  # noqa: E402


@pytest.fixture
def study():
    """What ``study.py`` defines."""
    return runpy.run_path(str(STUDY / "study.py"), run_name="study")


@pytest.fixture
def psort():
    """The program, as it is built already."""
    return built("smpi", "bin/psort")


def test_groups_by_comm_split_are_flagged_by_the_phase_that_makes_them(tmp_path, steelyard_cli, study, psort):
    spec = reduced(STUDY / "groups.toml", tmp_path, program=psort)
    ended = steelyard_cli("check", str(spec))
    assert ended.returncode == 1, ended.stderr
    with Record.open(tmp_path / "groups.lab") as record:
        tables = study["groups"](record)
    (row,) = [line for line in tables.splitlines() if line.startswith("| groups | O(log^2 p) |")]
    assert "✗" in row
    # Nothing has to be made for ranges of ranks.
    assert re.search(r"\| ranges \| groups \|( 0 \|)+", tables)


def test_the_scan_of_the_simulator_is_not_a_match_and_the_one_by_doubling_is(
    tmp_path, steelyard_cli, study, psort
):
    spec = reduced(STUDY / "scans.toml", tmp_path, program=psort)
    ended = steelyard_cli("check", str(spec), "--strict")
    assert ended.returncode == 3, ended.stderr
    assert "O(p^1.5) rests on p = 128 alone" in " ".join(ended.stdout.split())
    with Record.open(tmp_path / "scans.lab") as record:
        tables = study["scans"](record)
    library, doubling = (
        next(line for line in tables.splitlines() if line.startswith(f"| count of digits, {scan} |"))
        for scan in ("library", "doubling")
    )
    assert "| ? (" in library
    assert "| ✓ (" in doubling


def test_a_table_has_what_is_published_beside_what_was_found(tmp_path, steelyard_cli, study, psort):
    changes = (
        ('["flat", "fat-tree"]', '["flat"]'),
        ("[4, 8, 16, 32, 64, 128, 256]", "[2, 4, 8, 16, 32]"),
        ('exclude = [{ algorithm = "radix", p = 256 }]\n', ""),
        ("4, 1000]", "4, 20]"),
        ("8, 100]", "8, 20]"),
    )
    spec = reduced(STUDY / "radix-mini.toml", tmp_path, *changes, program=psort)
    ended = steelyard_cli("run", str(spec))
    assert ended.returncode in (0, 1), ended.stderr
    with Record.open(tmp_path / "radix-mini.lab") as record:
        tables = study["radix_mini"](record)
    rows = {line.split(" | ")[0]: line for line in tables.splitlines()}
    assert "| p = 65536: " in rows["| mini: whole"]
    assert rows["| mini: whole"].endswith("| ✗ O(p^0.75 log^2 p) | ✓ O(log^2 p) |")
    assert rows["| claim"].endswith("| predicted (95 %) | Lichtenberg, published | Juqueen, published |")
    assert all(f"| {phase}" in rows for phase in ("radix, k = 4: count", "mini: pivot"))


def test_two_rounds_of_histogram_sort_are_refuted_for_both_distributions(
    tmp_path, steelyard_cli, study, psort
):
    changes = (("[4, 64]", "[4]"), ("[1, 2]", "[1]"), ("[4, 8, 16, 32, 64, 128]", "[2, 4, 8]"))
    spec = reduced(STUDY / "rounds.toml", tmp_path, *changes, program=psort)
    ended = steelyard_cli("check", str(spec))
    assert ended.returncode == 1, ended.stderr
    with Record.open(tmp_path / "rounds.lab") as record:
        tables = study["rounds"](record)
    for distribution in ("uniform", "gaussian"):
        row = next(line for line in tables.splitlines() if line.startswith(f"| {distribution} | 4 | 1 |"))
        counts = [float(cell) for cell in row.strip("| ").split(" | ")[3:]]
        assert len(counts) == 3
        assert max(counts) > 2


def test_the_study_refuses_a_part_that_it_does_not_have():
    ended = subprocess.run(
        [sys.executable, str(STUDY / "study.py"), "everything"], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert "there is no part 'everything'; parts: splitter-based, radix-mini" in ended.stderr


def test_without_a_record_and_without_running_tables_are_those_of_kept_values(tmp_path):
    ended = subprocess.run(
        [sys.executable, str(STUDY / "study.py"), "large", "--no-run", "--records", str(tmp_path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert "## large" in ended.stdout
    assert not any(tmp_path.iterdir())


def test_tables_are_those_of_the_values_that_are_kept():
    tables = runpy.run_path(str(STUDY / "tables.py"), run_name="tables")
    assert tables["cells"]() == readme_tables.kept(STUDY), "run python studies/parallel-sorting/tables.py"
