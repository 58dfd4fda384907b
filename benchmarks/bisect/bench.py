"""Searches over made-up commits: how often is a commit that is named the wrong one, where builds differ too?

``python benchmarks/bisect/bench.py [--quick] [--seed N]`` with steelyard installed; about ten minutes, a
tenth of that with ``--quick``. Runs vary by 2 %, steps are 3 %. Builds of one source differ by 0 or 1.5 %, or
are of two kinds, 3 % apart, of which a third or a half are slow, for which nothing is promised. Exits with 1
where a limit is missed.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from steelyard.extensions.bisect.bisection import LOOKS, Compared, Search, differ, pool_variance

BLOCKS = 5
RUN, STEP = 0.02, 0.03
ERROR = 0.05
MOST_BATCHES = 200


class Luck(NamedTuple):
    """What builds of one source differ by: a standard deviation, or the fraction of slow ones."""

    tau: float
    slow: float = 0.0

    def draw(self, rng: np.random.Generator, count: int) -> npt.NDArray[np.float64]:
        """Logarithms of what so many builds add."""
        normal = rng.normal(0.0, self.tau, count)
        return normal + STEP * (rng.random(count) < self.slow) if self.slow else normal

    @property
    def words(self) -> str:
        """For a row of the table."""
        return f"{self.slow:.0%} slow" if self.slow else f"{100 * self.tau:.1f} %"


def search(rng: np.random.Generator, n: int, places: list[int], luck: Luck) -> tuple[Search | None, int]:
    """The end of one search, ``None`` where the ends are not seen to differ, and the batches measured."""
    builds = luck.draw(rng, n + 1)
    for place in places:
        builds[place + 1 :] += STEP

    def run(build: int) -> npt.NDArray[np.float64]:
        return rng.normal(builds[build], RUN, BLOCKS)

    differences = np.empty(0)
    for look, batches in enumerate(LOOKS):
        for _ in range(batches - (LOOKS[look - 1] if look else 0)):
            differences = np.concatenate([differences, run(n) - run(0)])
        decided = differ(look, pool_variance(differences, {}), ERROR)
        if decided is not None:
            break
    if not decided:
        return None, 0
    compared: dict[int, Compared] = {}
    state = Search(n, pool_variance(differences, compared))
    for batch in range(MOST_BATCHES):
        commit = state.following(ERROR, state.verdict())
        if commit is None:
            return state, batch
        good, middle, bad = run(0), run(commit + 1), run(n)
        differences = np.concatenate([differences, bad - good])
        before = compared.get(commit, Compared(np.empty(0), 0.0, 0))
        middles = np.concatenate([before.middles, 2 * middle - good - bad])
        compared[commit] = Compared(middles, 0.0, before.batches + 1)
        state = Search(n, pool_variance(differences, compared), dict(compared))
    return state, MOST_BATCHES


def outcomes(searches: int, seed: int, n: int, steps: int, luck: Luck) -> Counter[str]:
    """How searches end; sizes of sets, batches and builds are added up."""
    ends: Counter[str] = Counter()
    for number in range(searches):
        entropy = [seed, number, n, steps, round(1000 * luck.tau)]
        rng = np.random.default_rng([*entropy, round(100 * luck.slow)] if luck.slow else entropy)
        places = sorted(int(place) for place in rng.choice(n, steps, replace=False))
        state, batches = search(rng, n, places, luck)
        ends["batches"] += batches
        if state is None:
            continue
        ends["builds"] += len(state.compared)
        verdict = state.verdict()
        if state.is_named(ERROR, verdict):
            commits = state.credible(ERROR, verdict)
            ends["named"] += 1
            ends["single"] += len(commits) == 1
            ends["commits"] += len(commits)
            ends["wrong"] += not {*commits} & {*places}
    return ends


def main() -> int:
    """Simulate, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the searches")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    searches = 6 if options.quick else 60
    print("| builds differ by | steps | commits | named, % | wrong of named | a single one, % | commits named"
          " | builds | batches |")  # fmt: skip
    print("|---" * 9 + "|")
    wrong = named = flat = flat_named = 0
    kinds: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    for luck in (Luck(0.0), Luck(0.015), Luck(0.002, 1 / 3), Luck(0.002, 1 / 2)):
        for steps in (0, 1, 2):
            for n in (8, 24, 60):
                ends = outcomes(searches, options.seed, n, steps, luck)
                print(
                    f"| {luck.words} | {steps} | {n} | {100 * ends['named'] / searches:.0f}"
                    f" | {ends['wrong']} of {ends['named']} | {100 * ends['single'] / searches:.0f}"
                    f" | {ends['commits'] / max(ends['named'], 1):.1f} | {ends['builds'] / searches:.1f}"
                    f" | {ends['batches'] / searches:.0f} |",
                    flush=True,
                )
                if luck.slow:
                    kinds[steps > 0].append((ends["wrong"], ends["named"]))
                elif steps:
                    wrong, named = wrong + ends["wrong"], named + ends["named"]
                else:
                    flat, flat_named = flat + searches, flat_named + ends["named"]
    print(f"\n{wrong} of {named} named where there is a step are wrong (limit 5 %);"
          f" {flat_named} of {flat} flat histories name a commit (limit 5 %)")  # fmt: skip
    of_kinds, of_kinds_named = (sum(row) for row in zip(*kinds[True], strict=True))
    flat_of_kinds = sum(count for _, count in kinds[False])
    print(f"builds of two kinds: {of_kinds} of {of_kinds_named} named where there is a step are wrong;"
          f" {flat_of_kinds} of {searches * len(kinds[False])} flat histories name a commit")  # fmt: skip
    fine = wrong <= ERROR * named and flat_named <= ERROR * flat
    return 0 if fine or options.quick else 1


if __name__ == "__main__":
    sys.exit(main())
