"""``studies/grappa`` at a reduced size: its specs run, and tables are made of them."""

from __future__ import annotations

import runpy
import subprocess
import sys

import pytest
from reduced_specs import ROOT, built, reduced

from steelyard.spec import load
from steelyard.store import Record

STUDY = ROOT / "studies" / "grappa"


@pytest.fixture
def study():
    """What ``study.py`` defines."""
    return runpy.run_path(str(STUDY / "study.py"), run_name="study")


@pytest.fixture
def references():
    """What ``references.py`` defines."""
    return runpy.run_path(str(STUDY / "references.py"), run_name="references")


def test_every_part_has_a_spec_of_its_name(study):
    # references.toml has a program of its own, which looks for the references.
    assert {*study["PARTS"], "references"} == {spec.stem for spec in STUDY.glob("*.toml")}
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


def program(path, *lines):
    """A program that writes these lines, whatever it is asked."""
    path.write_text("\n".join(["#!/bin/sh", *(f"echo '{line}'" for line in lines), ""]))
    path.chmod(0o755)
    return path


def peers(at, nedge):
    """Programs that write what GAP and Graph500 write: three times, and a rate of edges without loops."""
    for name in ("bfs", "bc", "converter"):
        program(at / name, *(f"Trial Time:          {took}" for took in ("0.00900", "0.00200", "0.00100")))
    program(at / "graph500", f"mean_nedge:  {nedge}", "bfs  harmonic_mean_TEPS:     !  4.5e+07")
    starter = program(at / "starter")
    starter.write_text('#!/bin/sh\nshift 2\nexec "$@"\n')
    return {"gapbs": str(at), "graph500": str(at / "graph500"), "graph500_mpirun": str(starter)}


def test_references_are_rated_by_the_edges_that_all_search(tmp_path, references):
    search = references["search"]
    roots, edges = {"bfs": [4, 7], "bc": [4]}, {"4": 1000, "7": 2000}
    given = search.Prepared(tmp_path, 10, "", "", roots, edges, **peers(tmp_path, 1485))
    given.write()
    assert search.Prepared.read(tmp_path) == given
    # The median of three times, and the harmonic mean of half a million and a million edges a second.
    assert search.rate_of(given, "bfs", "gap", 1) == pytest.approx(2 / (1 / 5e5 + 1 / 1e6))
    assert search.rate_of(given, "bc", "gap", 2) == pytest.approx(5e5)
    # 1 % of the edges are loops, which the reference code leaves out.
    assert search.rate_of(given, "bfs", "graph500", 2) == pytest.approx(4.5e7 / 0.99)


def test_a_reference_that_searches_another_graph_is_refused(tmp_path, references):
    search = references["search"]
    given = search.Prepared(tmp_path, 10, "", "", {"bfs": [4]}, {"4": 1000}, **peers(tmp_path, 900))
    with pytest.raises(SystemExit, match="not the same graph"):
        search.rate_of(given, "bfs", "graph500", 1)
    program(tmp_path / "bfs", "Trial Time:          0.00200")
    with pytest.raises(SystemExit, match="GAP tells 1 times in place of 3"):
        search.rate_of(given, "bfs", "gap", 1)


def test_references_that_are_not_given_are_left_out(tmp_path, references):
    every = references["search"].Prepared(tmp_path, 10, "", "", {}, {}, **peers(tmp_path, 1))

    def ways(**changes):
        found = references["question"](every._replace(**changes), 1)
        return next(factor.levels for factor in found.factors if factor.name == "way")

    assert list(ways()) == ["tasks", "items", "graph500", "gap"]
    assert list(ways(gapbs="")) == ["tasks", "items", "graph500"]
    assert list(ways(gapbs="", graph500="")) == ["tasks", "items"]


def test_what_is_left_out_and_what_is_missing_is_said(tmp_path, capfd):
    built("openmpi", "bin/graph")
    words = [sys.executable, str(STUDY / "references.py"), "--scale", "10", "--prepared", str(tmp_path)]
    missing = subprocess.run([*words, "--gapbs", str(tmp_path)], check=False)
    assert missing.returncode == 4
    said = capfd.readouterr().err
    assert "graph500 is left out: --graph500 PROGRAM names it" in said
    assert f"error: {tmp_path / 'bfs'} is missing\n\nhint: --gapbs is a checkout" in said


def test_roots_and_edges_are_those_of_the_specification(references):
    graph = built("openmpi", "bin/graph")
    mpirun = ROOT / ".cache" / "mpi" / "openmpi" / "bin" / "mpirun"
    roots, edges = references["drawn"](str(mpirun), str(graph), 10)
    # Of its candidates 126 has no edges.
    assert roots["bc"][:5] == roots["bfs"][:5] == [458, 214, 220, 966, 395]
    assert len(roots["bfs"]) == 64
    # 16,239 tuples and 144 loops, a few of which are elsewhere.
    assert edges["458"] == 16383
    search = references["search"]
    given = search.Prepared(STUDY, 10, str(mpirun), str(graph), {"bfs": [458], "bc": [458]}, edges)
    for op, way in (("bfs", "tasks"), ("bfs", "items"), ("bc", "tasks"), ("bc", "items")):
        assert search.rate_of(given, op, way, 1) > 0
