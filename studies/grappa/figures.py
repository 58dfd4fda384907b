"""Figures of the evaluation of Grappa: trees, breadth-first search, and what a message carries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from charts import LOG, over, points, value
from readme_tables import rows_of

from steelyard.report.page.chart import Chart

HERE = Path(__file__).parent


def figures() -> Iterator[Chart]:
    """One for each of parts (a), (b) and (d), all simulated."""
    ranks = {f"p = {2**i}": float(2**i) for i in range(6)}
    trees = rows_of(HERE, "(a) Trees")
    yield over("trees", points(trees, ranks, ["tree"]), "p, ranks", "million nodes/s", scale=LOG)
    searches = [row for row in rows_of(HERE, "(b) Breadth-first") if row["algorithm"] == "bfs"]
    for row in searches:
        row["name"] = f"scale {row['scale']}, threshold {row['threshold']}"
    yield over("searches", points(searches, ranks, ["name"]), "p, ranks", "BFS, MTEPS", scale=LOG)
    bandwidths = [
        {"series": kind, "x": value(row["payload"]), "y": value(row[kind])}
        for kind in ("aggregated", "raw", "plain MPI")
        for row in rows_of(HERE, "(d) Small messages")
        if value(row[kind]) is not None
    ]
    yield over("bandwidths", bandwidths, "payload, bytes", "MB/s", scale=LOG)
