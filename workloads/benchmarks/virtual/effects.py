"""Effects of options in virtual time beside this machine: the ratio of two levels, there over here.

A rate that is off for a whole program divides out of a ratio of two runs; what is left is what the charges
do not know. Each row of a table is kept when it is measured, in a directory with the rates and networks that
belong to it, so that a run goes on where another has stopped.
"""

from __future__ import annotations

import csv
import json
import statistics
import subprocess
from pathlib import Path
from typing import Final, NamedTuple

from machine import CALIBRATED, alone_network, measured_network, real_s, virtual_s
from measuring import BUILDS, Timed

LIMIT: Final = 0.25
"""How far an effect in virtual time may be from the one of the machine."""
REPETITIONS: Final = 40
"""Of each source; the fastest counts, so that neither other programs nor the first use of memory do."""
OF_TWO: Final = 10
"""The same on two ranks, of which some meet with both CPUs to themselves."""
SPIN: Final = ("--idle", "spin")
"""How two ranks wait: one that gives up its CPU beside other work has it back after a time slice."""
BFS: Final = ("graph", "bfs", "--scale", "13", "--sources", "4")
TASKS: Final = (*BFS, "--blocking", "--stack-bytes", "8192", "--stack-pages", "huge")
EDGE_BY_EDGE: Final = (*TASKS, "--batch", "1", "--loop-threshold", "1")
"""A task and a delegate an edge."""
ACTIVE: Final = ("--active-tasks", "3072")
BUFFERED: Final = ("--buffer-bytes", "4096")
SSSP: Final = (
    *("graph", "sssp", "--generator", "rmat1", "--scale", "12", "--delta", "1", "--sources", "4"),
    "--no-filter",
)
UTS: Final = ("uts", "-t", "1", "-a", "3", "-b", "4", "-r", "19", "-d", "9")
TREE: Final = (*UTS, "--memory", "--active-tasks", "3072", "--stack-bytes", "8192", "--stack-pages", "huge")
AGED: Final = (*EDGE_BY_EDGE, *ACTIVE, *BUFFERED, "--no-flush-when-idle")


class Effect(NamedTuple):
    """Two command lines that differ in one option, and the study whose conclusions hang on it."""

    study: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    least_ranks: int = 1


def _sssp(order: str, preset: str, weight: int = 255) -> tuple[str, ...]:
    return (*SSSP, "--k", "2", "--order", order, "--runtime", preset, "--max-weight", str(weight))


def _sent(execution: str, order: str) -> tuple[str, ...]:
    """Every item is sent, to the rank itself too: the execution model is all that changes."""
    words = ("--own", "sent", "--buffer-bytes", "4096", "--execution", execution)
    return (*SSSP, "--k", "2", "--max-weight", "255", "--order", order, *words)


VARIANCE: Final = "value-of-variance"
GRAPPA: Final = "grappa"
EFFECTS: Final = {
    "HPX-5 over AM++, KLA": Effect(VARIANCE, _sssp("kla", "hpx-5"), _sssp("kla", "am++")),
    "HPX-5 over AM++, Δ = 1": Effect(VARIANCE, _sssp("delta", "hpx-5"), _sssp("delta", "am++")),
    "KLA over Δ = 1, AM++": Effect(VARIANCE, _sssp("kla", "am++"), _sssp("delta", "am++")),
    "KLA over Δ = 1, HPX-5": Effect(VARIANCE, _sssp("kla", "hpx-5"), _sssp("delta", "hpx-5")),
    "weights to 100 over 255, KLA": Effect(VARIANCE, _sssp("kla", "am++", 100), _sssp("kla", "am++")),
    "weights to 100 over 255, Δ = 1": Effect(VARIANCE, _sssp("delta", "am++", 100), _sssp("delta", "am++")),
    "coroutine over handler, KLA": Effect(VARIANCE, _sent("coroutine", "kla"), _sent("handler", "kla")),
    "fibre over handler, KLA": Effect(VARIANCE, _sent("fibre", "kla"), _sent("handler", "kla")),
    "k = 4 over 1": Effect(
        VARIANCE,
        (*SSSP, "--max-weight", "255", "--order", "kla", "--k", "4"),
        (*SSSP, "--max-weight", "255", "--order", "kla", "--k", "1"),
    ),
    "tasks over work items, BFS": Effect(GRAPPA, (*EDGE_BY_EDGE, *ACTIVE, *BUFFERED), (*BFS, *BUFFERED)),
    **{
        f"loop threshold {most} over 1": Effect(
            GRAPPA,
            (*TASKS, *ACTIVE, *BUFFERED, "--batch", "1", "--loop-threshold", str(most)),
            (*EDGE_BY_EDGE, *ACTIVE, *BUFFERED),
        )
        for most in (4, 32)
    },
    "a claim a delegate over 48": Effect(
        GRAPPA,
        (*EDGE_BY_EDGE, *ACTIVE, *BUFFERED),
        (*TASKS, *ACTIVE, *BUFFERED, "--batch", "48", "--loop-threshold", "1"),
    ),
    "64 active tasks over 3,072": Effect(
        GRAPPA,
        (*EDGE_BY_EDGE, *BUFFERED, "--active-tasks", "64"),
        (*EDGE_BY_EDGE, *BUFFERED, *ACTIVE),
        least_ranks=2,
    ),
    "tree in memory over none": Effect(GRAPPA, (*TREE, "--list-piece", "31"), UTS),
    "lists of 1 over 31": Effect(GRAPPA, (*TREE, "--list-piece", "1"), (*TREE, "--list-piece", "31")),
    "a node a steal over half": Effect(GRAPPA, (*UTS, "--steal-chunk", "1"), UTS, least_ranks=2),
    "a message an item over 4 KiB": Effect(
        GRAPPA,
        (*EDGE_BY_EDGE, *ACTIVE, "--buffer-bytes", "0"),
        (*EDGE_BY_EDGE, *ACTIVE, *BUFFERED),
        least_ranks=2,
    ),
    "flush age 200 µs over 50": Effect(
        GRAPPA,
        (*AGED, "--flush-age", "0.0002"),
        (*AGED, "--flush-age", "0.00005"),
        least_ranks=2,
    ),
}


class Row(NamedTuple):
    """One effect on so many ranks: its ratio here, and in virtual time by the source's rates and new ones."""

    name: str
    ranks: int
    real: float
    old: float
    ratio: float

    @property
    def factor(self) -> float:
        """The effect in virtual time over the one of the machine."""
        return self.ratio / self.real

    @property
    def is_held(self) -> bool:
        """Whether it is within the limit, whichever of the two is larger."""
        return max(self.factor, 1 / self.factor) <= 1 + LIMIT


def prepared(directory: Path, ranks: int, transport: str) -> tuple[Path, Path]:
    """The rates and the network of this machine, measured where there are none yet."""
    directory.mkdir(parents=True, exist_ok=True)
    rates = directory / "rates.json"
    if not rates.exists():
        calibrate = [str(BUILDS / "plain" / "bin" / "calibrate"), "--output", str(rates)]
        subprocess.run(calibrate, check=True, capture_output=True)
    if ranks == 1:
        return rates, alone_network(directory)
    network = directory / f"{transport}.json"
    return rates, network if network.exists() else measured_network(transport, directory, SPIN)


def measured_row(name: str, ranks: int, rounds: int, transport: str, directory: Path) -> Row:
    """Both levels by turns, ``rounds`` times; the fastest of each counts."""
    rates, network = prepared(directory, ranks, transport)
    timed = Timed(directory, by_cpu_time=True) if ranks == 1 else None
    effect = EFFECTS[name]
    levels = (effect.first, effect.second)
    again = ("--repetitions", str(REPETITIONS)) if ranks == 1 else ("--repetitions", str(OF_TWO), *SPIN)
    seconds = [[real_s(ranks, (*words, *again), transport, timed) for words in levels] for _ in range(rounds)]
    first_s, second_s = (min(column) for column in zip(*seconds, strict=True))

    def simulated(*words: str) -> float:
        words = (*CALIBRATED, *words)
        return virtual_s(network, ranks, *effect.first, *words) / virtual_s(
            network, ranks, *effect.second, *words
        )

    return Row(name, ranks, first_s / second_s, simulated(), simulated("--rates", str(rates)))


def show_row(row: Row) -> None:
    """Print one effect as a line of the table."""
    verdict = "" if row.is_held else f"  NOT within {LIMIT:.0%}"
    print(
        f"{row.name:<34} p = {row.ranks}  real {row.real:7.3f}  virtual {row.ratio:7.3f}"
        f" (rates of the source: {row.old:7.3f})  factor {row.factor:.2f}{verdict}",
        flush=True,
    )


def write_table(file: Path, rows: list[Row]) -> None:
    """Write the effects as the studies read them: virtual time by the rates that their kept runs have."""
    with file.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(["effect", "p", "real", "virtual", "virtual_by_version_3"])
        for row in rows:
            writer.writerow([row.name, row.ranks, *(f"{x:.4g}" for x in (row.real, row.old, row.ratio))])


def beside_machine_by_effects(
    rounds: int, counts: list[int], only: str, transport: str, directory: Path
) -> list[bool]:
    """Every effect whose name has ``only``, on so many ranks; rows that are kept are not measured again."""
    kept = directory / f"effects-{transport}.jsonl"
    lines = kept.read_text().splitlines() if kept.exists() else []
    rows = {(row.name, row.ranks): row for row in (Row(**json.loads(line)) for line in lines)}
    asked = [
        (name, ranks)
        for name, effect in EFFECTS.items()
        for ranks in counts
        if only in name and ranks >= effect.least_ranks
    ]
    for key in asked:
        if key not in rows:
            rows[key] = measured_row(*key, rounds, transport, directory)
            with kept.open("a") as file:
                file.write(json.dumps(rows[key]._asdict()) + "\n")
        show_row(rows[key])
    chosen = [rows[key] for key in asked]
    write_table(directory / f"effects-{transport}.csv", chosen)
    if chosen:
        spread = statistics.median(max(row.factor, 1 / row.factor) for row in chosen)
        count = sum(row.is_held for row in chosen)
        print(f"{count} of {len(chosen)} effects within {LIMIT:.0%}; off by {spread:.2f} × in the median")
    return [row.is_held for row in chosen]
