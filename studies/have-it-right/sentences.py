"""Sentences and rows of README.md with numbers, and the data that give them: ``summary.json``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from prose import Sentence

SUMMARY: Final[dict[str, Any]] = json.loads(Path(__file__).with_name("summary.json").read_text())
HARDWARE: Final = SUMMARY["counters (Figure 1)"]
SOFTWARE: Final = SUMMARY["software counters (Figure 2)"]
SHARES: Final = (7, 14, 20, 27, 34, 47, 60, 74, 87, 100)
GIVEN: Final = (
    r"Linux 6\.18, gcc 12\.2, Debian 12, load average 8 to 11",
    r"(?<=holds|fails) \|\n",
    r"32 events in place of 1,024",
    r"30 blocks, each in a context",
    r"paper's programs ran 13 s",
    r"the paper's 2 %",
    r"32 lengths drawn from a page, 15 passes",
    r"of 32 intervals at 95 %",
    r"the slowest of 32 was picked",
    r"21 contexts, three passes",
    r"21 single contexts",
    r"gains 12\.5 % in|published 12\.5 %|the paper: 12\.5 %",
    r"libquantum 1\.1\.1",
    r"462\.libquantum",
    r"N = 55",
    r"modulo\s+15, 33, 55, 85 and 143 gives 4, 10, 20, 16 and 60",
    r"gcc 12 makes",
    r"2026-11-26, load 0\.8 to 1\.3",
)
"""Of the machine, of the specs, of the paper."""


def interval(found: Mapping[str, Any]) -> tuple[float, float, float]:
    """A change in percent with its interval."""
    return found["percent"], *found["ci95"]


def flat(correlation: tuple[float, tuple[float, float]]) -> tuple[float, float, float]:
    """A rank correlation with its interval."""
    value, ends = correlation
    return value, *ends


def sentences() -> Iterator[Sentence]:
    """Every one with numbers that were measured."""
    heap, begin = SUMMARY["validation by intervention (section 2.2)"].values()
    places, time = heap["predictions"]
    yield "| {} × fewer | {} × faster [{}, {}] | holds", places["factor"], time["factor"], *time["interval"]
    places, time = begin["predictions"]
    yield "| {} × | {} × [{}, {}] | fails", places["factor"], time["factor"], *time["interval"]
    yield from hardware()
    yield from software()
    yield from environments()
    yield from optimisations()


def hardware() -> Iterator[Sentence]:
    """Figure 1."""
    found = [HARDWARE[f"-DSTEELYARD_PROBES={count}"] for count in range(1, 7)]
    added, changed = (" | ".join([cell] * 6) for cell in ("{} %", "+{} % [{}, {}]"))
    yield (
        f"| instructions added | {added} | | change of CPU time | {changed} |",
        *(its["added_percent"] for its in found),
        *(n for its in found for n in interval(its["cpu_s"])),
    )
    yield "instruction in ten thousand, and {} % of CPU time", found[0]["cpu_s"]["percent"]


def software() -> Iterator[Sentence]:
    """Figure 2."""
    found = [SOFTWARE[f"-DSTEELYARD_SITES={share}"] for share in SHARES]
    added = [its["added_percent"] for its in found]
    cpu, misses = ([its[name]["percent"] for its in found] for name in ("cpu_s", "branch_misses"))
    row = " | ".join(["{} %"] * len(SHARES))
    yield f"| share of places | {row} |", *map(float, SHARES)
    yield f"| branch misses | +{row.replace('| {', '| +{')} |", *misses
    yield f"| CPU time | +{row.replace('| {', '| +{')} |", *cpu
    halves = [
        [(its[name]["ci95"][1] - its[name]["ci95"][0]) / 2 for its in found]
        for name in ("cpu_s", "branch_misses")
    ]
    yield (
        "Half-widths: {} to {} points of CPU time, {} to {} of branch misses",
        *(end for of in halves for end in (min(of), max(of))),
    )
    dips = [
        share
        for share, its in zip(SHARES, found, strict=True)
        if its["cpu_s"]["ci95"][1] < found[1]["cpu_s"]["ci95"][0]
    ]
    yield (
        "monotone: {} and {} % of the places cost less than {} %",
        *[float(share) for share in (*dips[1:], SHARES[1])],
    )
    related = SOFTWARE["correlations"]
    yield (
        "a rank correlation of {} [{}, {}]; those of CPU time and cycles {} [{}, {}]",
        *(n for pair in ("cpu_s and branch_misses", "cpu_s and cycles") for n in flat(related[pair])),
    )
    yield "add up to {} % of instructions", max(added)
    yield "at {} % we have +{} %", added[0], cpu[0]


def environments() -> Iterator[Sentence]:
    """Figure 3."""
    for program, its in SUMMARY["environment (Figure 3)"].items():
        built = " (built for it)" if program in ("stack split", "set conflict") else ""
        yield (
            f"| {program}{built} | -{{}} % | +{{}} % [{{}}, {{}}] | {{}} of {{}} |",
            -its["fastest_percent"],
            its["slowest_percent"],
            *its["slowest_ci95"],
            its["lengths_off_the_mean"],
            its["lengths"],
        )


def optimisations() -> Iterator[Sentence]:
    """Figures 4 and 5."""
    every, default = (
        SUMMARY["optimisation (Figures 4 and 5)"] | SUMMARY["libquantum (Figures 4 and 5)"],
        SUMMARY["optimisation in the default context (Figure 4)"]
        | SUMMARY["libquantum in the default context (Figure 4)"],
    )
    body, alone = every["nbody O2-O3"], default["nbody O2-O3"]
    yield "nobody chose (nothing shifted), 30 blocks | {} [{}, {}] |", alone["speedup"], *alone["ci95"]
    yield "| {} contexts, each alone | {} to {} |", body["contexts"], *body["single"]
    yield "| all of them together | {} [{}, {}] |", body["combined"], *body["ci95"]
    yield "| one further context (prediction) | {} to {} |", *body["prediction95"]
    events = every["events O2-O3"]
    yield (
        "it is not: {} [{}, {}] over all, and single contexts from {} to {}",
        events["combined"],
        *events["ci95"],
        *events["single"],
    )
    steps = (("O0", "O1"), ("O1", "O2"), ("O2", "O3"))
    row = "| {} to {} | {{}} to {{}} | {{}}, {{}} | {{}} [{{}}, {{}}] | {{}} to {{}} |"
    for step in steps:
        its, of_default = (of["libquantum {}-{}".format(*step)] for of in (every, default))
        yield row.format(*step) + " {} [{}, {}] |", *cells(its), of_default["speedup"], *of_default["ci95"]
    three = [every["events {}-{}".format(*step)] for step in steps]
    yield " ".join(row.format(*step) for step in steps), *(cell for its in three for cell in cells(its))
    spans = [100 * (its["single"][1] / its["single"][0] - 1) for its in three]
    yield "single contexts span {} to {} %", min(spans), max(spans)


def cells(its: Mapping[str, Any]) -> tuple[float, ...]:
    """Of a row: single contexts, what they would say, all together, a further one."""
    said = its["single_say_faster"], its["single_say_slower"]
    return (*its["single"], *said, its["combined"], *its["ci95"], *its["prediction95"])
