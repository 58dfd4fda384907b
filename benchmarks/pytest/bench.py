"""The plugin for pytest beside pyperf (overhead of a call) and pytest-benchmark (false alarms, and power).

``./dev bench pytest [--comparisons N] [--processes N] [--planted FRACTION] [--results FILE]``: sessions of
both plugins take turns on one test, each as a gate that compares with sessions before it. Sessions of the
same test should not fail; those that do a planted fraction more work should.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from scipy.stats import binomtest

KEPT = 5
"""Sessions that a new one is compared with."""
MOST_FALSE = 0.05
"""Share of sessions of the same test that may fail."""
LEAST_FOUND = 0.95
"""Share of sessions with more work that must."""
OURS = """\
from steelyard.extensions.pytest.loop import calibrated

loop = calibrated(lambda: None, 0.01)
print(min(loop.time() for _ in range(20)))
"""
PYPERF = "import pyperf\npyperf.Runner().bench_func('it', lambda: None)"
ROUNDS = 100
TEST = """\
import random

NUMBERS = random.Random(1).sample(range(10**6), 50)


def sort_often(rounds):
    for _ in range(rounds):
        sorted(NUMBERS)


def test_sorted(FIXTURE):
    FIXTURE(sort_often, ROUNDS)
"""
"""As many rounds as are asked for, so that ten of a hundred more are 10 % more work."""


def called(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command that may fail by what it finds."""
    env = {**os.environ, "PYTEST_ADDOPTS": ""}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, encoding="utf-8", check=False)


def overhead(processes: int, place: Path) -> tuple[float, float]:
    """Medians over processes of the shortest time of a call that does nothing: ours, pyperf's."""
    (place / "peer.py").write_text(PYPERF)
    ours, theirs = [], []
    for i in range(processes):
        ours.append(float(called(sys.executable, "-c", OURS, cwd=place).stdout))
        file = place / f"{i}.json"
        options = ["-p", "1", "-n", "20", "-w", "1", "--min-time", "0.01", "-q", "-o", str(file)]
        called(sys.executable, "peer.py", *options, cwd=place)
        (benchmark,) = json.loads(file.read_text())["benchmarks"]
        theirs.append(min(value for run in benchmark["runs"] for value in run.get("values", ())))
    return median(ours), median(theirs)


WAYS = ("steelyard", "pytest-benchmark, mean:5%", "pytest-benchmark, median:5%")
SAME, PLANTED = "the same test", "more work"
Counts = dict[str, dict[str, int]]
"""By what was compared and how: the sessions that failed; and by ``sessions``, all of them."""


class Sessions:
    """Sessions of both plugins, in a repository each, whose commit has the test as it is."""

    def __init__(self, place: Path) -> None:
        self._ours, self._theirs = place / "ours", place / "theirs"
        for directory in (self._ours, self._theirs):
            directory.mkdir()
            (directory / "pytest.ini").write_text("[pytest]\n")
            (directory / ".gitignore").write_text("__pycache__\n")
        self._write(ROUNDS)
        identity = (
            "-c",
            "user.name=bench",
            "-c",
            "user.email=bench@example.org",
            "-c",
            "commit.gpgsign=false",
        )
        for words in (("init", "-q"), ("add", "-A"), (*identity, "commit", "-q", "-m", "the test")):
            subprocess.run(("git", *words), cwd=self._ours, check=True)
        self._pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:hypothesispytest"]
        for _ in range(KEPT):
            self._session("--steelyard-save", "main", keeps=True)

    def compare(self, rounds: int) -> dict[str, bool]:
        """A session with so many rounds, which is kept if it is of the test as it is and holds; whether each
        way failed it.
        """
        self._write(rounds)
        is_full = rounds == ROUNDS
        save = ("--steelyard-save", "main") if is_full else ()
        failed = self._session("--steelyard-compare", "main", *save, keeps=is_full)
        self._write(ROUNDS)
        for record in sorted(self._ours.glob(".steelyard/main/*.lab"))[:-KEPT]:
            shutil.rmtree(record)
        return failed

    def _write(self, rounds: int) -> None:
        for directory, fixture in ((self._ours, "steelyard"), (self._theirs, "benchmark")):
            text = TEST.replace("FIXTURE", fixture).replace("ROUNDS", str(rounds))
            (directory / "test_it.py").write_text(text)

    def _session(self, *options: str, keeps: bool) -> dict[str, bool]:
        """One of each plugin; pytest-benchmark compares with the last that it kept."""
        ours = called(*self._pytest, "-p", "no:benchmark", *options, cwd=self._ours)
        if ours.returncode not in (0, 1) or "not measured in turns" in ours.stdout:
            raise RuntimeError(ours.stdout + ours.stderr)
        fails = ["--benchmark-compare-fail=mean:5%", "--benchmark-compare-fail=median:5%"]
        short = ["--benchmark-max-time=0.2", "--benchmark-min-rounds=5"]
        saved = any(self._theirs.glob(".benchmarks/*/*.json"))
        against = ["--benchmark-compare", *fails] if saved else []
        keep = ["--benchmark-autosave"] if keeps else []
        theirs = called(*self._pytest, *short, *against, *keep, cwd=self._theirs)
        output = theirs.stdout + theirs.stderr
        failed = {WAYS[0]: ours.returncode == 1}
        for way, metric in zip(WAYS[1:], ("mean", "median"), strict=True):
            failed[way] = f"Field '{metric}' has failed" in output
        return failed


def counted(results: Path) -> Counts:
    """What the lines of a file of results say."""
    counts: Counts = {kind: dict.fromkeys((*WAYS, "sessions"), 0) for kind in (SAME, PLANTED)}
    for line in results.read_text().splitlines() if results.exists() else ():
        result = json.loads(line)
        counts[result["what"]]["sessions"] += 1
        for way in WAYS:
            counts[result["what"]][way] += result["failed"][way]
    return counts


def measure(results: Path, comparisons: int, rounds: int, place: Path) -> Counts:
    """Add sessions until there are as many as are asked for; each is on the disk when it has ended."""
    sessions: Sessions | None = None
    while (counts := counted(results))[PLANTED]["sessions"] < comparisons:
        sessions = sessions or Sessions(place)
        kind = SAME if counts[SAME]["sessions"] <= counts[PLANTED]["sessions"] else PLANTED
        failed = sessions.compare(ROUNDS if kind == SAME else rounds)
        line = {"what": kind, "failed": failed, "load_1min": os.getloadavg()[0]}
        with results.open("a") as file:
            file.write(json.dumps(line) + "\n")
    return counts


def main() -> int:
    """Measure, print, and say whether the limits are met."""
    parser = argparse.ArgumentParser(description=__doc__, prog="./dev bench pytest")
    parser.add_argument("--comparisons", type=int, default=200)
    parser.add_argument("--processes", type=int, default=15)
    parser.add_argument("--planted", type=float, default=0.1, metavar="FRACTION")
    parser.add_argument(
        "--results", type=Path, metavar="FILE", help="keep a line for each session here, and go on from there"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        ours, theirs = overhead(options.processes, place)
        print(f"a call that does nothing: steelyard {ours * 1e9:.1f} ns, pyperf {theirs * 1e9:.1f} ns")
        rounds = round(ROUNDS * (1 + options.planted))
        counts = measure(options.results or place / "results", options.comparisons, rounds, place)
    print("sessions that failed (95 %):")
    for kind, name in ((SAME, SAME), (PLANTED, f"{options.planted:.0%} more work")):
        sessions = counts[kind]["sessions"]
        for way in WAYS:
            count = counts[kind][way]
            interval = binomtest(count, sessions).proportion_ci(method="exact")
            share = f"{count / sessions:.1%}, {interval.low:.1%} to {interval.high:.1%}"
            print(f"  {name}, {way}: {count} of {sessions} ({share})")
    unchanged, planted = counts[SAME], counts[PLANTED]
    met = (
        ours <= theirs
        and unchanged[WAYS[0]] <= MOST_FALSE * unchanged["sessions"]
        and planted[WAYS[0]] >= LEAST_FOUND * planted["sessions"]
    )
    print("limits met" if met else "limits not met")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
