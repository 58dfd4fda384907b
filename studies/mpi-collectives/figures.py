"""Figures of MPI collectives: noise of links and cores, and the same latency by two definitions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from charts import over, points, table

from steelyard.answers.interval import Interval
from steelyard.report.page.chart import Chart
from steelyard.report.page.forest import Estimated, forest, rows
from steelyard.report.text.line import Style

HERE = Path(__file__).parent
RATIO = re.compile(r"([\d.]+) \(([\d.]+) … ([\d.]+)\)")
WAYS: Final[tuple[tuple[str, str, Style], ...]] = (
    ("as reported", "as reported", "bad"),
    ("same → IMB", "by the same definition", "good"),
)
OPERATIONS = ("barrier", "bcast", "allreduce", "gather")


def figures() -> Iterator[Chart]:
    """One for each table of part (f), and one of part (d)."""
    ranks = {str(2**i): float(2**i) for i in range(4, 10)}
    for operation in ("barrier", "allreduce", "litmus"):
        noise = [
            row | {"of": f"links {row['links']}, hosts {row['hosts']}"}
            for row in table(HERE, f"{operation}, simulated")
            if row["links"] in ("0", "0.5") and row["hosts"] in ("0", "0.1", "0.5")
        ]
        yield over(
            f"noise-{operation}",
            points(noise, ranks, ["of"]),
            "p, ranks",
            f"{operation} on the fat tree, simulated, median of 5 draws (µs)",
        )
    yield _definitions()


def _definitions() -> Chart:
    """IMB's number over ours: as both report it, and by IMB's definition."""
    found = []
    for row in table(HERE, "(d) Real latencies", 2):
        if row["library"] == "mpich" and row["operation"] in OPERATIONS:
            for column, said, style in WAYS:
                match = RATIO.fullmatch(row[column])
                assert match is not None  # noqa: S101 -- the table has this form throughout
                at, low, high = map(float, match.groups())
                found.append(Estimated(f"{row['operation']}, {said}", at, Interval(low, high), style))
    spec = forest(found, "latency by the workload over that by IMB-MPI1, MPICH")
    return Chart("definitions", "definitions", "", spec, {"rows": rows(found)})
