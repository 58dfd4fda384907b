"""Sentences of README.md with numbers, from the values that the study keeps and from its tables."""

from __future__ import annotations

import csv
import re
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from charts import read_number
from kept_values import kept
from readme_tables import tables_of

HERE: Final = Path(__file__).parent
sys.path.insert(0, str(HERE))

import simulated  # noqa: E402 -- it lies beside this

if TYPE_CHECKING:
    from prose import Sentence

PERCENT: Final = 100
MICRO: Final = 1e6
OPERATIONS: Final = (
    *("barrier", "bcast", "reduce", "allreduce"),
    *("gather", "allgather", "alltoall", "litmus"),
)
GIVEN: Final = (
    r"^- rule .*?$",  # readme.py writes these.
    r"have a probability of 0\.8|of those stated at 0\.8",
    r"R̄² = 1\.00 and match",
    r"to 20 ns: they",
    r"up to p = 1024 neither|\(p\^0\.5, p\^\(2/3\)\)",
    r"from 1\.95 for 800 B to 11\.6 above\s+64 KiB",
    r"from 32 ranks on or earlier",
    r"end at p = 256: one Alltoall of 512 ranks",
    r"up to p = 64 and|from 128 on|at\s+64, 128, 256;",
    r"at p = 16, 30\.7|at 512, as does",
    r"which they found at p\^2\.75",
    r"between p = 64 and 128 and doubles",
    r"at 2,048 and Alltoall at 1,448 ranks|all of \(b\) at 1,024",
    r"Of the 24 cells of Table 4|Of the 14 cells of Table 6",
    r"since beyond 1,024|at p = 1024, 217 at 2,048 and 336 at 4,096",
    r"at 1,024 ranks, 229 at 2,867 and 171 at 4,014",
    r"would take 2,867 and 4,096 ranks",
    r"of 33 objects of a kind|13 scales, 3 launches",
    r"at p = 2, 8, 32 and 128",
    r"Open MPI 5\.0\.11|MPICH 5\.0\.2|Intel MPI 2021\.18|IMB-MPI1 2021\.11",
    r"64 times the largest scale|at 96, by|at 64, by|at 128|launches at 96|intervals? at 8192",
    r"allocates 42 MB",
    r"800 bytes a rank, 30 blocks of 8 launches|1,000 repetitions a launch after 1,000|a mean of 1,000 calls",
    r"within 15 %",
    r"^Heap that Alltoall takes.*?$",  # readme.py writes these, too.
    r"One reading of the clock \(26 ns, in steps of 10\)",
    r"2 ms more for 512 B",
    r"10 µs at a time|270 simulations|10 µs of 100|of 512 ranks three times",
    r"\(p\^0\.67 log p for the Barrier\)|up to p = 512\. With",
    r"with 18 \(\[machines\]|126 simulations",
    r"up to 1,024 ranks lies|to p = 512, and|at 1,024: its last",
    r"800 · p/2 bytes|through as many links at p = 1024 as at 64|At p = 1024 it takes",
    r"messages stay at 800 bytes",
    r"link instead of 18|16 groups with four|eight groups or 14|\(one day: 0\.99\)|p\^2\.5",
    r"within 1,024 ranks|at 1,024 ranks\.",
    r"8 B to 8,000 B|at 128 ranks\.",
    r"of 8 B are O|at 800 B|up\s+to 80 B|at 8,000 B|paper's 800 B|up to 128|where at 80 B",
    r"800 B to every other|3 GB that a process has where eight share the 24 GB",
    r"in kB, at p = 2, 3, 4, 6, 8, 12, 16, 24, 32",
    r"Between 2 and 32 ranks|nine scales up to 32|from 12 ranks on|at 6 and 8 ranks",
    r"Juropa's 0\.55 MB",
    r"20 patterns|4,096 ranks take minutes|interval at 8192|p = 8 … 128|p = 2 … 32",
    r"a load of 18 to 25|the 12 blocks of the spec",
    r"of 256 KiB takes|\(98 % and more, 6 blocks\)|of 8 and 512 B takes",
    r"at most 2\.5 %\)|8 and 800 B, 20 to 320",
    r"80 to 640 or more than the pilot's 1,300 \(means\), and 80 to 640",
    r"on 16 and 32 ranks, 8 and 800 B|of 20 patterns|on 32 ranks;|on 1,024\. Intel|of 8 B takes",
    r"on 16 ranks of the fat tree or the dragonfly as on 32",
    r"SimGrid 3\.32|on 32 and 64 ranks of the torus",
    r"1,024 ranks were not reached|each of 18 operations",
)
"""Settings, scales, versions, published values, facts of SimGrid, and what `--predict` answered once."""


TABLES: Final = tables_of(HERE)


def latencies(part: str, level: str) -> dict[tuple[str, int], float]:
    """Medians in seconds, by operation and ranks."""
    result: dict[tuple[str, int], list[float]] = defaultdict(list)
    for row in simulated.kept(part):
        if row.latency_s is not None and level in f" {row.of} ":
            result[row.op, row.p].append(row.latency_s)
    return {key: statistics.median(values) for key, values in result.items()}


def most(times: dict[tuple[str, int], float], operation: str, *right: str) -> float:
    """The largest of an operation over the sum of others."""
    return max(
        time_s / sum(times[op, p] for op in right)
        for (op, p), time_s in times.items()
        if op == operation and all((part, p) in times for part in right)
    )


def numbers(text: str) -> list[float]:
    """All of a cell."""
    return [float(item) for item in re.findall(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?", text)]


def sentences() -> Iterator[Sentence]:
    """Every sentence with numbers that were measured or simulated."""
    yield from machines()
    yield from selectors()
    yield from further()
    yield from heap()
    yield from real()
    yield from noise()
    yield from allocations()
    yield from memory()
    yield from guidelines()


def machines() -> Iterator[Sentence]:
    """Part (a): rules that are broken at points."""
    by_machine = {
        name: latencies("topologies", f" machine={name} ") for name in ("torus", "dragonfly", "fat-tree")
    }
    yield (
        "up to {} times what Gather + Bcast take on the torus, {} on the dragonfly and {} on the fat tree",
        *(
            most(by_machine[name], "allgather", "gather", "bcast")
            for name in ("torus", "dragonfly", "fat-tree")
        ),
    )
    yield (
        "Allreduce {} and {} times what Reduce + Bcast take",
        *(most(by_machine[name], "allreduce", "reduce", "bcast") for name in ("torus", "dragonfly")),
    )


def selectors() -> Iterator[Sentence]:
    """Part (b)."""
    by_selector = {
        name: latencies("selectors", f" selector={name} ") for name in ("mpich", "ompi", "impi", "mvapich2")
    }
    barrier = [MICRO * by_selector["mpich"]["barrier", p] for p in (16, 32, 64, 128, 256, 512)]
    yield "MPICH's Barrier is {}, {} and {} µs up to p = 64 and {}, {} and {} µs from 128 on", *barrier
    yield (
        "(Bcast {}, {}, {} µs at 64, 128, 256; Allreduce {}, {}, {})",
        *(MICRO * by_selector["ompi"][op, p] for op in ("bcast", "allreduce") for p in (64, 128, 256)),
    )
    fits = [read_number(row["R̄²"]) for row in TABLES["ompi, simulated", 1] if row["operation"] == "allreduce"]
    yield "R̄² falls to {} and below 0", *fits
    yield (
        "nanosecond or two: {} µs at p = 16, {} at 512",
        *(MICRO * by_selector["mpich"]["litmus", p] for p in (16, 512)),
    )
    yield "grows here from {} to {} µs", *(MICRO * by_selector["impi"]["allgather", p] for p in (64, 128))
    broken = [most(by_selector[name], "allgather", "gather", "bcast") for name in ("mpich", "ompi", "impi")]
    yield "was simulated, by up to {} times", max(broken)
    slower = [
        by_selector["impi"]["allgather", p] / by_selector["mvapich2"]["allgather", p]
        for op, p in by_selector["impi"]
        if op == "allgather" and (op, p) in by_selector["mvapich2"]
    ]
    yield "simulated: {} to {} times MVAPICH2's", min(slower), max(slower)
    beside = [
        by_selector["impi"]["allgather", p] / by_selector["ompi"]["allgather", p]
        for op, p in by_selector["impi"]
        if op == "allgather" and (op, p) in by_selector["ompi"]
    ]
    yield "more than Open MPI's at every point, at least {} times", min(beside)
    reduces = [
        by_selector["impi"]["reduce", p] / by_selector["ompi"]["reduce", p]
        for op, p in by_selector["impi"]
        if op == "reduce"
    ]
    yield "Intel MPI's Reduce takes up to {} times Open MPI's", max(reduces)


def further() -> Iterator[Sentence]:
    """Points where a rank was open."""
    dragonfly, torus = (
        latencies("topologies", f" machine={name} ") | latencies("topologies-further", f" machine={name} ")
        for name in ("dragonfly", "torus")
    )
    yield (
        "stays open: {} µs at p = 1024, {} at 2,048 and {} at 4,096",
        *(MICRO * dragonfly["allreduce", p] for p in (1024, 2048, 4096)),
    )
    misses = {
        (row["machine"], row["operation"]): read_number(row["misses by"])
        for row in TABLES["topologies, continued", 1]
        if row["misses by"].endswith("%")
    }
    yield (
        "misses a point by {} %) takes {} µs at 1,024 ranks, {} at 2,867 and {} at 4,014",
        misses["torus", "allreduce"],
        *(MICRO * torus["allreduce", p] for p in (1024, 2867, 4014)),
    )
    yield "The dragonfly's Allgather ({} %) grows", misses["dragonfly", "allgather"]


def heap_of(library: str, op: str) -> dict[int, float]:
    """Medians of the mean heap of an object, in bytes, by ranks."""
    result: dict[int, float] = {}
    for sample in kept(HERE, "memory").samples("heap_mean_bytes"):
        if (sample.levels["implementation"], sample.levels["op"]) == (library, op):
            result[int(sample.levels["p"])] = statistics.median(sample.values)
    return result


def heap() -> Iterator[Sentence]:
    """Part (c), by the tables of models and by values."""
    by_library = {
        library: {row["object"]: row for row in TABLES[library, 1]}
        for library in ("openmpi", "impi", "mpich")
    }
    init = by_library["openmpi"]["mpi_init"]
    constant, slope = numbers(init["heap, B"])
    at, low, high = numbers(init["at p = 8192 (95 %)"])
    yield (
        "takes {} MB + {} kB · p in MPI_Init: {} MB a process at p = 8192",
        *(constant / 1e6, slope / 1e3, at),
    )
    yield "so the interval is wide ({} to {} MB)", low, high
    yield "Comm_dup grows with p, by {} B a rank", numbers(by_library["openmpi"]["comm_dup"]["heap, B"])[1]
    duplicate, start = heap_of("impi", "comm_dup"), heap_of("mpich", "mpi_init")
    pages = numbers(next(row["comm_dup"] for row in TABLES["Shared pages", 1] if row["library"] == "impi"))
    yield (
        "{} kB of heap at p = 2, {} kB at 96, by {} B a rank, and {} kB at 128",
        *(duplicate[2] / 1e3, duplicate[96] / 1e3, (duplicate[96] - duplicate[4]) / 92, duplicate[128] / 1e3),
    )
    yield "(✗), and {} to {} kB of shared pages", pages[0], pages[-1]
    yield (
        "from pools: {} kB of heap whatever p is",
        numbers(by_library["mpich"]["comm_dup"]["heap, B"])[0] / 1e3,
    )
    window = by_library["mpich"]["win_create"]
    constant, slope = numbers(window["heap, B"])
    yield "the mean is {} kB + {} B · p (R̄² = {})", constant / 1e3, slope, read_number(window["R̄²"])
    yield (
        "MPI_Init takes {} MB at p = 3, {} MB at 64, by {} kB a rank, and {} MB at 128",
        *(start[3] / 1e6, start[64] / 1e6, (start[64] - start[3]) / 61e3, start[128] / 1e6),
    )


def ratios(
    column: str, *, libraries: Iterable[str] = ("mpich", "impi"), ops: Iterable[str] = OPERATIONS
) -> list[float]:
    """First numbers of a column of the table of definitions."""
    libraries, ops = [*libraries], [*ops]
    return [
        read_number(row[column])
        for row in TABLES["IMB-MPI1 over the workload", 1]
        if row["library"] in libraries and row["operation"] in ops
    ]


def real() -> Iterator[Sentence]:
    """Part (d)."""
    result = ratios("same → IMB")
    yield "the workload reads {} to {} times what IMB reads", min(result), max(result)
    reported = ratios("as reported", ops=["bcast", "gather"])
    yield "Bcast and Gather are {} to {} times as much, because", min(reported), max(reported)
    mean = [1 / ratio for ratio in ratios("quantile → mean")]
    yield "the mean is {} to {} times as much.", min(mean), max(mean)
    ranks = [1 / ratio for ratio in ratios("slowest rank → all", ops=["bcast", "gather"])]
    yield "this mean is {} to {} of what", min(ranks), max(ranks)
    yield "Bcast looks {} times as fast", statistics.fmean(ratios("window → barrier", ops=["bcast"]))
    slower = ("barrier", "allreduce", "gather", "allgather")
    near = ratios("window → barrier", libraries=["mpich"], ops=slower)
    yield "a Gather or an Allgather {} to {} times", min(near), max(near)
    equal = ratios("window → barrier", libraries=["impi"], ops=["allreduce", "allgather", "alltoall"])
    yield "Allgather and Alltoall show no difference ({} to {})", min(equal), max(equal)
    medians = {
        (row["library"], row["operation"]): read_number(row["median of launches, µs"])
        for row in TABLES["Medians of launches", 1]
    }
    yield (
        "on Open MPI takes {} and {} µs in this record",
        *(medians[library, "bcast"] for library in ("mpich", "openmpi")),
    )


def noise() -> Iterator[Sentence]:
    """Part (f), on 512 ranks."""
    by_level = {
        (links, hosts): latencies("noise", f"links={links} hosts={hosts} ")
        for links in ("0", "0.5")
        for hosts in ("0", "0.1", "0.5")
    }

    def at(op: str, links: str, hosts: str) -> float:
        return MICRO * by_level[links, hosts][op, 512]

    yield (
        "three times as long ({} to {} µs), and the litmus test half as long again ({} to {} µs)",
        *(at(op, "0", hosts) for op in ("barrier", "litmus") for hosts in ("0", "0.1")),
    )
    yield (
        "makes the Barrier {} times as long, and the litmus {} times",
        *(at(op, "0.5", "0") / at(op, "0", "0") for op in ("barrier", "litmus")),
    )
    both = [
        n
        for op in ("barrier", "allreduce", "litmus")
        for n in (at(op, "0.5", "0.5"), at(op, "0.5", "0") + at(op, "0", "0.5") - at(op, "0", "0"))
    ]
    yield "Barrier {} µs where the sum would be {}, Allreduce {} and {}, litmus {} and {})", *both
    ranks = [
        row["rank (probability)"]
        for (heading, _), rows in TABLES.items()
        if "medians of 5 draws" in heading
        for row in rows
    ]
    yield (
        "five draws a point {} of {} ranks are undecided",
        sum(rank.startswith("?") for rank in ranks),
        len(ranks),
    )


def allocations() -> Iterator[Sentence]:
    """Part (g)."""
    packed = latencies("allocations", " machine=dragonfly placement=packed ")
    (fit,) = (
        row["R̄²"] for row in TABLES["dragonfly, packed, simulated", 1] if row["operation"] == "allgather"
    )
    yield "single term has it (R̄² = {})", read_number(fit)
    yield (
        "test there takes {} to {} µs in steps of 2 µs a doubling to p = 512, and {} at 1,024",
        *(MICRO * packed["litmus", p] for p in (16, 512, 1024)),
    )
    days = [
        {
            row.op: row.latency_s
            for row in simulated.kept("allocations")
            if row.p == 1024 and row.of == f"machine=dragonfly-tapered placement=scattered day={day}"
        }
        for day in range(1, 6)
    ]
    gathers, tests = ([day[op] or 0.0 for day in days] for op in ("allgather", "litmus"))
    yield (
        "it takes {} to {} ms (packed: {} ms)",
        *(1e3 * time_s for time_s in (min(gathers), max(gathers), packed["allgather", 1024])),
    )
    yield (
        "is a match ({} to {} µs, packed: {} µs)",
        *(MICRO * time_s for time_s in (min(tests), max(tests), packed["litmus", 1024])),
    )
    (rank,) = (
        row["rank (probability)"]
        for row in TABLES["dragonfly-tapered, scattered, simulated", 1]
        if row["operation"] == "allgather"
    )
    yield "with a rank of {} it just misses", numbers(rank)[0]
    (rank,) = (
        row["rank (probability)"]
        for row in TABLES["aries, scattered, simulated", 1]
        if row["operation"] == "allgather"
    )
    aries = latencies("allocations", " machine=aries placement=scattered ")
    yield "undecided (none: {}) and rests", numbers(rank)[0]
    yield "last doubling alone ({} to {} ms, medians)", *(1e3 * aries["allgather", p] for p in (512, 1024))


def memory() -> Iterator[Sentence]:
    """Part (i): private memory of a process, and what Alltoall keeps of the heap."""
    private, shared = [], defaultdict(list)
    with (HERE / "connected.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["metric"] == "private_bytes":
                private.append(float(row["value"]) / 1e6)
            if (row["op"], row["metric"]) == ("alltoall", "heap_bytes"):
                shared[row["implementation"]].append(float(row["value"]) / 1e6)
    yield "of a process is {} to {} MB", min(private), max(private)
    yield "MPICH takes {} MB of heap", max(shared["mpich"])
    yield "Intel MPI takes {} MB at", max(shared["impi"])


def guidelines() -> Iterator[Sentence]:
    """The performance guidelines."""
    with (HERE / "guidelines.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))

    def broken(library: str, rule: str, size: str = "") -> float:
        """The worst ratio of a rule that is broken."""
        return max(
            float(row["ratio"])
            for row in rows
            if row["of"] in library.split()
            and row["rule"].startswith(rule)
            and row["outcome"] == "fails"
            and size in ("", row["bytes"])
        )

    yield (
        "Reduce_scatter_block of 256 KiB takes {} times",
        broken("openmpi", "reduce_scatter_block <= ", "262144"),
    )
    yield (
        "of 8 and 512 B takes {} and {} times what Bcast",
        *(broken("mpich", "scatter <= scatter_by_bcast", size) for size in ("8", "512")),
    )
    patterns = defaultdict(set)
    for row in rows:
        if row["of"] not in ("openmpi", "mpich", "impi") and not row["about"]:
            patterns[row["of"]] |= {row["rule"]} if row["outcome"] == "fails" else set()
    counts = [len(pattern) for pattern in patterns.values()]
    yield "All {} targets break something: {} to {} of 20", len(counts), min(counts), max(counts)
    every = " ".join(patterns)
    torus = " ".join(name for name in patterns if name.startswith("torus"))
    yield (
        "broken on the torus by up to {} times on 32 ranks;",
        broken(torus, "allgather <= allgather_by_gather_and_bcast"),
    )
    machine = latencies("topologies", " machine=torus ")
    yield "part (a) has it at {} on 1,024", most(machine, "allgather", "gather", "bcast")
    yield "break most (up to {} patterns;", max(counts)
    yield "Gather of 8 B takes {} times what a Reduce", broken(every, "gather <= gather_by_reduce", "8")
    over_ranks = [
        float(row["ratio"])
        for row in rows
        if row["about"] == "gather"
        and row["outcome"] == "fails"
        and row["of"] in ("fat-tree@impi", "dragonfly@impi")
    ]
    yield "its Gather takes up to {} times as long on 16 ranks", max(over_ranks)
