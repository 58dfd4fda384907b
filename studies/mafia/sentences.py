"""Sentences of README.md with numbers, and the data that give them."""

from __future__ import annotations

import math
import runpy
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from prose import Sentence

TABLES: Final[Mapping[str, Any]] = runpy.run_path(
    str(Path(__file__).with_name("tables.py")), run_name="tables"
)
medians: Final[Callable[..., dict[int, float]]] = TABLES["medians"]
BYTES_OF_A_BITMAP: Final = 1563
"""Words of 64 bits for 100,000 points."""
GIVEN: Final = (
    r"n = 10\^5 points of d = 20 dimensions",
    r"k = 3 … 1[06]|k = 2 … 12|k = 6 … 14",
    r"k³ 2\^k|k⁴ 2\^k|3 \(2\^k−1\) − 2 \(2\^shared−1\)",
    r"times grow from k = 12 to 16|to gen and dedup from k = 4 on",
    r"2\^\(k−1\)·1,563",
    r"n = [25]0,000",
    r"recall below \.95 or a precision below \.98",
    r"With the 20,000 points of \(b\)",
)
"""Settings of the specs."""


def sentences() -> Iterator[Sentence]:
    """Every sentence with numbers that were measured."""
    merges = medians("phases", "merges")
    beyond = {k: count - TABLES["closed_form"](k) for k, count in merges.items()}
    yield "by {} (k = 3) to {} (k = 16)", beyond[3], beyond[16]
    words = medians("phases", "phase_operations", phase="pcount")
    yield "candidates, {} % at k = 16", 100 * (words[16] / (3 * 16 * 2**15 * BYTES_OF_A_BITMAP) - 1)
    gen, dedup = (
        {k: 1e9 * s / merges[k] for k, s in medians("phases", "phase_s", phase=phase).items()}
        for phase in ("gen", "dedup")
    )
    large = range(10, 17)
    yield (
        "costs gen {} ns at k = 3 and {} to {} from 10 on, and dedup {} at k = 3 and {} to {} from 10 on",
        gen[3],
        min(gen[k] for k in large),
        max(gen[k] for k in large),
        dedup[3],
        min(dedup[k] for k in large),
        max(dedup[k] for k in large),
    )
    a_word = [1e9 * s / words[k] for k, s in medians("phases", "phase_s", phase="pcount").items()]
    yield "pcount takes {} to {} ns a word", min(a_word), max(a_word)
    parts = medians("overlap", "clusters", shared="4", shift="0.1")
    result = medians("overlap", "planted_found", shared="4", shift="0.1")
    yield (
        "come out as {} to {} parts of fewer",
        min(parts[k] - result[k] for k in parts),
        max(parts[k] - result[k] for k in parts),
    )
    edge = medians("overlap", "recall", shared="1", shift="0.1")
    yield "in one dimension, the worst recall falls to {}", min(edge.values())
    yield from their_growth()
    recall = medians("naive", "recall", join="index")
    yield "recall falls to {} at k = 8 and {} at k = 10", recall[8], recall[10]


def their_growth() -> Iterator[Sentence]:
    """Powers of k by which times of the paper's code grow beside 2^k, and what its second clock costs."""
    phases = ("gen", "dedup", "unjoin", "pcount")
    times = {phase: TABLES["their_times"](phase) for phase in (*phases, "gen and dedup")}

    def power(phase: str, first: int) -> float:
        last = 16
        growth = math.log2(times[phase][last] / times[phase][first]) - (last - first)
        return growth / math.log2(last / first)

    late, all_points = ([power(phase, first) for phase in phases] for first in (12, 3))
    yield "like k^{} (gen), k^{} (dedup), k^{} (unjoin) and k^{} (pcount)", *late
    yield "Over all k they grow like k^{}, k^{}, k^{} and k^{}, since", *all_points
    costs = [
        100 * ((times["gen"][k] + times["dedup"][k]) / together - 1)
        for k, together in times["gen and dedup"].items()
        if k > 3
    ]
    yield "The clock of the second build adds {} to {} % to gen", min(costs), max(costs)
