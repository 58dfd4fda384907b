"""Tables of README.md, from ``values/*.csv``: ``tables.py`` writes them into tables.csv and README.md."""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Final

from scipy import stats

from steelyard.api.text import Scalar

HERE: Final = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import kept_values  # noqa: E402 -- what studies share lies beside them
import readme_tables  # noqa: E402

Rows = list[dict[str, str]]
"""Of a table, by its columns."""
Key = tuple[Scalar, ...]
MEGA: Final = 1e-6
MILLI: Final = 1e3
PEAK: Final = 3.4e9
"""Bytes a second of the simulated network, and of the draft's card."""
RANKS: Final = (1, 2, 4, 8, 16, 32, 64, 96, 128)
KNOBS: Final = {
    "flush_age": "flush age: 50 → 500 µs",
    "active_tasks": "active tasks: 512 → 4,096",
    "loop_threshold": "loop threshold: 1 → 32",
    "chunk": "steal chunk: 1 → 64",
    "list_piece": "children read at once: 1 → 31",
    "p": "ranks: 8 → 32",
}


def values_by(part: str, metric: str, *names: str, **filters: Scalar) -> dict[Key, list[float]]:
    """Values of a metric by these levels, of the treatments with those."""
    result: dict[Key, list[float]] = {}
    for sample in kept_values.kept(HERE, part).samples(metric):
        levels = sample.levels
        if all(levels.get(name) == level for name, level in filters.items()):
            result.setdefault(tuple(levels[name] for name in names), []).extend(sample.values)
    return result


def medians(part: str, metric: str, *names: str, **filters: Scalar) -> dict[Key, float]:
    """Their medians."""
    return {
        key: statistics.median(result) for key, result in values_by(part, metric, *names, **filters).items()
    }


def cross(
    head: Sequence[str], cells: Mapping[Key, float], column: str, *, digits: int = 4, factor: float = 1
) -> Rows:
    """A row for each key less its last level, which names a column as ``column`` says."""
    levels = sorted({key[-1] for key in cells}, key=lambda level: (isinstance(level, str), level))
    rows = []
    for row in dict.fromkeys(key[:-1] for key in cells):
        texts = {
            column.format(level): f"{factor * cells[*row, level]:.{digits}g}"
            if (*row, level) in cells
            else ""
            for level in levels
        }
        rows.append({**dict(zip(head, map(say, row), strict=True)), **texts})
    return rows


def say(level: Scalar) -> str:
    """A level as a table shows it."""
    return f"{level:,}" if isinstance(level, int) else f"{level:g}" if isinstance(level, float) else level


def mean_ratio(logs: Sequence[float]) -> str:
    """The geometric mean of ratios, from their logarithms."""
    return f"{math.exp(statistics.fmean(logs)):.3g}"


def interval(logs: Sequence[float]) -> str:
    """Its 95 % t interval over blocks."""
    ends = stats.ttest_1samp(logs, 0).confidence_interval(0.95)
    return " to ".join(f"{math.exp(end):.3g}" for end in (ends.low, ends.high))


def best(part: str, metric: str, *names: str, **filters: Scalar) -> dict[Key, float]:
    """The largest values over flush ages."""
    return {key: max(result) for key, result in values_by(part, metric, *names, **filters).items()}


def calibration() -> Rows:
    """How much longer this machine takes for what is counted."""
    times = {
        str(command): statistics.median(result)
        for (command,), result in values_by("calibration", "time_s", "command").items()
    }
    return [
        {
            "program": program,
            "real, ms": f"{MILLI * times[f'{program}, real']:.3g}",
            "counted operations, ms": f"{MILLI * times[f'{program}, simulated']:.3g}",
            "ratio": f"{times[f'{program}, real'] / times[f'{program}, simulated']:.2f}",
        }
        for program in ("bfs", "bc", "uts-memory", "uts")
    ]


def trees() -> Rows:
    """Million nodes a second over ranks, without memory."""
    return cross(["tree"], medians("uts", "rate", "tree", "p"), "p = {}", factor=MEGA)


def real_trees() -> Rows:
    """One rank and two of this machine."""
    rates = values_by("real", "rate", "tree", "p")
    rows = []
    for tree in ("T1", "T2", "T3"):
        single, two = rates[tree, 1], rates[tree, 2]
        ratios = [math.log(second / first) for first, second in zip(single, two, strict=True)]
        rows.append(
            {
                "tree": tree,
                "p = 1": f"{MEGA * statistics.median(single):.3g}",
                "p = 2": f"{MEGA * statistics.median(two):.3g}",
                "two over one (95 % interval)": f"{mean_ratio(ratios)} ({interval(ratios)})",
            }
        )
    return rows


def trees_in_memory() -> Rows:
    """Million nodes a second, and what it takes on the most ranks of each tree."""

    def both(metric: str) -> dict[Key, float]:
        names = ("tree", "p")
        return medians("uts-memory", metric, *names) | medians("uts-memory-deep", metric, *names)

    rates = both("rate")
    rows = cross(["tree"], rates, "p = {}", factor=MEGA)
    for row in rows:
        most = max(int(str(p)) for tree, p in rates if tree == row["tree"])
        for metric, name in (("steals", "steals"), ("messages", "messages"), ("flushes_full", "full")):
            row[f"{name}, on the most"] = f"{both(metric)[row['tree'], most]:,.0f}"
    return rows


def searches() -> Rows:
    """MTEPS of both searches over ranks, breadth-first search by the better flush age."""
    result = {
        **{("bfs", *key): rate for key, rate in best("bfs", "teps", "scale", "p").items()},
        **{("bc", *key): rate for key, rate in medians("centrality", "teps", "scale", "p").items()},
    }
    return cross(
        ["algorithm", "scale"], dict(sorted(result.items(), key=str, reverse=True)), "p = {}", factor=MEGA
    )


def real_searches() -> Rows:
    """By tasks and by work items, on one rank and two."""
    ways = {"--blocking": "tasks", "--own=auto": "work items"}
    rates = medians("real-graph", "teps_harmonic_mean", "op", "way", "p")
    named: dict[Key, float] = {(f"{op}, {ways[str(way)]}", p): rate for (op, way, p), rate in rates.items()}
    return cross(["algorithm"], named, "p = {}", digits=3, factor=MEGA)


def buffers() -> Rows:
    """Messages and what fills them, over ranks."""
    ranks = [int(str(p)) for (p,) in values_by("buffers", "messages", "p")]

    def row(name: str, cells: Iterable[str]) -> dict[str, str]:
        return {"": name, **{f"p = {p}": cell for p, cell in zip(ranks, cells, strict=True)}}

    def measured(metric: str, form: str, factor: float = 1) -> list[str]:
        return [format(factor * value, form) for value in medians("buffers", metric, "p").values()]

    full = [p * (p - 1) * math.ceil(160_000 / (4_096 * p)) for p in ranks]
    return [
        row("messages between ranks", measured("messages", ".0f")),
        row("p (p − 1) ⌈160,000 / (4,096 p)⌉", map(str, full)),
        row("sent since they were full, fraction", measured("full_fraction", ".2f")),
        row("bytes of a mean message", measured("mean_message_bytes", ".0f")),
        row("time, µs", measured("time_s", ".1f", 1e6)),
    ]


def bandwidths(part: str, ways: Mapping[str, str], peak: float, *payloads: int) -> Rows:
    """MB/s of each way that a record calls so, by its name here, and percent of a peak in B/s."""
    rates = medians(part, "bandwidth", "payload", "op")
    rows = []
    for payload in payloads:
        result = {name: rates[payload, way] for way, name in ways.items() if (payload, way) in rates}
        if not result:
            continue
        row = {"payload": str(payload)}
        row |= {name: f"{MEGA * result[name]:.4g}" if name in result else "" for name in ways.values()}
        row |= {
            f"{name}, %": share_of(result[name] / peak) if name in result else "" for name in ways.values()
        }
        rows.append(row)
    return rows


def share_of(ratio: float) -> str:
    """In percent, to two digits or to whole ones."""
    return f"{100 * ratio:.0f}" if ratio > 0.1 else f"{100 * ratio:.2g}"


def ping_simulated() -> Rows:
    """Both ways on the simulated network, and their share of it."""
    payloads = (8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
    return bandwidths("ping-simulated", {"aggregated": "aggregated", "raw": "raw"}, PEAK, *payloads)


def ping_real() -> Rows:
    """The same on this machine, and plain MPI, whose best is the peak."""
    ways = {"aggregated": "aggregated", "raw": "raw", "mpi": "plain MPI"}
    rates = medians("ping", "bandwidth", "op", "payload")
    peak = max(rate for (way, _), rate in rates.items() if way == "mpi")
    return bandwidths("ping", ways, peak, 8, 32, 128, 512, 2048, 4096, 16384, 65536)


def aggregator() -> Rows:
    """Off and on, with the lengths of messages."""
    times = medians("aggregator", "time_s", "buffer_bytes", "active_tasks", "p")
    counts = medians("aggregator", "messages", "buffer_bytes", "active_tasks", "p")
    sizes = values_by("aggregator", "messages_by_bytes", "buffer_bytes", "active_tasks", "p", "up_to")
    ends = sorted({int(str(key[-1])) for key in sizes})
    rows = []
    for key in sorted(times, key=lambda key: (key[2], key[1], key[0])):
        size, tasks, p = key
        row = {
            "`--buffer-bytes`": "0 (off)" if size == 0 else say(size),
            "active tasks": say(tasks),
            "p": str(p),
            "ms": f"{MILLI * times[key]:.4g}",
            "messages": f"{counts[key]:,.0f}",
        }
        row |= {
            f"to {say(end)} B": f"{statistics.median(sizes[*key, end]):,.0f}" if (*key, end) in sizes else ""
            for end in ends
        }
        rows.append(row)
    return rows


def effects(part: str) -> dict[str, tuple[str, str]]:
    """The effect of each knob and of each pair of a screening, with its interval over blocks.

    A knob's is a speedup, a pair's that at the second level of the one over that at its first.
    """
    result = kept_values.kept(HERE, part)
    factors = [name for name in result.keys if name in KNOBS]
    low = {name: min(float(row[name]) for row in result.rows) for name in factors}
    by_block: dict[str, list[dict[str, float]]] = {}
    for row in result.rows:
        signs = {name: -1.0 if float(row[name]) == low[name] else 1.0 for name in factors}
        by_block.setdefault(row["block"], []).append({**signs, "": math.log(float(row["time_s"]))})
    effects_by_name = {}
    for names in [(name,) for name in factors] + list(combinations(factors, 2)):
        of_blocks = [
            -(2 ** len(names))
            * statistics.fmean(math.prod(run[name] for name in names) * run[""] for run in runs)
            for runs in by_block.values()
        ]
        label = KNOBS[names[0]] if len(names) == 1 else " × ".join(KNOBS[n].partition(":")[0] for n in names)
        effects_by_name[label] = mean_ratio(of_blocks), interval(of_blocks)
    return effects_by_name


def screenings() -> Rows:
    """Effects on breadth-first search and on UTS-mem; pairs that neither has beyond 10 % are left out."""
    bfs, uts = effects("screening"), effects("screening-uts")
    rows = []
    for label in dict.fromkeys([*bfs, *uts]):
        result = [screening.get(label, ("", "")) for screening in (bfs, uts)]
        large = any(effect and abs(math.log(float(effect))) > math.log(1.1) for effect, _ in result)
        if ":" in label or large:
            (search, search_95), (tree, tree_95) = result
            rows.append(
                {
                    "effect": label,
                    "BFS, scale 16": search,
                    "BFS, 95 %": search_95,
                    "UTS-mem, T1": tree,
                    "UTS-mem, 95 %": tree_95,
                }
            )
    return sorted(rows, key=lambda row: [*KNOBS.values(), row["effect"]].index(row["effect"]))


def responses(p: int) -> Rows:
    """Times by flush age and active tasks, in ms."""
    times = medians("response", "time_s", "active_tasks", "flush_age", p=p)
    ordered = dict(sorted(times.items()))
    rows = cross(["active tasks"], ordered, "{}", factor=MILLI)
    return [{_age(name): text for name, text in row.items()} for row in rows]


def _age(column: str) -> str:
    try:
        seconds = float(column)
    except ValueError:
        return column
    return f"{1e6 * seconds:g} µs" if seconds < 1e-3 else f"{1e3 * seconds:g} ms"


def real_tasks() -> Rows:
    """MTEPS on this machine by active tasks."""
    rates = medians("real-tasks", "teps_harmonic_mean", "p", "active_tasks")
    return cross(["p"], dict(sorted(rates.items())), "{:,}", digits=3, factor=MEGA)


def thresholds() -> Rows:
    """Times by loop threshold, in ms, and the tasks there are at once."""
    times = dict(sorted(medians("threshold", "time_s", "flush_age", "loop_threshold").items()))
    rows = cross(["flush age"], times, "{}", factor=MILLI)
    return [{**row, "flush age": _age(row["flush age"])} for row in rows]


def chunks() -> Rows:
    """Times by chunk, in ms."""
    return cross(["tree"], medians("chunks", "time_s", "tree", "chunk"), "chunk = {}", factor=MILLI)


def stolen() -> Rows:
    """Steals by nodes, of half a victim's, and their mean."""
    sizes = dict(sorted(medians("chunks", "steals_by_items", "tree", "up_to", chunk=0).items()))
    rows = cross(["tree"], sizes, "to {}", digits=6)
    items, steals = (medians("chunks", metric, "tree", chunk=0) for metric in ("items_stolen", "steals"))
    return [{**row, "mean": f"{items[row['tree'],] / steals[row['tree'],]:.1f}"} for row in rows]


def parallelism() -> Rows:
    """Nodes a level, and medians over time of nodes that wait and of ranks that have any."""
    rows = []
    for (tree,), level in medians("parallelism", "nodes_a_level", "tree").items():
        waiting, busy = (
            medians("parallelism", metric, "tree")[tree,]
            for metric in ("tasks_over_time", "busy_ranks_over_time")
        )
        rows.append(
            {
                "tree": str(tree),
                "nodes a level": f"{level:,.0f}",
                "nodes that wait": f"{waiting:,.0f}",
                "busy ranks": f"{busy:.3g}",
            }
        )
    return rows


def tables() -> Iterator[tuple[str, int, Rows]]:
    """Every table that is made of values: the heading that it stands under, its place there, its rows."""
    yield "What came out", 1, calibration()
    for place, rows in enumerate((trees(), real_trees(), trees_in_memory()), 1):
        yield "(a) Trees", place, rows
    for place, rows in enumerate((searches(), real_searches()), 1):
        yield "(b) Breadth-first search and betweenness", place, rows
    yield "(c) Why it stops", 1, buffers()
    for place, rows in enumerate((ping_simulated(), ping_real()), 1):
        yield "(d) Small messages one way", place, rows
    yield "(e) The aggregator in breadth-first search", 1, aggregator()
    yield "(f) Which knobs matter, and which need each other", 1, screenings()
    for place, rows in enumerate((responses(32), responses(96), real_tasks(), thresholds()), 1):
        yield "(g) The best flush age, number of tasks and threshold", place, rows
    for place, rows in enumerate((chunks(), stolen(), parallelism()), 1):
        yield "(h) What the paper left open, on 32 ranks", place, rows


def cells() -> list[readme_tables.Cell]:
    """All cells that the study keeps: those of values, then those of parts without."""
    return readme_tables.with_kept(HERE, tables())


if __name__ == "__main__":
    readme_tables.write(HERE, cells())
