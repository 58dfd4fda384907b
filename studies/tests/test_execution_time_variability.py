"""The study runs whole at its smallest size, its programs compute what they say, and its tables are data."""

from __future__ import annotations

import csv
import json
import math
import os
import runpy
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from steelyard import Laboratory
from steelyard.api import load
from steelyard.api.design import INTERVENTIONS, expand_placeholders

STUDY = Path(__file__).parents[2] / "studies" / "execution-time-variability"
tables = runpy.run_path(str(STUDY / "tables.py"))
TREATMENTS = {
    "services": 10 * 2,
    "services-built": 3 * 4,
    "environment": 10 * 8,
    "environment-built": 4 * 16,
    "affinity": 10 * 3,
    "affinity-openmp": 3 * 9,
}
NPB_TREATMENTS = {
    "npb-services": 5 * 4,
    "npb-environment": 5 * 16,
    "npb-affinity": 5 * 9,
    "npb-waiting": 5 * 4,
}
PARTS = {f"{spec}-{order}" for spec in TREATMENTS for order in ("rows", "blocks")} | {
    "environment-again-blocks",
    "environment-random-blocks",
    "environment-null-rows",
    "environment-built-random-blocks",
}


@pytest.fixture(scope="module")
def programs():
    """Of packages: all commands of the specs."""
    commands = load(STUDY / "services.toml").program.commands
    if lacking := [words[0] for words in commands.values() if shutil.which(words[0]) is None]:
        pytest.skip(f"not found: {', '.join(lacking)}")
    return commands


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Directories with our own programs, by options."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    result = {}
    for options in (["O2"], ["O3"], ["O2", "-fopenmp"]):
        directory = tmp_path_factory.mktemp("built")
        sources = Path(__file__).parents[2] / "src" / "steelyard" / "extensions" / "demo" / "programs"
        words = [STUDY / "build.sh", options[0], STUDY, sources, directory, *options[1:]]
        subprocess.run(words, check=True)
        result[" ".join(options)] = directory
    return result


def test_the_whole_study_runs_small_and_goes_on_from_its_records(steelyard_env, programs, built, tmp_path):
    lacks = [INTERVENTIONS["aslr"].missing("off"), INTERVENTIONS["affinity"].missing("0-1")]
    if any(lacks):
        pytest.skip(str(lacks))
    command = [sys.executable, STUDY / "run.py", "--size=small", "--directory", tmp_path / "labs"]
    result = []
    for name in ("first", "second"):
        done = subprocess.run(
            [*command, "--data", tmp_path / name],
            capture_output=True,
            text=True,
            check=False,
            env=steelyard_env,
        )
        assert done.returncode == 0, done.stderr
        data = [(tmp_path / name / file).read_text() for file in ("summary.json", "measured.csv")]
        result.append(data)
    # What is finished is not measured again.
    assert result[0] == result[1]
    summary = json.loads(result[0][0])
    assert set(summary) == PARTS - {"environment-again-blocks"}
    # Two programs of two sizes and two optimisations in each: pairs are those of one program.
    assert summary["services-blocks"]["wall_s"]["pairs"] == 2
    assert summary["services-built-blocks"]["wall_s"]["pairs"] == 2 * 6
    assert set(summary["services-built-blocks"]["cpu_s"]["effects"]["relax"]) == {
        "background_load",
        "opt",
        "background_load x opt",
    }
    assert "Signs, in the order of Yates" in done.stdout
    assert "Published, Table 8" in done.stdout
    assert "services-built-rows, 2 programs, after" in done.stdout


def test_nas_kernels_run_in_parts_beside_the_way_of_the_paper_to_take_the_time(steelyard_env, tmp_path):
    if lacking := [name for name in ("c++", "/usr/bin/time") if shutil.which(name) is None]:
        pytest.skip(f"not found: {', '.join(lacking)}")
    done = subprocess.run(
        [
            *(sys.executable, STUDY / "run.py", "--programs=npb", "--size=small", "--part=npb-affinity-b"),
            *("--directory", tmp_path / "labs", "--data", tmp_path / "data"),
        ],
        capture_output=True,
        text=True,
        check=False,
        env=steelyard_env,
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "data" / "npb-summary.json").read_text())
    assert set(summary) == {"npb-affinity-blocks"}
    # Two programs, two numbers of threads at two placements; by the runner, by time, and CPU time.
    for metric in ("wall_s", "elapsed_s", "cpu_s"):
        assert summary["npb-affinity-blocks"][metric]["pairs"] == 2 * 6
    assert "npb-affinity-blocks by time, 2 programs" in done.stdout


def test_pairs_that_are_one_treatment_by_two_names_are_counted_as_a_null(monkeypatch):
    result, count = tables["Found"], tables["identical_pairs"]
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    cells = [
        result("affinity", "wall_s", "", "2,compact", "2,scatter", 5, 3, 1),
        result("affinity", "wall_s", "", "4,compact", "4,scatter", 5, 1, 0),
        result("affinity", "wall_s", "", "2,none", "2,compact", 5, 5, 5),
        result("affinity", "wall_s", "", "2,compact", "4,scatter", 5, 5, 5),
        result("environment-null-rows", "cpu_s", "", "1", "2", 10, 4, 2),
    ]
    assert count(cells) == [
        "affinity, wall_s: of 10 pairs of identical treatments, 4 differ before Holm, 1 after",
        "environment-null-rows, cpu_s: of 10 pairs of identical treatments, 4 differ before Holm, 2 after",
    ]
    # On more CPUs, close and far places are not the same ones.
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    assert count(cells[:4]) == []


def test_a_part_that_no_name_begins_with_is_refused_with_all_names(steelyard_env, tmp_path):
    done = subprocess.run(
        [sys.executable, STUDY / "run.py", "--programs=npb", "--part=npb-x", "--directory", tmp_path],
        capture_output=True,
        text=True,
        check=False,
        env=steelyard_env,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(
        "error: --part npb-x: no part of npb begins so\n\nhint: one of: npb-screening-ep"
    )


def test_a_program_that_is_not_here_is_named_before_anything_runs(steelyard_env, tmp_path):
    (tmp_path / "empty").mkdir()
    done = subprocess.run(
        [sys.executable, STUDY / "run.py", "--size=small", "--directory", tmp_path / "labs"],
        capture_output=True, text=True, check=False, env=steelyard_env | {"PATH": str(tmp_path / "empty")},
    )  # fmt: skip
    assert done.returncode == 4
    assert "not here: bc, bzip2, cc, gzip, mawk, openssl, sqlite3, xz, zstd" in done.stderr
    assert "hint: apt-get install bc bzip2 gcc" in done.stderr
    assert not (tmp_path / "labs").exists()


def test_the_specs_are_the_experiments_of_the_paper():
    for name, count in (TREATMENTS | NPB_TREATMENTS).items():
        result = load(STUDY / f"{name}.toml")
        assert len(Laboratory(result).plan().value.treatments) == count
        assert (result.design.order, result.design.blocks, result.design.discard) == (
            "nogueira-matias-2014",
            30,
            1,
        )
        assert result.analysis.protocol == "nogueira-matias-2014"
    sizes = next(f.levels for f in load(STUDY / "environment.toml").factors if f.name == "env_bytes")
    assert list(sizes) == [0, 64, 128, 256, 512, 1024, 2048, 4096]


def test_the_screening_is_twelve_treatments_for_eight_factors():
    result = load(STUDY / "npb-screening.toml")
    assert result.design.kind == "plackett-burman"
    assert len(Laboratory(result).plan().value.treatments) == 12
    assert {"omp_wait_policy", "background_load"} < {factor.name for factor in result.factors}


def test_programs_of_packages_print_the_same_bytes_every_time(programs, tmp_path):
    subprocess.run([sys.executable, STUDY / "inputs.py", tmp_path], check=True)
    for name, words in programs.items():
        command = [expand_placeholders(word, {"build": str(tmp_path)}) for word in words]
        outputs = {
            subprocess.run(command, capture_output=True, check=True, env={"PAD": "x" * size}).stdout
            for size in (0, 1000)
        }
        assert len(outputs) == 1, name
        assert outputs != {b""}, name


def printed(built, program, *arguments, threads=1):
    """What each build of a program prints."""
    return {
        subprocess.run(
            [directory / program, *map(str, arguments)],
            capture_output=True, text=True, check=True,
            env={"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"},
        ).stdout
        for directory in built.values()
    }  # fmt: skip


def in_all(built, program, *arguments):
    """What it prints in every build and with every number of threads, which must be one thing."""
    result = set().union(*(printed(built, program, *arguments, threads=threads) for threads in (1, 2, 6)))
    assert len(result) == 1
    return [int(line) for line in result.pop().split()]


def test_normal_deviates_fall_into_the_rings_that_the_normal_distribution_has(built):
    pairs = 200_000
    rings = in_all(built, "gaussian", pairs)
    result = sum(rings)
    # Of a square, the circle holds a share of pi / 4; within five standard deviations of a binomial.
    assert abs(result / pairs - math.pi / 4) < 5 * math.sqrt(math.pi / 4 * (1 - math.pi / 4) / pairs)
    for ring in range(3):
        below = [math.erf(edge / math.sqrt(2)) ** 2 for edge in (ring, ring + 1)]
        share = below[1] - below[0]
        assert abs(rings[ring] / result - share) < 5 * math.sqrt(share * (1 - share) / result)


def test_ranks_are_those_of_sorted_keys(built):
    keys, state = [], 1
    for _ in range(1000):
        state = (state * 1664525 + 1013904223) % 2**32
        keys.append(state >> 20)
    total = 0
    for turn in range(10):
        keys[turn] = turn
        ordered = sorted(keys)
        rank = {key: i for i, key in reversed(list(enumerate(ordered)))}
        total += sum(rank[key] * (i & 7) for i, key in enumerate(keys))
    assert in_all(built, "buckets", 1000) == [total]


def test_a_relaxed_square_has_in_each_cell_the_mean_of_its_neighbours(built):
    side = 9
    now = [[(1 << 28) if i == 0 else 0] * side for i in range(side)]
    for _ in range(20):
        new = [row[:] for row in now]
        for i in range(1, side - 1):
            for j in range(1, side - 1):
                new[i][j] = (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1]) // 4
        now = new
    assert in_all(built, "relax", side, 20) == [sum(map(sum, now))]


def test_the_published_tables_are_whole_and_asterisks_are_where_holm_left_fewer():
    with (STUDY / "published.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    tables = defaultdict(dict)
    for row in rows:
        pair = row["opt"], row["first"], row["second"]
        assert pair not in tables[row["table"]]
        tables[row["table"]][pair] = int(row["percent"]), row["fewer_after_holm"]
    for before, after, pairs, sums in (
        ("3", "4", 6, (480, 470)),
        ("5", "6", 56, (1410 + 1540, 950 + 1150)),
        ("7", "8", 36, (3480, 3470)),
    ):
        assert set(tables[before]) == set(tables[after])
        assert len(tables[before]) == pairs
        assert tuple(sum(p for p, _ in tables[t].values()) for t in (before, after)) == sums
        for pair, (percent, fewer) in tables[after].items():
            assert fewer == ("yes" if percent < tables[before][pair][0] else "no"), pair


def test_our_figures_are_committed_as_data():
    summary = json.loads((STUDY / "summary.json").read_text())
    assert set(summary) == PARTS
    with (STUDY / "measured.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for part, values in summary.items():
        for metric in ("wall_s", "cpu_s"):
            mine = [row for row in rows if (row["part"], row["metric"]) == (part, metric)]
            assert [sum(int(row[key]) for row in mine) for key in ("programs", "before", "after")] == [
                values[metric].get(key, 0) for key in ("pairs", "before", "after")
            ]


NAS_MAKEFILE = """\
# Each program is a script that verifies itself; newer trees add .x to its name.
%:
\t@test -s config/make.def
\t@echo '#!/bin/sh' > bin/$@.$(CLASS)
\t@echo 'echo " Time in seconds = 0.2"; echo " Verification    = SUCCESSFUL"' >> bin/$@.$(CLASS)
\t@chmod +x bin/$@.$(CLASS)
"""


def test_the_ten_programs_of_a_tree_take_the_place_of_our_kernels(steelyard_env, tmp_path):
    if lacking := [name for name in ("make", "/usr/bin/time") if shutil.which(name) is None]:
        pytest.skip(f"not found: {', '.join(lacking)}")
    tree = tmp_path / "NPB"
    (tree / "config").mkdir(parents=True)
    (tree / "config" / "make.def").write_text("FFLAGS = -O -g\nCFLAGS = -O\n")
    (tree / "Makefile").write_text(NAS_MAKEFILE)
    done = subprocess.run(
        [
            *(sys.executable, STUDY / "run.py", "--programs=nas", "--size=small", "--part=nas-services-b"),
            *("--directory", tmp_path / "labs", "--data", tmp_path / "data"),
        ],
        capture_output=True,
        text=True,
        check=False,
        env=steelyard_env | {"NPB_ROOT": str(tree)},
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "data" / "nas-summary.json").read_text())
    # Two of the ten programs at the small size; their pairs of two loads and two optimisations.
    assert summary["nas-services-blocks"]["wall_s"]["pairs"] == 2 * 6
    assert (tmp_path / "data" / "topology.txt").read_text().startswith("package ")
    # The tree itself is as it was.
    assert (tree / "config" / "make.def").read_text() == "FFLAGS = -O -g\nCFLAGS = -O\n"
    assert not (tree / "bin").exists()


def test_specs_of_the_ten_programs_are_the_kernels_with_other_programs(monkeypatch):
    monkeypatch.syspath_prepend(str(STUDY))
    monkeypatch.setattr(sys, "modules", {**sys.modules})
    read_spec = runpy.run_path(str(STUDY / "run.py"))["read_spec"]
    services, affinity = read_spec("nas-services"), read_spec("nas-affinity")
    assert list(services["program"]["commands"]) == "bt cg dc ep ft is lu mg sp ua".split()  # noqa: SIM905
    assert "lu" not in affinity["program"]["commands"]
    assert services["factors"] == {
        "background_load": ["none", "cpu x2 10%"], "opt": ["O2", "O3"], "threads": [1],
    }  # fmt: skip
    assert affinity["factors"]["threads"] == [2, 4, 6]
    assert (services["design"]["blocks"], services["design"]["order"]) == (30, "nogueira-matias-2014")


def test_the_long_size_builds_and_starts_larger_classes(monkeypatch):
    monkeypatch.syspath_prepend(str(STUDY))
    monkeypatch.setattr(sys, "modules", {**sys.modules})
    study = runpy.run_path(str(STUDY / "run.py"))
    tables = study["read_spec"]("nas-services")
    study["lengthen"](tables)
    started = {name: words[-1] for name, words in tables["program"]["commands"].items()}
    assert started == {name: f"{{build}}/{name}.{size}.x" for name, size in study["LONGER"].items()}
    script = next(word for word in tables["build"]["command"] if "make" in word)
    built = script.partition("for program in ")[2].partition(";")[0].split()
    assert built == [started[name].removeprefix("{build}/").removesuffix(".x") for name in started]


def test_the_topology_has_a_line_for_each_core_below_its_package(monkeypatch, tmp_path):
    files = {
        "topology/physical_package_id": "0", "topology/core_id": "{core}",
        "topology/thread_siblings_list": "{siblings}",
        "cache/index0/level": "1", "cache/index0/type": "Data", "cache/index0/size": "32K",
        "cache/index0/shared_cpu_list": "{siblings}",
        "cache/index1/level": "3", "cache/index1/type": "Unified", "cache/index1/size": "8192K",
        "cache/index1/shared_cpu_list": "0-3",
    }  # fmt: skip
    for cpu in range(4):
        core, siblings = cpu // 2, f"{cpu // 2 * 2}-{cpu // 2 * 2 + 1}"
        for name, text in files.items():
            file = tmp_path / f"cpu{cpu}" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.format(core=core, siblings=siblings) + "\n")
    draw = runpy.run_path(str(STUDY / "topology.py"))["draw_topology"]
    assert [*draw(tmp_path)] == [
        "package 0: L3 8192K for CPUs 0-3",
        "  core 0: CPU 0-1, L1d 32K",
        "  core 1: CPU 2-3, L1d 32K",
    ]
