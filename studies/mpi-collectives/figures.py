"""Figures of MPI collectives: the paper's Figures 4 and 5 with the published growth beside our points; noise
of links and cores; the same latency by two definitions; memory.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from math import log2
from pathlib import Path
from statistics import median
from typing import Any, Final

from charts import beside_published, over
from readme_tables import tables_of

from steelyard.api import Interval
from steelyard.api.charts import Chart, Estimated, forest, forest_rows
from steelyard.api.scaling import parse_growth
from steelyard.api.text import Style

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
    for operation in ("barrier", "allreduce", "litmus"):
        yield over(
            f"noise-{operation}",
            [
                {
                    "series": level.replace("=", " ").replace(" hosts", ", hosts"),
                    "x": p,
                    "y": 1e6 * median(values),
                }
                for level, points in _kept("noise", operation).items()
                if level.split()[0] != "links=0.1"
                for p, values in points.items()
            ],
            "p, ranks",
            f"{operation} on the fat tree, simulated, median of 5 draws (µs)",
        )
    yield _definitions()
    yield _memory()
    for figure, part, label, systems in BESIDE:
        for operation in FIGURES[figure]:
            yield _growth(f"{figure}-{operation}", part, label, systems, operation)


MEMORY: Final[tuple[tuple[str, Callable[[float], float]], ...]] = (
    ("Juropa, published", lambda p: 16 + 0.56 * p),
    ("Piz Daint, published", lambda p: 46 + 1.35 * log2(p)),
)
"""MB a process, Table 5; of Juqueen the constant is not printed."""


def _growth(name: str, part: str, label: str, systems: Mapping[str, str], operation: str) -> Chart:
    """Our latencies, and the growth that the paper states of each system through our first point."""
    ours: list[dict[str, Any]] = []
    published: list[dict[str, Any]] = []
    measured = _kept(part, operation)
    printed = _published(operation)
    for level, system in systems.items():
        points = measured[f"{label}={level}"]
        series = f"{level}, dashed: {system}" if system in printed else level
        ours += [{"series": series, "x": p, "y": 1e6 * median(latencies)} for p, latencies in points.items()]
        if system in printed:
            growth = parse_growth(printed[system], "p")
            first, latencies = next(iter(points.items()))
            least = median(latencies)
            published += [
                {"series": series, "x": p, "y": 1e6 * least * growth.at(p) / growth.at(first)} for p in points
            ]
    return beside_published(name, ours, published, "p, ranks", f"{operation}, simulated (µs)")


def _memory() -> Chart:
    """Private memory of a process after every rank has talked to every other, medians of launches, beside the
    resident memory that the paper models.
    """
    values: dict[tuple[str, int], list[float]] = {}
    with (HERE / "connected.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if (row["op"], row["metric"]) == ("process_after_alltoall", "private_bytes"):
                place = (row["implementation"], int(row["p"]))
                values.setdefault(place, []).append(float(row["value"]))
    ours = [
        {"series": library, "x": p, "y": median(latencies) / 1e6}
        for (library, p), latencies in sorted(values.items())
    ]
    ranks = sorted({p for _, p in values})
    published = [{"series": name, "x": p, "y": at(p)} for name, at in MEMORY for p in ranks]
    return beside_published("figure-4i-memory", ours, published, "p, ranks", "memory of a process (MB)")


def _kept(part: str, operation: str) -> dict[str, dict[int, list[float]]]:
    """Latencies in seconds by machine, selector or noise, and ranks."""
    result: dict[str, dict[int, list[float]]] = {}
    with (HERE / "simulated.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["part"] == part and row["op"] == operation:
                result.setdefault(row["of"], {}).setdefault(int(row["p"]), []).append(float(row["latency_s"]))
    return {level: dict(sorted(points.items())) for level, points in result.items()}


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
    result = []
    for row in tables_of(HERE)["IMB-MPI1 over the workload", 1]:
        if row["library"] == "mpich" and row["operation"] in OPERATIONS:
            for column, label, style in WAYS:
                match = RATIO.fullmatch(row[column])
                assert match is not None  # noqa: S101 -- the table has this form throughout
                at, low, high = map(float, match.groups())
                result.append(Estimated(f"{row['operation']}, {label}", at, Interval(low, high), style))
    spec = forest(result, "latency by the workload over that by IMB-MPI1, MPICH")
    return Chart("definitions", "definitions", "", spec, {"rows": forest_rows(result)})
