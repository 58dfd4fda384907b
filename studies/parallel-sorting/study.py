"""The whole study by one command: run what is not finished yet, judge it, and write the tables.

    .venv/bin/python studies/parallel-sorting/study.py [PART ...] [--records DIRECTORY] [--no-run]

PART is splitter-based, radix-mini, groups, splitters, loads, sizes, messages, scans, real, rounds, long,
gaussian, sequential, memory, shares or large; all of them by default. An interrupted study goes on where it
stopped. Tables go to stdout, as Markdown.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from steelyard.api import Record

HERE: Final = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import parts  # noqa: E402 -- what studies share lies beside them

MICRO: Final = 1e6
PRINTED: Final = {
    "sample: whole": "Sample",
    "histogram: whole": "Histogram",
    "exact, sequential: whole": "Exact-splitting",
    "radix, k = 4: whole": "Radix k = 4",
    "radix, k = 8: whole": "Radix k = 8",
    "mini: whole": "Mini",
}
"""Claims of which Table 10 has a cell, and its name there."""


def splitter_based(record: Record) -> str:
    """Part (a), and (i): the whole by sort and machine, and Table 10 with a row for each phase."""
    return _table_10(record, "algorithm", "schedule")


def radix_mini(record: Record) -> str:
    """Part (a), the rest."""
    return _table_10(record, "algorithm", "bits")


def _table_10(record: Record, *sort: str) -> str:
    cells = parts.published("10")
    names = {claim.name for claim in record.experiment.claims}
    printed = {claim: cells[name] for claim, name in PRINTED.items() if claim in names}
    result = parts.values(record, "time_s", ("machine", *sort), "p", factor=MICRO)
    return f"The whole, µs:\n\n{result}\n\n{parts.growth(record, printed)}"


def groups(record: Record) -> str:
    """Part (b): each phase of mini sort, with both kinds of groups."""
    return f"Phases, µs:\n\n{phases(record, 'groups')}\n\n{parts.growth(record)}\n\n{parts.verdicts(record)}"


def splitters(record: Record) -> str:
    """Part (c): what a step of engineering brought."""
    columns = [
        parts.values(record, metric, ("schedule",), "phase", where={"phase": "splitters"}, factor=factor)
        for metric, factor in (("phase_s", MICRO), ("phase_messages", 1))
    ]
    return "\n\n".join(["µs, then messages:", *columns, parts.verdicts(record)])


def loads(record: Record) -> str:
    """Part (d): the largest load over the mean one."""
    table = parts.values(record, "load", ("algorithm", "distribution"), "p")
    return f"{table}\n\n{parts.growth(record)}\n\n{parts.verdicts(record)}"


def sizes(record: Record) -> str:
    """Part (e): the whole over n/p and p, and its models in both."""
    result = parts.values(record, "time_s", ("algorithm", "keys"), "p", factor=MICRO)
    return f"The whole, µs:\n\n{result}\n\n{parts.growth(record)}"


def messages(record: Record) -> str:
    """Part (f): the exchange over the length of messages, and where its growth changes."""
    table = parts.values(record, "phase_s", ("phase",), "keys", where={"phase": "exchange"}, factor=MICRO)
    return f"µs:\n\n{table}\n\n{parts.growth(record)}\n\n{parts.verdicts(record)}"


def scans(record: Record) -> str:
    """Part (g): the count of digits by two kinds of scan."""
    return f"Phases, µs:\n\n{phases(record, 'scan')}\n\n{parts.growth(record)}\n\n{parts.verdicts(record)}"


def real(record: Record) -> str:
    """Part (h): real phases on one rank and on two, and whether the second pays."""
    table = parts.values(record, "phase_s", ("algorithm", "schedule", "phase"), "p", factor=1e3)
    result = parts.values(record, "time_s", ("algorithm", "schedule"), "p", factor=1e3)
    return f"Medians of launches, ms:\n\n{result}\n\n{table}\n\n{parts.verdicts(record)}"


def rounds(record: Record) -> str:
    """Part (j): rounds by distribution, keys and seed, then the times that depend on them."""
    by = ("distribution", "probes", "input")
    counted = parts.values(record, "rounds", by, "p")
    splitters = parts.values(record, "phase_s", by, "p", where={"phase": "splitters"}, factor=MICRO)
    return (
        f"Rounds:\n\n{counted}\n\nSplitters, µs:\n\n{splitters}\n\n{parts.growth(record)}"
        f"\n\n{parts.verdicts(record)}"
    )


def long(record: Record) -> str:
    """Part (k): the whole, and splitters of each sort, over n/p and p; models in both."""
    result = parts.values(record, "time_s", ("algorithm", "keys"), "p", factor=1e3)
    splitters = parts.values(
        record, "phase_s", ("algorithm", "keys"), "p", where={"phase": "splitters"}, factor=1e3
    )
    return f"The whole, ms:\n\n{result}\n\nSplitters, ms:\n\n{splitters}\n\n{parts.growth(record)}"


def gaussian(record: Record) -> str:
    """Part (l): the whole by distribution, and its models."""
    result = parts.values(record, "time_s", ("algorithm", "distribution"), "p", factor=MICRO)
    return f"The whole, µs:\n\n{result}\n\n{parts.growth(record)}"


def sequential(record: Record) -> str:
    """Part (m): exact splitting one after the other, and its cell of Table 10."""
    printed = {"exact, sequential: whole": parts.published("10")[PRINTED["exact, sequential: whole"]]}
    result = parts.values(record, "time_s", ("machine",), "p", factor=1e3)
    return f"The whole, ms:\n\n{result}\n\n{parts.growth(record, printed)}"


def memory(record: Record) -> str:
    """Part (n): what a pass of radix sort keeps beside the items, and its models."""
    result = parts.values(record, "step_bytes", ("exchange", "bits", "keys"), "p")
    return f"Bytes a rank:\n\n{result}\n\n{parts.growth(record)}"


def shares(record: Record) -> str:
    """Part (o): time without computing over time with it, and the growth of both."""
    return f"Shares:\n\n{_shares(record)}\n\n{parts.growth(record)}"


def _shares(record: Record) -> str:
    by_sort: dict[tuple[str, str, str], dict[tuple[str, int], float]] = {}
    for sample in record.samples("time_s"):
        levels = sample.treatment.levels
        key = str(levels["machine"]), str(levels["algorithm"]), str(levels["bits"])
        by_sort.setdefault(key, {})[str(levels["computing"]), int(levels["p"])] = sample.values[0]
    ranks = sorted({p for times in by_sort.values() for _, p in times})
    rows = [
        [
            *key,
            *(
                f"{times['off', p] / times['calibrated', p]:.2f}" if ("off", p) in times else ""
                for p in ranks
            ),
        ]
        for key, times in by_sort.items()
    ]
    return parts.table(["machine", "algorithm", "bits", *(f"p = {p}" for p in ranks)], rows)


def phases(record: Record, *by: str) -> str:
    """Time of each phase over p, in microseconds."""
    return parts.values(record, "phase_s", (*by, "phase"), "p", factor=MICRO)


PARTS: Final = {
    item.__name__.replace("_", "-"): item
    for item in (
        *(splitter_based, radix_mini, groups, splitters, loads, sizes, messages, scans, real, rounds),
        *(long, gaussian, sequential, memory, shares),
    )
} | {"large": splitter_based}

if __name__ == "__main__":
    sys.exit(parts.main(HERE, __doc__, PARTS))
