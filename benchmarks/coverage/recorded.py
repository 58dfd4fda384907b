"""Every door under noises that no rule was chosen on: series of six real programs, in their order in time.

``python benchmarks/coverage/recorded.py [--experiments N] [--seed S] [--only DOOR ...]``; about five minutes
for 40. ``recorded.csv`` has elapsed and CPU times of programs, run after run on a loaded machine
with two CPUs. An experiment takes a window of a series: neighbouring runs are a block, and a draw says which
of both is the base's. So both are the same program under the machine's own noise, with its likeness of
neighbours and its slow runs; head is then made slower by what the door's statement is about. Exits with 1
where a rate is above the stated one, beyond chance.

- ``compare``, ``verdict``: equal programs called different, at any look; 95 % CI that hold.
- ``margin``, ``gate``: head is slower by exactly the margin, and "slower"; by a tenth more, and "within".
- ``ratchet``: a change that gains exactly the margin wins, at 2.5 %.
- ``files``: an unchanged program, three files of a side from windows apart in time, called different.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from typing import Final

import numpy as np
from noises import samples
from scipy.stats import beta, binom

from steelyard.core.analysis import Analysis
from steelyard.core.arrays import Floats
from steelyard.core.look_schedule import Until, looks_from
from steelyard.extensions.gate.suite import BenchmarkEvidence, SideValues, judge, look_again
from steelyard.extensions.ratchet.gain import judge_gain
from steelyard.stats.compare.comparison import compare
from steelyard.stats.sequential.looks import Looks

SERIES: Final = Path(__file__).with_name("recorded.csv")
METRICS: Final = ("cpu_s", "wall_s")
MARGIN: Final = 0.05
BLOCKS: Final = 60
CONFIRMED: Final = 30
SESSIONS, RUNS = 3, 10
"""Files of a side, and runs of each."""

Series = Mapping[str, Floats]
Door = Callable[[np.random.Generator, Floats], tuple[bool, bool | None]]
"""Plays one experiment with a series: whether what it says is wrong, and whether its interval holds."""


def read_series() -> Series:
    """Logarithms of times in the order in which they were taken, by program and metric."""
    columns = defaultdict[str, list[float]](list)
    with SERIES.open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            for metric in METRICS:
                columns[f"{row['program']} {metric}"].append(math.log(float(row[metric])))
    return {name: np.array(values) for name, values in sorted(columns.items())}


def draw_pair(rng: np.random.Generator, series: Floats, blocks: int) -> tuple[Floats, Floats]:
    """Both sides of so many blocks: a window of the series, of which neighbours are a block."""
    blocks = min(blocks, series.size // 2)
    start = rng.integers(series.size - 2 * blocks + 1)
    window = rng.permuted(series[start : start + 2 * blocks].reshape(blocks, 2), axis=1)
    return window[:, 0], window[:, 1]


def list_looks(blocks: int, first: int, until: Until = "size") -> Iterator[Looks]:
    """Looks up to a last one, which time makes the last."""
    at = [*takewhile(lambda look: look < blocks, looks_from(first)), blocks]
    for place, look in enumerate(at, 1):
        yield Looks((*at[:place],), look if look == blocks else None, until)


def _look(
    base: Floats, head: Floats, declared: Analysis, until: Until, first: int
) -> tuple[str | None, bool]:
    for over in list_looks(base.size, first, until):
        n = over.blocks[-1]
        (compared,) = compare(samples(base[:n], head[:n]), declared, looks=over)
        if compared.verdict != "not_resolved":
            break
    ends, truth = compared.ci95, math.exp(-_gap(declared))
    return compared.verdict, ends is None or ends.low <= truth <= ends.high


def _gap(declared: Analysis) -> float:
    return 0.0 if declared.margin is None else math.log1p(declared.margin)


def _compare(until: Until, first: int) -> Door:
    def play(rng: np.random.Generator, series: Floats) -> tuple[bool, bool]:
        verdict, is_held = _look(*draw_pair(rng, series, BLOCKS), Analysis(), until, first)
        return verdict != "not_resolved", is_held

    return play


def _margin(rng: np.random.Generator, series: Floats) -> tuple[bool, bool]:
    base, head = draw_pair(rng, series, BLOCKS)
    verdict, is_held = _look(base, head + math.log1p(MARGIN), Analysis(margin=MARGIN), "size", 6)
    return verdict == "slower", is_held


def _gate(more: float, wrong: str) -> Door:
    def play(rng: np.random.Generator, series: Floats) -> tuple[bool, None]:
        base, head = draw_pair(rng, series, BLOCKS)
        values, evidence = SideValues(base, head + math.log1p(MARGIN * more)), BenchmarkEvidence()
        for over in list_looks(base.size, 6):
            evidence = look_again(evidence, values.take(over.blocks[-1]), over, MARGIN)
        return judge([evidence], 0.05)[0].decision == wrong, None

    return play


def _ratchet(rng: np.random.Generator, series: Floats) -> tuple[bool, bool]:
    base, head = draw_pair(rng, series, CONFIRMED)
    gain = judge_gain(*samples(base, head - math.log1p(MARGIN)), margin=MARGIN)
    return gain.is_win, gain.ci95 is None or gain.ci95.low <= 1 + MARGIN <= gain.ci95.high


def _files(rng: np.random.Generator, series: Floats) -> tuple[bool, bool]:
    starts = rng.permutation(np.linspace(0, series.size - RUNS, 2 * SESSIONS).astype(int))
    means = np.log([np.exp(series[start : start + RUNS]).mean() for start in starts])
    (compared,) = compare(samples(means[:SESSIONS], means[SESSIONS:]), Analysis(), order="sequential")
    ends = compared.ci95
    return compared.verdict != "not_resolved", ends is None or ends.low <= 1 <= ends.high


DOORS: Final[dict[str, tuple[Door, float]]] = {
    "compare": (_compare("size", 10), 0.05),
    "verdict": (_compare("verdict", 5), 0.05),
    "margin": (_margin, 0.031),
    "gate, slower": (_gate(1.0, "slower"), 0.031),
    "gate, within": (_gate(1.1, "equivalent"), 0.05),
    "ratchet": (_ratchet, 0.025),
    "files": (_files, 0.05),
}
"""Each with the rate that it states."""


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Doors under recorded noises")
    parser.add_argument("--experiments", type=int, default=40)
    parser.add_argument("--seed", type=int, default=593)
    parser.add_argument("--only", nargs="*", default=list(DOORS), choices=list(DOORS))
    options = parser.parse_args()
    series, failed = read_series(), False
    count = options.experiments * len(series)
    print(f"{options.experiments} experiments with each of {len(series)} series, seed {options.seed}")
    print("door: stated; measured (95 % CI), the worst series; 95 % CI holds, beside a verdict")
    for name in options.only:
        play, stated = DOORS[name]
        wrong, held, told = dict[str, int](), list[bool](), list[bool]()
        for place, (title, values) in enumerate(series.items()):
            rng = np.random.default_rng([options.seed, place])
            ends = [play(rng, values) for _ in range(options.experiments)]
            wrong[title] = sum(is_wrong for is_wrong, _ in ends)
            held += [is_held for _, is_held in ends if is_held is not None]
            told += [is_held for is_wrong, is_held in ends if is_wrong and is_held is not None]
        total, worst = sum(wrong.values()), max(wrong, key=wrong.__getitem__)
        low = beta.ppf(0.025, total, count - total + 1) if total else 0.0
        high = beta.ppf(0.975, total + 1, count - total)
        text = f"{name}: {100 * stated:g} %; {100 * total / count:.1f} % ({100 * low:.1f}"
        text += f" to {100 * high:.1f}), {worst} {wrong[worst]} of {options.experiments}"
        if held:
            text += f"; {100 * np.mean(held):.1f} %, {sum(told)} of {len(told)}"
        print(text, flush=True)
        failed |= total > binom.ppf(0.999, count, stated)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
