"""``studies/grappa`` at a reduced size: its specs run, and tables are made of them."""

from __future__ import annotations

import random
import runpy
import subprocess
import sys

import pytest
from reduced_specs import ROOT, built, reduced

from steelyard.api import Record, load

STUDY = ROOT / "studies" / "grappa"
sys.path.insert(0, str(STUDY.parent))

import kept_values  # noqa: E402
import readme_tables  # noqa: E402


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


def kept_of(part, tmp_path, steelyard_cli, monkeypatch, *changes):
    """What ``tables.py`` defines, for the values of a part at a reduced size."""
    spec = reduced(STUDY / f"{part}.toml", tmp_path, *changes)
    ended = steelyard_cli("run", str(spec))
    assert ended.returncode in (0, 1), ended.stderr
    with Record.open(tmp_path / f"{part}.lab") as record:
        kept_values.keep(tmp_path, part, record)
    tables = runpy.run_path(str(STUDY / "tables.py"), run_name="tables")
    monkeypatch.setitem(tables["medians"].__globals__, "HERE", tmp_path)
    return tables


def test_tables_are_those_of_the_values_that_are_kept():
    tables = runpy.run_path(str(STUDY / "tables.py"), run_name="tables")
    assert tables["cells"]() == readme_tables.kept(STUDY), "run python studies/grappa/tables.py"


def test_every_part_has_values():
    study = runpy.run_path(str(STUDY / "study.py"), run_name="study")
    assert {file.stem for file in (STUDY / "values").glob("*.csv")} == {*study["PARTS"]}


def test_stealing_is_told_by_chunk_and_by_how_much_was_stolen(tmp_path, steelyard_cli, monkeypatch):
    built("virtual", "bin/uts")
    changes = (
        ('tree = ["T1L", "T2L", "T3L"]', 'tree = ["small-fixed", "small-hybrid"]'),
        ("chunk = [0, 1, 4, 10, 64]", "chunk = [0, 1]"),
        ('"--ranks", "32"', '"--ranks", "4", "-i", "8"'),
    )
    tables = kept_of("chunks", tmp_path, steelyard_cli, monkeypatch, *changes)
    assert [[*row] for row in tables["chunks"]()] == [["tree", "chunk = 0", "chunk = 1"]] * 2
    moved = {row["tree"]: float(row["mean"]) for row in tables["stolen"]()}
    assert all(mean > 1 for mean in moved.values())


def test_parallelism_is_told_by_level_and_over_time(tmp_path, steelyard_cli, monkeypatch):
    built("virtual", "bin/uts")
    changes = (
        ('["T1L", "T2L", "T3L"]', '["small-fixed", "small-binomial"]'),
        ('"--ranks", "32"', '"--ranks", "4"'),
        ('"0.01"', '"1e-6"'),
    )
    tables = kept_of("parallelism", tmp_path, steelyard_cli, monkeypatch, *changes)
    fixed, binomial = tables["parallelism"]()
    assert float(fixed["nodes a level"].replace(",", "")) > float(binomial["nodes a level"].replace(",", ""))
    assert 0 < float(fixed["busy ranks"]) <= 4


def test_buffers_are_fewer_full_the_more_ranks_there_are(tmp_path, steelyard_cli, monkeypatch):
    built("virtual", "bin/runtime")
    changes = (("p = [2, 4, 8, 16, 32, 64, 128]", "p = [2, 4, 8, 16, 32]"), ('"20000"', '"2000"'))
    tables = kept_of("buffers", tmp_path, steelyard_cli, monkeypatch, *changes)
    rows = {row[""]: [float(cell) for name, cell in row.items() if name] for row in tables["buffers"]()}
    fractions = rows["sent since they were full, fraction"]
    assert fractions == sorted(fractions, reverse=True)
    assert fractions[0] > fractions[-1]


def test_a_ping_is_told_as_a_share_of_the_network(tmp_path, steelyard_cli, monkeypatch):
    built("virtual", "bin/ping")
    changes = (("payload = [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]", "payload = [32, 4096]"),)
    tables = kept_of("ping-simulated", tmp_path, steelyard_cli, monkeypatch, *changes)
    small, large = tables["ping_simulated"]()
    assert float(small["aggregated"]) > 5 * float(small["raw"])
    assert float(small["raw, %"]) < float(large["raw, %"]) <= 100


def test_a_screening_gives_a_speedup_a_knob_and_how_a_pair_changes_it(tmp_path, monkeypatch):
    tables = runpy.run_path(str(STUDY / "tables.py"), run_name="tables")
    # Age 3 times slower; ranks twice as fast, and four times with many tasks.
    rows, draw = ["flush_age,active_tasks,p,block,time_s"], random.Random(1)
    for block in range(1, 7):
        for age, slower in ((5e-05, 1), (0.0005, 3)):
            for tasks in (512, 4096):
                for p, faster in ((8, 1), (32, 4 if tasks == 4096 else 2)):
                    time_s = draw.lognormvariate(0, 0.01) * slower / faster
                    rows.append(f"{age},{tasks},{p},{block},{time_s}")
    (tmp_path / "values").mkdir()
    (tmp_path / "values" / "screening.csv").write_text("\n".join(rows) + "\n")
    monkeypatch.setitem(tables["effects"].__globals__, "HERE", tmp_path)
    result = tables["effects"]("screening")
    expected = {
        "flush age: 50 → 500 µs": 1 / 3,
        "ranks: 8 → 32": 8**0.5,
        "active tasks × ranks": 2,
        "flush age × active tasks": 1,
    }
    for label, effect in expected.items():
        low, high = map(float, result[label][1].split(" to "))
        assert float(result[label][0]) == pytest.approx(effect, rel=0.03)
        assert low < float(result[label][0]) < high


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
    prepared = search.Prepared(tmp_path, 10, "", "", roots, edges, **peers(tmp_path, 1485))
    prepared.write()
    assert search.Prepared.read(tmp_path) == prepared
    # The median of three times, and the harmonic mean of half a million and a million edges a second.
    assert search.rate_of(prepared, "bfs", "gap", 1) == pytest.approx(2 / (1 / 5e5 + 1 / 1e6))
    assert search.rate_of(prepared, "bc", "gap", 2) == pytest.approx(5e5)
    # 1 % of the edges are loops, which the reference code leaves out.
    assert search.rate_of(prepared, "bfs", "graph500", 2) == pytest.approx(4.5e7 / 0.99)


def test_a_reference_that_searches_another_graph_is_refused(tmp_path, references):
    search = references["search"]
    prepared = search.Prepared(tmp_path, 10, "", "", {"bfs": [4]}, {"4": 1000}, **peers(tmp_path, 900))
    with pytest.raises(SystemExit, match="not the same graph"):
        search.rate_of(prepared, "bfs", "graph500", 1)
    program(tmp_path / "bfs", "Trial Time:          0.00200")
    with pytest.raises(SystemExit, match="GAP tells 1 times in place of 3"):
        search.rate_of(prepared, "bfs", "gap", 1)


def test_references_that_are_not_given_are_left_out(tmp_path, references):
    every = references["search"].Prepared(tmp_path, 10, "", "", {}, {}, **peers(tmp_path, 1))

    def ways(**changes):
        result = references["question"](every._replace(**changes), 1)
        return next(factor.levels for factor in result.factors if factor.name == "way")

    assert list(ways()) == ["tasks", "items", "graph500", "gap"]
    assert list(ways(gapbs="")) == ["tasks", "items", "graph500"]
    assert list(ways(gapbs="", graph500="")) == ["tasks", "items"]


def test_what_is_left_out_and_what_is_missing_is_said(tmp_path, capfd):
    built("openmpi", "bin/graph")
    words = [sys.executable, str(STUDY / "references.py"), "--scale", "10", "--prepared", str(tmp_path)]
    missing = subprocess.run([*words, "--gapbs", str(tmp_path)], check=False)
    assert missing.returncode == 4
    err = capfd.readouterr().err
    assert "graph500 is left out: --graph500 PROGRAM names it" in err
    assert f"error: {tmp_path / 'bfs'} is missing\n\nhint: --gapbs is a checkout" in err


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
    prepared = search.Prepared(STUDY, 10, str(mpirun), str(graph), {"bfs": [458], "bc": [458]}, edges)
    for op, way in (("bfs", "tasks"), ("bfs", "items"), ("bc", "tasks"), ("bc", "items")):
        assert search.rate_of(prepared, op, way, 1) > 0
