"""How near the runner comes to a bare vfork + execve + wait4 loop, and ``steelyard run`` to hyperfine.

``python benchmarks/runner/bench.py [--quick]`` with steelyard installed, a C compiler on the PATH, and cargo
or hyperfine. Whatever is compared takes turns.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from whole import TRIALS, measure_runs, measure_start_up

from steelyard import __version__
from steelyard.run.host import host_facts
from steelyard.run.launch.launch import Launch
from steelyard.run.runner.journal import read_journal
from steelyard.run.runner.runner import BlockEnd, Runner, TrialOrder

HERE = Path(__file__).parent
PARTS = ("loop", "whole", "start")
ROUNDS = 10
RUNS = 2_000
WHOLE_ROUNDS = 9


@dataclass
class Times:
    """Wall times of one way to start one program, and how long all of its runs took from outside."""

    wall_ns: list[int] = field(default_factory=list)
    total_s: float = 0.0

    @property
    def median_us(self) -> float:
        """Microseconds."""
        return statistics.median(self.wall_ns) / 1e3

    @property
    def iqr_us(self) -> float:
        """Interquartile range, microseconds."""
        quartiles = statistics.quantiles(self.wall_ns, n=4)
        return (quartiles[2] - quartiles[0]) / 1e3

    @property
    def per_second(self) -> float:
        """Runs a second, all bookkeeping included."""
        return len(self.wall_ns) / self.total_s


def compile_programs(directory: Path) -> tuple[Path, Path]:
    """Build the loop and the empty program."""
    compiler = shutil.which("cc") or sys.exit("error: no C compiler\n\nhint: apt install gcc")
    loop, empty = directory / "bare_loop", directory / "empty"
    subprocess.run([compiler, "-O2", "-o", loop, HERE / "bare_loop.c"], check=True)
    subprocess.run([compiler, "-O2", "-nostdlib", "-static", "-o", empty, HERE / "empty.c"], check=True)
    return loop, empty


def run_bare(loop: Path, program: Path, runs: int) -> list[int]:
    """Wall times of the bare loop."""
    done = subprocess.run([loop, str(runs), program], check=True, capture_output=True, text=True, env={})
    return [int(line) for line in done.stdout.split()]


def run_ours(program: Path, runs: int, directory: Path) -> list[int]:
    """Wall times of the runner, every run captured and journalled before the next."""
    journal = directory / "journal"
    journal.unlink(missing_ok=True)
    with Runner(journal) as runner:
        launch = runner.define(Launch(str(program), (str(program),), (), "/"))
        runner.run([*(TrialOrder(number, launch) for number in range(1, runs + 1)), BlockEnd()])
    return [trial.wall_ns for trial in read_journal(journal)[0]]


@contextmanager
def pinned(cpus: set[int]) -> Iterator[None]:
    """Everything that is started inside runs on these CPUs."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    yield
    os.sched_setaffinity(0, before)


def alternate(ways: dict[str, Callable[[], list[int]]], rounds: int) -> dict[str, Times]:
    """Each way once a round, in turn, the order reversed every other round."""
    times = {name: Times() for name in ways}
    for number in range(rounds):
        names = list(ways) if number % 2 == 0 else list(reversed(ways))
        for name in names:
            start_s = time.perf_counter()
            times[name].wall_ns += ways[name]()
            times[name].total_s += time.perf_counter() - start_s
    return times


def report(title: str, times: dict[str, Times]) -> None:
    """One table."""
    bare, ours = times["bare loop"], times["runner"]
    print(f"\n{title}")
    for name, seconds in times.items():
        spread = f"median {seconds.median_us:8.1f} us   IQR {seconds.iqr_us:7.1f} us"
        print(f"  {name:<10} {spread}   {seconds.per_second:8.0f} runs/s")
    print(
        f"  runner / bare loop: median {ours.median_us / bare.median_us:.3f} "
        f"(difference {ours.median_us - bare.median_us:+.1f} us), IQR {ours.iqr_us / bare.iqr_us:.2f}"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the runs")
    parser.add_argument("--only", choices=PARTS, help="one part: the bare loop, whole commands, starting up")
    parser.add_argument("--trials", type=int, default=TRIALS, metavar="N", help="runs of a whole command")
    options = parser.parse_args()
    quick, parts = options.quick, (options.only,) if options.only else PARTS
    share = 10 if quick else 1
    runs = RUNS // share
    cpus = os.sched_getaffinity(0)
    print(
        f"{os.cpu_count()} CPUs ({host_facts().get('cpu_model')}), Linux {os.uname().release},"
        f" Python {platform.python_version()}, steelyard {__version__}, {time.strftime('%Y-%m-%d %H:%M')},"
        f" load average {os.getloadavg()[0]:.1f}"
    )
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        loop, empty = compile_programs(directory)
        for program in (empty, Path("/bin/true")) if "loop" in parts else ():
            ways: dict[str, Callable[[], list[int]]] = {
                "bare loop": partial(run_bare, loop, program, runs),
                "runner": partial(run_ours, program, runs, directory),
            }
            for place, allowed in ((f"pinned to CPU {max(cpus)}", {max(cpus)}), ("not pinned", cpus)):
                with pinned(allowed):
                    report(f"{program.name}, {place}, {ROUNDS} x {runs} runs", alternate(ways, ROUNDS))
        if "whole" in parts:
            rounds = 3 if quick else WHOLE_ROUNDS
            measure_runs(empty, directory, rounds=rounds, trials=options.trials // share)
        if "start" in parts:
            measure_start_up(directory, rounds=2 if quick else WHOLE_ROUNDS)
    print(f"\nload average at the end {os.getloadavg()[0]:.1f}; above 1 other work has disturbed the figures")


if __name__ == "__main__":
    main()
