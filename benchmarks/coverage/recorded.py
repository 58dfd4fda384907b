"""Every door under noises that no rule was chosen on: series of six real programs, in their order in time.

``python benchmarks/coverage/recorded.py [--experiments N] [--seed S] [--only DOOR ...]``; about five minutes
for 40. ``recorded.csv`` has elapsed and CPU times of programs, run after run on a loaded machine
with two CPUs. An experiment takes a window of a series: neighbouring runs are a block, and a draw says which
of both is the base's. So both are the same program under the machine's own noise, with its likeness of
neighbours and its slow runs; head is then made slower by what the door's statement is about. Exits with 1
where a rate is above the stated one, beyond chance.

- ``compare``, ``verdict``: equal programs called different, at any look; 95 % CI that hold.
- ``changes``: as large as the noise (Laplace); the wrong direction is said, 95 % CI beside a verdict.
- ``margin``, ``gate``: head is slower by exactly the margin, and "slower"; by a tenth more, and "within".
- ``ratchet``: a change that gains exactly the margin wins, at 2.5 %.
- ``files``: an unchanged program, three files of a side from windows apart in time, called different.
- ``merge``: equal programs, five machines, each a fifth of the series, 20 blocks of each at most.
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
from typing import Final, NamedTuple

import numpy as np
from machines import pair
from noises import samples
from scipy.stats import beta, binom

from steelyard.core.analysis import Analysis
from steelyard.core.arrays import Floats
from steelyard.core.look_schedule import Until, looks_from
from steelyard.extensions.gate.suite import BenchmarkEvidence, SideValues, judge, look_again
from steelyard.extensions.ratchet.gain import judge_gain
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.comparison import compare
from steelyard.stats.contexts.across import compare_across_contexts
from steelyard.stats.sequential.looks import Looks

SERIES: Final = Path(__file__).with_name("recorded.csv")
METRICS: Final = ("cpu_s", "wall_s")
MARGIN: Final = 0.05
BLOCKS: Final = 60
CONFIRMED: Final = 30
SESSIONS, RUNS = 3, 10
"""Files of a side, and runs of each."""
MACHINES: Final = 5

Series = Mapping[str, Floats]


class Ending(NamedTuple):
    """Whether what is said is wrong, or something is said at all; and whether the interval holds."""

    is_wrong: bool
    is_told: bool = False
    is_held: bool | None = None


Door = Callable[[np.random.Generator, Floats], Ending]
"""Plays one experiment with a series."""


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
    base: Floats, head: Floats, declared: Analysis, first: int, gap: float, until: Until = "size"
) -> tuple[str | None, bool]:
    for over in list_looks(base.size, first, until):
        n = over.blocks[-1]
        (compared,) = compare(samples(base[:n], head[:n] + gap), declared, looks=over)
        if compared.verdict != "not_resolved":
            break
    ends = compared.ci95
    return compared.verdict, ends is None or ends.low <= math.exp(-gap) <= ends.high


def _compare(until: Until, first: int) -> Door:
    def play(rng: np.random.Generator, series: Floats) -> Ending:
        verdict, is_held = _look(*draw_pair(rng, series, BLOCKS), Analysis(), first, 0.0, until)
        return Ending(verdict != "not_resolved", is_held=is_held)

    return play


def _change(rng: np.random.Generator, series: Floats) -> Ending:
    # As large as the noise, so that about half of the changes are found.
    gap = rng.laplace(0, float(np.std(series)))
    verdict, is_held = _look(*draw_pair(rng, series, BLOCKS), Analysis(), 10, gap)
    is_told = verdict != "not_resolved"
    return Ending(is_told and (verdict == "slower") != (gap > 0), is_told, is_held)


def _margin(rng: np.random.Generator, series: Floats) -> Ending:
    declared = Analysis(margin=MARGIN)
    verdict, is_held = _look(*draw_pair(rng, series, BLOCKS), declared, 6, math.log1p(MARGIN))
    return Ending(verdict == "slower", is_held=is_held)


def _gate(more: float, wrong: str) -> Door:
    def play(rng: np.random.Generator, series: Floats) -> Ending:
        base, head = draw_pair(rng, series, BLOCKS)
        values, evidence = SideValues(base, head + math.log1p(MARGIN * more)), BenchmarkEvidence()
        for over in list_looks(base.size, 6):
            evidence = look_again(evidence, values.take(over.blocks[-1]), over, MARGIN)
        return Ending(judge([evidence], 0.05)[0].decision == wrong)

    return play


def _ratchet(rng: np.random.Generator, series: Floats) -> Ending:
    base, head = draw_pair(rng, series, CONFIRMED)
    gain = judge_gain(*samples(base, head - math.log1p(MARGIN)), margin=MARGIN)
    is_held = gain.ci95 is None or gain.ci95.low <= 1 + MARGIN <= gain.ci95.high
    return Ending(gain.is_win, is_held=is_held)


def _files(rng: np.random.Generator, series: Floats) -> Ending:
    starts = rng.permutation(np.linspace(0, series.size - RUNS, 2 * SESSIONS).astype(int))
    means = np.log([np.exp(series[start : start + RUNS]).mean() for start in starts])
    (compared,) = compare(samples(means[:SESSIONS], means[SESSIONS:]), Analysis(), order="sequential")
    ends = compared.ci95
    is_held = ends is None or ends.low <= 1 <= ends.high
    return Ending(compared.verdict != "not_resolved", is_held=is_held)


def _merge(rng: np.random.Generator, series: Floats) -> Ending:
    blocks = min(20, series.size // (2 * MACHINES))
    parts = np.array_split(series, MACHINES)
    pairs = [draw_pair(rng, part, blocks) for part in parts]
    logs = np.concatenate([base - head for base, head in pairs])
    across = compare_across_contexts(
        *pair(logs, np.repeat(np.arange(1.0, MACHINES + 1), blocks).astype(np.float64))
    )
    if isinstance(across, Undefined) or across.interval is None:
        return Ending(is_wrong=False)
    is_wrong = across.interval.excludes(1)
    return Ending(is_wrong, is_held=not is_wrong)


DOORS: Final[dict[str, tuple[Door, float]]] = {
    "compare": (_compare("size", 10), 0.05),
    "verdict": (_compare("verdict", 5), 0.05),
    "changes": (_change, 0.025),
    "margin": (_margin, 0.031),
    "gate, slower": (_gate(1.0, "slower"), 0.031),
    "gate, within": (_gate(1.1, "equivalent"), 0.05),
    "ratchet": (_ratchet, 0.025),
    "files": (_files, 0.05),
    "merge": (_merge, 0.05),
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
    print("door: stated; measured (95 % CI), the worst series; how often the 95 % CI holds")
    for name in options.only:
        play, stated = DOORS[name]
        wrong, ends = dict[str, int](), list[Ending]()
        for place, (title, values) in enumerate(series.items()):
            rng = np.random.default_rng([options.seed, place])
            played = [play(rng, values) for _ in range(options.experiments)]
            wrong[title] = sum(ending.is_wrong for ending in played)
            ends += played
        total, worst = sum(wrong.values()), max(wrong, key=wrong.__getitem__)
        low = beta.ppf(0.025, total, count - total + 1) if total else 0.0
        high = beta.ppf(0.975, total + 1, count - total)
        text = f"{name}: {100 * stated:g} %; {100 * total / count:.1f} % ({100 * low:.1f}"
        text += f" to {100 * high:.1f}), {worst} {wrong[worst]} of {options.experiments}"
        if held := [ending.is_held for ending in ends if ending.is_held is not None]:
            text += f"; {100 * np.mean(held):.1f} %"
        if beside := [ending.is_held for ending in ends if ending.is_told]:
            text += f", beside a verdict {sum(map(bool, beside))} of {len(beside)}"
        print(text, flush=True)
        failed |= total > binom.ppf(0.999, count, stated)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
