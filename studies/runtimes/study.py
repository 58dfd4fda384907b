"""Kernels on runtimes beside each other: run what is not finished yet, and write the tables.

    .venv/bin/python studies/runtimes/build.py --ygm … --bale … --gapbs … --graph500 … --lamellar
    .venv/bin/python studies/runtimes/study.py [PART ...] [--records DIRECTORY] [--no-run]

PART is peers, like, graphs or large; all by default, some forty minutes on two quiet CPUs. An interrupted
study goes on where it stopped. Tables go to stdout, as Markdown; ``sections.py`` writes them into README.md
from what is kept in ``values/``.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path
from typing import Final

from steelyard.api import Record, analyze
from steelyard.api.text import Scalar

HERE: Final = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import parts  # noqa: E402 -- what studies share lies beside them
from changes import Change, changes  # noqa: E402

OURS: Final = "goodsyard"
ITEMS: Final = {"histogram": 1 << 22, "gather": 1 << 22, "counts": 1 << 21, "words": 1 << 21}
"""Of a rank."""
ITEM_BYTES: Final = {"histogram": 8, "gather": 16, "counts": 8}
"""What has to be said of each: a place; a place and the value; a key."""
SAME_EDGES: Final = 1e-3
"""Graph500's reference leaves loops out when it counts edges, of which there are some hundreds."""
Key = tuple[Scalar, ...]


def times(record: Record, names: tuple[str, ...]) -> dict[Key, float]:
    """Median seconds, by the levels of factors of these names."""
    return {
        tuple(sample.treatment.levels[name] for name in names): statistics.median(sample.values)
        for sample in record.samples("time_s")
    }


def check_outcomes(record: Record, by: tuple[str, ...]) -> int:
    """Count the results of other systems that agree with ours; all with the same levels ``by`` have to.

    Raises
    ------
    ValueError
        Two systems have computed different things.
    """
    outcomes: dict[Key, dict[Scalar, set[float]]] = {}
    for sample in record.samples("outcome"):
        levels = sample.treatment.levels
        key = tuple(levels[name] for name in by)
        outcomes.setdefault(key, {})[levels["system"]] = {*sample.values}
    agreements = 0
    for key, systems in outcomes.items():
        (ours,) = systems[OURS]
        for system, values in systems.items():
            (theirs,) = values
            limit = SAME_EDGES * ours if system == "graph500" else 0
            if abs(theirs - ours) > limit:
                raise ValueError(f"{key}: {system} has {theirs:g}, {OURS} {ours:g}")
            agreements += system != OURS
    return agreements


def ratios(record: Record, names: tuple[str, ...]) -> dict[Key, Change]:
    """What other systems take longer than ours, by the levels of factors of these names."""
    result = changes(analyze(record).judged)
    return {tuple(item.levels[name] for name in names): item for item in result}


def written(change: Change) -> str:
    """Times as long, with the interval."""
    return f"{1 + change.value:.3g} [{1 + change.low:.3g}, {1 + change.high:.3g}]"


def peers(record: Record) -> str:
    """Our time of each kernel, and how many times as long the others take."""
    names = ("kernel", "cores", "system")
    outcomes = check_outcomes(record, names[:-1])
    result = ratios(record, names)
    rows = []
    for (kernel, cores, system), time_s in times(record, names).items():
        if system != OURS:
            continue
        name = str(kernel)
        item = f"{1e9 * time_s / ITEMS[name]:.3g}" if name in ITEMS else ""
        rate = f"{ITEMS[name] * ITEM_BYTES[name] / time_s / 1e9:.3g}" if name in ITEM_BYTES else ""
        peer_programs = [
            f"{key[-1]} {written(change)}" for key, change in result.items() if key[:-1] == (kernel, cores)
        ]
        rows.append([name, str(cores), f"{1e3 * time_s:.3g}", item, rate, "; ".join(peer_programs)])
    head = ["kernel", "cores", "ours, ms", "ns an item and rank", "GB/s a rank", "time over ours"]
    sentence = f"What {outcomes} programs of others computed is what ours did."
    return f"{parts.table(head, rows)}\n\n{sentence}\n\n{parts.verdicts(record)}"


def graphs(record: Record) -> str:
    """GAP's time over ours: a row for each kernel and graph."""
    names = ("graph", "kernel", "cores", "system")
    check_outcomes(record, names[:-1])
    result, took = ratios(record, names), times(record, names)
    rows = []
    for graph, kernel in dict.fromkeys(key[:2] for key in took):
        cells = [str(kernel), str(graph)]
        for cores in (1, 2):
            cells.append(f"{1e3 * took[graph, kernel, cores, OURS]:.3g}")
            cells.append(written(result[graph, kernel, cores, "gap"]))
        rows.append(cells)
    head = ["kernel", "graph", "one rank, ms", "GAP over it", "two ranks, ms", "GAP, two threads, over it"]
    return parts.table(head, rows)


def large(record: Record) -> str:
    """The same of large graphs, once: a ratio without an interval."""
    names = ("graph", "kernel", "system")
    check_outcomes(record, names[:-1])
    took = times(record, names)
    rows = []
    for graph, kernel in dict.fromkeys(key[:2] for key in took):
        ours, theirs = (took[graph, kernel, system] for system in (OURS, "gap"))
        rows.append([str(kernel), str(graph), f"{ours:.3g}", f"{theirs:.3g}", f"{theirs / ours:.3g}"])
    return parts.table(["kernel", "graph", "one rank, s", "GAP, one thread, s", "GAP over it"], rows)


PARTS: Final = {"peers": peers, "like": peers, "graphs": graphs, "large": large}

if __name__ == "__main__":
    sys.exit(parts.main(HERE, __doc__, PARTS))
