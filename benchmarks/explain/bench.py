"""Whether ``steelyard explain`` names functions that were made slower, and nothing where nothing was.

``python benchmarks/explain/bench.py [--plants N] [--equal N] [--layout N] [--seed N] [--output DIR]
[--until MINUTES]`` with steelyard installed, perf, valgrind, cargo, pip and a C compiler: most of a minute
for each pair, and three minutes to build. A line of JSON for each pair is kept in DIR, so that a second call
goes on. Prints the figures of its README. Exits with 1 where a limit is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from programs import fetch
from subjects import Native, Subject, count, make_subject

from steelyard.extensions.explain.explain import explain, explain_directory
from steelyard.extensions.explain.names import clean_symbol
from steelyard.extensions.explain.request import ARMS, NEW, OLD, ExplainRequest
from steelyard.extensions.explain.results import Explanation
from steelyard.extensions.explain.sampling import Perf
from steelyard.lab.run.run import run

SIZES = (0.01, 0.02, 0.03, 0.05, 0.1)
KINDS = ("plants", "equal", "layout")
LEAST_SIZE = 0.03
LIMIT_FIRST, LIMIT_QUIET, LIMIT_OFF, LIMIT_COST = 0.9, 0.95, 0.2, 3.0
PEERS = ("subtraction", "perf_diff", "callgrind")
MAX_TIME_S = 600.0
VERDICTS = 3
"""One pair in so many is judged besides, to know what that takes."""


def ignore(_: object) -> None:
    """Show no progress."""


def diff_perf(old: str, new: str, directory: Path) -> str:
    """The function that ``perf diff`` has first: the largest change of a share."""
    files = []
    for side, program in (("old", old), ("new", new)):
        files.append(str(directory / f"{side}.data"))
        subprocess.run(Perf(chains="none").wrap([program], files[-1]), check=True, capture_output=True)
    done = subprocess.run(["perf", "diff", *files], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        if match := re.match(r"^\s*[\d.]*%?\s+[+-][\d.]+%\s+\S+\s+\[.\] (.*?)\s*$", line):
            return clean_symbol(match[1])
    return ""


def diff_counts(old: dict[str, tuple[int, int]], new: dict[str, tuple[int, int]]) -> str:
    """The function whose instructions changed most."""
    changes = {name: abs(new.get(name, (0, 0))[0] - old.get(name, (0, 0))[0]) for name in {*old, *new}}
    best = max(sorted(changes), key=lambda name: changes[name])
    return best if changes[best] else ""


def ask_peers(subject: Subject, new: tuple[str, ...], directory: Path, answer: Explanation) -> dict[str, Any]:
    """What other tools have first on the same pair."""
    largest = max(answer.contributions, key=lambda entry: abs(entry.value))
    peers: dict[str, Any] = {"subtraction": largest.name, "perf_diff": None, "callgrind": None}
    if isinstance(subject, Native):
        peers["perf_diff"] = diff_perf(subject.old[0], new[0], directory)
        peers["callgrind"] = diff_counts(subject.counts, count(Path(new[0]), directory))
    return peers


def measure_verdict_s(request: ExplainRequest, subject: Subject, directory: Path) -> float:
    """Seconds of the same blocks with both programs plain and linked anew, which is what a verdict needs."""
    experiment = request.experiment(
        subject.profiler, directory, Path(f"{directory}/explain.lab-objects").absolute()
    )
    plain = {name: experiment.program.commands[name] for name in ARMS if name in (OLD, NEW)}
    factors, zips = request.list_factors({OLD: OLD, NEW: NEW})
    verdict = replace(
        experiment, program=replace(experiment.program, commands=plain), factors=factors, zips=zips
    )
    # Programs of a cache of its own: what explain linked is linked again.
    usual = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(directory / "cache")
    began = time.monotonic()
    try:
        run(verdict, directory / "verdict.lab", watch=ignore)
    finally:
        os.environ.pop("XDG_CACHE_HOME")
        if usual is not None:
            os.environ["XDG_CACHE_HOME"] = usual
    seconds = time.monotonic() - began
    # Packages of Python leave none.
    shutil.rmtree(directory / "cache", ignore_errors=True)
    return seconds


def measure(subject: Subject, kind: str, number: int, seed: int, blocks: int) -> dict[str, Any]:
    """One pair: built, explained, and given to the peers."""
    draw = random.Random(f"{seed}/{kind}/{number}")
    size = SIZES[number % len(SIZES)] if kind == "plants" else 0.0
    directory = subject.directory / f"{kind}-{number}"
    # Of a pair that was interrupted.
    shutil.rmtree(directory, ignore_errors=True)
    plants = subject.draw(draw, size) if size else {}
    layout = draw.randrange(1, 9999) if kind == "layout" else 0
    new = subject.build(directory, plants, layout)
    request = ExplainRequest(
        old=subject.old,
        new=new,
        blocks=blocks,
        seed=number + 1,
        max_time_s=MAX_TIME_S,
        linking=subject.find_linking(directory),
    )
    before = subject.calibrate()
    began = time.monotonic()
    record = directory / "explain.lab"
    explain(request, subject.profiler, record, watch=ignore, tell=ignore)
    answer = explain_directory(record)
    seconds = time.monotonic() - began
    program_s, turn_s = (sum(pair) / 2 for pair in zip(before, subject.calibrate(), strict=True))
    truths = {
        name: (subject.calls[name] // plant.period) * plant.turns * turn_s / program_s
        for name, plant in plants.items()
    }
    by_name = {entry.name: entry for entry in answer.contributions}
    return {
        "program": subject.name,
        "size": size,
        "plants": truths,
        "change": answer.change,
        "ci95": [answer.ci95.low, answer.ci95.high] if answer.ci95 else None,
        "trust": answer.sampler.trust,
        "named": {entry.name: entry.value for entry in answer.named},
        "intervals": {
            name: [by_name[name].ci95.low, by_name[name].ci95.high]  # type: ignore[union-attr]
            for name in plants
            if name in by_name and by_name[name].ci95
        },
        **(ask_peers(subject, new, directory, answer) if plants else {}),
        "seconds": round(seconds, 1),
        "verdict_s": round(measure_verdict_s(request, subject, directory), 1)
        if number % VERDICTS == 0
        else None,
    }


def is_first(pair: dict[str, Any]) -> bool:
    """Whether functions with a plant are named before all others, as many as were named of them at most."""
    first = list(pair["named"])[: len(pair["plants"])]
    return bool(first) and first[0] in pair["plants"]


def summarise_plants(pairs: list[dict[str, Any]]) -> bool:
    """Print what was found of the planted functions; whether the limits are met."""
    good = True
    for size in SIZES:
        members = [pair for pair in pairs if pair["size"] == size]
        if not members:
            continue
        first = [pair for pair in members if is_first(pair)]
        ratios = [
            pair["named"][name] / truth
            for pair in members
            for name, truth in pair["plants"].items()
            if name in pair["named"]
        ]
        covered = [
            pair["intervals"][name][0] <= truth <= pair["intervals"][name][1]
            for pair in members
            for name, truth in pair["plants"].items()
            if name in pair["named"]
        ]
        planted = sum(len(pair["plants"]) for pair in members)
        near = sum(abs(ratio - 1) <= LIMIT_OFF for ratio in ratios)
        wrong = sum(any(name not in pair["plants"] for name in pair["named"]) for pair in members)
        peers = {
            peer: f"{sum(pair[peer] in pair['plants'] for pair in members)}"
            f" of {sum(pair[peer] is not None for pair in members)}"
            for peer in PEERS
        }
        span = f" ({min(ratios):.2f} to {max(ratios):.2f})" if ratios else ""
        print(
            f"{100 * size:.0f} %: planted first {len(first)} of {len(members)}; {len(ratios)} of {planted}"
            f" planted functions named, {near} within 20 %{span}, {sum(covered)} in their interval; another"
            f" function named in {wrong}; first of the peers: {peers}"
        )
    large = [pair for pair in pairs if pair["size"] >= LEAST_SIZE]
    good &= sum(map(is_first, large)) >= LIMIT_FIRST * len(large)
    return good


def summarise(lines: list[dict[str, Any]]) -> bool:
    """Print the figures; whether all limits are met."""
    good = summarise_plants([line for line in lines if line["kind"] == "plants"])
    for kind in KINDS[1:]:
        pairs = [line for line in lines if line["kind"] == kind]
        if pairs:
            quiet = sum(not line["named"] for line in pairs)
            print(f"{kind}: nothing named in {quiet} of {len(pairs)}")
            good &= quiet >= LIMIT_QUIET * len(pairs)
    costs = sorted(line["seconds"] / line["verdict_s"] for line in lines if line["verdict_s"])
    if costs:
        print(f"cost: {costs[len(costs) // 2]:.1f} × the verdict in the median, {costs[-1]:.1f} × at most")
        good &= costs[len(costs) // 2] <= LIMIT_COST
    return good


def main() -> int:
    """Measure what is missing, and print the figures of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("plants", 40), ("equal", 20), ("layout", 20), ("seed", 66), ("blocks", 20)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--until", type=float, default=1e9, help="begin no pair after so many minutes")
    chosen = parser.parse_args()
    end = time.monotonic() + 60 * chosen.until
    directory: Path = (chosen.output or Path(tempfile.mkdtemp())).absolute()
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / "pairs.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    done = {(line["kind"], line["number"]) for line in lines}
    programs = fetch(directory)
    subjects: dict[str, Subject] = {}
    # Kinds take turns, so that a call that is stopped has some of each.
    pairs = sorted((number, kind) for kind in KINDS for number in range(getattr(chosen, kind)))
    for number, kind in pairs:
        # A package has no layout that could differ.
        able = [program for program in programs if kind != "layout" or hasattr(program, "sources")]
        program = able[number % len(able)]
        if (kind, number) in done or time.monotonic() > end:
            continue
        if program.name not in subjects:
            subjects[program.name] = make_subject(program, directory / program.name)
        pair = measure(subjects[program.name], kind, number, chosen.seed, chosen.blocks)
        lines.append({"kind": kind, "number": number, **pair})
        with file.open("a") as out:
            out.write(json.dumps(lines[-1]) + "\n")
        print(json.dumps(lines[-1]), flush=True)
    return 0 if summarise(lines) else 1


if __name__ == "__main__":
    sys.exit(main())
