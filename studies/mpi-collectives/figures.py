"""Figures of MPI collectives: the paper's Figures 4 and 5 with the published growth beside our points; noise
of links and cores; the same latency by two definitions; memory.
"""

from __future__ import annotations

import csv
import re
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from charts import beside_published, over, points, table

from steelyard.answers.interval import Interval
from steelyard.growth import parse_growth
from steelyard.report.page.chart import Chart
from steelyard.report.page.forest import Estimated, forest, rows
from steelyard.report.text.line import Style

HERE = Path(__file__).parent
RATIO = re.compile(r"([\d.]+) \(([\d.]+) … ([\d.]+)\)")
WAYS: Final[tuple[tuple[str, str, Style], ...]] = (
    ("as reported", "as reported", "bad"),
    ("same → IMB", "by the same definition", "good"),
)
MACHINES: Final = {"torus": "Juqueen", "fat-tree": "Juropa", "dragonfly": "Piz Daint"}
LIBRARIES: Final = {"impi": "Intel MPI", "ompi": "Open MPI"}
BESIDE: Final = (
    ("figure-4", "topologies", "machine", MACHINES),
    ("figure-5", "selectors", "selector", LIBRARIES),
)
FIGURES: Final = {
    "figure-4": (
        *("barrier", "bcast", "reduce", "allreduce"),
        *("gather", "allgather", "alltoall", "litmus"),
    ),
    "figure-5": ("barrier", "bcast", "reduce", "allgather"),
}
"""The paper's Figures 4 a to h and 5; 4 i is of memory."""
CONNECTION_BYTES: Final = 0.55e6
"""What a connection takes in the paper's explanation of its Figure 4 i: ParaStation MPI on Juropa."""
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
    yield _memory()
    for figure, part, label, systems in BESIDE:
        for operation in FIGURES[figure]:
            yield _growth(f"{figure}-{operation}", part, label, systems, operation)


def _growth(name: str, part: str, label: str, systems: Mapping[str, str], operation: str) -> Chart:
    """Our latencies, and the growth that the paper states of each system through our first point."""
    ours: list[dict[str, Any]] = []
    published: list[dict[str, Any]] = []
    measured = _kept(part, operation)
    printed = _published(operation)
    for of, system in systems.items():
        points = measured[f"{label}={of}"]
        series = f"{of}, dashed: {system}" if system in printed else of
        ours += [{"series": series, "x": p, "y": 1e6 * latency} for p, latency in points.items()]
        if system in printed:
            growth = parse_growth(printed[system], "p")
            first, least = next(iter(points.items()))
            published += [
                {"series": series, "x": p, "y": 1e6 * least * growth.at(p) / growth.at(first)} for p in points
            ]
    return beside_published(name, ours, published, "p, ranks", f"{operation}, simulated (µs)")


def _memory() -> Chart:
    """Memory of a process after every rank has talked to every other; medians of launches."""
    values: dict[tuple[str, int], list[float]] = {}
    with (HERE / "connected.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if (row["op"], row["metric"]) == ("process_after_alltoall", "private_bytes"):
                place = (row["implementation"], int(row["p"]))
                values.setdefault(place, []).append(float(row["value"]))
    ours = [
        {"series": library, "x": p, "y": statistics.median(its) / 1e6}
        for (library, p), its in sorted(values.items())
    ]
    published = [
        {"series": "Juropa, dashed: 0.55 MB · p", "x": p, "y": p * CONNECTION_BYTES / 1e6}
        for p in sorted({p for _, p in values})
    ]
    return beside_published(
        "figure-4i-memory", ours, published, "p, ranks", "private memory after Alltoall (MB)"
    )


def _kept(part: str, operation: str) -> dict[str, dict[int, float]]:
    """Latencies in seconds by machine or selector, and ranks."""
    found: dict[str, dict[int, float]] = {}
    with (HERE / "simulated.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["part"] == part and row["op"] == operation:
                found.setdefault(row["of"], {})[int(row["p"])] = float(row["latency_s"])
    return {of: dict(sorted(points.items())) for of, points in found.items()}


def _published(operation: str) -> dict[str, str]:
    """The growth that Tables 4 and 6 print, by system."""
    file = HERE.parent / "scalability-validation" / "published.csv"
    with file.open(newline="", encoding="utf-8") as lines:
        return {
            row["system"]: row["model"]
            for row in csv.DictReader(lines)
            if row["table"] in ("4", "6")
            and operation == ("litmus" if row["function"].endswith("(BT)") else row["function"].lower())
        }


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
