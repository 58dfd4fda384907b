"""The whole study by one command: run what is not finished yet, judge it, and write the tables.

    .venv/bin/python studies/grappa/study.py [PART ...] [--records DIRECTORY] [--no-run]

PART is the name of a spec; all of them by default. An interrupted study goes on where it stopped.
Tables go to stdout, as Markdown.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from steelyard.store import Record

HERE: Final = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import parts  # noqa: E402 -- what studies share lies beside them

MILLI: Final = 1e3
MILLION: Final = 1e-6
FLUSHES: Final = ("messages", "flushes_full", "flushes_age", "flushes_idle")


def uts(record: Record, by: Sequence[str] = ("tree",)) -> str:
    """Nodes a second over ranks, of each rank, and how often ranks stole."""
    blocks = [
        f"Million nodes a second:\n\n{parts.values(record, 'rate', by, 'p', factor=MILLION)}",
        f"Of each rank:\n\n{parts.values(record, 'rate_of_rank', by, 'p', factor=MILLION)}",
        f"Steals:\n\n{parts.values(record, 'steals', by, 'p')}",
        parts.growth(record),
        parts.verdicts(record),
    ]
    return "\n\n".join(blocks)


def uts_memory(record: Record) -> str:
    """The same of trees by type and shape, and why messages were sent."""
    by = ("t", "a")
    messages = parts.values(record, "messages", by, "p")
    full = parts.values(record, "flushes_full", by, "p")
    return f"{uts(record, by)}\n\nMessages:\n\n{messages}\n\nThose that were full:\n\n{full}"


def real(record: Record) -> str:
    """One rank and two of this machine."""
    rates = parts.values(record, "rate", ("tree",), "p", factor=MILLION)
    return f"Million nodes a second:\n\n{rates}\n\n{parts.verdicts(record)}"


def real_graph(record: Record) -> str:
    """By tasks and by work items, on one rank and two."""
    return f"MTEPS:\n\n{parts.values(record, 'teps_harmonic_mean', ('op', 'way'), 'p', factor=MILLION)}"


def real_tasks(record: Record) -> str:
    """Rates by the number of active tasks, and the best."""
    rates = parts.values(record, "teps_harmonic_mean", ("p",), "active_tasks", factor=MILLION)
    return f"MTEPS:\n\n{rates}\n\n{parts.verdicts(record)}"


def graph(record: Record) -> str:
    """Million edges a second over ranks, tasks at once, and messages."""
    by = ("scale", "loop_threshold")
    blocks = [
        f"MTEPS:\n\n{parts.values(record, 'teps', by, 'p', factor=MILLION)}",
        f"Most tasks at once on a rank:\n\n{parts.values(record, 'most_live_tasks', by, 'p')}",
        *(
            f"`{metric}`:\n\n{parts.values(record, metric, by, 'p')}"
            for metric in ("delegates", "messages", "flushes_full")
        ),
    ]
    return "\n\n".join(blocks)


def aggregator(record: Record) -> str:
    """Off and on, and the lengths of messages before and after."""
    blocks = [
        f"ms:\n\n{parts.values(record, 'time_s', ('buffer_bytes',), 'p', factor=MILLI)}",
        f"Items, by bytes:\n\n{parts.values(record, 'items_by_bytes', ('buffer_bytes', 'p'), 'up_to')}",
        f"Messages, by bytes:\n\n{parts.values(record, 'messages_by_bytes', ('buffer_bytes', 'p'), 'up_to')}",
        parts.verdicts(record),
    ]
    return "\n\n".join(blocks)


def ping(record: Record) -> str:
    """Bandwidth over payload, and its fraction of the best that plain MPI reaches."""
    found: dict[str, dict[int, float]] = {kind: {} for kind in ("aggregated", "raw", "mpi")}
    for sample in record.samples("bandwidth"):
        of_kind = found[str(sample.labels["op"])]
        of_kind[int(str(sample.treatment.levels["payload"]))] = statistics.median(sample.values)
    peak = max(found["mpi"].values())
    head = ["payload", *(f"{kind}, MB/s" for kind in found), *(f"{kind}, % of peak" for kind in found)]
    rows = []
    for payload in sorted(found["mpi"]):
        values = [of_kind.get(payload) for of_kind in found.values()]
        cells = ["" if value is None else f"{value * MILLION:.4g}" for value in values]
        fractions = ["" if value is None else f"{100 * value / peak:.2g}" for value in values]
        rows.append([str(payload), *cells, *fractions])
    return parts.table(head, rows)


def buffers(record: Record) -> str:
    """Messages and what fills them, over ranks."""
    metrics = (*FLUSHES, "mean_message_bytes", "full_fraction", "time_s")
    found = [f"`{metric}`:\n\n{parts.values(record, metric, (), 'p')}" for metric in metrics]
    return "\n\n".join([*found, parts.growth(record), parts.verdicts(record)])


def chunks(record: Record) -> str:
    """Times, steals, and how many nodes each moved."""
    metrics = ("steals", "steals_tried", "refusals", "items_stolen")
    blocks = [
        f"ms:\n\n{parts.values(record, 'time_s', ('tree',), 'chunk', factor=MILLI)}",
        *(f"`{metric}`:\n\n{parts.values(record, metric, ('tree',), 'chunk')}" for metric in metrics),
        f"Steals, by nodes:\n\n{parts.values(record, 'steals_by_items', ('tree', 'chunk'), 'up_to')}",
    ]
    return "\n\n".join(blocks)


def parallelism(record: Record) -> str:
    """Tasks and busy ranks over time: means of ten equal parts."""
    blocks = [
        f"Nodes a level:\n\n{parts.values(record, 'nodes_a_level', (), 'tree')}",
        f"ms:\n\n{parts.values(record, 'time_s', (), 'tree', factor=MILLI)}",
    ]
    for metric in ("tasks_over_time", "busy_ranks_over_time"):
        rows = []
        for tree, series in series_of(record, metric).items():
            tenths = [series[len(series) * i // 10 : len(series) * (i + 1) // 10] for i in range(10)]
            rows.append([tree, *(f"{statistics.mean(tenth):.4g}" if tenth else "" for tenth in tenths)])
        head = ["tree", *(f"{10 * i} to {10 * i + 10} %" for i in range(10))]
        blocks.append(f"`{metric}`:\n\n{parts.table(head, rows)}")
    return "\n\n".join(blocks)


def series_of(record: Record, metric: str) -> dict[str, list[float]]:
    """A metric whose values are a series in time, by tree, of the first trial."""
    trees = {treatment.id: str(treatment.levels["tree"]) for treatment in record.treatments}
    found: dict[str, list[float]] = {}
    for _, measurement in record.stream_measurements():
        series = [value.value for value in measurement.values if value.metric == metric]
        found.setdefault(trees[measurement.treatment], series)
    return found


def screening(record: Record) -> str:
    """Which knobs matter, and which need each other: effects and interactions."""
    return answer(record)


def response(record: Record) -> str:
    """Times step by step on both sizes, and the best of them."""
    (knob,) = [factor.name for factor in record.experiment.factors if factor.name != "p"]
    times = parts.values(record, "time_s", ("p",), knob, factor=MILLI)
    ages = parts.values(record, "flushes_age", ("p",), knob)
    old = f"Messages that were sent since they were old:\n\n{ages}"
    return f"ms:\n\n{times}\n\n{old}\n\n{parts.verdicts(record)}"


def answer(record: Record) -> str:
    """What ``steelyard analyze`` prints."""
    command = [sys.executable, "-m", "steelyard", "analyze", str(record.directory)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return f"```text\n{done.stdout}```"


PARTS: Final = {
    "uts": uts,
    "uts-memory": uts_memory,
    "real": real,
    "real-graph": real_graph,
    "real-tasks": real_tasks,
    "bfs": graph,
    "centrality": graph,
    "aggregator": aggregator,
    "ping": ping,
    "ping-simulated": ping,
    "buffers": buffers,
    "chunks": chunks,
    "parallelism": parallelism,
    "screening": screening,
    "screening-uts": screening,
    "response-age": response,
    "response-tasks": response,
}

if __name__ == "__main__":
    sys.exit(parts.main(HERE, __doc__, PARTS))
