"""Figures 4 to 12 of the paper and its Table 1, with what it publishes of them in the same frame."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, Final

from charts import bars

from steelyard.api.charts import Chart

HERE: Final = Path(__file__).parent
PARTS: Final = {
    "simulated, noise of links": ("simulated", "0.3"),
    "simulated": ("simulated", "0"),
    "real": ("real", ""),
    "the paper's sizes, simulated": ("papers", ""),
}
"""File and noise of links, by what the figures call them."""
FIGURES: Final = (
    ("hpx-5", "255", (4, 5, 10), (3, 11)),
    ("hpx-5", "100", (6, 7, 11), (3, 11)),
    ("am++", "100", (8, 9, 12), (1, 3)),
)
"""Runtime, largest weight, figures of times, speedups and relative deviations, published speedups."""
ORDERS: Final = {"kla": "KLA", "delta": "Δ = 1"}
WIDTH: Final = 0.6
"""Of the runs of a scale, side by side."""

Runs = dict[tuple[str, str, str], dict[str, list[float]]]


def runs_of(part: str, runtime: str, weight: str) -> Runs:
    """Times of the eight sources in seconds, by scale, noise and run, and by order."""
    result: Runs = {}
    name, links = PARTS[part]
    with (HERE / f"{name}-runs.csv").open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            if (line["runtime"], line["weight"], line.get("links", "")) == (runtime, weight, links):
                key = line["scale"], line.get("noise", ""), line["run"]
                times = [float(line[f"source_{i}_s"]) for i in range(1, 9)]
                result.setdefault(key, {})[line["order"]] = times
    return {key: runs_of_size for key, runs_of_size in result.items() if len(runs_of_size) == len(ORDERS)}


def figures() -> Iterator[Chart]:
    """Times, speedups and relative deviations of each runtime and weight; the instances of Table 1."""
    for runtime, weight, (times, speedups, deviations), band in FIGURES:
        rows: dict[str, list[dict[str, Any]]] = {"times": [], "speedups": [], "deviations": []}
        for label in PARTS:
            runs = runs_of(label, runtime, weight)
            for at, runs_of_size in _beside(runs):
                for order, name in ORDERS.items():
                    mean, s = fmean(runs_of_size[order]), stdev(runs_of_size[order])
                    point = {"series": f"{name}, {label}", "x": at}
                    rows["times"].append(
                        point | {"y": 1e3 * mean, "low": 1e3 * (mean - s), "high": 1e3 * (mean + s)}
                    )
                    rows["deviations"].append(point | {"y": s / mean})
                speedup = fmean(runs_of_size["kla"]) / fmean(runs_of_size["delta"])
                sigma = speedup * sum((stdev(t) / fmean(t)) ** 2 for t in runs_of_size.values()) ** 0.5
                rows["speedups"].append(
                    {"series": label, "x": at, "y": speedup, "low": speedup - sigma, "high": speedup + sigma}
                )
        suffix = f"{runtime.upper()}, weights to {weight}"
        scale = "scale; runs side by side"
        if deviations == 11:
            rows["deviations"].append({"series": "KLA, published (run 2)", "x": 17.0, "y": 0.5})
        yield bars(f"figure-{times}", rows["times"], scale, f"time ± s, {suffix} (ms)", log=True)
        name = f"KLA over Δ = 1 ± σ, {suffix}"
        yield bars(f"figure-{speedups}", rows["speedups"], scale, name, band=band)
        yield bars(f"figure-{deviations}", rows["deviations"], scale, f"s / mean over sources, {suffix}")
    yield _instances()


def _beside(runs: Runs) -> Iterator[tuple[float, dict[str, list[float]]]]:
    scales: dict[str, list[dict[str, list[float]]]] = {}
    for (scale, _, _), runs_of_size in runs.items():
        scales.setdefault(scale, []).append(runs_of_size)
    for scale, group in scales.items():
        for i, runs_of_size in enumerate(group):
            offset = WIDTH * (i / (len(group) - 1) - 0.5) if len(group) > 1 else 0.0
            yield float(scale) + offset, runs_of_size


def _instances() -> Chart:
    """Each instance over the mean of its run: Table 1, and KLA on HPX-5 by source."""
    rows: list[dict[str, Any]] = []
    with (HERE / "published.csv").open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            times = [float(line[f"instance_{i}"]) for i in range(1, 9)]
            rows += _over_mean(f"published, run {line['run']}", times, 0.1 if line["run"] == "2" else 0.2)
    for label, offset in (("simulated, noise of links", -0.25), ("real", -0.1)):
        for (scale, _, _), runs_of_size in runs_of(label, "hpx-5", "100").items():
            if scale == "14":
                rows += _over_mean(f"{label}, scale 14", runs_of_size["kla"], offset)
    return bars("instances", rows, "instance (source)", "KLA on HPX-5: time over the mean of its run")


def _over_mean(series: str, times: list[float], offset: float) -> list[dict[str, Any]]:
    mean = fmean(times)
    return [{"series": series, "x": i + offset, "y": time / mean} for i, time in enumerate(times, 1)]
