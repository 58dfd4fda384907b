#!/usr/bin/env python3
"""Seven upstreams of SPEC's programs under cachegrind: the length of the environment, orders of linking, and
counters.

    .venv/bin/python studies/have-it-right/upstreams.py [PART ...] [--records DIRECTORY] [--no-run]

PART is upstreams, upstream-order or upstream-probes; all of them by default, half an hour of CPU time. Counts
are exact, whatever else the machine does. ``upstreams.sh .cache/upstreams`` fetches the sources first; perl,
gcc, gnugo, hmmer2 and xalan are packages of Debian.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import parts  # noqa: E402 -- what studies share lies beside them
from claims_of_counts import METRICS, NAMES, Probed, few, largest, probed  # noqa: E402
from declarations import Data  # noqa: E402

from steelyard.api import Record  # noqa: E402

COUNTS: Final = ("instructions", *METRICS)
HEAD: Final = ("instructions", *(NAMES[metric] for metric in METRICS))


def counts_by(record: Record, *names: str) -> dict[tuple[str, ...], dict[str, float]]:
    """Counts of each treatment, by these levels."""
    result: dict[tuple[str, ...], dict[str, float]] = {}
    for metric in COUNTS:
        for sample in record.samples(metric):
            key = tuple(str(sample.treatment.levels[name]) for name in names)
            result.setdefault(key, {})[metric] = sample.values[0]
    return result


def _extent(changes: Iterable[float]) -> str:
    values = [100 * change for change in changes]
    return f"{min(values):+.3f} to {max(values):+.3f} %"


def lengths(record: Record) -> str:
    """What lengths of the environment change, against none."""
    by_program: dict[str, list[dict[str, float]]] = {}
    for (command, _), counts in counts_by(record, "command", "env_bytes").items():
        by_program.setdefault(command, []).append(counts)
    rows = []
    for command, (first, *rest) in by_program.items():
        cells = [_extent(item[metric] / first[metric] - 1 for item in rest) for metric in COUNTS]
        rows.append([command, f"{first['instructions'] / 1e6:,.0f} M", *cells])
    return parts.table(["program", "runs for", *HEAD], rows)


def orders(record: Record) -> str:
    """-O2 over -O3 in each order of linking: the least and the largest ratio."""
    by_program: dict[str, dict[str, dict[str, dict[str, float]]]] = {}
    for (name, order, opt), counts in counts_by(record, "name", "order", "opt").items():
        by_program.setdefault(name, {}).setdefault(order, {})[opt] = counts
    rows = []
    for name, by_order in by_program.items():
        cells = []
        for metric in COUNTS:
            ratios = [levels["O2"][metric] / levels["O3"][metric] for levels in by_order.values()]
            cells.append(f"{min(ratios):.4f} to {max(ratios):.4f} ×")
        rows.append([name, str(len(by_order)), *cells])
    return parts.table(["program", "orders", *HEAD], rows)


def probes(record: Record) -> str:
    """The largest change by counters of the kernel and by counters of calls, in counts."""
    del record
    rows = []
    for name, items in probed(Data(HERE)).items():
        kernel = [item for item in items if item.by_kernel]
        calls = [item for item in few(items) if not item.by_kernel]
        rows += [_row(name, "counters of the kernel", kernel), _row(name, "counters of calls", calls)]
    return parts.table(["program", "with", "programs", "instructions added", *HEAD[1:]], rows)


def _row(name: str, kind: str, items: Sequence[Probed]) -> list[str]:
    most = max(item.added for item in items)
    cells = [f"± {100 * largest(items, metric):.2f} %" for metric in METRICS]
    return [name, kind, str(len(items)), f"at most {100 * most:.3f} %", *cells]


PARTS: Final = {"upstreams": lengths, "upstream-order": orders, "upstream-probes": probes}


if __name__ == "__main__":
    sys.exit(parts.main(HERE, __doc__ or "", PARTS))
