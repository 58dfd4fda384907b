"""Sentences and rows of README.md with numbers, and the data that give them: ``summary.json``."""

from __future__ import annotations

import json
import re
import runpy
import statistics
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from prose import Sentence

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import kept_values  # noqa: E402 -- what studies share lies beside them
from claims_of_counts import by_length, gains_by_order, largest, probed  # noqa: E402
from declarations import Data  # noqa: E402
from readme_tables import tables_of  # noqa: E402

SUMMARY, QUIET = (json.loads((HERE / f"summary{name}.json").read_text()) for name in ("", "-quiet"))
TABLES: Final = tables_of(HERE)
"""Those that sections.py writes among them."""
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
    r"a program of 20 lines",
    r"nine lengths up to 3,808 bytes|at most 2 % more instructions|one instruction in 100,000",
    r"by 0\.30 % at most; by 0\.38, 1\.40 and 1\.46 in the others|in which identical",
    r"three of 24 parts|there a reading of the clock costs 21 ns",
    r"60 blocks, a context each|nothing that 60 blocks show|of runs of 20 to 40 ms",
    r"`inside\.toml`, 40 blocks",
    r"of the 6\.9 % above",
    r"by 16 seeds, at 7, 14 and 27 % of the places|`added\.toml`\); 60 blocks",
)
"""Of the machine, of the specs, of the paper."""


def interval(finding: Mapping[str, Any]) -> tuple[float, float, float]:
    """A change in percent with its interval."""
    return finding["percent"], *finding["ci95"]


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
    yield from beliefs()
    yield from hardware()
    yield from inside()
    yield from software()
    yield from amounts_and_places()
    yield from environments()
    yield from optimisations()
    yield from quiet()
    yield from counted()


def counted() -> Iterator[Sentence]:
    """Upstreams of SPEC's programs under cachegrind."""
    data = Data(HERE)
    gains = gains_by_order(data, "instructions")
    yield (
        "-O2 executes {} times the instructions of -O3 in libquantum and {} times in hmmer",
        gains["libquantum"][0],
        gains["hmmer"][0],
    )
    misses = by_length(data, "d1_misses")
    yield (
        "data misses of perl by at most {} %, and of xalan by {} % at one length",
        100 * max(map(abs, misses["perl"])),
        100 * max(map(abs, misses["xalan"])),
    )
    kernel = [item for item in probed(data)["hmmer"] if item.by_kernel]
    yield "change mispredictions of hmmer by up to {} %", 100 * largest(kernel, "mispredicts")


def numbers(cell: str) -> list[float]:
    """All of a cell of a table."""
    return [float(text) for text in re.findall(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?", cell)]


def beliefs() -> Iterator[Sentence]:
    """Beliefs that profiles made."""
    profile, judged = (TABLES["A belief that the probe made", place] for place in (1, 2))
    calls = judged[0]
    yield (
        (
            "It gives the calls {} % of the time; with 16 steps a call it shows {} × less of it. The program"
            " itself is no faster ({} × [{}, {}])"
        ),
        numbers(profile[0]["its profile says"])[0],
        numbers(calls["in the profile"])[0],
        *numbers(calls["CPU time without it"]),
    )
    tracking = TABLES["A profile of a real program", 2][0]
    *_, share = TABLES["A profile of a real program", 1][0].values()
    yield "gives variable tracking {} %", numbers(share)[0]
    yield "a compilation takes {} × less CPU time, five", numbers(tracking["CPU time without it"])[0]
    cpu_s = {
        sample.levels["report"]: statistics.median(sample.values)
        for sample in kept_values.kept(HERE, "compiler").samples("cpu_s")
        if sample.levels["passes"] == "-O2"
    }
    yield (
        "g++ takes {} times the CPU time that it takes without",
        cpu_s["-ftime-report"] / cpu_s["-fno-time-report"],
    )


def inside() -> Iterator[Sentence]:
    """Counters inside of events.c: code that is never run, and calls."""
    rows = TABLES["Four programs, and what of it is the calls", 2]
    code, _, short, long = (
        [numbers(row[column])[0] for row in rows if row[column] != "–"] for column in [*rows[0]][1:]
    )
    yield (
        "is never run changes CPU time by {} to +{} %, and by as much",
        min(rounded(code)),
        max(rounded(code)),
    )
    yield "The calls cost up to {} % of a short run and at most {} % of a long one", max(short), max(long)


def rounded(values: list[float]) -> list[float]:
    """To a decimal."""
    return [round(value, 1) for value in values]


def amounts_and_places() -> Iterator[Sentence]:
    """Amount and place of software counters."""
    table = TABLES["At the paper's scale: amount and place as factors", 1]
    rows = {row["counters at"]: row for row in table}
    none, small, every = (
        rows[name] for name in ("none: one program", "at most 2% more instructions", "all of them")
    )
    yield (
        "{} of {} programs have at most 2 % more instructions (to {} %); their CPU time changes by {} to +{}",
        *(numbers(small["programs"])[0], numbers(every["programs"])[0]),
        numbers(small["more instructions"])[1],
        *numbers(small["change of CPU time"])[:2],
    )
    yield (
        "where {} programs that are one and the same differ by {} to +{} %",
        numbers(none["programs"])[0],
        *numbers(none["change of CPU time"])[:2],
    )
    yield (
        "{} of these changes are resolved",
        numbers(small["change of CPU time"])[2],
    )
    yield "go together there too (ρ = {})", numbers(small["ρ of the two"])[0]
    yield (
        "with {} % more a program is {} % slower, with {} % another one is {} % faster",
        *exceptions(),
    )
    yield "the whole range, to {} %, amount", numbers(every["more instructions"])[1]
    yield "do go together (ρ = {})", numbers(every["ρ of the two"])[0]


def exceptions() -> tuple[float, ...]:
    """Of programs at the paper's scale, in percent: what the one adds that is slowed most by less than a
    thousandth, and its change; what the one adds that gains most, and its gain.
    """
    probes = runpy.run_path(str(HERE / "probes.py"), run_name="probes")
    with (
        kept_values.rebuilt(HERE, "added") as counted,
        kept_values.rebuilt(HERE, "places") as record,
    ):
        small = [placed for placed in probes["list_placed"](record, counted) if placed.is_small]
    slowed = max((placed for placed in small if placed.added < 1e-3), key=lambda it: it.change.value)
    gains = min(small, key=lambda it: it.change.value)
    fractions = slowed.added, slowed.change.value, gains.added, -gains.change.value
    return tuple(100 * fraction for fraction in fractions)


def quiet() -> Iterator[Sentence]:
    """The quiet machine."""
    alone = QUIET["optimisation in the default context (Figure 4)"]["events O2-O3"]
    o3 = QUIET["optimisation (Figures 4 and 5)"]["events O2-O3"]
    yield (
        "-O3 is significantly slower ({} [{}, {}]), over all contexts it is nothing ({} [{}, {}])",
        *(alone["speedup"], *alone["ci95"], o3["combined"], *o3["ci95"]),
    )
    steps = QUIET["libquantum (Figures 4 and 5)"]["libquantum O1-O2"]
    yield (
        "is faster in {} contexts and slower in {}, as the paper's mcf; over all, {} [{}, {}]",
        *(steps["single_say_faster"], steps["single_say_slower"], steps["combined"], *steps["ci95"]),
    )


def hardware() -> Iterator[Sentence]:
    """Figure 1."""
    result = [HARDWARE[f"-DSTEELYARD_PROBES={count}"] for count in range(1, 7)]
    added, changed = (" | ".join([cell] * 6) for cell in ("{} %", "+{} % [{}, {}]"))
    yield (
        f"| instructions added | {added} | | change of CPU time | {changed} |",
        *(part["added_percent"] for part in result),
        *(n for part in result for n in interval(part["cpu_s"])),
    )
    yield "instruction in ten thousand, and {} % of CPU time", result[0]["cpu_s"]["percent"]


def software() -> Iterator[Sentence]:
    """Figure 2."""
    result = [SOFTWARE[f"-DSTEELYARD_SITES={share}"] for share in SHARES]
    added = [part["added_percent"] for part in result]
    cpu, misses = ([part[name]["percent"] for part in result] for name in ("cpu_s", "branch_misses"))
    row = " | ".join(["{} %"] * len(SHARES))
    yield f"| share of places | {row} |", *map(float, SHARES)
    yield f"| branch misses | +{row.replace('| {', '| +{')} |", *misses
    yield f"| CPU time | +{row.replace('| {', '| +{')} |", *cpu
    halves = [
        [(part[name]["ci95"][1] - part[name]["ci95"][0]) / 2 for part in result]
        for name in ("cpu_s", "branch_misses")
    ]
    yield (
        "Half-widths: {} to {} points of CPU time, {} to {} of branch misses",
        *(end for halve in halves for end in (min(halve), max(halve))),
    )
    dips = [
        share
        for share, part in zip(SHARES, result, strict=True)
        if part["cpu_s"]["ci95"][1] < result[1]["cpu_s"]["ci95"][0]
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
    for program, part in SUMMARY["environment (Figure 3)"].items():
        built = " (built for it)" if program in ("stack split", "set conflict") else ""
        yield (
            f"| {program}{built} | -{{}} % | +{{}} % [{{}}, {{}}] | {{}} of {{}} |",
            -part["fastest_percent"],
            part["slowest_percent"],
            *part["slowest_ci95"],
            part["lengths_off_the_mean"],
            part["lengths"],
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
        part, of_default = (findings["libquantum {}-{}".format(*step)] for findings in (every, default))
        yield row.format(*step) + " {} [{}, {}] |", *cells(part), of_default["speedup"], *of_default["ci95"]
    three = [every["events {}-{}".format(*step)] for step in steps]
    yield " ".join(row.format(*step) for step in steps), *(cell for part in three for cell in cells(part))
    spans = [100 * (part["single"][1] / part["single"][0] - 1) for part in three]
    yield "single contexts span {} to {} %", min(spans), max(spans)


def cells(part: Mapping[str, Any]) -> tuple[float, ...]:
    """Of a row: single contexts, what they would say, all together, a further one."""
    singles = part["single_say_faster"], part["single_say_slower"]
    return (*part["single"], *singles, part["combined"], *part["ci95"], *part["prediction95"])
