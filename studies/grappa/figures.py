"""Figures of the evaluation of Grappa: trees, breadth-first search, and what a message carries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from charts import LOG, bars, dots, over, points, value
from readme_tables import rows_of

from steelyard.api.charts import ACCENT, INK, WORSE, Chart

HERE = Path(__file__).parent
RANKS: Final = {f"p = {p}": float(p) for p in (1, 2, 4, 8, 16, 32, 64, 96, 128)}
PUBLISHED_PING: Final = (("plain MPI, below", 7), ("raw, below", 3), ("aggregated", 32))
"""Percent of the peak at 32 bytes, as the draft states."""
PUBLISHED_GAIN: Final = 4.0
PUBLISHED_BEST: Final = {32: (2.0, 3072.0, 1), 96: (14.0, 16000.0, 2)}
"""By nodes: flush age in ms and active tasks where the draft's curves have their peaks; our table of them."""


def figures() -> Iterator[Chart]:
    """Trees, searches and bandwidths; what the draft says of knobs and of the aggregator beside ours."""
    trees = rows_of(HERE, "(a) Trees")
    yield over("trees", points(trees, RANKS, ["tree"]), "p, ranks", "million nodes/s", scale=LOG)
    memory = rows_of(HERE, "(a) Trees", 3)
    yield over("trees-memory", points(memory, RANKS, ["tree"]), "p, ranks", "million nodes/s", scale=LOG)
    for name, algorithm, title in (
        ("searches", "bfs", "BFS, MTEPS"),
        ("centrality", "bc", "betweenness, MTEPS"),
    ):
        rows = [row for row in rows_of(HERE, "(b) Breadth-first") if row["algorithm"] == algorithm]
        for row in rows:
            row["name"] = f"scale {row['scale']}"
        yield over(name, points(rows, RANKS, ["name"]), "p, ranks", title, scale=LOG)
    bandwidths = [
        {"series": kind, "x": value(row["payload"]), "y": value(row[kind])}
        for kind in ("aggregated", "raw")
        for row in rows_of(HERE, "(d) Small messages")
    ]
    yield over("bandwidths", bandwidths, "payload, bytes", "MB/s", scale=LOG)
    yield from _sensitivity()
    yield _shares()
    yield _gain()


def _sensitivity() -> Iterator[Chart]:
    """Times over the best by flush age, number of tasks and threshold, and the best levels of the draft.

    The draft gives where each curve has its peak, not the curves. As there, the other knob has its best.
    """
    ages: list[dict[str, Any]] = []
    tasks: list[dict[str, Any]] = []
    for p, (age, most, place) in PUBLISHED_BEST.items():
        rows = rows_of(HERE, "(g) The best", place)
        row = next(row for row in rows if value(row["active tasks"]) == most)
        ages += _relative(
            f"{p} ranks, {most:,.0f} tasks",
            {milliseconds(name): text for name, text in row.items() if name != "active tasks"},
        )
        ages.append({"series": f"published best, {p} nodes", "x": age, "y": 1.0})
        column = next(name for name in row if name != "active tasks" and milliseconds(name) == age)
        tasks += _relative(
            f"{p} ranks, {age:g} ms",
            {value(row["active tasks"]) or 0.0: row[column] for row in rows},
        )
        tasks.append({"series": f"published best, {p} nodes", "x": most, "y": 1.0})
    title = "time over the best, simulated"
    yield bars("flush-age", ages, "flush age, ms", title, log=True, wide=True)
    yield bars("active-tasks", tasks, "active tasks a rank", title, log=True, wide=True)
    thresholds = [
        point
        for row in rows_of(HERE, "(g) The best", 4)
        for point in _relative(
            f"flush age {row['flush age']}",
            {float(name): text for name, text in row.items() if name != "flush age"},
        )
    ]
    thresholds.append({"series": "published best, 32 nodes: 32 and fewer", "x": 32.0, "y": 1.0})
    yield bars("threshold", thresholds, "loop threshold", title, log=True, wide=True)


def milliseconds(name: str) -> float:
    """Of ``50 µs`` or ``2 ms``."""
    number, unit = name.split()
    return float(number) / (1e3 if unit == "µs" else 1)


def _relative(series: str, texts: Mapping[float, str]) -> list[dict[str, Any]]:
    times = {x: value(text) or 0.0 for x, text in texts.items()}
    return [{"series": series, "x": x, "y": time / min(times.values())} for x, time in times.items()]


def _gain() -> Chart:
    """What the aggregator makes of breadth-first search: published and simulated, both at scale 20."""
    times = {
        (row["p"], row["active tasks"], "off" in row["`--buffer-bytes`"]): value(row["ms"]) or 0.0
        for row in rows_of(HERE, "(e) The aggregator")
    }
    rows: list[dict[str, Any]] = [
        {
            "name": f"{p} ranks, {tasks} tasks",
            "what": "simulated",
            "x": times[p, tasks, True] / times[p, tasks, False],
        }
        for p in ("32", "96")
        for tasks in ("3,072", "16,000")
    ]
    rows.append({"name": "96 nodes", "what": "published", "x": PUBLISHED_GAIN})
    colours = {"simulated": ACCENT, "published": INK}
    most = max(row["x"] for row in rows)
    return dots("aggregator", rows, "speedup by the aggregator", colours=colours, domain=(0, 1.1 * most))


def _shares() -> Chart:
    """Shares of the peak at 32 bytes: published, simulated, real."""
    rows: list[dict[str, Any]] = [
        {"name": f"{name} at 32 bytes", "what": "published", "x": share} for name, share in PUBLISHED_PING
    ]
    for place, label in ((1, "simulated"), (2, "real, two ranks")):
        row = next(r for r in rows_of(HERE, "(d) Small messages", place) if r["payload"] == "32")
        for name, _ in PUBLISHED_PING:
            kind = name.removesuffix(", below")
            if (share := row.get(f"{kind}, %")) is not None:
                rows.append({"name": f"{name} at 32 bytes", "what": label, "x": value(share)})
    colours = {"published": INK, "simulated": ACCENT, "real, two ranks": WORSE}
    return dots("share-of-peak", rows, "percent of the peak bandwidth", colours=colours, domain=(0, 40))
