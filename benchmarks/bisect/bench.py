"""Searches over made-up commits: how often is a commit that is named the wrong one, where builds differ too?

``python benchmarks/bisect/bench.py [--quick] [--seed N]`` with steelyard installed; about ten minutes, a
tenth of that with ``--quick``. Runs vary by 2 %, steps are 3 %. Builds of one source differ by 0 or 1.5 %, or
are of two kinds, 3 % apart, of which a third or a half are slow. For kinds nothing is promised of one build
a commit; rows "drawn" link each block anew. Exits with 1 where a limit is missed.
"""

from __future__ import annotations

import argparse
import sys
from array import array
from collections import Counter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import BUILTIN
from steelyard.extensions.bisect.bisection import Compared, Search, pool_variance
from steelyard.extensions.bisect.ends import LOOKS, compare_ends, decide

Floats = npt.NDArray[np.float64]

BLOCKS = 5
RUN, STEP = 0.02, 0.03
ERROR = 0.05
MOST_BATCHES = 200


class Luck(NamedTuple):
    """What builds of one source differ by: a standard deviation, or the fraction of slow ones.

    Where layouts are drawn, each block has builds of its own.
    """

    tau: float
    slow: float = 0.0
    is_drawn: bool = False

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """Logarithms of what so many builds add."""
        normal = rng.normal(0.0, self.tau, count)
        return normal + STEP * (rng.random(count) < self.slow) if self.slow else normal

    @property
    def words(self) -> str:
        """For a row of the table."""
        words = f"{self.slow:.0%} slow" if self.slow else f"{100 * self.tau:.1f} %"
        return f"{words}, drawn" if self.is_drawn else words


LUCKS = (
    Luck(0.0),
    Luck(0.015),
    Luck(0.015, is_drawn=True),
    Luck(0.002, 1 / 3),
    Luck(0.002, 1 / 2),
    Luck(0.002, 1 / 3, is_drawn=True),
    Luck(0.002, 1 / 2, is_drawn=True),
)


def make_sample(place: int, logs: Floats) -> Sample:
    """Return an end whose values have these logarithms, block by block."""
    name, ones = ("good", "bad")[place], array("q", [1] * logs.size)
    ids, none = array("q", range(1, logs.size + 1)), array("q", [0] * logs.size)
    values = array("d", np.exp(logs))
    treatment = Treatment(place + 1, name, {"commit": name})
    return Sample(BUILTIN["wall_s"], treatment, values, ids, ones, none, ids)


def search(rng: np.random.Generator, n: int, places: list[int], luck: Luck) -> tuple[Search | None, int]:
    """The end of one search, ``None`` where the ends are not seen to differ, and the batches measured."""
    levels = np.zeros(n + 1) if luck.is_drawn else luck.draw(rng, n + 1)
    for place in places:
        levels[place + 1 :] += STEP

    def run(build: int) -> Floats:
        layouts = luck.draw(rng, BLOCKS) if luck.is_drawn else 0.0
        return rng.normal(levels[build], RUN, BLOCKS) + layouts

    ends = [list[Floats](), list[Floats]()]

    for look, batches in enumerate(LOOKS):
        while len(ends[0]) < batches:
            ends[1].append(run(n))
            ends[0].append(run(0))
        at_good, at_bad = (make_sample(place, np.concatenate(logs)) for place, logs in enumerate(ends))
        decided = decide(look, compare_ends(at_good, at_bad, ERROR))
        if decided is not None:
            break
    if not decided:
        return None, 0
    compared: dict[int, Compared] = {}
    state = make_state(n, ends, compared, luck)
    for batch in range(MOST_BATCHES):
        commit = state.following(ERROR, state.verdict())
        if commit is None:
            return state, batch
        good, middle, bad = run(0), run(commit + 1), run(n)
        ends[0].append(good)
        ends[1].append(bad)
        before = compared.get(commit, Compared(np.empty(0), 0.0, 0))
        middles = np.concatenate([before.middles, 2 * middle - good - bad])
        compared[commit] = Compared(middles, 0.0, before.batches + 1)
        state = make_state(n, ends, compared, luck)
    return state, MOST_BATCHES


def make_state(n: int, ends: list[list[Floats]], compared: dict[int, Compared], luck: Luck) -> Search:
    """Return the search as its blocks have it."""
    differences = np.concatenate(ends[1]) - np.concatenate(ends[0])
    return Search(n, pool_variance(differences, compared), dict(compared), has_drawn_layouts=luck.is_drawn)


def outcomes(searches: int, seed: int, n: int, steps: int, luck: Luck) -> Counter[str]:
    """How searches end; sizes of sets, batches and builds are added up."""
    ends: Counter[str] = Counter()
    for number in range(searches):
        entropy = [seed, number, n, steps, round(1000 * luck.tau)]
        rest = [round(100 * luck.slow), luck.is_drawn] if luck.slow or luck.is_drawn else []
        rng = np.random.default_rng([*entropy, *rest])
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
    for luck in LUCKS:
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
                if luck.slow and not luck.is_drawn:
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
