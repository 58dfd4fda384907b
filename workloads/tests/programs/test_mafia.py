"""``workloads/mafia``: its tests of phases, its lines, and what it refuses."""

from __future__ import annotations

import os
import re
import subprocess

import numpy as np
import pytest
from programs import Ended, built

ONCE = ("--repetitions", "1", "--warmup", "0", "--precision", "0")


@pytest.fixture
def mafia(tmp_path):
    """``mafia("cluster", …)`` with its lines."""

    def run(*arguments: str) -> Ended:
        metrics = tmp_path / "metrics"
        metrics.unlink(missing_ok=True)
        done = subprocess.run(
            [str(built("plain", "bin/mafia")), *arguments],
            env={**os.environ, "STEELYARD_METRICS": str(metrics)},
            capture_output=True,
            text=True,
            check=False,
        )
        return Ended(done, metrics)

    return run


@pytest.mark.parametrize("tree", ["tests", "sanitized"])
@pytest.mark.parametrize("program", ["mafia_test", "sorting_test"])
def test_what_needs_no_ranks_is_right(tree, program):
    done = subprocess.run(
        [str(built(tree, f"tests/{program}")), "--gtest_brief=1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]


def test_planted_clusters_are_found_and_counted(mafia):
    ended = mafia("cluster", *ONCE, "--cluster-dimensions", "5")
    assert ended.code == 0, ended.stderr
    assert ended.values("planted_found", k=5, m=3) == [3]
    assert ended.values("recall")[0] >= 0.95
    assert ended.values("precision")[0] >= 0.98
    # m k (k - 1) 2^(k - 3), and the few that neighbouring windows and other clusters add.
    assert 240 <= ended.values("merges")[0] <= 400
    assert ended.values("phase_operations", phase="gen")[0] >= ended.values("merges")[0]


def test_a_run_that_loses_planted_clusters_fails_where_it_is_asked_not_to(mafia, tmp_path):
    # Windows that hardly merge cut the box at its edges: fewer of its points are in dense units.
    options = ("cluster", *ONCE, "--points", "20000", "--cluster-dimensions", "3")
    assert mafia(*options, "--least-recall", "0.95", "--least-precision", "0.98").code == 0
    result = mafia(*options, "--alpha", "60")
    assert result.values("planted_found")[0] < 3
    ended = mafia(*options, "--alpha", "60", "--least-recall", "0.95")
    assert ended.code == 1
    (line,) = ended.stderr.splitlines()
    assert "planted clusters have a recall of 0.000000 and a precision of 0.000000 at worst" in line

    points = tmp_path / "points.txt"
    points.write_text("1 2\n3 4\n")
    ended = mafia("cluster", "--data", str(points), "--least-recall", "0.9")
    assert ended.code == 2
    (line,) = ended.stderr.splitlines()
    assert f"{points} names no planted clusters" in line


def test_few_points_make_no_clusters_of_nothing(mafia, tmp_path):
    path = tmp_path / "points.txt"
    coordinates = np.random.default_rng(5).random((8, 6))
    path.write_text("".join(" ".join(map(str, point)) + "\n" for point in coordinates))
    out = tmp_path / "clusters.npy"
    ended = mafia("cluster", *ONCE, "--data", str(path), "--output", str(out))
    assert ended.code == 0, ended.stderr
    assert np.load(out)["points"].min(initial=8) >= 2
    assert ended.values("clusters")[0] <= 8


def test_clusters_and_their_points_can_be_taken_out(mafia, tmp_path):
    boxes, members, points = (tmp_path / name for name in ("boxes.npy", "members.txt", "points.txt"))
    plan = ("--points", "20000", "--dimensions", "8", "--cluster-dimensions", "3", "--seed", "7")
    assert mafia("generate", "--data", str(points), *plan).code == 0
    ended = mafia("cluster", *ONCE, *plan, "--output", str(boxes), "--members", str(members))
    assert ended.code == 0, ended.stderr
    table = np.load(boxes)
    assert len(np.unique(table["cluster"])) == ended.values("clusters")[0]
    belongs = np.loadtxt(members, dtype=int)
    coordinates = np.loadtxt(points, comments="#")
    for row in table:
        belong = belongs[belongs[:, 1] == row["cluster"], 0]
        assert len(belong) == row["points"]
        inside = coordinates[belong, row["dimension"]]
        assert row["lower"] <= inside.min() <= inside.max() < row["upper"]


def test_threads_change_no_count(mafia):
    def counted(threads: str) -> list[tuple[str, object, object]]:
        ended = mafia(
            "cluster", *ONCE, "--points", "20000", "--cluster-dimensions", "8", "--threads", threads
        )
        assert ended.code == 0, ended.stderr
        names = ("phase_operations", "merges", "candidates", "recall", "precision")
        return [
            (line["metric"], line["labels"].get("phase"), line["values"])
            for line in ended.lines
            if line["metric"] in names
        ]

    assert counted("1") == counted("2")


def test_a_file_that_was_generated_gives_what_drawn_points_give(mafia, tmp_path):
    plan = ("--points", "20000", "--dimensions", "8", "--cluster-dimensions", "3", "--seed", "7")
    path = str(tmp_path / "points.txt")
    assert mafia("generate", "--data", path, *plan).code == 0
    drawn = mafia("cluster", *ONCE, *plan)
    read = mafia("cluster", *ONCE, "--data", path)
    for metric in ("merges", "recall", "precision", "planted_found"):
        assert read.values(metric) == drawn.values(metric)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("cluster", "--cluster-dimensions", "21"), "clusters of 21 dimensions in points of 20"),
        (("cluster", "--shared", "4"), "--shared must not be below 0 or exceed --cluster-dimensions"),
        (("cluster", "--shared", "2", "--clusters", "20", "--shift", "0.5"), "lower --shift"),
        (("cluster", "--points", "0"), "--points"),
        (("cluster", "--clusters", "9", "--dimensions", "2", "--cluster-dimensions", "2"), "do not fit"),
        (("generate",), "--data FILE"),
        (("cluster", "--data", "/nowhere"), "/nowhere cannot be read"),
        (("cluster", "--data", "/"), "/ cannot be read: Is a directory"),
        ((), "usage: mafia generate|cluster"),
    ],
)
def test_what_cannot_be_clustered_is_refused_in_one_line(mafia, options, message):
    ended = mafia(*options)
    assert ended.code == 2
    (line,) = ended.stderr.splitlines()
    assert message in line


def test_a_data_file_with_holes_is_refused_with_its_line(mafia, tmp_path):
    path = tmp_path / "points.txt"
    path.write_text("1 2 3\n4,,6\n")
    ended = mafia("cluster", "--data", str(path))
    assert ended.code == 2
    (line,) = ended.stderr.splitlines()
    assert f"{path}:2: 2 numbers, where the first point has 3" in line


@pytest.mark.parametrize("far", ["1e308", "1e303"])
def test_coordinates_too_far_apart_for_bins_are_refused_with_their_dimension(mafia, tmp_path, far):
    points = tmp_path / "points"
    points.write_text(f"1 {far}\n2 -{far}\n3 0\n")
    ended = mafia("cluster", "--data", str(points), *ONCE)
    assert ended.code == 2
    assert ended.stderr == (
        "mafia cluster: the coordinates of dimension 1 lie too far apart for numbers of double precision: "
        "scale them\n"
    )


@pytest.mark.parametrize(
    ("limit_kib", "words"),
    [(600_000, ("generate", "--points", "1000000000")), (70_000, ("cluster", "--bins", "10000000"))],
    ids=["at once", "in a parallel loop"],
)
def test_too_little_memory_is_told_in_one_line_with_the_cure(tmp_path, limit_kib, words):
    points = tmp_path / "points"
    points.write_text("1 1\n2 2\n3 3\n")
    mafia = str(built("plain", "bin/mafia"))
    limited = ["sh", "-c", f'ulimit -v {limit_kib}; exec "$@"', "sh", mafia, *words, "--data", str(points)]
    done = subprocess.run(
        limited, env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    line = r"mafia(?: \w+)?: there is not enough memory: ask for less, or spread it over more hosts\n"
    assert re.fullmatch(line, done.stderr)
