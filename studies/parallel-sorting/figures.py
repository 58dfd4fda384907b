"""Figures of parallel sorting: the sorts over ranks, the groups that MPI_Comm_split makes, and loads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from charts import LOG, over, points
from readme_tables import rows_of

from steelyard.report.page.chart import Chart

HERE = Path(__file__).parent


def figures() -> Iterator[Chart]:
    """One for each of parts (a), (b) and (d)."""
    ranks = {f"p = {2**i}": float(2**i) for i in range(2, 10)}
    whole = rows_of(HERE, "(a) Five sorts")
    for row in whole:
        if row["algorithm"] == "exact":
            row["algorithm"] = f"exact, {row['schedule']}"
    flat = [row for row in whole if row["machine"] == "flat"]
    yield over(
        "sorts",
        points(flat, ranks, ["algorithm"]),
        "p, ranks",
        "the whole, flat machine (µs)",
        scale=LOG,
        axis={"tickCount": 5},
    )
    groups = [
        row
        for row in rows_of(HERE, "(b) MPI_Comm_split, caught")
        if row["phase"] in ("place", "groups") and (row["phase"], row["groups"]) != ("groups", "ranges")
    ]
    yield over("groups", points(groups, ranks, ["phase", "groups"]), "p, ranks", "phases of mini sort (µs)")
    loads = rows_of(HERE, "(d) Largest load over the mean")
    yield over(
        "loads", points(loads, ranks, ["algorithm", "distribution"]), "p, ranks", "largest load over the mean"
    )
