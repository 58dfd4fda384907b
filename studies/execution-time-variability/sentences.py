"""Sentences of README.md with numbers, and the data that give them: summaries and counts."""

from __future__ import annotations

import csv
import json
import runpy
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from prose import Sentence

HERE: Final = Path(__file__).parent
OURS, NAS, NPB = (
    json.loads((HERE / f"{name}summary.json").read_text(encoding="utf-8")) for name in ("", "nas-", "npb-")
)
COMPARED: Final = runpy.run_path(str(HERE / "compared.py"), run_name="compared")
AGAIN: Final = runpy.run_path(str(HERE / "again.py"), run_name="again")
PERCENT: Final = 100
GIVEN: Final = (
    r"NPB 3\.3\.1 on 32 cores|on 32 cores",
    r"Linux 6\.18, gcc 12\.2, Debian 12|Linux 6\.18, gcc and gfortran 12\.2|gcc 12 vectorises",
    r"half the width of a 95 %",
    r"28 pairs each|28 pairs of",
    r"which is what 31 runs",
    r"The paper: over 70 %|the paper: over 70 %",
    r"multiples of 64",
    r"random sizes \(3499\)",
    r"slower with 1,024 bytes than|2,746 than with other|`, 100 blocks\)",
    r"1,024 bytes than with 256|with 2,746 than with 1,551",
    r"with a load of 4 to 8 from others",
    r"\(28 at -O2, 28 at -O3\)",
    r"paper's RL3-RL5 at one level of optimisation: 50 %",
    r"in 90 % and more of its comparisons",
    r"has 97 % of pairs different \(347 of 360\)",
    r"in 4 % of families in random order, and in 42 % \(autocorrelation\) to 99\.9 %",
    r"runs for 20 ms: S|1 of each 10 ms|a run of 60 ms takes\s+17 s|19,902 runs in 30 minutes",
    r"of a run of 30 ms, steps of 10 ms",
    r"The paper has 0 % \(CG\) to 100 % \(UA\)",
    r"A run is 0\.04 to\s+0\.5 s long|in steps of 10 ms",
    r"two background processes at 10 %",
    r"29 minutes, 15,610 runs",
    r"IS takes 20 to 30 ms",
)
"""Settings, values of the paper, durations, and what docs/statistics.md simulates."""


def share(part: float, total: float) -> float:
    """In percent."""
    return PERCENT * part / total


def sentences() -> Iterator[Sentence]:
    """Every sentence with numbers that were measured."""
    yield from machine()
    yield from environment()
    yield from again()
    yield from services()
    yield from affinity()
    yield from nas()
    yield from npb()


def machine() -> Iterator[Sentence]:
    """Loads, and what intervals came to."""
    # A minute before the fresh runs something else had ended, which this average still has.
    loads = [
        load
        for name, part in OURS.items()
        if not name.startswith("environment-again")
        for load in part["load_1m_deciles"]
    ]
    yield "load average {} to {}, which is the study's own", min(loads), max(loads)
    halves = [
        sorted(
            statistics.median(program["halfwidth_percent"] for program in part[metric]["programs"].values())
            for part in OURS.values()
            if "programs" in part[metric]
        )
        for metric in ("wall_s", "cpu_s")
    ]
    elapsed, cpu = ((statistics.median(halve), halve[0], halve[-1]) for halve in halves)
    yield "of elapsed time is {} % in the middle of the records (medians over programs; {} to {})", *elapsed
    yield "it is {} % for CPU time ({} to {})", *cpu


def environment() -> Iterator[Sentence]:
    """Experiment 2."""
    for part, words in (
        ("environment-rows", "the paper's sizes | one after the other"),
        ("environment-null-rows", "**one treatment, eight times** | one after the other"),
    ):
        wall, cpu = (OURS[part][metric] for metric in ("wall_s", "cpu_s"))
        yield (
            f"| {words} | {{}} of {{}} ({{}} %) | {{}} ({{}} %) | {{}} | {{}} | {{}} | {{}} |",
            *(wall["before"], wall["pairs"], share(wall["before"], wall["pairs"])),
            *(wall["after"], share(wall["after"], wall["pairs"]), wall["default"]),
            *(cpu["before"], cpu["after"], cpu["default"]),
        )
    for part, words, strong in (
        ("environment-blocks", "the paper's sizes", "**"),
        ("environment-random-blocks", "eight random sizes", ""),
    ):
        wall, cpu = (OURS[part][metric] for metric in ("wall_s", "cpu_s"))
        yield (
            f"| {words} | randomised blocks | {strong}{{}}{strong} of {{}} |{' {} |' * 5}",
            *(wall["before"], wall["pairs"], wall["after"], wall["default"]),
            *(cpu["before"], cpu["after"], cpu["default"]),
        )
    wall, cpu = (
        {
            name: effects_of["halfwidth_percent"]
            for name, effects_of in OURS["environment-blocks"][metric]["programs"].items()
        }
        for metric in ("wall_s", "cpu_s")
    )
    yield (
        "an interval is {} % of CPU time in the middle ({} for bc, {} for xz)",
        *(statistics.median(cpu.values()), cpu["bc"], cpu["xz"]),
    )
    yield "some percent would have shown. Of elapsed time it is {} %", statistics.median(wall.values())
    rows = OURS["environment-rows"]["wall_s"]
    tests = sum(program["tests"].get("mann-whitney", 0) for program in rows["programs"].values())
    yield "{} % of these pairs took the Mann-Whitney test", share(tests, rows["pairs"])
    fixed, random = (
        OURS[part]["wall_s"]["programs"]
        for part in ("environment-built-blocks", "environment-built-random-blocks")
    )
    yield "in blocks {} of {} pairs (28", *count(fixed, split=True)
    yield "and {} of {} pairs differ. None", *count(random, split=True)
    yield "None of the {} pairs of our three other", count(fixed, split=False)[1]
    null = OURS["environment-null-rows"]["wall_s"]
    yield "identical treatments, it was {} % of *pairs*", share(null["before"], null["pairs"])


def again() -> Iterator[Sentence]:
    """Lengths that stood out in experiment 2, and in fresh runs."""
    percent = {
        program: [
            PERCENT * (ratio - 1) for ratio in (effects_of.ratio, *effects_of.ci95, effects_of.when_found)
        ]
        for program, effects_of in AGAIN["changes"]().items()
    }
    yield (
        (
            "python3 takes {} % more [{}, {}] with 1,024 bytes than with 256, where the runs that pointed at"
            " it said {} %"
        ),
        *percent["python3"],
    )
    yield (
        "sqlite3 takes {} % more [{}, {}] with 2,746 than with 1,551, where they said {} %",
        *percent["sqlite3"],
    )


def count(programs: Mapping[str, Any], *, split: bool) -> tuple[float, float]:
    """Pairs that differ after Holm and all pairs, of `stack_split` or of the others."""
    chosen = [effects_of for name, effects_of in programs.items() if ("split" in name) == split]
    return sum(effects_of["after"] for effects_of in chosen), sum(
        effects_of["pairs"] for effects_of in chosen
    )


def services() -> Iterator[Sentence]:
    """Experiment 1."""
    rows, blocks = (OURS[f"services-{order}"] for order in ("rows", "blocks"))
    yield (
        "{} of {} differ in elapsed time one after the other, before and after Holm, and {} of {} in blocks",
        *(
            rows["wall_s"]["after"],
            rows["wall_s"]["pairs"],
            blocks["wall_s"]["after"],
            blocks["wall_s"]["pairs"],
        ),
    )
    yield (
        "In CPU time, {} and {} (xz, by {} %)",
        *(rows["cpu_s"]["after"], blocks["cpu_s"]["after"]),
        blocks["cpu_s"]["programs"]["xz"]["largest_percent"],
    )
    wall, cpu = (OURS["services-built-blocks"][metric]["effects"] for metric in ("wall_s", "cpu_s"))
    for program in ("gaussian", "buckets", "relax"):
        effects = cpu[program]["opt"], cpu[program]["background_load"], wall[program]["background_load"]
        yield (
            f"| {program} | {{}} [{{}}, {{}}] | {{}} [{{}}, {{}}] | {{}} [{{}}, {{}}] |",
            *(number for effect in effects for number in (effect["ratio"], *effect["ci95"])),
        )
    both = [
        OURS[f"services-built-{order}"]["wall_s"]["effects"]["relax"]["background_load x opt"]
        for order in ("blocks", "rows")
    ]
    yield (
        "in elapsed time is {} [{}, {}] in blocks, and {} [{}, {}] one after the other",
        *(number for effect in both for number in (effect["ratio"], *effect["ci95"])),
    )


def affinity() -> Iterator[Sentence]:
    """Experiment 3: one placement by two names, at the same number of threads."""
    unmoved = []
    with (HERE / "measured.csv").open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            if (line["part"], line["metric"]) == ("affinity-openmp-rows", "cpu_s"):
                (first_threads, first), (second_threads, second) = (
                    line[end].split(",") for end in ("first", "second")
                )
                if first_threads == second_threads and {first, second} == {"compact", "scatter"}:
                    unmoved.append(line)
    pairs, after = (sum(int(line[name]) for line in unmoved) for name in ("programs", "after"))
    yield "CPU time differs in {} of {} pairs", after, pairs


def nas() -> Iterator[Sentence]:
    """The ten programs of the paper."""
    rows, null, blocks = (NAS[f"nas-environment-{part}"] for part in ("rows", "null-rows", "blocks"))
    wall = [part["wall_s"] for part in (rows, null, blocks)]
    before, after = ([share(part[text], part["pairs"]) for part in wall] for text in ("before", "after"))
    yield (
        "clock, {} % of pairs of sizes differ ({} of {}), and {} % of pairs",
        *(before[0], wall[0]["before"], wall[0]["pairs"], before[1]),
    )
    yield (
        "eight times ({} of {}); {} and {} % after Holm",
        *(wall[1]["before"], wall[1]["pairs"], after[0], after[1]),
    )
    yield (
        "same programs, {} of {} differ before Holm and {} after it",
        *(wall[2]["before"], wall[2]["pairs"], wall[2]["after"]),
    )
    elapsed = [part["elapsed_s"] for part in (rows, null)]
    yield (
        "it is {} % against {} %, and {} against {} % after Holm",
        *(share(part["before"], part["pairs"]) for part in elapsed),
        *(share(part["after"], part["pairs"]) for part in elapsed),
    )
    of_sizes, of_one = (
        {
            name.removesuffix(" O2"): share(effects_of["before"] - effects_of["after"], effects_of["before"])
            for name, effects_of in part["programs"].items()
            if effects_of["before"] and name.endswith("O2")
        }
        for part in wall[:2]
    )
    yield (
        "by `wall_s`, it is {} % (DC) to {} % (IS), and {} % (FT) to {} % (CG)",
        *(min(of_sizes.values()), max(of_sizes.values()), min(of_one.values()), max(of_one.values())),
    )
    effects = NAS["nas-services-blocks"]["wall_s"]["effects"]
    opt = {name: effects_of["opt"]["ratio"] for name, effects_of in effects.items()}
    yield (
        "speeds up LU by {} × [{}, {}], MG {}, UA {}, SP {}, FT {} and BT {}",
        *(opt["lu"], *effects["lu"]["opt"]["ci95"]),
        *(opt[name] for name in ("mg", "ua", "sp", "ft", "bt")),
    )
    costs = [
        PERCENT * (1 / effect["background_load"]["ratio"] - 1)
        for effect in effects.values()
        if effect["background_load"]["resolved"]
    ]
    yield "load costs nine of ten programs {} to {} %", min(costs), max(costs)
    unmoved = COMPARED["same_placement"]("rows")
    yield "in rows they differ in {} of {} pairs", unmoved["before"], unmoved["pairs"]


def npb() -> Iterator[Sentence]:
    """The five kernels of ours."""
    rows, null, blocks = (NPB[f"npb-environment-{part}"] for part in ("rows", "null-rows", "blocks"))
    by_time = [part["elapsed_s"] for part in (rows, null, blocks)]
    yield (
        "sizes in rows {} of {} and {} after Holm, one treatment eight times {} and {}",
        *(by_time[0]["before"], by_time[0]["pairs"], by_time[0]["after"]),
        *(by_time[1]["before"], by_time[1]["after"]),
    )
    yield (
        "{} % of the pairs of sizes differ before Holm ({} of {}, by `wall_s` {})",
        share(by_time[2]["before"], by_time[2]["pairs"]),
        *(by_time[2]["before"], by_time[2]["pairs"], blocks["wall_s"]["before"]),
    )
    effects = NPB["npb-services-blocks"]["wall_s"]["effects"]
    opt = {name: effects_of["opt"] for name, effects_of in effects.items()}
    yield (
        "speeds MG up by {} × ({} to {}) and CG by {}, slows FT to {}",
        *(opt["mg"]["ratio"], *opt["mg"]["ci95"], opt["cg"]["ratio"], opt["ft"]["ratio"]),
    )
    load = {
        name: PERCENT * (1 / effects_of["background_load"]["ratio"] - 1)
        for name, effects_of in effects.items()
    }
    yield (
        "cost CG and MG {} %, FT and IS {} %",
        *(statistics.fmean(load[name] for name in pair) for pair in (("cg", "mg"), ("ft", "is"))),
    )
    services_of = NPB["npb-services-blocks"]
    yield (
        "services differ in {} pairs of blocks instead of {} after Holm",
        services_of["elapsed_s"]["after"],
        services_of["wall_s"]["after"],
    )
    waiting = NPB["npb-waiting-blocks"]["wall_s"]["effects"]
    neighbour, spinning, both = (
        {name: effects_of[effect]["ratio"] for name, effects_of in waiting.items()}
        for effect in ("background_load", "omp_wait_policy", "omp_wait_policy x background_load")
    )
    yield (
        "A busy neighbour takes {} to {} of the speed",
        min(neighbour.values()),
        max(neighbour.values()),
    )
    yield (
        "take it to {} (IS), {} (FT), {} (MG), {} (CG), {} (EP)",
        *(spinning[name] for name in ("is", "ft", "mg", "cg", "ep")),
    )
    yield "(interaction {} to {})", min(both.values()), max(both.values())
    called = [
        max(effect["ratio"], 1 / effect["ratio"])
        for part, effects_of in NPB.items()
        if part.startswith("npb-screening")
        for effect in [effects_of["wall_s"]["effects"]["all"]["env_bytes"]]
        if effect["resolved"]
    ]
    yield "It calls `env_bytes` an effect of {} to {} × for four", min(called), max(called)
