"""How often Steelyard calls a program different from itself, beside the usual ways to measure.

``python benchmarks/null/bench.py [--quick]`` with steelyard installed and a C compiler on the PATH. 1,000
comparisons of 20 blocks of ``true`` with another process on one CPU all the time, and 200 of one program
under two random paths; about ten minutes on two CPUs. Prints the tables of its README. Exits with 1
where a rate is beyond its limit.
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from steelyard.core.units import format_duration
from steelyard.extensions.demo import SOURCES
from steelyard.extensions.null.layout import layouts
from steelyard.extensions.null.null import Make, make_itself, null
from steelyard.extensions.null.results import Kind, NullResult
from steelyard.extensions.null.words import WAYS, lines
from steelyard.lab.compare.compare import CompareRequest
from steelyard.report.text.line import plain

sys.path.insert(0, str(Path(__file__).parents[1]))

from neighbours import busy

ASKED: Final[dict[str, Any]] = {"blocks": 20, "rel_halfwidth": None, "max_time_s": math.inf}
ADDITIONS = 1_000_000
LEAST, MOST = 0.025, 0.07
"""What the rate at the 5 % level may be. A tool that keeps its level exactly is within in 999 of 1,000 times
that 1,000 comparisons are made; 200 comparisons of layouts have the upper limit only."""


def compile_stack_split(directory: Path) -> Path:
    """The demo's program whose time depends on where its stack begins."""
    compiler = shutil.which("cc") or sys.exit("error: no C compiler\n\nhint: apt install gcc")
    program = directory / "stack_split"
    source = Path(SOURCES, "stack_split.c")
    subprocess.run([compiler, "-std=c11", "-O2", "-DSLOTS=8", "-o", program, source], check=True)
    return program


def measure(
    kind: Kind, comparing: CompareRequest, make: Make, comparisons: int, directory: Path
) -> NullResult:
    """One null, with a line of progress now and then."""

    def tell(done: int, total: int, left_s: float | None) -> None:
        if done % 50 == 0:
            remaining = "" if left_s is None else f", {format_duration(left_s)} left"
            print(f"{kind}: {done}/{total} comparisons{remaining}", file=sys.stderr, flush=True)

    return null(
        kind, comparing, make, comparisons=comparisons, directory=directory / kind, keep=False, watch=tell
    )


def print_table(result: NullResult, took_s: float) -> None:
    """The result as text and as rows of Markdown."""
    print("\n" + plain(lines(result)))
    for tally in result.tallies:
        interval, share = tally.ci95, tally.share
        if interval is None or share is None:
            continue
        print(
            f"| {WAYS[tally.way]} | {tally.different} of {tally.comparisons} | {100 * share:.1f} %"
            f" | {100 * interval.low:.1f} to {100 * interval.high:.1f} % | {tally.largest_ratio:.2f} × |"
        )
    print(f"took {took_s:.0f} s; load average {os.getloadavg()[0]:.1f}", flush=True)


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the comparisons")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=["itself", "layout"])
    args = parser.parse_args()
    part = 10 if args.quick else 1
    fine = True
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        true = shutil.which("true") or sys.exit("error: no program 'true'")
        if args.only != "layout":
            comparing = CompareRequest(commands=(true,), **ASKED, seed=args.seed)
            started_s = time.monotonic()
            with busy():
                result = measure("itself", comparing, make_itself(comparing), 1000 // part, directory)
            print_table(result, time.monotonic() - started_s)
            share = result.tallies[0].share
            fine &= share is not None and LEAST <= share <= MOST
        if args.only != "itself":
            program = compile_stack_split(directory)
            command = f"{program} {ADDITIONS}"
            comparing = CompareRequest(commands=(command,), **ASKED, seed=args.seed)
            started_s = time.monotonic()
            result = measure("layout", comparing, layouts(comparing), 200 // part, directory)
            print_table(result, time.monotonic() - started_s)
            ours, one_context = result.tallies
            fine &= ours.share is not None and ours.share <= MOST
            fine &= one_context.largest_ratio is not None and one_context.largest_ratio > 2
    print("within the limits" if fine else "beyond a limit")
    # A tenth of the comparisons is too few to judge a rate by.
    return 0 if fine or args.quick else 1


if __name__ == "__main__":
    sys.exit(main())
