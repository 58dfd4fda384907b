"""``studies/runtimes``: kernels compute what a witness in NumPy does, whatever runs them, and a system that
computes something else is named.
"""

from __future__ import annotations

import itertools
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from reduced_specs import ROOT, built
from scripts_of_studies import load_script

from steelyard.api import KeptBlock, LabelledValue, Record, load, write_values

STUDY = ROOT / "studies" / "runtimes"
PLACES, ACCESSES, EXACT = 1 << 20, 1 << 22, (1 << 53) - 1


def module(name: str) -> ModuleType:
    """A script of the study."""
    return load_script(f"runtimes_{name}", STUDY / f"{name}.py")


@pytest.fixture(scope="module")
def systems(tmp_path_factory):
    """The kernels on Goodsyard and on threads, built as the study builds them."""
    built("openmpi", "bin/graph")
    place = tmp_path_factory.mktemp("runtimes")
    (place / "bin").mkdir()
    build = module("build")
    build.BUILT = place
    build.goodsyard()
    build.openmp()
    build.bulk()
    # Two triangles that share an edge, and one more with a tail.
    (place / "edges.el").write_text("0 1\n1 2\n2 0\n2 3\n3 1\n3 4\n4 5\n5 6\n6 4\n6 7\n1 0\n7 7\n")
    result = module("systems")
    result.BUILT = place
    return result


def mix(x: np.ndarray) -> np.ndarray:
    """A bijection of 64 bits (Steele, Lea, Flood 2014)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def accesses(ranks: int) -> np.ndarray:
    """A row for each rank: places in the tables of all."""
    index = np.arange(ranks * ACCESSES, dtype=np.uint64)
    drawn = mix((index + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1))
    return (((drawn >> np.uint64(32)) * np.uint64(PLACES * ranks)) >> np.uint64(32)).reshape(ranks, ACCESSES)


@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize("system", ["goodsyard", "messages", "bulk", "openmp"])
def test_tables_are_counted_and_read_as_a_witness_does(systems, system, cores):
    places = accesses(cores)
    counts = np.bincount(places.ravel().astype(np.int64), minlength=cores * PLACES).astype(np.uint64)
    values = mix(np.arange(cores * PLACES, dtype=np.uint64))
    counted = systems.measure("histogram", system, cores)
    assert counted.outcome == float(int((values * counts).sum()) & EXACT)
    weights = np.arange(ACCESSES, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    read = systems.measure("gather", system, cores)
    assert read.outcome == float(int((values[places.astype(np.int64)] * weights).sum()) & EXACT)
    assert len(counted.times_s) == len(read.times_s) == 5
    assert min(*counted.times_s, *read.times_s) > 0


@pytest.mark.parametrize("kernel", ["toposort", "triangles"])
def test_kernels_of_one_input_have_one_outcome_on_one_rank_and_on_two(systems, kernel):
    (outcome,) = {systems.measure(kernel, "goodsyard", ranks).outcome for ranks in (1, 2)}
    if kernel == "triangles":
        assert outcome == 3


@pytest.mark.parametrize("kernel", ["counts", "words"])
def test_keys_are_counted_on_one_rank_and_on_two(systems, kernel):
    single, two = (systems.measure(kernel, "goodsyard", ranks).outcome for ranks in (1, 2))
    assert single > 0
    assert single != two, "two ranks have twice the keys"
    assert [systems.measure(kernel, "bulk", ranks).outcome for ranks in (1, 2)] == [single, two]


@pytest.mark.parametrize(
    "options", [("histogram", "ygm"), ("bfs", "graph500"), ("triangles beside GAP", "gap")]
)
def test_a_system_that_was_not_built_ends_with_a_hint(systems, options):
    with pytest.raises(SystemExit, match=r"hint: studies/runtimes/build.py builds it"):
        systems.measure(*options, 1)


def test_a_kernel_that_there_is_not_ends_with_a_line(systems):
    with pytest.raises(SystemExit, match="no kernel is called 'sort'"):
        systems.measure("sort", "goodsyard", 1)


def test_a_system_that_computes_something_else_is_named(tmp_path):
    study = module("study")
    experiment = load(STUDY / "graphs.toml")
    names = [factor.name for factor in experiment.factors]
    crossed = itertools.product(*(factor.levels for factor in experiment.factors))
    treatments = [dict(zip(names, levels, strict=True)) for levels in crossed]
    for wrong in (0.0, 1.0):
        trials = [
            (
                levels,
                [
                    LabelledValue("time_s", 1.0, {}),
                    LabelledValue("outcome", 7.0 + wrong * (levels["system"] == "gap"), {}),
                ],
            )
            for levels in treatments
        ]
        directory = tmp_path / f"{wrong}.lab"
        write_values(directory, experiment, [KeptBlock(trials)], "made up")
        with Record.open(directory) as record:
            if wrong:
                with pytest.raises(ValueError, match="gap has 8, goodsyard 7"):
                    study.check_outcomes(record, ("graph", "kernel", "cores"))
            else:
                assert study.check_outcomes(record, ("graph", "kernel", "cores")) == 36


def test_build_says_what_is_missing(tmp_path):
    copied = tmp_path / "studies" / "runtimes"
    copied.mkdir(parents=True)
    for file in (STUDY / "build.py", STUDY / "systems.py", STUDY.parent / "launching.py"):
        shutil.copy2(file, copied)
    ended = subprocess.run(
        [sys.executable, Path(copied, "build.py")], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert "hint: ./dev mpi openmpi builds it" in ended.stderr
