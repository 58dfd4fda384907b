"""Whether the tests of the laboratory notice a small mistake in the package.

``python benchmarks/mutation/bench.py [--sample N] [--seed S] [--room NAME] [--only NAME ...]
[--jobs N] [--out FILE]`` with what ``./dev test`` needs installed; the first time it installs mutmut under
``build``. Draws mutants (mutmut's: an operator, a number, a string, an argument, a condition changed) over
all rooms, and runs for each the tests nearest to its module, without simulations of rates, until one fails.
Mutants stand in copies of the tree. Exits with 1 where fewer than 95 % are killed, equivalent ones not
counted. What FILE says was killed is not judged again, so that a run that was ended goes on.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import Final

import mutants
from judging import Bench, Judgement

LEAST: Final = 0.95
EQUIVALENT: Final = Path(__file__).with_name("equivalent.toml")
ALIVE: Final = ("survived", "no test")


def read_reasons() -> dict[tuple[str, str], str]:
    """Why some mutants cannot be told from the original, by where and what they change."""
    listed = tomllib.loads(EQUIVALENT.read_text())["mutant"]
    return {(item["where"], item["change"].strip()): item["why"] for item in listed}


def read_judged(file: Path | None) -> dict[tuple[str, str], Judgement]:
    """Read what an earlier run judged, by mutant and change: other sources may number mutants anew."""
    if file is None or not file.exists():
        return {}
    return {
        (line["name"], line["change"]): Judgement(line["state"], line["by"], 0, 0.0)
        for line in json.loads(file.read_text())
    }


def room_of(mutant: mutants.Mutant) -> str:
    """The room of its module; of an extension, its name."""
    parts = mutant.module.split(".")
    return ".".join(parts[1:3]) if parts[1:2] == ["extensions"] else ".".join(parts[1:2])


@dataclass
class Tally:
    """What was judged, shown as it comes and counted."""

    equivalent: dict[tuple[str, str], str]
    states: Counter[str] = field(default_factory=Counter)
    rooms: Counter[str] = field(default_factory=Counter)
    lines: list[dict[str, str]] = field(default_factory=list)

    def add(self, mutant: mutants.Mutant, judgement: Judgement) -> None:
        """Count a mutant, with a line for what is killed, the change besides for what is not."""
        alive = judgement.state in ALIVE
        why = self.equivalent.get((f"{mutant.module}:{mutant.function}", mutant.change)) if alive else None
        self.states["equivalent" if why else judgement.state] += 1
        self.rooms[room_of(mutant)] += alive and not why
        self.lines.append(
            {"name": mutant.name, "state": judgement.state, "by": judgement.by, "change": mutant.change}
        )
        took = f"{len(self.lines):4} {judgement.took_s:5.1f} s"
        print(f"{took}  {judgement.state:<14} {mutant.name}  {judgement.by}", flush=True)
        if alive:
            print(mutant.change, f"equivalent: {why}" if why else "", sep="\n", flush=True)


def main() -> int:
    """Draw, judge, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--room", default="", help="only this folder of the package, as stats/compare")
    parser.add_argument("--only", nargs="+", help="of the sample, only these mutants")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--out", type=Path, help="every judgement as JSON; what it has as killed is not judged again"
    )
    args = parser.parse_args()
    started = time.monotonic()
    mutants.provide_mutmut()
    sample = mutants.draw(args.sample, args.seed, args.room)
    if args.only:
        sample = [mutant for mutant in sample if mutant.name in args.only]
    print(f"{len(sample)} mutants, seed {args.seed}", flush=True)
    tally = Tally(read_reasons())
    judged_before = read_judged(args.out)
    left = []
    again = []
    for mutant in sample:
        judgement = judged_before.get((mutant.name, mutant.change))
        if judgement is None:
            left.append(mutant)
        elif judgement.state == "killed":
            tally.add(mutant, judgement)
        else:
            again.append(mutant)
    benches: SimpleQueue[Bench] = SimpleQueue()

    def judge(mutant: mutants.Mutant) -> tuple[mutants.Mutant, Judgement]:
        bench = benches.get()
        try:
            return mutant, bench.judge(mutant)
        finally:
            benches.put(bench)

    with ExitStack() as stack:
        for _ in range(args.jobs):
            directory = stack.enter_context(TemporaryDirectory(prefix="steelyard-mutation-"))
            benches.put(Bench.make(Path(directory).resolve()))
        pool = stack.enter_context(ThreadPoolExecutor(args.jobs))
        futures = [pool.submit(judge, mutant) for mutant in left + again]
        for future in as_completed(futures):
            tally.add(*future.result())
            if args.out:
                args.out.write_text(json.dumps(tally.lines, indent=1))
    judged = len(sample) - tally.states["equivalent"] - tally.states["out of time"]
    share = tally.states["killed"] / max(1, judged)
    print(", ".join(f"{count} {state}" for state, count in tally.states.most_common()))
    print(
        "alive, by room:", ", ".join(f"{room} {count}" for room, count in tally.rooms.most_common() if count)
    )
    print(f"{100 * share:.1f} % killed of those that can be; {time.monotonic() - started:.0f} s")
    return 0 if share >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
