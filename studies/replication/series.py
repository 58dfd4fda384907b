"""Series of points of the other studies, by campaign, with what is expected of each."""

from __future__ import annotations

import csv
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

STUDIES: Final = Path(__file__).resolve().parents[1]
POWERS: Final = tuple(
    f"2^({quarters / 4}*k)" if power == 0 else f"k^{power} 2^({quarters / 4}*k)"
    for quarters in range(1, 9)
    for power in range(5)
)
"""The space of the paper's Table 7."""
PHASES: Final = {"gen": "k^3 2^k", "dedup": "k^4 2^k", "pcount": "k 2^k", "unjoin": "k^3 2^k"}
OPERATIONS: Final = {
    "barrier": "log p",
    "bcast": "log p",
    "reduce": "log p",
    "allreduce": "log p",
    "gather": "p",
    "allgather": "p",
    "alltoall": "p log p",
    "litmus": "log p",
}
FEWEST: Final = 5
"""Points of a model, by the paper's rule of thumb."""
HEAPS: Final = {"mpi_init": "1", "comm_create": "p", "comm_dup": "1", "win_create": "p", "cart_create": "p"}


class Kind(NamedTuple):
    """How series of a source are modelled by the paper's method."""

    parameter: str
    space: str | tuple[str, ...]
    deviation: str


KINDS: Final = {
    "collectives (simulated)": Kind("p", "seed001", "p^0.5"),
    "allocations (simulated)": Kind("p", "seed001", "p^0.5"),
    "heaps": Kind("p", "mpi-study", "p^0.5"),
    "MAFIA": Kind("k", POWERS, "half"),
    "MAFIA, the paper's code": Kind("k", POWERS, "half"),
}


class Campaign(NamedTuple):
    """The points of one series as one campaign has them, by scale."""

    source: str
    series: str
    campaign: str
    expectation: str
    points: Mapping[float, float]


def read(file: str) -> list[dict[str, str]]:
    """Rows of a file of a study."""
    with (STUDIES / file).open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def collectives() -> Iterator[Campaign]:
    """On simulated machines and with simulated libraries, one campaign; of allocations a campaign a day."""
    points: dict[tuple[str, str, str, str], dict[float, float]] = {}
    for row in read("mpi-collectives/simulated.csv"):
        if not row["latency_s"]:
            continue
        setting, op, p, time_s = row["of"], row["op"], float(row["p"]), float(row["latency_s"])
        if row["part"] in ("topologies", "selectors"):
            points.setdefault(("collectives (simulated)", f"{setting} {op}", "only", op), {})[p] = time_s
        elif row["part"] == "allocations" and "scattered" in setting:
            machine, _, day = setting.split()
            points.setdefault(("allocations (simulated)", f"{machine} {op}", day, op), {})[p] = time_s
    for (source, series, campaign, op), values in points.items():
        yield Campaign(source, series, campaign, OPERATIONS[op], dict(sorted(values.items())))


def heaps() -> Iterator[Campaign]:
    """Heap of objects of real libraries, a block a campaign."""
    for op, expectation in HEAPS.items():
        points: dict[tuple[str, str], dict[float, float]] = {}
        for row in read("mpi-collectives/values/memory.csv"):
            if row["op"] == op and row["heap_mean_bytes"]:
                key = row["implementation"], row["block"]
                points.setdefault(key, {})[float(row["p"])] = float(row["heap_mean_bytes"])
        for (library, block), values in points.items():
            yield Campaign("heaps", f"{library} {op}", block, expectation, dict(sorted(values.items())))


def phases() -> Iterator[Campaign]:
    """Times of phases of MAFIA, a block a campaign: one launch a point, as published."""
    for name, expectation in PHASES.items():
        ours: dict[str, dict[float, float]] = {}
        for row in read("mafia/values/phases.csv"):
            if row["phase"] == name and row["phase_s"]:
                ours.setdefault(row["block"], {})[float(row["k"])] = float(row["phase_s"])
        for block, values in ours.items():
            yield Campaign("MAFIA", name, block, expectation, dict(sorted(values.items())))
        theirs: dict[str, dict[float, float]] = {}
        for row in read("mafia/values/paper-code.csv"):
            if row["clock"] == "theirs" and float(row[f"{name}_s"] or 0) > 0:
                theirs.setdefault(row["block"], {})[float(row["k"])] = float(row[f"{name}_s"])
        for block, values in theirs.items():
            source = "MAFIA, the paper's code"
            yield Campaign(source, name, block, expectation, dict(sorted(values.items())))


def campaigns() -> list[Campaign]:
    """All series, each campaign by itself, and where there are several the medians of all as one more."""
    alone = [item for item in (*collectives(), *heaps(), *phases()) if len(item.points) >= FEWEST]
    by_series: dict[tuple[str, str], list[Campaign]] = {}
    for item in alone:
        by_series.setdefault((item.source, item.series), []).append(item)
    medians = [
        of_series[0]._replace(campaign="medians", points=medians_of([item.points for item in of_series]))
        for of_series in by_series.values()
    ]
    return [item for item in alone if item.campaign != "only"] + medians


def medians_of(points: list[Mapping[float, float]]) -> dict[float, float]:
    """The median over campaigns of each scale that all have."""
    common = set(points[0]).intersection(*points[1:])
    return {scale: statistics.median(values[scale] for values in points) for scale in sorted(common)}


def thin(points: Mapping[float, float], chosen: str) -> dict[float, float]:
    """All points, the smaller half of the scales, or every other one from the largest down.

    Of halves at least five points stay.
    """
    scales = sorted(points)
    most = max(FEWEST, (len(scales) + 1) // 2)
    thinned = {"all": scales, "smaller half": scales[:most], "every other": scales[::-1][::2]}[chosen]
    return {scale: points[scale] for scale in sorted(thinned)}
