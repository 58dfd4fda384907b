"""Time to a right verdict: planted differences between two programs, beside hyperfine and pyperf.

``python benchmarks/verdict/bench.py`` with steelyard installed, a C compiler, and cargo or hyperfine. Each
tool at its defaults, then with as many runs as fit into ``--equal-time``. ``--sizes``, ``--differences``,
``--load`` and ``--tools`` choose; all of it takes about an hour a repeat.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

HERE = Path(__file__).parent
BUILT = HERE.parents[1] / "build" / "benchmarks"
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "runner")]

from neighbours import busy  # noqa: E402
from peer import find_hyperfine, version  # noqa: E402
from tools import Verdict, find_pyperf, hyperfine, pyperf, steelyard  # noqa: E402

DIFFERENCES = (0.0, 0.01, 0.02, 0.05, 0.2, 1.0, 7.0)
SIZES_MS = (1.0, 10.0, 100.0)
WRONG = 0.05
"""Most verdicts that may be wrong."""

Tool = Callable[[list[str], Path, int | None], Verdict]


def compiled(directory: Path) -> Path:
    """The program, which computes for as many rounds as it is told."""
    compiler = shutil.which("cc") or sys.exit("error: no C compiler\n\nhint: apt install gcc")
    program = directory / "spin"
    subprocess.run([compiler, "-O1", "-o", program, HERE / "spin.c"], check=True)
    return program


def rounds_per_ms(program: Path) -> float:
    """Rounds that take a millisecond of CPU, by the difference of two lengths; the least of five."""

    def cpu_s(rounds: int) -> float:
        before = os.times()
        subprocess.run([program, str(rounds)], check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        return after.children_user - before.children_user

    long, short = 400_000_000, 100_000_000
    return (long - short) / (1e3 * min(cpu_s(long) - cpu_s(short) for _ in range(5)))


def tools_of(names: list[str], metric: str) -> dict[str, Tool]:
    """The tools by name, set up where they are not there yet; the metric is Steelyard's alone."""
    result: dict[str, Tool] = {}
    if "steelyard" in names:
        result["steelyard"] = lambda commands, place, runs: steelyard(commands, place, runs, metric)
    if "hyperfine" in names:
        peer = find_hyperfine(BUILT / "hyperfine")
        print(version(peer))
        result["hyperfine"] = lambda commands, place, runs: hyperfine(peer, commands, place, runs)
    if "pyperf" in names:
        python = find_pyperf(BUILT / "pyperf")
        result["pyperf"] = lambda commands, place, runs: pyperf(python, commands, place, runs)
    return result


def judged(difference: float, verdict: Verdict) -> str:
    """``right``, ``wrong`` or ``open``; of equal programs, ``open`` is right."""
    if difference == 0.0:
        return "right" if verdict == "open" else "wrong"
    return {"slower": "right", "faster": "wrong", "open": "open"}[verdict]


def main() -> int:
    """Measure, print a table, judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--sizes", type=float, nargs="+", default=SIZES_MS, metavar="MS")
    parser.add_argument("--differences", type=float, nargs="+", default=DIFFERENCES)
    parser.add_argument("--load", choices=["quiet", "busy", "both"], default="both")
    parser.add_argument("--tools", default="steelyard,hyperfine,pyperf")
    parser.add_argument("--equal-time", type=float, default=6.0, metavar="S", help="0: only the defaults")
    parser.add_argument("--metric", default="wall_s", help="what Steelyard compares: wall_s, cpu_s")
    args = parser.parse_args()
    ways = tools_of(args.tools.split(","), args.metric)
    loads = ["quiet", "busy"] if args.load == "both" else [args.load]
    beyond = False
    print("| program | load | B takes | tool | runs | right | wrong | open | median time |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        program = compiled(directory)
        per_ms = rounds_per_ms(program)
        for load in loads:
            with busy() if load == "busy" else nullcontext():
                for size in args.sizes:
                    for difference in args.differences:
                        lengths = [round(size * per_ms * factor) for factor in (1.0, 1.0 + difference)]
                        commands = [f"{program} {length}" for length in lengths]
                        fitting = max(5, int(args.equal_time * 1e3 / (size * (2 + difference))))
                        for runs in (None, *([fitting] if args.equal_time else [])):
                            title = f"| {size:g} ms | {load} | {1 + difference:.3g} ×"
                            beyond |= cell(title, ways, commands, difference, runs, args.repeats, directory)
    print("beyond a limit" if beyond else "within the limits")
    return 1 if beyond else 0


def cell(
    title: str,
    ways: dict[str, Tool],
    commands: list[str],
    difference: float,
    runs: int | None,
    repeats: int,
    directory: Path,
) -> bool:
    """One cell of the table, in turns of the tools; whether Steelyard was wrong more often than it may be."""
    counts = {name: Counter[str]() for name in ways}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(repeats):
        for name in list(ways) if number % 2 == 0 else list(reversed(ways)):
            started = time.monotonic()
            counts[name][judged(difference, ways[name](commands, directory, runs))] += 1
            seconds[name].append(time.monotonic() - started)
    for name, count_of in counts.items():
        if seconds[name]:
            result = f"{count_of['right']} | {count_of['wrong']} | {count_of['open']}"
            took = f"{statistics.median(seconds[name]):.2f} s"
            print(f"{title} | {name} | {runs or 'default'} | {result} | {took} |", flush=True)
    ours = counts.get("steelyard", Counter())
    # So few repeats allow one by chance: two wrong of five have a probability of 2 % at a rate of 5 %.
    return ours["wrong"] > max(1, 2 * WRONG * repeats)


if __name__ == "__main__":
    sys.exit(main())
