"""Ledgers of made-up changes whose builds differ: does a lucky build win, and what does a total hold?

``./dev bench ratchet [--ledgers N] [--seed N] [--only PART]``; about half an hour for 60 ledgers. 200 changes
each, blocks vary by 0.5 %, builds of one source by 0 to 2 %. The part ``slow`` confirms changes of which some
runs are slow, 5 times as many as ledgers; a minute. Exits with 1 where more ledgers have a false win than
promised, or changes that slow runs up to twice as long make no faster win in more than 5 %.
"""

from __future__ import annotations

import argparse
import math
import sys
from array import array
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import BUILTIN
from steelyard.extensions.ratchet.builds import estimate_spread
from steelyard.extensions.ratchet.gain import Gain, count_runs_to_show, judge_gain
from steelyard.extensions.ratchet.online_fdr import level
from steelyard.extensions.ratchet.ratchet import CONFIRMING, PROMISING
from steelyard.extensions.ratchet.results import Attempt
from steelyard.extensions.repository.joining import join_samples

ERROR, MARGIN, LOOK, NOISE, SHARED = 0.05, 0.01, 10, 0.005, 0.02
TRIES = 200


class Build(NamedTuple):
    """Logarithms of the speed of a source, and of what its build adds."""

    source: float
    luck: float


class Ending(NamedTuple):
    """A ledger's wins, those of nothing, and whether its total, if any, holds the gain of the source."""

    wins: int
    false: int
    held: bool | None


def make_samples(before: npt.NDArray[np.float64], after: npt.NDArray[np.float64]) -> list[Sample]:
    """Samples of the best and of a change, by the logarithms of their times, block by block."""
    blocks = before.size
    ids, ones, none = array("q", range(1, blocks + 1)), array("q", [1] * blocks), array("q", [0] * blocks)
    return [
        Sample(
            BUILTIN["wall_s"],
            Treatment(place, name, {"tree": name}),
            array("d", np.exp(logs)),
            *(ids, ones, none, ids),
        )
        for place, (name, logs) in enumerate((("best", before), ("change", after)), 1)
    ]


class Bench:
    """Changes with builds that differ by ``sd``; new ones for each block where ``drawn``."""

    def __init__(self, seed: int, sd: float, *, drawn: bool) -> None:
        self.rng = np.random.default_rng(seed)
        self.sd = sd
        self.drawn = drawn

    def build(self, source: float) -> Build:
        """One more build."""
        return Build(source, self.rng.normal(0, self.sd))

    def judge(
        self, new: Build, old: Build, blocks: int, at: float, margin: float, attempts: list[Attempt]
    ) -> Gain:
        """Measure two builds in fresh blocks."""
        luck = self.rng.normal(0, self.sd * math.sqrt(2), blocks) if self.drawn else new.luck - old.luck
        gains = new.source - old.source + luck + self.rng.normal(0, NOISE, blocks)
        shared = self.rng.normal(0, SHARED, blocks)
        before, after = make_samples(shared + gains / 2, shared - gains / 2)
        spread = None if self.drawn else estimate_spread(attempts)
        screens = blocks == LOOK
        return judge_gain(before, after, margin=margin, level=at, spread=spread, screens=screens)

    def play(self, real: Collection[int] = (), gain: float = 0.0) -> Ending:
        """Try ``TRIES`` changes, of which those in ``real`` gain something."""
        start = best = self.build(0.0)
        against, attempts, wins, tests, false = "start", list[Attempt](), list[int](), 0, 0
        for number in range(1, TRIES + 1):
            rival = self.build(best.source + gain * (number in real))
            first = self.judge(rival, best, LOOK, 0.025, MARGIN, [])
            attempts.append(Attempt(number, str(number), str(number), against, gain=first.value))
            if first.p > PROMISING or not (self.drawn or estimate_spread(attempts)):
                continue
            tests += 1
            granted = level(tests, wins, ERROR)
            if self.judge(rival, best, CONFIRMING * LOOK, granted, MARGIN, attempts).is_win:
                wins.append(tests)
                false += number not in real
                best, against = rival, str(number)
        if not wins:
            return Ending(0, 0, None)
        total = self.judge(best, start, CONFIRMING * LOOK, 0.025, 0.0, attempts).ci95
        held = total is not None and total.low <= math.exp(best.source - start.source) <= total.high
        return Ending(len(wins), false, held)


class Slow(NamedTuple):
    """Typical gain of a change, the fraction of slow runs, and how many times as long they take."""

    gain: float
    share: float
    times: float

    @property
    def mean(self) -> float:
        """Gain of the mean of logarithms."""
        return math.exp(math.log(self.gain) - self.share * math.log(self.times))


SLOW = tuple(Slow(1.03, *kind) for kind in ((0.03, 3), (0.05, 2), (0.1, 1.5), (0.02, 5), (0, 1)))
"""The last is a real gain."""


def confirm_slow(slow: Slow, rng: np.random.Generator) -> tuple[bool, bool]:
    """Whether a change wins its confirmation, and whether it still does once slow runs would have shown."""

    def measure(blocks: int) -> list[Sample]:
        shared, noise = rng.normal(0, SHARED, blocks), rng.normal(0, NOISE / math.sqrt(2), (2, blocks))
        late = math.log(slow.times) * (rng.random(blocks) < slow.share)
        return make_samples(shared + noise[0], shared + noise[1] - math.log(slow.gain) + late)

    samples = measure(CONFIRMING * LOOK)
    won = judge_gain(*samples, margin=MARGIN, level=level(1, [], ERROR))
    missing = count_runs_to_show(won, MARGIN) - won.blocks
    if not won.is_win or missing <= 0:
        return won.is_win, won.is_win
    both = [join_samples(parts) for parts in zip(samples, measure(missing), strict=True)]
    return True, judge_gain(*both, margin=MARGIN, level=0.5).is_win


def print_slow(confirmations: int, seed: int) -> bool:
    """Print a line a kind of slow runs; whether one up to twice as long misses its bound."""
    most = binom.ppf(0.999, confirmations, ERROR)
    missed = False
    print("typical gain  slow runs  times as long  gain of the mean  wins at first  wins")
    for slow in SLOW:
        rng = np.random.default_rng(seed)
        ends = [confirm_slow(slow, rng) for _ in range(confirmations)]
        first, wins = (sum(column) for column in zip(*ends, strict=True))
        missed |= slow.mean <= 1 + MARGIN and slow.times <= 2 and wins > most
        print(
            f"{slow.gain - 1:12.0%}  {slow.share:9.0%}  {slow.times:13g}  {slow.mean - 1:16.1%}"
            f"  {first / confirmations:13.1%}  {wins / confirmations:4.1%}",
            flush=True,
        )
    return missed


def main() -> int:
    """Print both parts; 1 where a bound is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ledgers", type=int, default=60)
    parser.add_argument("--seed", type=int, default=401)
    parser.add_argument("--only", choices=("builds", "slow"))
    options = parser.parse_args()
    missed = options.only != "builds" and print_slow(5 * options.ledgers, options.seed)
    return int(missed | (options.only != "slow" and print_builds(options.ledgers, options.seed)))


def print_builds(ledgers: int, seed: int) -> bool:
    """Print a line a cell; whether a bound is missed."""
    most = binom.ppf(0.999, ledgers, ERROR)
    missed = False
    print("layouts  SD of builds  gain of 10  ledgers with a win  true wins  false of wins  totals that hold")
    for drawn in (False, True):
        for sd in (0.0, 0.005, 0.01, 0.02):
            for gain in (0.0, 0.03, 0.06):
                bench = Bench(seed, sd, drawn=drawn)
                chosen = [
                    set(bench.rng.choice(TRIES, 10, replace=False) + 1) if gain else set()
                    for _ in range(ledgers)
                ]
                ends = [bench.play(real, gain) for real in chosen]
                won = sum(end.wins > 0 for end in ends)
                true = np.mean([end.wins - end.false for end in ends])
                false = np.mean([end.false / max(1, end.wins) for end in ends])
                held = [end.held for end in ends if end.held is not None]
                missed |= gain == 0 and won > most
                print(
                    f"{'drawn' if drawn else 'one':>7}  {sd:12.1%}  {gain:10.0%}  {won:18}  {true:9.2f}"
                    f"  {false:13.1%}  {sum(held):7} of {len(held)}",
                    flush=True,
                )
    return missed


if __name__ == "__main__":
    sys.exit(main())
