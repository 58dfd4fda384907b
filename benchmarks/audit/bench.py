"""What ``steelyard audit`` finds where something is, and where nothing is.

``python benchmarks/audit/bench.py [--stack N] [--conflict N] [--counts N] [--kinds N] [--real N]
[--luck N]`` with steelyard installed and a C compiler on the PATH; without options as ``PARTS`` says: about
half an hour on two CPUs. Prints the figures of its README. Exits with 1 where a limit is missed.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
from programs import SURROUNDINGS, lucky_builds, real, set_conflict, stack_split, surroundings

from steelyard.extensions.audit.audit import audit
from steelyard.extensions.audit.request import AuditRequest
from steelyard.extensions.audit.results import Audit
from steelyard.lab.answer.analyze import analyze
from steelyard.lab.compare.compare import CompareRequest
from steelyard.lab.run.run import run
from steelyard.spec.experiment import Contexts
from steelyard.store import Record

REFERENCE_CONTEXTS = 200
PARTS = {"stack": 1, "conflict": 20, "counts": 5, "kinds": 10, "real": 10, "luck": 40}
"""Repeats of each part where no option chooses."""
LIMITS: dict[str, Any] = {"stack": (0.2, 60.0), "conflict": 1.0, "real": 2, "luck": 35}
"""Relative error of the effect and seconds; share found; false alarms; comparisons without a difference. At
most 2 alarms of 60 have a probability of .978 where each audit has 1 %, and .996 at 0.5 % (binomial)."""


def audited(command: str, directory: Path, name: str, **options: Any) -> tuple[Audit, float]:
    """One audit, and how long it took."""
    started = time.monotonic()
    result = audit(
        AuditRequest(command=command, **options), directory / name, watch=lambda _: None, tell=lambda _: None
    )
    return result, time.monotonic() - started


def stack(repeats: int, directory: Path) -> bool:
    """The effect of the environment's size, against a reference of 200 lengths, 5 passes, drawn otherwise."""
    command = f"{stack_split(directory)} 1500000"
    request = CompareRequest(
        commands=(command,), rel_halfwidth=None, blocks=5 * REFERENCE_CONTEXTS, metric="cpu_s"
    )
    contexts = Contexts({"env_bytes": "random", "aslr": "off"}, 5)
    design = msgspec.structs.replace(request.experiment().design, blocks=5 * REFERENCE_CONTEXTS, seed=77)
    run(
        msgspec.structs.replace(request.experiment(), contexts=contexts, design=design),
        directory / "reference.lab",
    )
    with Record.open(directory / "reference.lab") as record:
        (sample,) = record.samples("cpu_s")
    visits: dict[int, list[float]] = {}
    for context, value in zip(sample.contexts, sample.values, strict=True):
        visits.setdefault(context, []).append(value)
    medians = sorted(statistics.median(visit) for visit in visits.values())
    reference = medians[-1] / statistics.median(medians)
    print(f"reference: {len(medians)} contexts, slowest over median {reference:.2f} x")
    good = True
    for seed in range(1, repeats + 1):
        result, seconds = audited(command, directory, f"stack{seed}", seed=seed)
        first = result.findings[0]
        off = abs(math.log(first.extreme.ratio / reference))
        good &= first.context == "env_bytes" and first.verdict == "moves"
        good &= off <= math.log1p(LIMITS["stack"][0]) and seconds < LIMITS["stack"][1]
        print(
            f"  seed {seed}: {first.context} {first.verdict} {first.extreme.ratio:.2f} x, {seconds:.1f} s",
            flush=True,
        )
    return good


def conflict(repeats: int, directory: Path) -> bool:
    """How often --thorough finds one slow line in 64."""
    command = f"{set_conflict(directory)} 300000"
    hits = 0
    times = []
    for seed in range(1, repeats + 1):
        result, seconds = audited(
            command, directory, f"conflict{seed}", seed=seed, thorough=True, only=("env_bytes",)
        )
        (finding,) = result.findings
        hits += finding.verdict == "moves" and finding.extreme.ratio > 1.5
        times.append(seconds)
        print(
            f"  seed {seed}: {finding.verdict} {finding.extreme.ratio:.2f} x at {finding.extreme.level}",
            flush=True,
        )
    print(f"set conflict found in {hits} of {repeats}; {statistics.median(times):.1f} s each (median)")
    return hits == repeats


def alarms(repeats: int, directory: Path, max_time_s: float) -> bool:
    """How often an audit finds an effect of 2 % in programs that have none planted."""
    verdicts: Counter[str] = Counter()
    alarmed, audits = 0, 0
    commands = real(directory)
    for seed in range(1, repeats + 1):
        for name, command in commands.items():
            result, _ = audited(command, directory, f"{name}{seed}", seed=seed, max_time_s=max_time_s)
            audits += 1
            moving = [item for item in result.findings if item.verdict == "moves"]
            alarmed += bool(moving)
            verdicts.update(f"{finding.context} {finding.verdict}" for finding in result.findings)
            for level in moving:
                print(
                    f"  {name}, seed {seed}: {level.context} {level.extreme.ratio:.3f} x"
                    f" at {level.extreme.level} ({level.extreme.ci_family})",
                    flush=True,
                )
    print(f"{alarmed} of {audits} audits of {', '.join(commands)} ({max_time_s:g} s each) find an effect")
    print("\n".join(f"  {count:4} {verdict}" for verdict, count in sorted(verdicts.items())))
    return alarmed <= LIMITS["real"] or audits > 60


def counted(repeats: int, directory: Path) -> bool:
    """How often counts first find one slow line in 64, without visiting every byte."""
    command = f"{set_conflict(directory)} 30000"
    hits = 0
    times = []
    for seed in range(1, repeats + 1):
        result, seconds = audited(
            command, directory, f"counted{seed}", seed=seed, counts=True, only=("env_bytes",)
        )
        (finding,) = result.findings
        hits += finding.verdict == "moves"
        times.append(seconds)
        print(f"  seed {seed}: {finding.verdict} {finding.extreme.ratio:.2f} x", flush=True)
    print(f"set conflict by counts found in {hits} of {repeats}; {statistics.median(times):.1f} s (median)")
    return hits == repeats


def kinds(repeats: int, directory: Path, max_time_s: float) -> bool:
    """How often a fifth more work at one level is found, and how often another kind of context is blamed."""
    programs = surroundings(directory)
    counter: Counter[str] = Counter()
    blamed = 0
    for seed in range(1, repeats + 1):
        for planted, program in programs.items():
            result, _ = audited(
                str(program),
                directory,
                f"{planted}{seed}",
                seed=seed,
                only=SURROUNDINGS,
                max_time_s=max_time_s,
            )
            for finding in result.findings:
                if finding.context == planted:
                    counter[planted] += finding.verdict == "moves"
                else:
                    blamed += finding.verdict == "moves"
    print(f"a fifth more work found: {dict(counter)} of {repeats} each; another kind blamed {blamed} times")
    return all(counter[planted] == repeats for planted in programs) and not blamed


def luck(repeats: int, directory: Path) -> bool:
    """Two builds that differ by where their stack lies: across contexts, and in one context each."""
    old, new = lucky_builds(directory)
    counts: dict[str, Counter[str]] = {"across contexts": Counter(), "in one context": Counter()}
    for seed in range(1, repeats + 1):
        spec_ = CompareRequest(
            commands=(f"{old} 100000", f"{new} 100000"),
            blocks=20,
            rel_halfwidth=None,
            seed=seed,
            metric="cpu_s",
            contexts=True,
        ).experiment()
        single = Contexts({"env_bytes": 16 * seed, "aslr": "off"})
        for way, experiment in (
            ("across contexts", spec_),
            ("in one context", msgspec.structs.replace(spec_, contexts=single)),
        ):
            place = directory / f"{way.replace(' ', '-')}{seed}.lab"
            run(experiment, place)
            with Record.open(place) as record:
                (judged,) = analyze(record).judged
            counts[way][str(judged.verdict)] += 1
    for way, count in counts.items():
        print(f"{way}: {dict(count)}")
    across = counts["across contexts"]
    return bool(across["not_resolved"] + across["equivalent"] >= LIMITS["luck"] * repeats / 40)


def main() -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in PARTS:
        parser.add_argument(f"--{name}", type=int, metavar="N", help="repeats")
    parser.add_argument(
        "--max-time", type=float, default=20.0, help="seconds of each audit of a real program"
    )
    args = parser.parse_args()
    counts = {name: getattr(args, name) for name in PARTS}
    if not any(counts.values()):
        counts = PARTS
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        good = [
            not counts["stack"] or stack(counts["stack"], directory),
            not counts["conflict"] or conflict(counts["conflict"], directory),
            not counts["counts"] or counted(counts["counts"], directory),
            not counts["kinds"] or kinds(counts["kinds"], directory, args.max_time),
            not counts["luck"] or luck(counts["luck"], directory),
            not counts["real"] or alarms(counts["real"], directory, args.max_time),
        ]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
