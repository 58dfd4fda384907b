"""Sentences of README.md with numbers, and the data that give them."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from prose import Sentence

TABLES: Final[Mapping[str, Any]] = runpy.run_path(
    str(Path(__file__).with_name("tables.py")), run_name="tables"
)
Cells = dict[tuple[Any, ...], float]
medians: Final[Callable[..., Cells]] = TABLES["medians"]
best: Final[Callable[..., Cells]] = TABLES["best"]
PERCENT: Final = 100
GIVEN: Final = (
    r"3\.4 GB/s",
    r"takes 1\.8 times as long as simulated even so, and UTS 1\.2",  # ./dev bench virtual
    r"buffers of 4 KiB|buffers of 32 KiB",
    r"20 to 10,000 times smaller",
    r"on 32 nodes\s+\(scale 15, T1\)",
    r"The specs have 2\.9, 3\.4, 5\.0 and 7\.5",
    r"3,072 active tasks, flush age 100 µs, lists of 31",
    r"better flush age of 50 and 200 µs, betweenness by 100 µs",
    r"to 128 ranks|Up to 32 ranks|from 64 on|with 200 µs 128 ranks|with 50 µs",
    r"10 blocks|4,096 active; 7 blocks|7 blocks",
    r"4\.17 times",
    r"100 million requests a second a node against\s+25 million",
    r"roots \(64 for",
    r"20,000 updates of 8 bytes|160,000 / p|from p = 40 on|on 128 ranks as on 2",
    r"the paper's fractions of the peak",
    r"At 32 bytes|\(the draft: 11 to 12\)|\(32 %\)|\(below 3 %\)",
    r"threshold: with 32 a rank|on 32 ranks than on 8|of scale 16 have",
    r"29\.7 times on Open MPI and 45\.7 on MPICH",
    r"flush age 500 µs",
    r"On 96 nodes|on 96 nodes|On 32 nodes|on 32 nodes|32 nodes and|on 96 have",
    r"with 16,000|with 3,072|16,000 tasks|8,192 tasks|1,024 tasks|3,072 tasks|65,536, whose|slower than 64",
    r"a message has 16 or 32 bytes \(the draft: 32 to 64\)",
    r"more than 2,048",
    r"pairs below 10 %|5 % in the mean",
    r"31 buffers to fill there, and 95 here",
    r"The draft's ages are 2 and 14 ms|its\s+2 ms|its\s+14 ms|with 14 ms as with 50 µs",
    r"with 50 µs|with 200 µs|from 32 on|32 and fewer, as published, but 32",
    r"5\.0 children there, and 2\.25|80\.0 % leaves in 13 levels, T2L 55\.6 % in 67",
    r"takes 1\.44 reads a node and T1L 1\.20",
    r"The tree of 1\.6 billion nodes in memory takes 39 GB",
    r"UTS 2\.1|tree of 1\.6 billion nodes: 39 GB in memory",
    r"on 8 ranks and|on 16, with|On 128 ranks|of 128 times",
    r"on 60 ranks \(the draft: 112\)|on 128; a rank|from 32 and|from 60",
    r"since 100 µs are too short for 127 buffers: on 60, ages of 200 and 500 µs|times the rate of 100",
    r"^1\.9 times on two ranks holds",
    r"each edge a task, 3,072 active|32 nodes, 3,072 active tasks",
    r"on 96 those|on 96 six sevenths",
)
"""Settings of the specs, values of the draft, counts of the trees' definitions."""


def sentences() -> Iterator[Sentence]:
    """Every sentence with numbers that were measured."""
    yield from trees()
    yield from searches()
    yield from messages()
    yield from screenings()
    yield from responses()
    yield from stealing()


def trees() -> Iterator[Sentence]:
    """Part (a)."""
    plain = medians("uts", "rate", "tree", "p")
    yield (
        "T1L keeps {} % of 128 times the rate of one, T2L {} and the binomial T3L {}.",
        *(PERCENT * plain[tree, 128] / 128 / plain[tree, 1] for tree in ("T1L", "T2L", "T3L")),
    )
    rates = {p: rate / 1e6 for (p,), rate in medians("uts-memory", "rate", "p").items()}
    yield (
        "T1L reaches {} million nodes a second on 60 ranks (the draft: 112) and goes on to {} on 128",
        *(rates[60], rates[128]),
    )
    yield (
        "a rank more adds {} million from 8 on, {} from 32 and {} from 60",
        *((rates[q] - rates[p]) / (q - p) for p, q in ((8, 32), (32, 60), (60, 128))),
    )
    full, sent = (medians("uts-memory", metric, p=128)[()] for metric in ("flushes_full", "messages"))
    yield "On 128 ranks {} % of the messages are full", PERCENT * full / sent
    deep = {p: rate / 1e6 for (p,), rate in medians("uts-memory-deep", "rate", "p", tree="T3L").items()}
    (steals,) = medians("uts-memory-deep", "steals", tree="T3L", p=16).values()
    yield (
        "as published: {} million on 8 ranks and {} on 16, with {} million steals",
        *(deep[8], deep[16], steals / 1e6),
    )
    ages = medians("uts-age", "rate", "flush_age")
    yield (
        "ages of 200 and 500 µs give {} and {} times the rate of 100",
        *(ages[age,] / 1e6 / rates[60] for age in (0.0002, 0.0005)),
    )


def searches() -> Iterator[Sentence]:
    """Part (b)."""
    rates = best("bfs", "teps", "p", scale=20)
    yield "where it has {} times the rate of one", rates[128,] / rates[1,]
    by_age = medians("bfs", "teps", "flush_age", "p", scale=20)
    yield (
        "with 200 µs 128 ranks have {} MTEPS, with 50 µs {}",
        by_age[0.0002, 128] / 1e6,
        by_age[5e-05, 128] / 1e6,
    )
    real = medians("real-graph", "teps_harmonic_mean", "op", "way", p=1)
    cost = {op: real[op, "--own=auto"] / real[op, "--blocking"] for op in ("bfs", "bc")}
    yield (
        "cost {} times as much as handlers on one rank, where there is no latency to hide",
        cost["bfs"],
    )
    yield "latency to hide (betweenness {} times)", cost["bc"]


def messages() -> Iterator[Sentence]:
    """Parts (c), (d) and (e)."""
    simulated = medians("ping-simulated", "bandwidth", "op", payload=32)
    share = {way: PERCENT * rate / TABLES["PEAK"] for (way,), rate in simulated.items()}
    yield (
        "is worth {} times (the draft: 11 to 12), at {} % of the peak (32 %), where one by one reaches {} %",
        *(share["aggregated"] / share["raw"], share["aggregated"], share["raw"]),
    )
    took = medians("buffers", "time_s", "p")
    yield "takes {} times as long on 128 ranks as on 2", took[128,] / took[2,]
    rates = medians("ping", "bandwidth", "payload", "op")
    peak = max(rate for (_, way), rate in rates.items() if way == "mpi")
    yield "At 32 bytes aggregation is worth {} times. Raw", rates[32, "aggregated"] / rates[32, "raw"]
    yield (
        "aggregated ones end at {} %, which the 4 KiB of a message alone do not explain: plain MPI has {} %",
        PERCENT * max(rate for (_, way), rate in rates.items() if way == "aggregated") / peak,
        PERCENT * rates[4096, "mpi"] / peak,
    )
    times = medians("aggregator", "time_s", "p", "active_tasks", "buffer_bytes")
    gain = {key[:2]: times[key] / times[*key[:2], 4096] for key in times if key[2] == 0}
    yield "aggregation makes the search {} times as fast", gain[96, 3072]
    yield (
        "its best number there, {} times. On 32 nodes it is {} and {} times",
        *(gain[key] for key in ((96, 16000), (32, 3072), (32, 16000))),
    )
    sizes = medians("aggregator", "messages_by_bytes", "p", "up_to", buffer_bytes=4096, active_tasks=16000)
    large = {
        p: PERCENT * sizes[p, 4096] / sum(count for (ranks, _), count in sizes.items() if ranks == p)
        for p in (32, 96)
    }
    yield "{} % on 32 nodes and {} % on 96 have more", large[32], large[96]


def screenings() -> Iterator[Sentence]:
    """Part (f)."""
    search, tree = (TABLES["effects"](part) for part in ("screening", "screening-uts"))
    together = "flush age × active tasks"
    yield (
        "costs {} times less in the one, and {} times in the other",
        *(float(screening[together][0]) for screening in (search, tree)),
    )
    yield (
        "A long age costs {} times less on 32 ranks than on 8 in UTS-mem; in breadth-first search {}, since",
        *(float(screening["flush age × ranks"][0]) for screening in (tree, search)),
    )


def stealing() -> Iterator[Sentence]:
    """Part (h)."""
    items, steals = (medians("chunks", metric, "tree", chunk=0) for metric in ("items_stolen", "steals"))
    mean = {tree: items[tree,] / steals[tree,] for tree in ("T1L", "T2L", "T3L")}
    yield "geometric trees show: {} and {}. For", mean["T1L"], mean["T2L"]
    times = medians("chunks", "time_s", "tree", "chunk")
    gains = [
        PERCENT * (times[tree, 0] / min(times[tree, chunk] for chunk in (1, 4, 10)) - 1)
        for tree in ("T1L", "T2L")
    ]
    yield "small chunks are best, by {} and {} %", *gains
    yield "binomial tree {} nodes move at a time", mean["T3L"]
    yield "one node a steal is {} times as slow as half", times["T3L", 1] / times["T3L", 0]
    waiting = medians("parallelism", "tasks_over_time", "tree")
    yield "binomial tree {} times as many nodes wait", waiting["T3L",] / waiting["T1L",]


def responses() -> Iterator[Sentence]:
    """Part (g)."""
    times = medians("response", "time_s", "p", "active_tasks", "flush_age")

    def least(p: int, tasks: int) -> float:
        return min(time_s for key, time_s in times.items() if key[:2] == (p, tasks))

    def age(p: int, tasks: int) -> float:
        return 1e6 * min((time_s, key[2]) for key, time_s in times.items() if key[:2] == (p, tasks))[1]

    yield "8,192 tasks are within {} % of 16,000", PERCENT * (least(32, 8192) / least(32, 16000) - 1)
    yield "those are {} % faster at the best age", PERCENT * (least(96, 8192) / least(96, 16000) - 1)
    yield (
        "the best age goes from {} to {} µs, with 16,000 from {} to {}",
        *(age(p, tasks) for tasks in (3072, 16000) for p in (32, 96)),
    )
    yield "32 nodes 16,000 tasks lose {} %", PERCENT * (times[32, 16000, 0.002] / least(32, 16000) - 1)
    yield "1,024 tasks take {} times as long", times[32, 1024, 0.014] / times[32, 1024, 5e-05]
    real = medians("real-tasks", "teps_harmonic_mean", "active_tasks", p=2)
    yield "are {} times slower than 64", real[64,] / real[65536,]
    took = medians("threshold", "time_s", "flush_age", "loop_threshold")
    result = {
        age_s: min((time_s, key[1]) for key, time_s in took.items() if key[0] == age_s)
        for age_s in (5e-05, 0.0002)
    }
    yield (
        "The best is {} with 50 µs and {} with 200 µs, {} and {} times as fast as 1;",
        *(float(level) for _, level in result.values()),
        *(took[age_s, 1] / time_s for age_s, (time_s, _) in result.items()),
    )
    yield (
        "but 32 itself is already {} and {} times slower than the best",
        *(took[age_s, 32] / time_s for age_s, (time_s, _) in result.items()),
    )
