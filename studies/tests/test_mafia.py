"""``studies/mafia`` at a reduced size: counts equal their closed forms, and naive ways are caught."""

from __future__ import annotations

import re
import runpy
import sys

import pytest
from reduced_specs import ROOT, built, reduced

from steelyard.store import Record

STUDY = ROOT / "studies" / "mafia"
sys.path.insert(0, str(STUDY.parent))

import readme_tables  # noqa: E402


@pytest.fixture
def study():
    """What ``study.py`` defines."""
    return runpy.run_path(str(STUDY / "study.py"), run_name="study")


def test_times_stand_beside_counts_and_what_was_found(tmp_path, steelyard_cli, study):
    changes = (("9, 10, 11, 12, 13, 14, 15, 16]", "9]"), ("blocks = 3", "blocks = 2"))
    spec = reduced(STUDY / "phases.toml", tmp_path, *changes, program=built("plain", "bin/mafia"))
    ended = steelyard_cli("run", str(spec))
    assert ended.returncode in (0, 1), ended.stderr
    with Record.open(tmp_path / "phases.lab") as record:
        tables = study["phases"](record)
        assert tables.startswith("Milliseconds, median (least … longest):")
        counted = study["values_by"](record, "phase_operations")
        for k, by_phase in counted.items():
            # 3 (k 2^(k-1) - k), the subsequences of three clusters: exact on drawn points, too.
            assert set(by_phase["unjoin"]) == {3 * (k * 2 ** (k - 1) - k)}
        for metric, least in (("planted_found", 3), ("recall", 0.95), ("precision", 0.98)):
            assert all(min(its[""]) >= least for its in study["values_by"](record, metric).values())
    assert re.search(r"\| gen: time as Table 7 expects \|.*\| ≈ O\(k\^4 2\^k\) \|$", tables, re.MULTILINE)


def test_naive_ways_are_caught_by_counts(tmp_path, steelyard_cli, study):
    spec = reduced(STUDY / "naive.toml", tmp_path, program=built("plain", "bin/mafia"))
    ended = steelyard_cli("check", str(spec))
    assert ended.returncode == 1, ended.stderr
    with Record.open(tmp_path / "naive.lab") as record:
        tables = study["naive"](record)
    rows = {line.split(" | ")[0]: line for line in tables.splitlines()}
    for phase in ("gen", "dedup"):
        assert "✗" in rows[f"| {phase}, pairs, pairs"]
        # Levels stand in the order of their factors' names: dedup, join.
        assert "✗" not in rows[f"| {phase}, hash, index"]


@pytest.mark.parametrize(
    ("planted", "code"), [("", 0), ('"--join", "pairs", ', 1), ('"--dedup", "pairs", ', 1)]
)
def test_the_gate_passes_phases_as_they_are_and_stops_naive_ones(tmp_path, steelyard_cli, planted, code):
    change = ('"--points"', f'{planted}"--points"')
    spec = reduced(STUDY / "gate.toml", tmp_path, change, program=built("plain", "bin/mafia"))
    ended = steelyard_cli("check", str(spec))
    assert ended.returncode == code, ended.stdout + ended.stderr


def test_tables_are_those_of_the_values_that_are_kept():
    tables = runpy.run_path(str(STUDY / "tables.py"), run_name="tables")
    assert tables["cells"]() == readme_tables.kept(STUDY), "run python studies/mafia/tables.py"
