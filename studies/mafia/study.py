"""The whole study by one command: run what is not finished yet, judge it, and write the tables.

    .venv/bin/python studies/mafia/study.py [PART ...] [--records DIRECTORY] [--no-run]

PART is phases, naive, gate or overlap; all by default. An interrupted study goes on where it stopped.
Tables go to stdout, as Markdown.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from steelyard.api import Record

HERE: Final = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import parts  # noqa: E402 -- what studies share lies beside them

CLUSTERS: Final = 3
PHASES: Final = ("gen", "dedup", "pcount", "unjoin")
PRINTED: Final = {f"{phase}: time as Table 7 expects": phase for phase in PHASES}
"""Claims of which Table 7 has a cell, and its name there."""


def phases(record: Record) -> str:
    """Part (a): times and counts side by side, what was found in every run, and Table 7."""
    cells = parts.published("7")
    printed = {claim: cells[name] for claim, name in PRINTED.items()}
    return "\n\n".join([times(record), counts(record), quality(record), parts.growth(record, printed)])


def naive(record: Record) -> str:
    """Part (b): operations of each way, and which of them are caught."""
    table = parts.values(record, "phase_operations", ("join", "phase"), "k")
    return f"Operations:\n\n{table}\n\n{parts.growth(record)}\n\n{parts.verdicts(record)}"


def gate(record: Record) -> str:
    """Part (c): what CI holds a change to."""
    return f"{parts.growth(record)}\n\n{parts.verdicts(record)}"


def overlap(record: Record) -> str:
    """Part (d): what is found of clusters that overlap, and what is counted."""
    by = ("shared", "shift")
    tables = [
        f"{metric}:\n\n{parts.values(record, metric, by, 'k')}"
        for metric in ("planted_found", "clusters", "dense_units", "merges")
    ]
    return "\n\n".join([*tables, parts.growth(record), parts.verdicts(record)])


def times(record: Record) -> str:
    """Median, least and longest time of each phase: how much the machine had to do with it."""
    rows = []
    for k, by_phase in sorted(values_by(record, "phase_s").items()):
        cells = (
            f"{sorted(times)[len(times) // 2] * 1e3:.3g} ({min(times) * 1e3:.3g} … {max(times) * 1e3:.3g})"
            for times in (by_phase[phase] for phase in PHASES)
        )
        rows.append([f"{k:g}", *cells])
    return "Milliseconds, median (least … longest):\n\n" + parts.table(["k", *PHASES], rows)


def counts(record: Record) -> str:
    """Operations of each phase, beside the closed forms of clusters with a window a dimension."""
    operations, merges = values_by(record, "phase_operations"), values_by(record, "merges")
    head = ["k", *PHASES, "merges", "closed form", "subsequences' closed form"]
    rows = []
    for k in sorted(operations):
        closed = (CLUSTERS * k * (k - 1) * 2 ** (k - 3), CLUSTERS * (k * 2 ** (k - 1) - k))
        counted = [only(operations[k][phase]) for phase in PHASES]
        rows.append([f"{k:g}", *(f"{item:,.0f}" for item in (*counted, only(merges[k][""]), *closed))])
    return "Operations, the same in all runs:\n\n" + parts.table(head, rows)


def quality(record: Record) -> str:
    """The worst of all runs: clusters found, recall, precision; and the largest peak of memory."""
    result, recall, precision, peak = (
        values_by(record, metric) for metric in ("planted_found", "recall", "precision", "peak_bytes")
    )
    rows = [
        [
            f"{k:g}",
            f"{min(result[k]['']):g}",
            f"{min(recall[k]['']):.3f}",
            f"{min(precision[k]['']):.4f}",
            f"{max(peak[k]['']) / 1e6:.0f}",
        ]
        for k in sorted(result)
    ]
    return parts.table(["k", "found", "recall", "precision", "peak, MB"], rows)


def values_by(record: Record, metric: str) -> Mapping[float, Mapping[str, list[float]]]:
    """Values of all runs, by k and phase; the phase of what has none is empty."""
    result: dict[float, dict[str, list[float]]] = {}
    for sample in record.samples(metric):
        phase = str(sample.labels.get("phase", ""))
        result.setdefault(float(sample.treatment.levels["k"]), {})[phase] = list(sample.values)
    return result


def only(times: list[float]) -> float:
    """The value of all runs.

    Raises
    ------
    ValueError
        They differ: a count that depends on the run counts something else.
    """
    (value,) = set(times)
    return value


PARTS: Final = {item.__name__: item for item in (phases, naive, gate, overlap)}

if __name__ == "__main__":
    sys.exit(parts.main(HERE, __doc__, PARTS))
