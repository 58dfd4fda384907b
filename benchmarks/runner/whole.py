"""Whole commands: ``steelyard run`` of many trials beside hyperfine, and what starting up adds."""

from __future__ import annotations

import shutil
import sqlite3
import statistics
import sys
from contextlib import closing
from functools import partial
from pathlib import Path

from peer import find_hyperfine, version
from process_cost import STEELYARD, Costs, alternate, run

TRIALS = 10_000
LONGER = 4
HYPERFINE_AT = Path(__file__).parents[2] / "build" / "benchmarks" / "hyperfine"


def ask(record: Path, question: str) -> int:
    """The one number that answers a question to a record."""
    with closing(sqlite3.connect(record / "record.sqlite")) as connection:
        return int(connection.execute(question).fetchone()[0])


def run_whole(program: Path, trials: int, directory: Path) -> tuple[float, float]:
    """A new record of so many trials, each captured, journalled, stored, and all analysed at the end."""
    record, spec = directory / "whole.lab", directory / "whole.toml"
    shutil.rmtree(record, ignore_errors=True)
    design = f"[design]\nblocks = {trials}\ndiscard = 0\nseed = 1\n"
    spec.write_text(f'name = "whole"\n[program]\ncommand = ["{program}"]\n{design}')
    costs = run([*STEELYARD, "run", spec, "--output", record])
    stored = ask(record, "SELECT count(*) FROM trial WHERE status = 'ok'")
    if stored != trials:
        sys.exit(f"error: the record has {stored} good trials of {trials}")
    return costs


def run_hyperfine(hyperfine: Path, program: Path, trials: int) -> tuple[float, float]:
    """The same number of runs of the same program, without shell and warm-up."""
    options = ["-N", "--warmup", "0", "--output", "null", "--style", "basic", "--runs", trials]
    return run([hyperfine, *options, program])


def report_runs(title: str, trials: int, costs: dict[str, Costs], longer: dict[str, Costs]) -> None:
    """One table; the ratios are of medians, and of every round. What starting and ending take is in the short
    commands and cancels in the difference to those of ``LONGER`` times as many runs.
    """
    print(f"\n{title}")
    further_us = {}
    for name, cost in costs.items():
        further_s = longer[name].median_wall_s - cost.median_wall_s
        further_us[name] = further_s / (LONGER - 1) / trials * 1e6
        rate = f"{trials / cost.median_wall_s:6.0f} runs/s"
        cpu = f"{cost.median_cpu_s / trials * 1e6:4.0f} us of CPU a run, children included"
        print(f"  {name:<13} {rate}   {cpu}   each further run {further_us[name]:4.0f} us")
    ours, peer = costs["steelyard run"], costs["hyperfine -N"]
    rounds = [theirs / ours_s for theirs, ours_s in zip(peer.wall_s, ours.wall_s, strict=True)]
    print(
        f"  steelyard / hyperfine: runs a second {peer.median_wall_s / ours.median_wall_s:.2f}"
        f" (rounds {min(rounds):.2f} to {max(rounds):.2f}), CPU {ours.median_cpu_s / peer.median_cpu_s:.2f};"
        f" further runs a second {further_us['hyperfine -N'] / further_us['steelyard run']:.2f}"
    )


def measure_runs(empty: Path, directory: Path, *, rounds: int, trials: int) -> None:
    """Both programs, in turn with hyperfine, and ``LONGER`` times as often."""
    hyperfine = find_hyperfine(HYPERFINE_AT)
    # Once unmeasured: modules that nobody used for a while come from the disk, which takes 0.6 s.
    run_whole(empty, trials // 10, directory)
    run_hyperfine(hyperfine, empty, trials // 10)
    for program in (Path("/bin/true"), empty):
        short, longer = (
            alternate(
                {
                    "steelyard run": partial(run_whole, program, runs, directory),
                    "hyperfine -N": partial(run_hyperfine, hyperfine, program, runs),
                },
                rounds,
            )
            for runs in (trials, LONGER * trials)
        )
        title = f"{program.name}, whole command, {rounds} x {trials} runs, {version(hyperfine)}"
        report_runs(title, trials, short, longer)


def compare_sleeps(directory: Path, added_s: list[float]) -> tuple[float, float]:
    """Ten comparisons of a program that sleeps; notes what the command took beyond its trials."""
    record = directory / "sleeps.lab"
    shutil.rmtree(record, ignore_errors=True)
    wall_s, cpu_s = run([*STEELYARD, "compare", "-r", "10", "sleep 0.1", "sleep 0.1", "--output", record])
    added_s.append(wall_s - ask(record, "SELECT sum(wall_ns) FROM trial") / 1e9)
    return wall_s, cpu_s


def measure_start_up(directory: Path, *, rounds: int) -> None:
    """``--help`` beside ``python -c pass``, and what ``compare`` adds to its trials."""
    ways = {
        "python -c pass": lambda: run([sys.executable, "-c", "pass"]),
        "steelyard --help": lambda: run([*STEELYARD, "--help"]),
    }
    costs = alternate(ways, 10 * rounds)
    print(f"\nstart, {10 * rounds} rounds")
    for name, cost in costs.items():
        print(
            f"  {name:<17} {cost.median_cpu_s * 1e3:6.1f} ms of CPU,"
            f" {cost.median_wall_s * 1e3:6.1f} ms elapsed"
        )
    bound_s = 1.5 * costs["python -c pass"].median_cpu_s + 0.06
    print(f"  1.5 x python -c pass + 60 ms = {bound_s * 1e3:.1f} ms")
    added_s: list[float] = []
    cpu_s = [compare_sleeps(directory, added_s)[1] for _ in range(rounds)]
    print(
        f"  compare -r 10 'sleep 0.1' 'sleep 0.1' adds {statistics.median(added_s):.2f} s to its trials"
        f" ({min(added_s):.2f} to {max(added_s):.2f}); {statistics.median(cpu_s):.2f} s of CPU in all"
    )
