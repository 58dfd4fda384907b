"""Whether ``steelyard explain`` names functions that were made slower, and nothing where nothing was.

``python benchmarks/explain/bench.py [--plants N] [--equal N] [--layout N] [--seed N] [--output DIR]`` with
steelyard installed, perf, valgrind, cargo and a C compiler: about a minute for each pair. A line of JSON for
each pair is kept in DIR, so that a second call goes on. Prints the figures of its README. Exits with 1 where
a limit is missed.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from programs import Program, build, fetch, find_definition

from steelyard.extensions.explain.callgrind import read_callgrind
from steelyard.extensions.explain.explain import explain, explain_directory
from steelyard.extensions.explain.names import clean_symbol
from steelyard.extensions.explain.profiles import Profile
from steelyard.extensions.explain.request import ExplainRequest
from steelyard.extensions.explain.sampling import Perf

SIZES = (0.01, 0.02, 0.03, 0.05, 0.1)
LEAST_CALLS = 300
LIMIT_FIRST, LIMIT_QUIET, LIMIT_OFF = 0.9, 0.95, 0.2


class Subject:
    """A program as it is, with what is known of its functions."""

    def __init__(self, program: Program, directory: Path) -> None:
        self.program, self.directory = program, directory
        plain = build(program, directory / "plain", (), {})
        self.names = [name for name in self.hot(plain) if self.is_defined(name)]
        for stale in (directory / "shared").glob("*"):
            stale.unlink()
        self.old = build(program, directory / "old", self.names, {})
        self.seconds = statistics.median(self.cpu_s() for _ in range(5))
        self.counts = count(self.old, directory)

    def is_defined(self, name: str) -> bool:
        """Whether a source has its definition."""
        return any(
            find_definition(source.read_text(errors="replace"), name) for source in self.program.sources
        )

    def hot(self, plain: Path) -> list[str]:
        """Functions with a hundredth of the time at least."""
        file = self.directory / "hot.profile"
        subprocess.run(Perf().wrap([str(plain)], str(file)), check=True, capture_output=True)
        profile: Profile = Perf().read({1: file}, {plain.name})[1]
        times: dict[str, float] = {}
        for chain, weight in profile.weights.items():
            if not chain[-1].place:
                times[chain[-1].name] = times.get(chain[-1].name, 0.0) + weight
        total = sum(profile.weights.values())
        return sorted(name for name, weight in times.items() if weight > 0.01 * total)

    def cpu_s(self) -> float:
        """CPU time of a run."""
        done = subprocess.run(
            ["perf", "stat", "-x,", "-e", "task-clock", "--", str(self.old)],
            capture_output=True,
            text=True,
            check=True,
        )
        return 1e-3 * float(done.stderr.split(",")[0])

    def plant(self, draw: random.Random, size: float, spin_s: float) -> dict[str, int]:
        """A function, drawn, and the turns of its loop that take a share ``size`` of the time."""
        able = [
            name
            for name in self.names
            if LEAST_CALLS <= self.counts.get(name, (0, 0))[1] <= size * self.seconds / (4 * spin_s)
        ]
        name = draw.choice(able)
        return {name: round(size * self.seconds / (self.counts[name][1] * spin_s))}


def count(program: Path, directory: Path) -> dict[str, tuple[int, int]]:
    """Function to instructions and calls, by callgrind."""
    file = directory / "callgrind.out"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={file}", str(program)]
    subprocess.run(command, capture_output=True, check=True)
    sums: dict[str, tuple[int, int]] = {}
    with file.open() as lines:
        for entry in read_callgrind(lines):
            name = clean_symbol(entry.name.partition("'")[0])
            before = sums.get(name, (0, 0))
            sums[name] = (before[0] + entry.instructions, before[1] + entry.calls)
    return sums


def measure_spin(directory: Path) -> float:
    """Seconds of a turn of the planted loop."""
    source = directory / "spin.c"
    source.write_text(
        "int main(void) { for (volatile unsigned spin = 200000000u; spin; spin = spin - 1); }\n"
    )
    subprocess.run(["cc", "-O2", str(source), "-o", str(directory / "spin")], check=True)
    done = subprocess.run(
        ["perf", "stat", "-x,", "-e", "task-clock", "--", str(directory / "spin")],
        capture_output=True,
        text=True,
        check=True,
    )
    return 1e-3 * float(done.stderr.split(",")[0]) / 2e8


def diff_perf(old: Path, new: Path, directory: Path) -> str:
    """The function that ``perf diff`` has first: the largest change of a share."""
    files = []
    for side, program in (("old", old), ("new", new)):
        files.append(str(directory / f"{side}.data"))
        subprocess.run(Perf(chains="none").wrap([str(program)], files[-1]), check=True, capture_output=True)
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


def do_other(old: dict[str, tuple[int, int]], new: dict[str, tuple[int, int]], name: str) -> bool:
    """Whether a function executes other instructions: what ``--counts`` does not call its layout."""
    before, after = old.get(name, (0, 0))[0], new.get(name, (0, 0))[0]
    return abs(after - before) >= 1e-4 * max(1, before)


def measure(
    subject: Subject, kind: str, number: int, seed: int, spin_s: float, blocks: int
) -> dict[str, Any]:
    """One pair: built, explained, and given to the peers."""
    draw = random.Random(f"{seed}/{kind}/{number}")
    size = SIZES[number % len(SIZES)] if kind == "plants" else 0.0
    spins = subject.plant(draw, size, spin_s) if size else {}
    directory = subject.directory / f"{kind}-{number}"
    new = build(
        subject.program, directory, subject.names, spins, draw.randrange(1, 9999) if kind == "layout" else 0
    )
    record = directory / "explain.lab"
    began = time.monotonic()
    request = ExplainRequest(
        old=(str(subject.old),), new=(str(new),), blocks=blocks, seed=number + 1, max_time_s=600.0
    )
    explain(request, Perf(), record, watch=lambda _: None, tell=lambda _: None)
    seconds = time.monotonic() - began
    answer, counts = explain_directory(record), count(new, directory)
    named = {entry.name: entry.value for entry in answer.named}
    largest = max(answer.contributions, key=lambda entry: abs(entry.value))
    planted = next(iter(spins), None)
    entry = next((item for item in answer.contributions if item.name == planted), None)
    return {
        "program": subject.program.name,
        "planted": planted,
        "size": size,
        "plant": sum(n * subject.counts[name][1] for name, n in spins.items()) * spin_s / subject.seconds,
        "change": answer.change,
        "ci95": [answer.ci95.low, answer.ci95.high] if answer.ci95 else None,
        "trust": answer.sampler.trust,
        "named": named,
        "value": entry.value if entry else None,
        "interval": [entry.ci95.low, entry.ci95.high] if entry and entry.ci95 else None,
        "subtraction": largest.name,
        "perf_diff": diff_perf(subject.old, new, directory),
        "callgrind": diff_counts(subject.counts, counts),
        "code": [name for name in named if do_other(subject.counts, counts, name)],
        "seconds": round(seconds, 1),
    }


def summarise(lines: list[dict[str, Any]]) -> bool:
    """Print the figures; whether all limits are met."""
    good = True
    plants = [line for line in lines if line["kind"] == "plants"]
    for size in SIZES:
        pairs = [line for line in plants if line["size"] == size]
        if not pairs:
            continue
        first = [line for line in pairs if next(iter(line["named"]), None) == line["planted"]]
        near = [line for line in first if abs(line["value"] / line["plant"] - 1) <= LIMIT_OFF]
        peers = {
            peer: sum(line[peer] == line["planted"] for line in pairs)
            for peer in ("subtraction", "perf_diff", "callgrind")
        }
        result = sum(any(name != line["planted"] for name in line["named"]) for line in pairs)
        print(
            f"{100 * size:.0f} %: planted function first {len(first)} of {len(pairs)}, within 20 % of it"
            f" {len(near)} of {len(first)}; another named {result}; {peers}"
        )
        if size >= 0.03:
            good &= len(first) >= LIMIT_FIRST * len(pairs)
    for kind in ("equal", "layout"):
        pairs = [line for line in lines if line["kind"] == kind]
        if pairs:
            quiet = sum(not line["named"] for line in pairs)
            counted = sum(not line["code"] for line in pairs)
            print(
                f"{kind}: nothing named in {quiet} of {len(pairs)}; but for layout by --counts in {counted}"
            )
            good &= quiet >= LIMIT_QUIET * len(pairs)
    return good


def main() -> int:
    """Measure what is missing, and print the figures of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("plants", 40), ("equal", 20), ("layout", 20), ("seed", 66), ("blocks", 20)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--output", type=Path)
    chosen = parser.parse_args()
    directory: Path = chosen.output or Path(tempfile.mkdtemp())
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / "pairs.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    done = {(line["kind"], line["number"]) for line in lines}
    programs = fetch(directory)
    spin_s = measure_spin(directory)
    subjects: dict[str, Subject] = {}
    # Kinds take turns, so that a call that is stopped has some of each.
    wanted = [
        (kind, number) for kind in ("plants", "equal", "layout") for number in range(getattr(chosen, kind))
    ]
    for kind, number in sorted(wanted, key=lambda pair: (pair[1], pair[0])):
        if (kind, number) in done:
            continue
        program = programs[(number + number // len(SIZES)) % len(programs)]
        if program.name not in subjects:
            subjects[program.name] = Subject(program, directory / program.name)
        line = {
            "kind": kind,
            "number": number,
            **measure(subjects[program.name], kind, number, chosen.seed, spin_s, chosen.blocks),
        }
        lines.append(line)
        with file.open("a") as out:
            out.write(json.dumps(line) + "\n")
        print(json.dumps(line), flush=True)
    return 0 if summarise(lines) else 1


if __name__ == "__main__":
    sys.exit(main())
