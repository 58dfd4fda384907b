"""Whether the tests of ``steelyard.stats`` notice a small mistake in it.

``python benchmarks/mutation/bench.py [--sample N] [--seed S] [--only NAME ...] [--out FILE]`` with steelyard
and what its tests need installed; the first time it installs mutmut under ``build``. Draws mutants (mutmut's:
an operator, a number, a string, an argument, a condition changed) at random from all of the room, and runs
for each the tests of ``tests/stats`` that call the function changed, without the simulations of rates, until
one fails. No file of the tree is changed. Exits with 1 where fewer than 85 % are killed, equivalent ones not
counted.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import sys
import time
import tomllib
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any, Final

import mutants
from judged import Judgement, judge, load, reach_of

LEAST: Final = 0.85
LIMIT_S: Final = 600.0
"""For one mutant, and for the run without one; each test has its own limit besides (pyproject.toml)."""
EQUIVALENT: Final = Path(__file__).with_name("equivalent.toml")


def drawn(sample: int, seed: int) -> tuple[list[mutants.Mutant], int]:
    """So many mutants of all, each equally likely, and how many there are."""
    places = list(mutants.places())
    chosen = random.Random(seed).sample(range(len(places)), min(sample, len(places)))
    return [places[i].mutant() for i in sorted(chosen)], len(places)


def reasons() -> dict[tuple[str, str], str]:
    """Why some mutants cannot be told from the original, by where and what they change."""
    listed = tomllib.loads(EQUIVALENT.read_text())["mutant"]
    return {(item["where"], item["change"].strip()): item["why"] for item in listed}


def _judged(test_files: Any, mutant: mutants.Mutant) -> tuple[mutants.Mutant, Judgement]:
    return mutant, judge(mutant, test_files, LIMIT_S)


def show(number: int, mutant: mutants.Mutant, judgement: Judgement, why: str | None) -> None:
    """A line for what is killed, the change besides for what is not."""
    print(
        f"{number:4} {judgement.took_s:5.1f} s  {judgement.state:<14} {mutant.name}  {judgement.by}",
        flush=True,
    )
    if judgement.state in ("survived", "not reached"):
        print(mutant.change, f"equivalent: {why}" if why else "", sep="\n", flush=True)


def main() -> int:
    """Draw, judge, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", help="of the sample, only these mutants")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, help="every judgement as JSON")
    args = parser.parse_args()
    started = time.monotonic()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    mutants.provide_mutmut()
    sample, total = drawn(args.sample, args.seed)
    if args.only:
        sample = [mutant for mutant in sample if mutant.name in args.only]
    load()
    reach = reach_of(dict(mutants.modules()), LIMIT_S)
    if reach.failed:
        print("error: tests fail without a mutant:", *reach.failed, sep="\n  ", file=sys.stderr)
        return 2
    print(f"{len(sample)} of {total} mutants, seed {args.seed}; {len(reach.tests)} tests", flush=True)
    equivalent = reasons()
    states: Counter[str] = Counter()
    lines = []
    with multiprocessing.get_context("fork").Pool(args.jobs) as pool:
        for number, (mutant, judgement) in enumerate(pool.imap_unordered(partial(_judged, reach), sample), 1):
            alive = judgement.state in ("survived", "not reached")
            why = equivalent.get((f"{mutant.module}:{mutant.function}", mutant.change)) if alive else None
            states["equivalent" if why else judgement.state] += 1
            show(number, mutant, judgement, why)
            lines.append(
                {"name": mutant.name, "state": judgement.state, "by": judgement.by, "change": mutant.change}
            )
    if args.out:
        args.out.write_text(json.dumps(lines, indent=1))
    killed = states["killed"] + states["killed by time"]
    share = killed / max(1, len(sample) - states["equivalent"])
    print(", ".join(f"{count} {state}" for state, count in states.most_common()))
    print(f"{100 * share:.1f} % killed of those that can be; {time.monotonic() - started:.0f} s")
    return 0 if share >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
