"""Functions that differ by a planted 1 %: found within a second? Equal ones: called different?

``./dev bench measure [--repeats N] [--pyperf N] [--tango N]``: each measurement in a process of its own.
Limits: a difference of 1 % is found within 1 s in nine of ten measurements (what tango-bench promises of
itself), and at most 5 % of equal functions are called different, or two of so few repeats. tango-bench
compares functions of Rust: it is built by cargo, with loops of the same lengths, and left out without cargo.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "verdict"))

from tools import Verdict, welch

HERE = Path(__file__).parent
STEPS = {"10 µs": 400, "100 µs": 4_000, "500 µs": 20_000}
"""Steps of a loop that take about so long."""
PLANTED = (0.01, 0.0)
WITHIN_S = 1.0
FOUND = 0.9
FALSE = 0.05
OURS = """\
import sys
from steelyard import measure

def work(steps):
    for _ in range(steps):
        pass

first, second = (int(each) for each in sys.argv[1:])
found = measure(lambda: work(first), lambda: work(second), max_time={within})
print(found.value.comparisons[0].verdict)
"""
THEIRS = "for _ in range({steps}):\n    pass"

Measured = Callable[["Case", Path], Verdict]


class Case(NamedTuple):
    """Two loops of about ``size``, of which the second has ``planted`` more steps."""

    size: str
    planted: float

    @property
    def steps(self) -> tuple[int, int]:
        """In Python."""
        return STEPS[self.size], round(STEPS[self.size] * (1 + self.planted))


def ours(case: Case, place: Path) -> Verdict:
    """``steelyard.measure`` for at most a second."""
    script = OURS.format(within=WITHIN_S)
    words = [sys.executable, "-c", script, *map(str, case.steps)]
    result = subprocess.run(
        words, cwd=place, check=True, capture_output=True, encoding="utf-8"
    ).stdout.strip()
    return "faster" if result == "faster" else "slower" if result == "slower" else "open"


def pyperf(case: Case, place: Path) -> Verdict:
    """``pyperf timeit --fast`` of each, and its t test of their values."""
    values = []
    for number, item in enumerate(case.steps):
        file = place / f"{number}.json"
        file.unlink(missing_ok=True)
        words = ["-m", "pyperf", "timeit", "--fast", "-q", "-o", str(file), THEIRS.format(steps=item)]
        subprocess.run([sys.executable, *words], cwd=place, check=True, capture_output=True)
        runs = json.loads(file.read_text())["benchmarks"][0]["runs"]
        values.append([value for run in runs for value in run.get("values", ())])
    return welch(*values)


def tango(programs: Mapping[float, Path], case: Case, place: Path) -> Verdict:
    """``compare`` of two programs for a second; its star is its verdict, and no difference is too small."""
    options = ["--time", str(WITHIN_S), "--noise-threshold", "0", "--filter", case.size]
    words = [str(programs[case.planted]), "compare", str(programs[0.0]), *options]
    # 1: something became slower.
    done = subprocess.run(words, cwd=place, check=False, capture_output=True, encoding="utf-8")
    change = done.stdout.split()[-1]
    return "open" if not change.endswith("*") else "slower" if change.startswith("+") else "faster"


def build_tango(planted: float) -> Path:
    """The program whose loops are so much longer, built by cargo at its first use (a minute)."""
    percent = str(round(100 * planted))
    target = HERE.parents[1] / "build" / "benchmarks" / f"tango-{percent}"
    env = {**os.environ, "PLANTED_PERCENT": percent, "CARGO_TARGET_DIR": str(target)}
    words = ["cargo", "bench", "--locked", "--no-run", "--quiet", "--message-format", "json"]
    done = subprocess.run(
        words, cwd=HERE / "tango", env=env, check=True, stdout=subprocess.PIPE, encoding="utf-8"
    )
    built = (json.loads(line) for line in done.stdout.splitlines())
    [program] = [
        Path(item["executable"])
        for item in built
        if item.get("executable") and item["target"]["name"] == "loops"
    ]
    return program


def repeated(
    measured: Measured, case: Case, place: Path, repeats: int
) -> tuple[Counter[Verdict], list[float]]:
    """Verdicts of so many measurements, and the seconds of each."""
    counts, seconds = Counter[Verdict](), []
    for _ in range(repeats):
        started = time.monotonic()
        counts[measured(case, place)] += 1
        seconds.append(time.monotonic() - started)
    return counts, seconds


def beyond_a_limit(counts: Counter[Verdict], repeats: int, planted: float) -> bool:
    """Whether too many verdicts are wrong, or too few find what was planted."""
    wrong = counts["faster"] if planted else repeats - counts["open"]
    return wrong > max(2, FALSE * repeats) or (planted > 0 and counts["slower"] < FOUND * repeats)


def main() -> int:
    """Measure, print a table, judge."""
    parser = argparse.ArgumentParser(description=__doc__, prog="./dev bench measure")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--pyperf", type=int, default=3, metavar="N", help="repeats of pyperf")
    parser.add_argument("--tango", type=int, default=20, metavar="N", help="repeats of tango-bench")
    args = parser.parse_args()
    tools: list[tuple[str, Measured, int]] = [
        ("steelyard", ours, args.repeats),
        ("pyperf", pyperf, args.pyperf),
    ]
    if args.tango and shutil.which("cargo"):
        programs = {planted: build_tango(planted) for planted in PLANTED}
        tools.append(("tango-bench", partial(tango, programs), args.tango))
    beyond = False
    print("| function | planted | tool | slower | faster | open | median time of it all |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        for size, planted, (tool, measured, repeats) in itertools.product(STEPS, PLANTED, tools):
            counts, seconds = repeated(measured, Case(size, planted), Path(name), repeats)
            if not seconds:
                continue
            columns = f"{counts['slower']} | {counts['faster']} | {counts['open']}"
            took = f"{statistics.median(seconds):.2f} s"
            print(f"| {size} | {planted:.0%} | {tool} | {columns} | {took} |", flush=True)
            beyond |= tool == "steelyard" and beyond_a_limit(counts, repeats, planted)
    print("beyond a limit" if beyond else "within the limits")
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
