"""Figures of the evaluation of Grappa: trees, breadth-first search, and what a message carries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from charts import LOG, bars, dots, over, points, value
from readme_tables import rows_of

from steelyard.report.page.chart import ACCENT, INK, WORSE, Chart

HERE = Path(__file__).parent


def figures() -> Iterator[Chart]:
    """Trees, searches and bandwidths; what the draft says of knobs and of the aggregator beside ours."""
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
    yield from _sensitivity()
    yield _shares()
    yield _gain()
    searched = [row for row in rows_of(HERE, "(b) Breadth-first") if row.get("algorithm") == "bc"]
    for row in searched:
        row["name"] = f"scale {row['scale']}, threshold {row['threshold']}"
    yield over("centrality", points(searched, ranks, ["name"]), "p, ranks", "betweenness, MTEPS", scale=LOG)


PUBLISHED_PING: Final = (("plain MPI, below", 7), ("raw, below", 3), ("aggregated", 32))
"""Percent of the peak at 32 bytes, as the draft states."""


PUBLISHED_GAIN: Final = 4.0


def _sensitivity() -> Iterator[Chart]:
    """Times over our best by flush age and number of tasks, and the best levels of the draft.

    The draft gives where each curve has its peak, not the curves.
    """
    ages = rows_of(HERE, "(g) The best", 1)
    microseconds = {f"{us} µs": float(us) for us in (3, 10, 30, 100, 300)}
    best = [(f"published best, {n} nodes", 1e3 * ms) for n, ms in ((32, 2), (96, 14))]
    yield _relative("flush-age", ages, microseconds, best, "flush age, µs")
    tasks = [row for row in rows_of(HERE, "(g) The best", 2) if row["p"].endswith(", ms")]
    numbers = {name: value(name) or 0.0 for name in tasks[0] if name != "p"}
    best = [(f"published best, {n} nodes", float(most)) for n, most in ((32, 3072), (96, 16000))]
    yield _relative("active-tasks", tasks, numbers, best, "active tasks a rank")


def _relative(
    name: str,
    rows: list[dict[str, str]],
    columns: Mapping[str, float],
    best: Iterable[tuple[str, float]],
    across: str,
) -> Chart:
    found = []
    for row in rows:
        times = {x: value(row[column]) or 0.0 for column, x in columns.items()}
        series = f"{row['p'].partition(',')[0]} ranks, simulated"
        found += [{"series": series, "x": x, "y": time / min(times.values())} for x, time in times.items()]
    found += [{"series": series, "x": x, "y": 1.0} for series, x in best]
    return bars(name, found, across, "time over the best, breadth-first search", log=True, wide=True)


def _gain() -> Chart:
    """What the aggregator makes of breadth-first search: published at scale 20, ours simulated at scale 9."""
    times = {
        (row["p"], "off" in row["`--buffer-bytes`"]): value(row["ms"]) or 0.0
        for row in rows_of(HERE, "(e) The aggregator")
    }
    rows: list[dict[str, Any]] = [
        {"name": f"{p} ranks", "what": "scale 9, simulated", "x": times[p, True] / times[p, False]}
        for p in ("32", "96")
    ]
    rows.append({"name": "96 ranks", "what": "published, scale 20, 96 nodes", "x": PUBLISHED_GAIN})
    colours = {"scale 9, simulated": ACCENT, "published, scale 20, 96 nodes": INK}
    return dots("aggregator", rows, "speedup by the aggregator", colours=colours, domain=(0, 5))


def _shares() -> Chart:
    """Shares of the peak at 32 bytes: published, simulated, real."""
    rows: list[dict[str, Any]] = [
        {"name": f"{name} at 32 bytes", "what": "published", "x": share} for name, share in PUBLISHED_PING
    ]
    for place, what in ((1, "simulated"), (2, "real, two ranks")):
        row = next(r for r in rows_of(HERE, "(d) Small messages", place) if r["payload"] == "32")
        for name, _ in PUBLISHED_PING:
            kind = name.removesuffix(", below")
            rows.append({"name": f"{name} at 32 bytes", "what": what, "x": value(row[f"{kind}, %"])})
    colours = {"published": INK, "simulated": ACCENT, "real, two ranks": WORSE}
    return dots("share-of-peak", rows, "percent of the peak bandwidth", colours=colours, domain=(0, 40))
