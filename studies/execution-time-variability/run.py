"""Nogueira and Matias 2014: services, environment and affinity, beside what this machine shows.

``python studies/execution-time-variability/run.py [--programs packages|npb|nas] [--part NAME …]
[--directory LABS] [--size small|full|long] [--data DATA]`` needs steelyard, a C compiler with OpenMP, two
CPUs and the programs of the specs; for the NAS kernels (npb), a C++ compiler and the libraries of workloads/;
for all ten NAS programs (nas), the reference tree that NPB_ROOT names, and its Fortran compiler.
Each spec is run in the order of the paper and in randomised blocks. Records lie in LABS
(execution-time-variability.labs); a study that was stopped goes on where it was. The small size takes seconds
and shows nothing but that all of it runs; the long one has larger classes of NAS programs, for a clock with
steps of 10 ms, and takes hours.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import re
import shutil
import statistics
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, get_args

from msgspec.structs import replace
from own_tree import find_tree
from tables import Found, cells, counted, effect_lines, effects, identical_pairs, measured, published
from topology import draw_topology

from steelyard.api import (
    Experiment,
    MachineError,
    Progress,
    Record,
    SteelyardError,
    UsageError,
    Watch,
    analyze,
    experiment,
    run,
)
from steelyard.api.design import lay_out, make_sign_table, render_signs
from steelyard.api.observation import EXAMPLES
from steelyard.api.text import ProgressLine, as_plain_text

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import kept_values  # noqa: E402 -- what studies share lies beside them

WORKLOADS = HERE.parents[1] / "workloads"
PACKAGES = {"cc": "gcc", "c++": "g++"}
"""Of Debian, where a program has another name."""
SPECS = {
    "packages": (
        "services",
        "services-built",
        "environment",
        "environment-again",
        "environment-built",
        "affinity",
        "affinity-openmp",
    ),
    "npb": ("npb-screening", "npb-services", "npb-affinity", "npb-waiting", "npb-environment"),
    "nas": ("nas-services", "nas-environment", "nas-affinity"),
}
"""By the kind of programs that they run; those of ``nas`` are those of ``npb`` with other programs."""
KERNELS = ("ep", "cg", "mg", "ft", "is")
ORDERS = {"rows": "nogueira-matias-2014", "blocks": "randomized"}
METRICS = {False: ("wall_s", "cpu_s"), True: ("wall_s", "elapsed_s", "cpu_s")}
"""Of programs of packages, and of NAS programs, also as the program ``time`` takes it."""
EFFECTS = {"services-built", "npb-services", "npb-waiting", "nas-services"}
"""Specs of two levels a factor."""
RANDOM_SIZES = sorted(random.Random(2014).sample(range(4096), 8))
"""As many as the paper has, of any residue."""
SMALL = {"perl", "bc", "relax", "buckets", "stack_split", "cg", "is"}
"""Programs of the small size."""
LONGER: Final = {
    **dict.fromkeys(("bt", "dc", "ep", "lu", "sp", "ua"), "W"),
    **dict.fromkeys(("cg", "ft", "mg"), "A"),
    "is": "B",
}
"""Classes of the long size, by program: those of ``nas.toml`` are the smallest that take 20 ms."""
Size = Literal["small", "full", "long"]


class Part(NamedTuple):
    """A record: a spec, an order, and sizes of the environment other than its own: drawn at random, or eight
    levels (``null``) of a variable of one length, which are one treatment eight times; of a screening, the
    one kernel that it is about.
    """

    spec: str
    order: str
    sizes: Literal["", "random", "null"] = ""
    kernel: str = ""

    @property
    def name(self) -> str:
        """Of the record, and in the data."""
        return "-".join(filter(None, (self.spec, self.kernel, self.sizes, self.order)))


def parts(programs: str, *, small: bool = False) -> list[Part]:
    """All records. Random sizes only in blocks, which is how to look for an effect, as fresh runs of what
    stood out there; nothing but the order in rows, which is where it might be taken for one. A design for
    screening is for blocks, too.
    """
    result = []
    for spec in SPECS[programs]:
        if spec == "npb-screening":
            kernels = [kernel for kernel in KERNELS if not small or kernel in SMALL]
            result += [Part(spec, "blocks", kernel=kernel) for kernel in kernels]
            continue
        if spec == "environment-again":
            result += [] if small else [Part(spec, "blocks")]  # Of two programs, neither in the small size.
            continue
        result += [Part(spec, order) for order in ORDERS]
        if spec in ("environment", "environment-built", "npb-environment"):
            result.append(Part(spec, "blocks", "random"))
        if spec in ("environment", "npb-environment", "nas-environment"):
            result.append(Part(spec, "rows", "null"))
    return result


def read_tables(name: str) -> dict[str, Any]:
    """The tables of a file beside this one."""
    tables: dict[str, Any] = tomllib.loads((HERE / f"{name}.toml").read_text(encoding="utf-8"))
    return tables


def read_spec(spec: str) -> dict[str, Any]:
    """The tables of a part's spec; that of all ten programs is ``npb``'s with programs of ``nas.toml``."""
    if not spec.startswith("nas-"):
        return read_tables(spec)
    tables, tree = read_tables(spec.replace("nas", "npb")), read_tables("nas")
    tables |= {"name": f"{tables['name']}, all ten", "program": tree["program"], "build": tree["build"]}
    tables["metrics"] |= tree["metrics"]
    factors = tables["factors"]
    del factors["class"]
    if "threads" in factors:
        # Its threads spin without yielding: a run of 60 ms takes 17 s where they outnumber the CPUs.
        del tables["program"]["commands"]["lu"]
    factors.setdefault("threads", [1])
    factors.setdefault("opt", ["O2"])
    return tables


def change_sizes(tables: dict[str, Any], sizes: str) -> None:
    """Put random sizes of the environment in place of the paper's, or eight copies of one treatment."""
    factors, program = tables["factors"], tables["program"]
    if sizes == "random":
        factors["env_bytes"] = RANDOM_SIZES
    elif sizes == "null":
        del factors["env_bytes"]
        factors["copy"] = list(range(1, 9))
        program["env"] = program.get("env", {}) | {"COPY": "{copy}"}


def add_inputs(build: dict[str, Any]) -> None:
    """Have programs built again when what they are made of changes outside of the study."""
    if "build-npb.sh" in build["inputs"]:
        build["inputs"] += [f"{WORKLOADS}/{folder}/**" for folder in ("npb", "harness", "protocol", "timing")]
    if "build.sh" in build["inputs"]:
        build["inputs"].append(str(EXAMPLES / "stack_split.c"))


def reduce(tables: dict[str, Any]) -> None:
    """Leave few programs, the ends of each factor, and three blocks."""
    if commands := tables["program"].get("commands"):
        tables["program"]["commands"] = {name: commands[name] for name in commands if name in SMALL}
    tables["design"] |= {"blocks": 3, "discard": 0}
    for name, levels in tables["factors"].items():
        tables["factors"][name] = list(dict.fromkeys([levels[0], levels[-1]]))
    if "class" in tables["factors"]:
        tables["factors"]["class"] = ["S"]


def lengthen(tables: dict[str, Any]) -> None:
    """Build and start NAS programs of the long size."""
    commands, build = tables["program"]["commands"], tables["build"]
    for program, size in LONGER.items():
        name = re.compile(rf"\b{program}\.[A-Z](?=\.x|\s|;)")
        build["command"] = [name.sub(f"{program}.{size}", word) for word in build["command"]]
        if program in commands:
            commands[program] = [name.sub(f"{program}.{size}", word) for word in commands[program]]


def question(part: Part, size: Size) -> Experiment:
    """The experiment of a part; the spec as it stands is the paper's order in full size."""
    tables = read_spec(part.spec)
    tables["design"]["order"] = ORDERS[part.order]
    change_sizes(tables, part.sizes)
    add_inputs(tables["build"])
    if part.kernel:
        tables["factors"]["kernel"] = [part.kernel]
    nas = part.spec.startswith("nas-")
    if nas and part.sizes == "null":
        tables["factors"]["opt"] = ["O2"]
    if size == "small":
        reduce(tables)
    elif size == "long" and nas:
        lengthen(tables)
    return experiment(source=find_tree() if nas else HERE, **tables)


def refuse_missing_programs(parts: Iterable[Part]) -> None:
    """Before anything runs, all that is not here, by name."""
    result = set()
    for spec in {part.spec for part in parts}:
        tables = read_spec(spec)
        program = tables["program"]
        for words in program["commands"].values() if "commands" in program else [program["command"]]:
            result |= {words[0]} - {word for word in words if word.startswith("{")}
        result |= {"c++"} if "build-npb.sh" in tables["build"]["inputs"] else {"cc"}
    if lacking := sorted(name for name in result if shutil.which(name) is None):
        raise MachineError(
            f"the study needs programs that are not here: {', '.join(lacking)}",
            hint=f"apt-get install {' '.join(PACKAGES.get(name, Path(name).name) for name in lacking)}",
        )


def load_of(record: Record) -> dict[str, Any]:
    """How busy the machine was with everything, this study included."""
    loads = [batch.load_1min for batch in record.batches() if batch.load_1min is not None]
    deciles = statistics.quantiles(loads, n=10) if len(loads) > 1 else loads
    return {"load_1m_median": statistics.median(loads), "load_1m_deciles": [deciles[0], deciles[-1]]}


def metrics_of(part: Part) -> tuple[str, ...]:
    """What is compared in a part."""
    return METRICS[part.spec.startswith(("npb", "nas"))]


def summarised(part: Part, record: Record) -> tuple[dict[str, Any], list[Found]]:
    """What a record says of each metric, and its cells."""
    summary, result = load_of(record), []
    for metric in metrics_of(part):
        answer = analyze(record, metric=metric)
        by_metric: dict[str, Any] = {}
        if answer.protocol is not None:
            by_metric |= counted(answer)
            result += cells(part.name, answer)
        if part.kernel or part.spec in EFFECTS:
            by_metric["effects"] = effects(answer)
        summary[metric] = by_metric
    return summary, result


def study(parts: list[Part], at: Path, size: Size, data: Path | None) -> tuple[dict[str, Any], list[Found]]:
    """All parts, with a line of progress on a terminal; the summary by part, and all cells. Every value is
    kept below ``data``.
    """
    refuse_missing_programs(parts)
    line = ProgressLine(sys.stderr)
    summary: dict[str, Any] = {}
    result: list[Found] = []
    try:
        for number, part in enumerate(parts, 1):
            place = at / f"{part.name}.lab"
            watch = telling(line, f"blocks ({number}/{len(parts)} {part.name})")
            run(question(part, size), place, watch=watch)
            with Record.open(place) as record:
                summary[part.name], part_findings = summarised(part, record)
                if data is not None:
                    kept_values.keep(data, part.name, record, metrics_of(part))
            result += part_findings
    finally:
        line.clear()
    return summary, result


def telling(line: ProgressLine, label: str) -> Watch:
    """The line of progress of one part."""

    def watch(progress: Progress) -> None:
        line.update(replace(progress, noun=label))

    return watch


def signs() -> str:
    """The sign table of experiment 1, in the order of Yates; programs are strata and have no sign."""
    result = question(Part("services-built", "rows"), small=False)
    factors = [factor for factor in result.factors if factor.name != "command"]
    table = make_sign_table(lay_out(factors, result.zips, result.design))
    return as_plain_text(render_signs(table, 100)) if table else ""


def rounded(value: Any) -> Any:
    """Four digits."""
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(element) for element in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def report(summary: dict[str, Any], findings: list[Found]) -> str:
    """All tables, and in a line for each record and metric how many pairs differ."""
    lines = [signs(), *published(), *measured(findings)]
    for name, part in summary.items():
        for metric, programs in part.items():
            if not isinstance(programs, dict):
                continue
            if "pairs" in programs:
                lines.append(
                    f"{name}, {metric}: {programs['before']} of {programs['pairs']} pairs differ before Holm,"
                    f" {programs['after']} after; {programs['default']} by the default analysis"
                )
            for program, effect in programs.get("effects", {}).items():
                lines += [f"{name}, {metric}, {program}: {text}" for text in effect_lines(effect)]
    lines += identical_pairs(findings)
    cpus = len(os.sched_getaffinity(0))
    crowded = [n for n in (2, 4, 6) if n > cpus]
    if crowded and any("affinity" in name for name in summary):
        lines.append(f"{', '.join(map(str, crowded))} threads oversubscribe the {cpus} CPUs of this machine")
    return "\n".join(lines)


def write_data(directory: Path, programs: str, summary: dict[str, Any], findings: list[Found]) -> None:
    """Write the summary, all cells, and of the ten NAS programs the topology of this machine."""
    prefix = "" if programs == "packages" else f"{programs}-"
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"{prefix}summary.json").write_text(
        json.dumps(rounded(summary), indent=1) + "\n", encoding="utf-8"
    )
    with (directory / f"{prefix}measured.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Found._fields)
        writer.writerows(findings)
    if programs == "nas":
        (directory / "topology.txt").write_text("\n".join(draw_topology()) + "\n", encoding="utf-8")


def selected(programs: str, beginnings: list[str], *, small: bool) -> list[Part]:
    """The parts whose names begin as asked; all of them where nothing is asked."""
    result = parts(programs, small=small)
    for beginning in beginnings:
        if not any(part.name.startswith(beginning) for part in result):
            names = ", ".join(part.name for part in result)
            raise UsageError(f"--part {beginning}: no part of {programs} begins so", hint=f"one of: {names}")
    return [part for part in result if not beginnings or part.name.startswith(tuple(beginnings))]


def main() -> int:
    """Run what is not finished, and print all tables: published, then ours."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", choices=tuple(SPECS), default="packages")
    parser.add_argument(
        "--part",
        action="append",
        default=[],
        help="only records whose names begin with this; may be repeated",
    )
    parser.add_argument("--directory", type=Path, default=Path("execution-time-variability.labs"))
    parser.add_argument("--size", choices=get_args(Size), default="full")
    parser.add_argument(
        "--data",
        type=Path,
        help="also write summary.json and measured.csv (npb-…, nas-…), and every value, to this directory",
    )
    args = parser.parse_args()
    try:
        if args.size == "long" and args.programs != "nas":
            raise UsageError("--size long is of NAS programs", hint="add --programs nas")
        result = selected(args.programs, args.part, small=args.size == "small")
        summary, findings = study(result, args.directory.absolute(), args.size, args.data)
    except SteelyardError as error:
        sys.stderr.write(error.explain())
        return error.exit_code
    print(report(summary, findings))
    if args.data:
        write_data(args.data, args.programs, summary, findings)
    return 0


if __name__ == "__main__":
    sys.exit(main())
