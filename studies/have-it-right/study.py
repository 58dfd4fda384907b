"""Observer effect and measurement context bias: Mytkowicz et al. 2008, beside what this machine shows.

``python studies/have-it-right/study.py [--directory LABS] [--small] [--summary FILE] [--keep]`` needs a
C compiler, perl, mawk, sqlite3 and valgrind on the PATH. Where there are no hardware counters, those of the
kernel's software events take their place in Figure 1. libquantum is measured where libquantum.sh has fetched
it. The summary says which figure lacks what. Records lie in LABS (have-it-right.labs); a study that was
stopped goes on where it was. About five minutes on two CPUs, seven with libquantum; ``--small`` takes
seconds, leaves libquantum out, and shows nothing but that the rest runs. ``--keep`` keeps every value in
``values/``.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
from pathlib import Path
from typing import Any

import msgspec

from steelyard.api import (
    ByContext,
    ContextFinding,
    Contexts,
    Experiment,
    Interval,
    Record,
    SteelyardError,
    Watch,
    analyze_by_context,
    load,
    run,
)
from steelyard.api.claims import RatioEvidence, check
from steelyard.api.observation import (
    EXAMPLES,
    INCLUDE,
    ObserveRequest,
    find_missing_counters,
    make_option_probe,
    observe,
)
from steelyard.api.text import ProgressLine

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import kept_values  # noqa: E402 -- what studies share lies beside them

LIBQUANTUM = HERE.parents[1] / ".cache" / "libquantum"
"""Where libquantum.sh puts it."""
BUILD = "cc -std=c11 -O2 {probe} events.c -o {build}/events"
COUNTERS = (1, 2, 3, 4, 5, 6)
HARDWARE = ("cycles", "branch_misses")
SOFTWARE = "-DSTEELYARD_PROBE_SOFTWARE"
SITES = (7, 14, 20, 27, 34, 47, 60, 74, 87, 100)
"""Shares of the 15 places of events.c that count, in percent."""


def lacking() -> list[str]:
    """Hardware counters that this machine does not have."""
    return find_missing_counters(("cycles", "instructions", "cache_misses", "branch_misses"))


def observer(
    kind: str,
    options: list[str],
    counters: tuple[str, ...],
    at: Path,
    watch: Watch,
    *,
    small: bool,
    build: str = BUILD,
) -> Any:
    """Figures 1 and 2: what probes inside of a program change."""
    asking = ObserveRequest(
        command=f"{{build}}/events {20_000 if small else 200_000}",
        build=build,
        probes=[make_option_probe(option) for option in options],
        counters=counters,
        metric="cpu_s",
        blocks=2 if small else 60,
        max_time_s=0.5 if small else 60.0,
        within=0.01,
        added=True,
        seed=2008,
    )
    result = observe(asking, at / kind, watch=watch)
    return {
        probe.name: {
            "added_percent": None if probe.added is None else 100 * probe.added,
            **{
                change.metric.name: {
                    "percent": change.percent,
                    "ci95": None
                    if change.ci95 is None
                    else [100 * (bound - 1) for bound in pair(change.ci95)],
                    "perturbation": change.perturbation,
                }
                for change in probe.changes
            },
        }
        for probe in result.probes
    } | {
        "correlations": {
            " and ".join(correlation.metrics): [
                correlation.rho,
                None if correlation.ci95 is None else pair(correlation.ci95),
            ]
            for correlation in result.correlations
        }
    }


def loaded(spec: str) -> Experiment:
    """The experiment; it is built again also when a program of the package changes, outside of the study."""
    experiment = load(HERE / spec)
    if experiment.build is None:
        return experiment
    outside = (f"{EXAMPLES}/*.c", f"{INCLUDE}/*.h")
    build = msgspec.structs.replace(experiment.build, inputs=(*experiment.build.inputs, *outside))
    return msgspec.structs.replace(experiment, build=build)


def contexts_of(spec: str, at: Path, watch: Watch, *, small: bool) -> ByContext:
    """The record of a spec, by context."""
    experiment = loaded(spec)
    drawn = experiment.contexts
    if small and drawn is not None:
        design = msgspec.structs.replace(experiment.design, blocks=4)
        experiment = msgspec.structs.replace(
            experiment, contexts=msgspec.structs.replace(drawn, passes=2), design=design
        )
    run(experiment, at / f"{Path(spec).stem}.lab", watch=watch)
    with Record.open(at / f"{Path(spec).stem}.lab") as record:
        return analyze_by_context(record)


def in_the_default(spec: str, at: Path, watch: Watch, *, small: bool) -> dict[str, Any]:
    """Each comparison in the one context that a user has who shifts nothing."""
    from steelyard.api import Speedup, analyze

    experiment = loaded(spec)
    design = msgspec.structs.replace(experiment.design, blocks=3 if small else 30)
    drawn = experiment.contexts.settings if experiment.contexts else {}
    fixed = Contexts({name: 0 if setting == "random" else setting for name, setting in drawn.items()})
    place = at / f"{Path(spec).stem}-default.lab"
    run(msgspec.structs.replace(experiment, contexts=fixed, design=design), place, watch=watch)
    with Record.open(place) as record:
        judged = analyze(record).judged
    return {
        called(item.baseline.levels, item.treatment.levels): {
            "speedup": item.speedup.value,
            "ci95": pair(item.ci95) if item.ci95 else None,
            "verdict": item.verdict,
        }
        for item in judged
        if isinstance(item.speedup, Speedup)
    }


def libquantum(at: Path, watch: Watch) -> dict[str, Any]:
    """Figures 4 and 5 on Debian's libquantum, with a driver of ours."""
    spec = "libquantum.toml"
    return {
        "libquantum (Figures 4 and 5)": optimisation(contexts_of(spec, at, watch, small=False)),
        "libquantum in the default context (Figure 4)": in_the_default(spec, at, watch, small=False),
    }


def environment(answer: ByContext) -> dict[str, Any]:
    """Figure 3: the extreme lengths of each program, and how many stand off by their own interval."""
    summary = {}
    for profile in answer.profiles:
        low = min(profile.at, key=lambda at: at.ratio)
        high = max(profile.at, key=lambda at: at.ratio)
        off = sum(at.interval is not None and at.interval.excludes(1) for at in profile.at)
        summary[str(profile.treatment.levels["command"])] = {
            "lengths": len(profile.at),
            "fastest_percent": 100 * (low.ratio - 1),
            "slowest_percent": 100 * (high.ratio - 1),
            "slowest_ci95": [100 * (b - 1) for b in pair(high.interval)] if high.interval else None,
            "lengths_off_the_mean": off,
            "each": [
                {
                    "settings": dict(at.settings),
                    "percent": 100 * (at.ratio - 1),
                    "ci95": [100 * (b - 1) for b in pair(at.interval)] if at.interval else None,
                }
                for at in profile.at
            ],
        }
    return summary


def optimisation(answer: ByContext) -> dict[str, Any]:
    """Figures 4 and 5: each pair of levels of one program, in single contexts and in all together."""
    return {
        called(comparison.baseline.levels, comparison.treatment.levels): {
            "contexts": comparison.across.contexts,
            "single": [min(speedups(comparison)), max(speedups(comparison))],
            "each": speedups(comparison),
            "single_say_faster": comparison.across.sides.faster_alone,
            "single_say_slower": comparison.across.sides.slower_alone,
            "combined": comparison.across.speedup,
            "ci95": pair(comparison.across.interval) if comparison.across.interval else None,
            "prediction95": pair(comparison.across.prediction) if comparison.across.prediction else None,
        }
        for comparison in answer.comparisons
    }


def validation(at: Path, watch: Watch, *, small: bool) -> dict[str, Any]:
    """Section 2.2: each belief, and what changing its supposed cause did."""
    experiment = load(HERE / "validation.toml")
    if small:
        design = msgspec.structs.replace(experiment.design, blocks=3)
        experiment = msgspec.structs.replace(experiment, design=design)
    place = at / "validation.lab"
    run(experiment, place, watch=watch)
    with Record.open(place) as record:
        verdicts = check(record).verdicts
    return {
        str(verdict.claim.name): {
            "verdict": verdict.outcome,
            "predictions": [
                {
                    "metric": instance.stratum["metric"],
                    "factor": evidence.ratio,
                    "interval": pair(evidence.interval) if evidence.interval else None,
                    "outcome": instance.outcome,
                }
                for instance in verdict.instances
                if isinstance(evidence := instance.evidence, RatioEvidence)
            ],
        }
        for verdict in verdicts
    }


def speedups(finding: ContextFinding) -> list[float]:
    """One a context."""
    return [single.speedup for single in finding.across.singles]


def called(baseline: Any, treatment: Any) -> str:
    """``nbody O2-O3``."""
    return f"{Path(str(treatment['file'])).stem} {baseline['opt']}-{treatment['opt']}"


def pair(interval: Interval) -> list[float]:
    """Both bounds."""
    return [interval.low, interval.high]


def keep_all(at: Path) -> None:
    """Keep the values of every record: of a run, of the program and all that it waited for."""
    for record in sorted(at.rglob("*.lab")):
        if record.name in ("observe.lab", "added.lab"):
            part = f"{record.parent.name}-{record.stem}".removesuffix("-observe")
        else:
            part = record.stem
        with Record.open(record) as opened:
            # Counting instructions, nothing is timed.
            timed = record.name != "added.lab"
            kept_values.keep(HERE, part, opened, ("cpu_s", "wall_s", "minor_faults") if timed else ())


def study(at: Path, *, small: bool) -> dict[str, Any]:
    """All parts, with a line of progress on a terminal."""
    line = ProgressLine(sys.stderr)

    # The program is built from here, and its paths are in the records.
    os.chdir(HERE)
    counters = [f"-DSTEELYARD_PROBES={n}" for n in (COUNTERS[:2] if small else COUNTERS)]
    sites = [f"-DSTEELYARD_SITES={n}" for n in (SITES[:2] if small else SITES)]
    missing = lacking()
    with_libquantum = (LIBQUANTUM / "config.h").is_file() and not small
    hardware = () if small else tuple(name for name in HARDWARE if name not in missing)
    build = BUILD.replace("{probe}", f"{SOFTWARE} {{probe}}") if missing else BUILD
    try:
        return {
            "lacking": lacks(missing, with_libquantum=with_libquantum),
            "counters (Figure 1)": observer(
                "counters", counters, (), at, line.update, small=small, build=build
            ),
            "software counters (Figure 2)": observer("sites", sites, hardware, at, line.update, small=small),
            "environment (Figure 3)": environment(
                contexts_of("environment.toml", at, line.update, small=small)
            ),
            "optimisation (Figures 4 and 5)": optimisation(
                contexts_of("optimisation.toml", at, line.update, small=small)
            ),
            "optimisation in the default context (Figure 4)": in_the_default(
                "optimisation.toml", at, line.update, small=small
            ),
            "validation by intervention (section 2.2)": validation(at, line.update, small=small),
        } | (libquantum(at, line.update) if with_libquantum else {})
    finally:
        line.clear()


def lacks(missing: list[str], *, with_libquantum: bool) -> dict[str, str]:
    """Figure to what it lacks on this machine; empty where there are hardware counters and libquantum."""
    result = {}
    if missing:
        named = ", ".join(missing)
        result["Figure 1"] = (
            f"no hardware counters ({named}): the kernel's software events are counted instead"
        )
    if without := [name for name in HARDWARE if name in missing]:
        result["Figure 2"] = f"changes of {' and '.join(without)} were not counted"
    if not with_libquantum:
        result["Figure 4"] = "libquantum was not measured; libquantum.sh .cache/libquantum fetches it"
    return result


def rounded(value: Any) -> Any:
    """Five digits: what the data carry, and what a difference of two summaries can be read by."""
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(element) for element in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value


def main() -> int:
    """Run what is not finished, and print the summary below the published statements."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--directory", type=Path, default=Path("have-it-right.labs"))
    parser.add_argument("--small", action="store_true", help="seconds instead of minutes")
    parser.add_argument("--summary", type=Path, help="also write the summary to this file")
    parser.add_argument("--keep", action="store_true", help="keep every value in values/")
    args = parser.parse_args()
    at = args.directory.absolute()
    summary = args.summary.absolute() if args.summary else None
    try:
        result = rounded(study(at, small=args.small))
        if args.keep:
            keep_all(at)
    except SteelyardError as error:
        sys.stderr.write(error.explain())
        return error.exit_code
    with (HERE / "published.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            bounds = " to ".join(dict.fromkeys(bound for bound in (row["low"], row["high"]) if bound))
            value = f": {bounds} {row['unit']}" if bounds else ""
            print(f"{row['place']}: {row['statement']}{value}")
    for figure, reason in result["lacking"].items():
        print(f"{figure} lacks something here: {reason}")
    text = json.dumps(result, indent=1) + "\n"
    print(f"\n{text}", end="")
    if summary is not None:
        summary.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
