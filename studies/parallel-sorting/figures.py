"""Figures of parallel sorting: the sorts over ranks, the groups that MPI_Comm_split makes, and loads."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from charts import LOG, beside_published, over, points, value
from readme_tables import rows_of

from steelyard.api.charts import Chart
from steelyard.api.scaling import parse_growth

HERE = Path(__file__).parent


def figures() -> Iterator[Chart]:
    """One for each of parts (a), (b) and (d)."""
    ranks = {f"p = {2**i}": float(2**i) for i in range(2, 10)}
    rows = rows_of(HERE, "(a) Five sorts")
    for row in rows:
        if row["algorithm"] == "exact":
            row["algorithm"] = f"exact, {row['schedule']}"
    flat = [row for row in rows if row["machine"] == "flat"]
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
    for system, machine in (("Lichtenberg", "fat-tree"), ("Juqueen", "flat")):
        yield _published(system, machine)


WHOLE: Final = {
    "Sample": (1, {"algorithm": "sample"}),
    "Histogram": (1, {"algorithm": "histogram"}),
    "Exact-splitting": (1, {"algorithm": "exact", "schedule": "sequential"}),
    "Radix k = 4": (3, {"algorithm": "radix", "bits": "4"}),
    "Mini": (3, {"algorithm": "mini"}),
}


def _published(system: str, machine: str) -> Chart:
    """The whole of each sort, and the growth that Table 10 states, drawn through our first point."""
    file = HERE.parent / "scalability-validation" / "published.csv"
    with file.open(newline="", encoding="utf-8") as lines:
        printed = {
            line["function"]: line["model"]
            for line in csv.DictReader(lines)
            if (line["table"], line["system"]) == ("10", system)
        }
    ours: list[dict[str, Any]] = []
    theirs: list[dict[str, Any]] = []
    for function, (place, selection) in WHOLE.items():
        row = next(
            r
            for r in rows_of(HERE, "(a) Five sorts", place)
            if r["machine"] == machine and selection.items() <= r.items()
        )
        times = {
            int(column.removeprefix("p = ")): us
            for column, text in row.items()
            if column.startswith("p = ") and (us := value(text)) is not None
        }
        growth = parse_growth(printed[function], "p")
        first, least = next(iter(times.items()))
        ours += [{"series": function, "x": p, "y": us} for p, us in times.items()]
        theirs += [{"series": function, "x": p, "y": least * growth.at(p) / growth.at(first)} for p in times]
    return beside_published(
        f"published-{machine}", ours, theirs, "p, ranks", f"the whole, {machine}, simulated (µs)"
    )
