"""``studies/latency-hiding``: what is predicted follows from the spec alone, and ranks over real sockets obey
the bounds that no machine moves.
"""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

STUDY = Path(__file__).parents[2] / "studies" / "latency-hiding"
sys.path[:0] = [str(STUDY.parent), str(STUDY)]

import comparison  # noqa: E402
import predicted  # noqa: E402

from steelyard.api import load  # noqa: E402


def test_predictions_cover_the_treatments_of_the_spec_and_are_what_the_script_gives():
    with predicted.FILE.open(newline="", encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    assert rows == [*predicted.rows()]
    factors = {
        factor.name: [str(level) for level in factor.levels]
        for factor in load(STUDY / "sockets.toml").factors
    }
    for name, levels in factors.items():
        assert sorted({row[name] for row in rows}) == sorted(levels)
    assert len(rows) == len({tuple(row[name] for name in factors) for row in rows}) == 96


@pytest.mark.parametrize(
    ("p", "delay_s", "tasks", "age_s", "rate", "bound"),
    [
        (4, 0.01, 16, 0.004, 16 / 0.028, "latency"),
        (2, 0.01, 64, 0.004, 64 / 0.02, "latency"),
        (2, 0.002, 1024, 0.016, 1e6 / (64 + 2 * 74 / 64), "link"),
    ],
)
def test_a_rank_is_bound_by_its_tasks_or_by_its_link(p, delay_s, tasks, age_s, rate, bound):
    value, by = predicted.predict(p, delay_s, tasks, age_s)
    assert value == pytest.approx(rate, rel=1e-3)
    assert by == bound


def test_more_delay_takes_more_tasks_and_more_ranks_a_longer_age():
    def least_tasks(delay_s):
        most = predicted.predict(4, delay_s, 10**6, 0.004)[0]
        return next(n for n in range(1, 2000) if predicted.predict(4, delay_s, n, 0.004)[0] > 0.9 * most)

    assert least_tasks(0.002) < least_tasks(0.01)
    ages = [0.0001 * 1.2**i for i in range(40)]
    best = [max(ages, key=lambda age, p=p: predicted.predict(p, 0.01, 256, age)[0]) for p in (4, 8)]
    assert best[0] < best[1]


def test_a_share_of_close_predictions_has_a_verdict_by_its_exact_interval():
    def points(close, far):
        point = comparison.Point(2, 2.0, 16, 1.0, 100.0, 100.0, "link")
        return [point] * close + [point._replace(measured=200.0)] * far

    assert comparison.shares(points(20, 0)).verdict == "holds"
    assert comparison.shares(points(0, 20)).verdict == "fails"
    assert comparison.shares(points(10, 10)).verdict == "not resolved"


@pytest.fixture(scope="module")
def hide(tmp_path_factory):
    if shutil.which("cc") is None:
        pytest.skip("not found: cc")
    program = tmp_path_factory.mktemp("hide") / "hide"
    subprocess.run(["cc", "-std=gnu11", "-O2", STUDY / "hide.c", "-o", program], check=True)
    return program


def test_a_wrong_number_of_ranks_is_a_usage_error(hide):
    done = subprocess.run([hide, "1", "2", "4", "1", "8", "1"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: hide P DELAY_MS")


def test_ranks_in_namespaces_answer_no_more_than_their_delay_allows(hide, monkeypatch):
    monkeypatch.setenv("SPACES", f"test{os.getpid()}")
    if os.geteuid() != 0 or shutil.which("ip") is None or shutil.which("tc") is None:
        pytest.skip("network namespaces take root and iproute2")
    up = subprocess.run(
        [STUDY / "namespaces.sh", "up", "3", "8mbit"], capture_output=True, text=True, check=False
    )
    try:
        if up.returncode != 0:
            pytest.skip(f"no network namespaces here: {up.stderr.strip()}")
        done = subprocess.run(
            [hide, "3", "5", "8", "1", "64", "1"], capture_output=True, text=True, check=True
        )
    finally:
        subprocess.run([STUDY / "namespaces.sh", "down"], check=True)
    rate, items = (float(line.partition("=")[2]) for line in done.stdout.splitlines())
    # A round of its own may fit into the window at either end.
    assert 0 < rate <= 1.05 * 8 / 0.01
    assert items > 1
    gone = subprocess.run([hide, "3", "5", "8", "1", "64", "1"], capture_output=True, text=True, check=False)
    assert gone.returncode == 4
    assert "namespaces.sh up makes it" in gone.stderr
