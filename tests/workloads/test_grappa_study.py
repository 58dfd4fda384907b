"""``studies/grappa`` at a reduced size: its specs run, and tables are made of them."""

from __future__ import annotations

import runpy

import pytest
from programs import ROOT, built, reduced

from steelyard.spec import load
from steelyard.store import Record

STUDY = ROOT / "studies" / "grappa"


@pytest.fixture
def study():
    """What ``study.py`` defines."""
    return runpy.run_path(str(STUDY / "study.py"), run_name="study")


def test_every_part_has_a_spec_of_its_name(study):
    assert set(study["PARTS"]) == {spec.stem for spec in STUDY.glob("*.toml")}
    for part in study["PARTS"]:
        assert load(STUDY / f"{part}.toml").name == f"grappa-{part}"


def tables_of(part, tmp_path, steelyard_cli, study, *changes):
    spec = reduced(STUDY / f"{part}.toml", tmp_path, *changes)
    ended = steelyard_cli("run", str(spec))
    assert ended.returncode in (0, 1), ended.stderr
    with Record.open(tmp_path / f"{part}.lab") as record:
        return study["PARTS"][part](record)


def test_stealing_is_told_by_chunk_and_by_how_much_was_stolen(tmp_path, steelyard_cli, study):
    built("smpi", "bin/uts")
    changes = (
        ('tree = ["T1", "T2", "T3"]', 'tree = ["small-fixed", "small-hybrid"]'),
        ("chunk = [0, 1, 4, 64]", "chunk = [0, 1]"),
        ("ranks = 16", "ranks = 4"),
        ('"--steal-chunk"', '"-i", "8", "--steal-chunk"'),
    )
    tables = tables_of("chunks", tmp_path, steelyard_cli, study, *changes)
    assert "`steals`:\n\n| tree | chunk = 0 | chunk = 1 |" in tables
    # By single nodes, whatever is there to be stolen.
    (row,) = [line for line in tables.splitlines() if line.startswith("| small-fixed | 1 |")]
    assert not any(cell.strip() for cell in row.split("|")[4:-1])


def test_parallelism_is_told_in_tenths_of_the_time(tmp_path, steelyard_cli, study):
    built("smpi", "bin/uts")
    changes = (
        ('["T1", "T2", "T3", "T4"]', '["small-fixed", "small-binomial"]'),
        ("ranks = 16", "ranks = 4"),
        ('"1e-4"', '"1e-6"'),
    )
    tables = tables_of("parallelism", tmp_path, steelyard_cli, study, *changes)
    assert "| tree | 0 to 10 % | 10 to 20 % |" in tables
    assert sum(line.startswith("| small-binomial |") for line in tables.splitlines()) == 2


def test_buffers_are_fewer_full_the_more_ranks_there_are(tmp_path, steelyard_cli, study):
    built("smpi", "bin/runtime")
    changes = (("p = [2, 4, 8, 16, 32, 64]", "p = [2, 4, 8, 16, 32]"), ('"20000"', '"2000"'))
    tables = tables_of("buffers", tmp_path, steelyard_cli, study, *changes)
    row = tables.split("`full_fraction`:")[1].splitlines()[4]
    fractions = [float(cell) for cell in row.strip("| ").split(" | ")]
    assert fractions == sorted(fractions, reverse=True)
    assert fractions[0] > fractions[-1]


def test_a_ping_is_told_as_a_fraction_of_the_peak(tmp_path, steelyard_cli, study):
    built("smpi", "bin/ping")
    levels = "[8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536]"
    tables = tables_of("ping-simulated", tmp_path, steelyard_cli, study, (levels, "[32, 8192]"))
    head, _, small, large = tables.splitlines()
    assert head.startswith("| payload | aggregated, MB/s | raw, MB/s | mpi, MB/s |")
    assert large.split(" | ")[1:3] == ["", ""]
    assert small.split(" | ")[1] != ""
