"""What counters and lengths of the environment change in counts, on upstreams of SPEC's programs.

Counts are cachegrind's: exact, of a processor with this machine's caches and a branch predictor of its own.
They say what moved, not what that costs. A processor that is simulated contradicts nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Final, NamedTuple

from claims_of_probes import DRAMATIC, NO_BEARING, RUN
from declarations import Answer, Cause, Data
from scipy.stats import norm, spearmanr

PROBES: Final = "values/upstream-probes.csv"
LENGTHS: Final = "values/upstreams.csv"
ORDERS: Final = "values/upstream-order.csv"
METRICS: Final = ("i1_misses", "d1_misses", "mispredicts")
"""What a layout moves; instructions are what a counter adds."""
NAMES: Final = {"i1_misses": "I1 misses", "d1_misses": "D1 misses", "mispredicts": "mispredictions"}
PROCESSOR: Final = Cause(
    "stand-in", "a simulated processor, which has no stalls", f"{RUN}upstreams.py upstream-probes"
)


class Probed(NamedTuple):
    """A program with counters: instructions that they add, and what they change, as fractions."""

    by_kernel: bool
    added: float
    changes: Mapping[str, float]


def probed(data: Data) -> dict[str, list[Probed]]:
    """Programs with different counts, once each: some drawings count calls in the same files."""

    def make() -> dict[str, list[Probed]]:
        result: dict[str, dict[tuple[float, ...], Probed]] = {}
        rows = data.table(PROBES)
        bare = {row["name"]: row for row in rows if row["counters"] == row["files"] == "0"}
        for row in rows:
            base = bare[row["name"]]
            added, *moved = (
                float(row[metric]) / float(base[metric]) - 1 for metric in ("instructions", *METRICS)
            )
            if row is not base:
                item = Probed(row["counters"] != "0", added, dict(zip(METRICS, moved, strict=True)))
                result.setdefault(row["name"], {}).setdefault((added, *moved), item)
        return {name: [*items.values()] for name, items in result.items()}

    return data.remember("probed", make)


def few(items: Iterable[Probed]) -> list[Probed]:
    """Those that add no more instructions than the paper's, and any."""
    return [item for item in items if 0 < item.added <= DRAMATIC]


def pooled(pairs: Iterable[tuple[float, int]], alpha: float) -> tuple[float, float, float]:
    """A rank correlation of several programs, by Fisher's z, and its interval (Bonett and Wright 2000)."""
    weighted = [(math.atanh(max(-0.999, min(0.999, rho))), points - 3) for rho, points in pairs]
    weight = sum(points for _, points in weighted)
    z = sum(value * points for value, points in weighted) / weight
    half = float(norm.isf(alpha / 2)) * math.sqrt((1 + math.tanh(z) ** 2 / 2) / weight)
    return math.tanh(z), math.tanh(z - half), math.tanh(z + half)


def unpredicted(data: Data) -> Answer:
    """Whether for most pairs of three metrics |ρ| is below .5, over programs (Bonferroni)."""
    pairs = [*combinations(METRICS, 2)]
    texts, below, above = [], 0, 0
    for first, second in pairs:
        rhos = [
            (
                float(
                    spearmanr(
                        [item.changes[first] for item in chosen], [item.changes[second] for item in chosen]
                    ).statistic
                ),
                len(chosen),
            )
            for chosen in map(few, probed(data).values())
        ]
        rho, low, high = pooled(rhos, 0.05 / len(pairs))
        below += low > -NO_BEARING and high < NO_BEARING
        above += low > NO_BEARING or high < -NO_BEARING
        texts.append(f"{NAMES[first]} and {NAMES[second]} {rho:.2f} [{low:.2f}, {high:.2f}]")
    number = sum(len(few(items)) for items in probed(data).values())
    text = f"ρ over {number} probed programs: {'; '.join(texts)}"
    if 2 * below > len(pairs):
        return Answer(text, "holds")
    if 2 * above > len(pairs):
        return Answer(text, "fails")
    return Answer(text, "not resolved", PROCESSOR._replace(kind="too few runs", text="80 drawings of files"))


def largest(items: Iterable[Probed], metric: str) -> float:
    """The largest change of a metric, either way."""
    return max(abs(item.changes[metric]) for item in items)


def more_by_software(data: Data) -> Answer:
    """Whether counters of calls change every metric of every program more than counters of the kernel."""
    less, number = [], 0
    for name, items in probed(data).items():
        kernel = [item for item in items if item.by_kernel]
        calls = [item for item in few(items) if not item.by_kernel]
        for metric in METRICS:
            number += 1
            if largest(calls, metric) <= largest(kernel, metric):
                less.append(f"{NAMES[metric]} of {name}")
    text = f"{number - len(less)} of {number} counts" + (f", not {', '.join(less)}" if less else "")
    return Answer(text, "fails" if less else "holds")


def by_length(data: Data, metric: str) -> dict[str, tuple[float, float]]:
    """The least and the largest change of a count over lengths of the environment, by program."""
    rows = data.table(LENGTHS)
    none = {row["command"]: float(row[metric]) for row in rows if row["env_bytes"] == "0"}
    changes: dict[str, list[float]] = {}
    for row in rows:
        changes.setdefault(row["command"], []).append(float(row[metric]) / none[row["command"]] - 1)
    return {name: (min(values), max(values)) for name, values in changes.items()}


def gains_by_order(data: Data, metric: str) -> dict[str, tuple[float, float]]:
    """The least and the largest ratio of -O2 to -O3 of a count over orders of linking, by program."""
    counts: dict[str, dict[str, dict[str, float]]] = {}
    for row in data.table(ORDERS):
        counts.setdefault(row["name"], {}).setdefault(row["order"], {})[row["opt"]] = float(row[metric])
    ratios = {
        name: [levels["O2"] / levels["O3"] for levels in by_order.values()]
        for name, by_order in counts.items()
    }
    return {name: (min(values), max(values)) for name, values in ratios.items()}
