"""What every clock that a program can ask says, and which CPU time is seen from outside.

``python studies/timing-procedures/inside.py [--directory LABS] [--small] [--mpicxx PATH] [--keep]`` needs
steelyard, a C++ compiler, GNU time and bash; perf where it is, and with ``--mpicxx`` an MPI library for
``MPI_Wtime``. Three minutes. The records lie in LABS (timing-procedures.labs); a study that was stopped
goes on. ``--keep`` writes ``inside.json`` and the tables of the README. ``--small`` takes seconds and shows
nothing but that all of it runs.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

import steelyard
from steelyard import Laboratory
from steelyard.api import (
    Experiment,
    MachineError,
    Sample,
    SteelyardError,
    experiment,
    find_median_interval,
)

HERE: Final = Path(__file__).resolve().parent
BEGIN, END = "<!-- written by inside.py -->", "<!-- end of what inside.py writes -->"
INCLUDE: Final = Path(steelyard.__file__).parent / "include"
CLOCK_METRICS: Final = ("cost_s", "step_s", "ratio_1ms", "ratio_20ms")
PROCEDURES: Final = {
    "rusage": "rusage (`wait4`), by Steelyard's runner",
    "group": "`cpu.stat` of a control group (`tree_cpu_s`)",
    "time": "`/usr/bin/time -f '%U %S'`",
    "bash": "bash's `time`, user + system",
    "perf": "`perf stat -e task-clock`",
}
PARTS: Final = {
    "alone": "one thread",
    "threads": "two threads",
    "child": "a child that is waited for",
    "orphan": "a grandchild that nobody waits for",
    "outlives": "a child that outlives the program",
}
SPECS_OF_FAMILY: Final = ("family", "outliving")

LOADS: Final = {"none": "quiet", "cpu": "beside a load"}
"""Levels of ``background_load``: one CPU is kept busy by another program, or none."""

Spread = tuple[float, float, float, int, float, float]
"""Median, least, largest, and how many; the ends of the median's interval."""
ALPHA: Final = 0.05


def describe(sample: Sample) -> Spread:
    """Return the spread of a sample."""
    values = np.asarray(sample.values)
    interval = find_median_interval(sample, ALPHA)
    ends = (interval.low, interval.high) if interval else (-math.inf, math.inf)
    return float(np.median(values)), float(np.min(values)), float(np.max(values)), len(values), *ends


def read_spec(name: str, *, small: bool) -> dict[str, Any]:
    """Read the tables of a spec."""
    tables: dict[str, Any] = tomllib.loads((HERE / name).read_text(encoding="utf-8"))
    for program, package in (("/usr/bin/time", "time"), ("bash", "bash"), ("c++", "g++")):
        if shutil.which(program) is None:
            raise MachineError(f"{program} is missing", hint=f"apt-get install {package}")
    if small:
        tables["design"] |= {"blocks": 2, "discard": 0}
    return tables


def make_clocks(mpicxx: str | None, *, small: bool) -> Experiment:
    """Make the experiment on clocks, with ``MPI_Wtime`` where a compiler of MPI is given."""
    tables = read_spec("clocks.toml", small=small)
    compiler, *words = tables["build"]["command"]
    chosen = [mpicxx, "-DWITH_MPI"] if mpicxx else [compiler]
    tables["build"]["command"] = [*chosen, f"-I{INCLUDE}", *words]
    tables["program"]["commands"]["python"][0] = sys.executable
    return experiment(source=HERE, **tables)


def sees_events() -> bool:
    """Whether ``perf stat`` counts the CPU time of a program here."""
    if shutil.which("perf") is None:
        return False
    command = ["perf", "stat", "-x", ",", "-e", "task-clock", "true"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode == 0 and ",msec,task-clock" in done.stderr


def make_family(spec: str, *, small: bool) -> Experiment:
    """Make the experiment on threads and children, with the procedures that are here."""
    tables = read_spec(f"{spec}.toml", small=small)
    if not sees_events():
        for table, name in (("metrics", "perf_ms"), ("metrics", "seen_perf")):
            del tables[table][name]
        del tables["program"]["commands"]["perf"]
    try:
        return experiment(source=HERE, **tables)
    except MachineError:
        # Without control groups nobody sees what is not waited for.
        del tables["program"]["counters"], tables["metrics"]["seen_group"]
        return experiment(source=HERE, **tables)


def describe_clocks(lab: Laboratory, load: str) -> dict[str, dict[str, Spread]]:
    """Describe what all processes said of each clock."""
    described: dict[str, dict[str, Spread]] = {}
    for metric in CLOCK_METRICS:
        for sample in lab.samples(metric):
            if len(sample.values) and sample.treatment.levels["background_load"] == load:
                described.setdefault(str(sample.labels["clock"]), {})[metric] = describe(sample)
    return described


def describe_family(lab: Laboratory, load: str) -> dict[str, dict[str, Spread]]:
    """Describe what each procedure saw, by the parts of the program."""
    names = {metric.name for metric in lab.experiment.metrics}
    return {
        procedure: {
            str(sample.treatment.levels["parts"]): describe(sample)
            for sample in lab.samples(f"seen_{procedure}")
            if len(sample.values) and sample.treatment.levels["background_load"] == load
        }
        for procedure in PROCEDURES
        if f"seen_{procedure}" in names
    }


def describe_families(labs: Sequence[Laboratory], load: str) -> dict[str, dict[str, Spread]]:
    """Describe the same of several experiments that have parts of their own."""
    described: dict[str, dict[str, Spread]] = {}
    for lab in labs:
        for procedure, description in describe_family(lab, load).items():
            described.setdefault(procedure, {}).update(description)
    return described


def format_spread(spread: Spread | None, convert: Callable[[float], str]) -> str:
    """Format a median, with its interval."""
    if spread is None:
        return "–"
    median, _, _, _, low, high = spread
    return f"{convert(median)} ({convert(low)} to {convert(high)})"


def format_time(seconds: float) -> str:
    """Format seconds in the unit that has few digits."""
    if math.isinf(seconds):
        return f"{seconds}"
    for factor, unit in ((1e9, "ns"), (1e6, "µs"), (1e3, "ms")):
        if seconds * factor < 1000:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s"


def format_percent(ratio: float) -> str:
    """Format how far a ratio is from 1, in percent."""
    if math.isinf(ratio):
        return f"{ratio}"
    return f"{round(100 * (ratio - 1), 2) or 0.0:.2f}"


def draw_tables(summary: Mapping[str, Any]) -> Iterator[str]:
    """Yield the tables of the README, from what was kept."""
    quiet, loaded = (summary["clocks"][load] for load in LOADS)
    yield "| clock | a reading costs | smallest step | off at 1 ms, % | … beside a load | off at 20 ms, % |"
    yield "|---|---|---|---|---|---|"
    for clock, facts in sorted(quiet.items(), key=lambda entry: _get_order(entry[1])):
        cells = [format_spread(facts.get("cost_s"), format_time), format_step(facts.get("step_s"))]
        at = (facts["ratio_1ms"], loaded[clock]["ratio_1ms"], facts["ratio_20ms"])
        cells += [format_spread(spread, format_percent) for spread in at]
        yield f"| `{clock}` | {' | '.join(cells)} |"
    yield ""
    yield f"| reads | | {' | '.join(PARTS.values())} |"
    yield "|---" * (2 + len(PARTS)) + "|"
    for procedure in summary["family"]["none"]:
        for load, name in LOADS.items():
            description = summary["family"][load][procedure]
            cells = [format_spread(description.get(parts), lambda ratio: f"{ratio:.3f}") for parts in PARTS]
            yield f"| {PROCEDURES[procedure]} | {name} | {' | '.join(cells)} |"


def format_step(spread: Spread | None) -> str:
    """Format the smallest step of all processes."""
    return "none within 50 ms" if spread is None else format_time(spread[1])


def _get_order(facts: Mapping[str, Spread]) -> tuple[float, float]:
    """Order clocks by how far they are off at a millisecond in the middle, and by their costs."""
    return round(abs(facts["ratio_1ms"][0] - 1), 3), facts.get("cost_s", (0.0,))[0]


def replace_tables(readme: str, summary: Mapping[str, Any]) -> str:
    """Return the README with the tables of what was kept."""
    block = "\n".join((BEGIN, "", *draw_tables(summary), "", END))
    return re.sub(f"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: block, readme, flags=re.DOTALL)


def main() -> int:
    """Run what is not finished, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--directory", type=Path, default=Path("timing-procedures.labs"))
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--mpicxx", help="compiler of an MPI library, for MPI_Wtime")
    parser.add_argument("--keep", action="store_true", help="write inside.json and the tables of the README")
    args = parser.parse_args()
    try:
        args.directory.mkdir(parents=True, exist_ok=True)
        clocks = Laboratory(
            make_clocks(args.mpicxx, small=args.small), record=args.directory.absolute() / "clocks.lab"
        )
        clocks.run()
        families = [
            Laboratory(make_family(spec, small=args.small), record=args.directory.absolute() / f"{spec}.lab")
            for spec in SPECS_OF_FAMILY
        ]
        for family in families:
            family.run()
        summary = {
            "clocks": {load: describe_clocks(clocks, load) for load in LOADS},
            "family": {load: describe_families(families, load) for load in LOADS},
        }
    except SteelyardError as error:
        sys.stderr.write(error.explain())
        return error.exit_code
    print("\n".join(draw_tables(summary)))
    if args.keep:
        (HERE / "inside.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
        readme = HERE / "README.md"
        readme.write_text(replace_tables(readme.read_text("utf-8"), summary), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
