"""Sentences of README.md with numbers, from its tables, which a test holds to the files of values."""

from __future__ import annotations

import csv
import re
import statistics
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from charts import read_number
from readme_tables import tables_of

if TYPE_CHECKING:
    from prose import Sentence

HERE: Final = Path(__file__).parent
Rows = list[dict[str, str]]
PERCENT: Final = 100
ONE_NODE: Final = ("2", "4")
NODES: Final = ("8", "16", "32")
GIVEN: Final = (
    r"ICPE 2016",
    r"holds for `torus-3d` with `noise\.links = 0\.3`",
    r"1\.54, 1\.48, 1\.27, 1\.20, 1\.06 on 2 to 32 ranks, as issue 42 measured",
    r"nodes of 16|KLA is the faster one on 32",
    r"Weights to 255|weights to 255|weights to 100",
    r"by 5 % in the mean",
    # workloads/benchmarks/virtual/README.md has these.
    r"takes 2\.6 to 3\.7 times as long as simulated",
    r"2\.3 to 2\.7 times for KLA, and 11 times",
    r"takes some two hours of one CPU",
    r"scale 11 on 2 ranks, 12 on 4, 13 on 8, 14 on 16 and 15 on 32",
    r"Figures 4 to 12",
    r"gives of the speedup, 3 to 11 on HPX-5|published 3 to 11|published 0\.5",
    r"10 runs of each of the 8 sources, 1\.5 minutes|8,192 vertices",
    r"on 2 ranks and",
    r"takes 0\.4 µs|receiver 0\.4 µs each|items of some 0\.4 µs \(`times` 100\)",
    r"network's 0\.3 µs",
    r"of 75 of 80 runs",
    r"took 1\.5 times\s+as long from instance 7",
    r"scale 11 and|at scale 11",
    r"1,000,000, which imposes no order|weights to 255\s+over 100",
    r"Scale 16 on 64 ranks",
    r"one to two hours|Weights to 100 at|with 0 among|On 2 ranks, of one node",
)
"""Settings of the specs, values of the paper, and figures of other pages."""


TABLES: Final = tables_of(HERE)
OUT: Final = "What the paper states, and what came out"
NOISY: Final = 3
QUIET: Final = 4
"""Tables of simulated speedups by noise of links, in the order of the page."""
HERE_TABLE: Final = "On this machine"


def span(texts: Iterable[str]) -> tuple[float, float]:
    """The least and the largest of all numbers of some cells."""
    result = [float(item) for text in texts for item in re.findall(r"[\d.]+", text.partition("(")[0])]
    return min(result), max(result)


def rows(heading: str, place: int, **levels: str) -> Rows:
    """Of a table, with these cells; ``p`` is the second number of *scale, p*."""
    p = levels.pop("p", None)
    return [
        row
        for row in TABLES[heading, place]
        if levels.items() <= row.items() and (p is None or row["scale, p"].endswith(f", {p}"))
    ]


def sentences() -> Iterator[Sentence]:
    """Every sentence with numbers that were measured."""
    yield from stated()
    yield from networks()
    yield from machine()
    yield from sources()
    yield from work()
    yield from factors()


def speedups(runtime: str, *ranks: str) -> Iterator[str]:
    """Cells of simulated speedups."""
    return (row["speedup"] for p in ranks for row in rows(OUT, NOISY, runtime=runtime, p=p))


def spreads(*ranks: str) -> tuple[float, float]:
    """Of Equation 10, on HPX-5."""
    return span(row["± (Eq. 10)"] for p in ranks for row in rows(OUT, NOISY, runtime="hpx-5", p=p))


def real(runtime: str) -> tuple[float, float]:
    """Speedups on this machine, over runs and sources."""
    return span(row["S"] for row in rows(HERE_TABLE, 2) if f"runtime {runtime}," in row["where"])


def stated() -> Iterator[Sentence]:
    """The table of statements."""
    yield (
        "{} to {} ± {} to {} on 2 ranks, {} to {} ± {} to {} on 4;",
        *(n for p in ONE_NODE for n in (*span(speedups("hpx-5", p)), *spreads(p))),
    )
    yield (
        "{} to {} on 8 ranks, {} to {} on 16;",
        *(n for p in ("8", "16") for n in span(speedups("hpx-5", p))),
    )
    yield (
        "is the faster one on 32**: {} to {}. Not simulated: {} to {} |",
        *span(speedups("hpx-5", "32")),
        *real("hpx-5"),
    )
    low, high = span(speedups("am++", *ONE_NODE, *NODES))
    yield (
        "{} to {}, KLA is {} to {} times as fast; why, below. Not simulated: **the same**, {} to {} |",
        *(low, high, 1 / high, 1 / low, *real("am++")),
    )


def networks() -> Iterator[Sentence]:
    """Links without noise and with noise, and virtual time on nodes of 16."""
    ends = {
        (table, weight): span(
            [rows(OUT, table, **{"runtime": "hpx-5", "weights to": weight, "p": "2"})[0]["speedup"]]
        )
        for table in (QUIET, NOISY)
        for weight in ("100", "255")
    }
    yield (
        "quiet {} to {} with weights to 100 and {} to {} with weights to 255, noisy {} to {} and {} to {}.",
        *(end for key in ends for end in ends[key]),
    )
    quiet = [read_number(row["speedup"]) for row in rows(OUT, 2, runtime="hpx-5", noise="quiet")]
    nodes = ("on one node", "on two", "on four", "on eight and", "on sixteen")
    yield f"Δ = 1 is {{}} × as fast as KLA on HPX-5 {', {} × '.join(nodes[:-1])} {{}} × {nodes[-1]}", *quiet


def machine() -> Iterator[Sentence]:
    """Real runs."""
    yield (
        "as in the paper**: {} to {} times on AM++ (the paper: about 2 ± 1) and {} to {} times on HPX-5",
        *(*real("am++"), *real("hpx-5")),
    )
    took = [
        PERCENT * 10 * read_number(row["Δ = 1, ms"]) / read_number(work_of("am++", "delta", p)["epochs"])
        for p in ("2", "16")
        for row in rows(OUT, NOISY, **{"runtime": "am++", "weights to": "255", "p": p})
    ]
    yield "takes {} µs an epoch on 2 ranks and {} on 16", *took
    parts = rows(HERE_TABLE, 3)
    yield (
        "up to {} % of the variance, and all else up to {} %; sources still make most of it in {} of {}",
        *(max(read_number(row[name]) for row in parts) for name in ("runs", "rest")),
        sum(read_number(row["sources"]) > PERCENT / 2 for row in parts),
        len(parts),
    )
    of_runtime = rows(HERE_TABLE, 1, runtime="am++")
    yield (
        "s / mean {} to {}, KLA's {} to {}",
        *(n for name in ("Δ = 1", "s / mean: KLA") for n in span(row[name] for row in of_runtime)),
    )
    with (HERE / "real-runs.csv").open(newline="", encoding="utf-8") as file:
        runs = [
            [float(line[f"source_{i}_s"]) for i in range(1, 9)]
            for line in csv.DictReader(file)
            if line["order"] == "delta"
        ]
    yield "slowest of Δ = 1 in {} of {} runs", sum(max(run) == run[0] for run in runs), len(runs)


def sources() -> Iterator[Sentence]:
    """Which source stands out."""
    kla, delta = (
        [row for row in rows("Sources", 1) if f"order {order}," in row["treatment"]]
        for order in ("kla", "delta")
    )
    yield (
        "Sources make {} to {} % of the variance under KLA, and what runs share is {} % at most",
        *span(row["sources"] for row in kla),
        max(read_number(row["runs"]) for row in kla),
    )
    yield "most lies {} to {} % from the mean there", *span(row["its mean"] for row in kla)
    yield "small, sources make {} to {} % of it", *span(row["sources"] for row in delta)
    yield "different ones, at {} to {} % from the mean", *span(row["its mean"] for row in delta)


def work_of(runtime: str, order: str, p: str, weight: str = "255") -> dict[str, str]:
    """A row of the table of work."""
    (row,) = rows(
        "Work",
        1,
        record=f"simulated-{p}-noisy",
        treatment=f"runtime {runtime}, order {order}, weight {weight}",
    )
    return row


def times(runtime: str, name: str, p: str, weight: str) -> float:
    """Of what an order does, KLA's over that of Δ = 1."""
    kla, delta = (read_number(work_of(runtime, order, p, weight)[name]) for order in ("kla", "delta"))
    return kla / delta


def work() -> Iterator[Sentence]:
    """What each order works on."""
    every = [(p, weight) for p in (*ONE_NODE, *NODES) for weight in ("100", "255")]
    useful = [times(runtime, "items_useful", *item) for runtime in ("am++", "hpx-5") for item in every]
    parcels = {key: times("hpx-5", "messages", *key) for key in every}
    yield "works on it {} to {} times (vertices", min(useful), max(useful)
    yield "makes {} to {} times the parcels", min(parcels.values()), max(parcels.values())
    shares = {}
    for p, weight in every:
        (row,) = rows(OUT, NOISY, **{"runtime": "hpx-5", "weights to": weight, "p": p})
        shares[p, weight] = statistics.fmean(span([row["speedup"]])) / parcels[p, weight]
    near, far = ([share for (p, _), share in shares.items() if p in ranks] for ranks in (ONE_NODE, NODES))
    epochs = [
        read_number(work_of("hpx-5", "delta", p, weight)["epochs"])
        for p in NODES
        for weight in ("100", "255")
    ]
    yield (
        "{} to {} of that on one node, where parcels are nearly all that counts, and {} to {} on two to",
        *(min(near), max(near), min(far), max(far)),
    )
    yield "eight nodes, whose {} to {} epochs", min(epochs), max(epochs)
    less = {
        (p, weight): PERCENT
        * (
            1
            - read_number(work_of("hpx-5", "kla", p, weight)["items_useful"])
            / read_number(work_of("am++", "kla", p, weight)["items_useful"])
        )
        for p, weight in every
    }
    first, later = (
        [share for (p, _), share in less.items() if (p == "2") == small] for small in (True, False)
    )
    yield "by {} % at scale 11 and {} to {} % beyond", statistics.fmean(first), min(later), max(later)


def factors() -> Iterator[Sentence]:
    """Designed experiments."""
    kla, delta = (read_number(row["items_useful"]) for row in rows("Why the direction differs on AM++", 2))
    yield "the ratio of the items, {};", kla / delta
    heading = "The execution model as the only thing that changes"
    (fibre,) = (
        read_number(row["S"])
        for row in rows(heading, 1, where="order delta")
        if "fibre" in row["against the baseline"]
    )
    yield "and Δ = 1 some {} %, whose", PERCENT * (1 - fibre)
    by_runtime = {}
    for runtime in ("am++", "hpx-5"):
        (by_runtime[runtime],) = rows(OUT, NOISY, **{"runtime": runtime, "weights to": "255", "p": "4"})
    yield (
        "KLA takes {} times as long as on AM++ and Δ = 1 {} times",
        *(
            read_number(by_runtime["hpx-5"][name]) / read_number(by_runtime["am++"][name])
            for name in ("KLA, ms", "Δ = 1, ms")
        ),
    )
    (effect,) = rows("Δ and k as designed factors", 1, effect="delta")
    ratio = read_number(effect["second over first, as a speedup"])
    yield "is worth {} % (1 / {})", PERCENT * (1 / ratio - 1), ratio
