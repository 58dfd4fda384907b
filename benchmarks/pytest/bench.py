"""The plugin for pytest beside pyperf (overhead of a call) and pytest-benchmark (false "slower", and power).

``./dev bench pytest [--comparisons N] [--processes N] [--planted FRACTION]``: sessions of both plugins take
turns on one test; each new session is compared with those before it, as each tool does. Of two new sessions
one is of the same test, where "slower" is false, and one does a planted fraction more work, where it is true.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from steelyard.stats.compare.sessions import compare_sessions
from steelyard.stats.hypothesis.clopper_pearson import clopper_pearson
from steelyard.testing.session import means

KEPT = 5
"""Sessions that a new one is compared with."""
LIMIT = 0.06
OURS = """\
from steelyard.timing.loop import calibrated

loop = calibrated(lambda: None, 0.01)
print(min(loop.time() for _ in range(20)))
"""
PYPERF = "import pyperf\npyperf.Runner().bench_func('it', lambda: None)"
ROUNDS = 100
TEST = """\
import os
import random

NUMBERS = random.Random(1).sample(range(10**6), 50)


def sort_often(rounds):
    for _ in range(rounds):
        sorted(NUMBERS)


def test_sorted(FIXTURE):
    FIXTURE(sort_often, int(os.environ["ROUNDS"]))
"""
"""As many rounds as are asked for, so that five of a hundred more are 5 % more work."""


def called(*command: str, cwd: Path, rounds: int = ROUNDS) -> subprocess.CompletedProcess[str]:
    """A command that may fail by what it finds."""
    env = {**os.environ, "PYTEST_ADDOPTS": "", "ROUNDS": str(rounds)}
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


class Sessions:
    """Sessions of both plugins, in a directory each.

    Attributes
    ----------
    same, planted : dict of str to int
        How often each way called the same test slower, and one that does more work.
    """

    def __init__(self, place: Path) -> None:
        self.same, self.planted = dict.fromkeys(WAYS, 0), dict.fromkeys(WAYS, 0)
        self._ours, self._theirs = place / "ours", place / "theirs"
        for directory, fixture in ((self._ours, "steelyard"), (self._theirs, "benchmark")):
            directory.mkdir()
            (directory / "test_it.py").write_text(TEST.replace("FIXTURE", fixture))
            (directory / "pytest.ini").write_text("[pytest]\n")
        self._pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:hypothesispytest"]

    def keep(self) -> None:
        """One more session of the test as it is, with which later ones are compared."""
        self._session("main", ROUNDS)

    def compare(self, rounds: int) -> None:
        """A session with more rounds, and one of the test as it is, both against those before them."""
        for name, count, slower in (("planted", rounds, self.planted), ("main", ROUNDS, self.same)):
            old = [means(each) for each in self._kept("main")[-KEPT:]]
            said = self._session(name, count)
            new = means(self._kept(name)[-1])
            slower[WAYS[0]] += any(each.outcome == "slower" for each in compare_sessions(old, new))
            for way, metric in zip(WAYS[1:], ("mean", "median"), strict=True):
                slower[way] += f"Field '{metric}' has failed" in said

    def _kept(self, name: str) -> list[Path]:
        return sorted((self._ours / ".steelyard" / name).glob("*.lab"))

    def _session(self, name: str, rounds: int) -> str:
        """One of each plugin; what pytest-benchmark says. It compares with the last that it kept, and keeps
        those of ``main``.
        """
        ours = [*self._pytest, "-p", "no:benchmark", "--steelyard-save", name]
        called(*ours, cwd=self._ours, rounds=rounds)
        fails = ["--benchmark-compare-fail=mean:5%", "--benchmark-compare-fail=median:5%"]
        short = ["--benchmark-max-time=0.2", "--benchmark-min-rounds=5"]
        saved = any(self._theirs.glob(".benchmarks/*/*.json"))
        against = ["--benchmark-compare", *fails] if saved else []
        keep = ["--benchmark-autosave"] if name == "main" else []
        done = called(*self._pytest, *short, *against, *keep, cwd=self._theirs, rounds=rounds)
        return done.stdout + done.stderr


def main() -> int:
    """Measure, print, and say whether the limits are met."""
    parser = argparse.ArgumentParser(description=__doc__, prog="./dev bench pytest")
    parser.add_argument("--comparisons", type=int, default=200)
    parser.add_argument("--processes", type=int, default=15)
    parser.add_argument("--planted", type=float, default=0.05, metavar="FRACTION")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        ours, theirs = overhead(asked.processes, Path(directory))
        print(f"a call that does nothing: steelyard {ours * 1e9:.1f} ns, pyperf {theirs * 1e9:.1f} ns")
        found = Sessions(Path(directory))
        for _ in range(KEPT):
            found.keep()
        for _ in range(asked.comparisons):
            found.compare(round(ROUNDS * (1 + asked.planted)))
    print(f"called slower, of {asked.comparisons} sessions (95 %):")
    for what, counts in (("the same test", found.same), (f"{asked.planted:.0%} more work", found.planted)):
        for way, count in counts.items():
            its = clopper_pearson(count, asked.comparisons)
            share = count / asked.comparisons
            print(f"  {what}, {way}: {count} ({share:.1%}, {its.low:.1%} to {its.high:.1%})")
    met = ours <= theirs and found.same[WAYS[0]] <= LIMIT * asked.comparisons
    print("limits met" if met else "limits not met")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
