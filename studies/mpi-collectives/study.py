"""The whole study by one command: run what is not finished yet, model it, and write the tables.

    .venv/bin/python studies/mpi-collectives/study.py [PART ...] [--records DIRECTORY]

PART is topologies, selectors, planted, noise, allocations, memory or real; all of them by default. An
interrupted study goes on where it stopped. Tables go to stdout, as Markdown.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
from pathlib import Path
from typing import Final

import heaps
import latencies
import noise
from msgspec.structs import replace

from steelyard.lab.answer.model import Modelled, ModelRequest, model_series
from steelyard.lab.answer.series_of_record import series_of_record
from steelyard.scaling import Expectation, Question, ScalingModel, Series
from steelyard.series import Point
from steelyard.store import Record
from steelyard.units import Scalar

HERE: Final = Path(__file__).resolve().parent
PARTS: Final = ("topologies", "selectors", "planted", "noise", "allocations", "memory", "real")
BY: Final = {
    "topologies": ("machine",),
    "selectors": ("selector",),
    "planted": ("reduce",),
    "allocations": ("machine", "placement"),
}
"""What a part has a table of."""

POOLED: Final = {"allocations": "day"}
"""Labels whose levels are replicates."""

DEVIATION: Final = "O(p^0.5)"
LATENCIES: Final = {
    "barrier": "O(log p)",
    "bcast": "O(log p)",
    "reduce": "O(log p)",
    "allreduce": "O(log p)",
    "gather": "O(p)",
    "allgather": "O(p)",
    "alltoall": "O(p log p)",
    "litmus": "O(log p)",
}

PUBLISHED: Final = HERE.parent / "scalability-validation" / "published.csv"
SYSTEMS: Final = {
    "torus": "Juqueen",
    "fat-tree": "Juropa",
    "dragonfly": "Piz Daint",
    "impi": "Intel MPI",
    "ompi": "Open MPI",
}
"""Which published system a machine or selector stands beside."""

RULES: Final = ("allreduce <= reduce + bcast", "allgather <= gather + bcast")
SIGNS: Final = {"match": "✓", "approximate": "≈", "none": "✗", "undecided": "?"}


def main() -> int:
    """Run and print the parts asked for; the exit code is that of the last failure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--records", type=Path, default=HERE, metavar="DIRECTORY")
    asked = parser.parse_args()
    if unknown := [part for part in asked.parts if part not in PARTS]:
        parser.error(f"there is no part {unknown[0]!r}; parts: {', '.join(PARTS)}")
    failed = 0
    for part in asked.parts or PARTS:
        record = asked.records / f"{part}.lab"
        print(f"{part}: running into {record}", file=sys.stderr, flush=True)
        ran = subprocess.run(
            [sys.executable, "-m", "steelyard", "run", f"{HERE / part}.toml", "--output", str(record)],
            stdout=subprocess.DEVNULL,
            check=False,
        )
        # 1: a claim fails, which is what the planted algorithms are there for.
        if ran.returncode not in (0, 1):
            failed = ran.returncode
            continue
        print(f"\n## {part}\n\n{tables(part, record)}", flush=True)
    return failed


def tables(part: str, directory: Path) -> str:
    """One table a machine, library or selector; of real latencies, medians and ratios."""
    with Record.open(directory) as record:
        if part == "real":
            return latencies.tables(record)
        metric = "heap_mean_bytes" if part == "memory" else "latency_quantile_s"
        series = series_of_record(record, ("p",), (metric,))
    named = [replace(one, name=str(one.labels["op"])) for one in series]
    if part == "noise":
        return noise.tables(named, ranked)
    if part == "memory":
        return heaps.tables(named)
    groups: dict[str, list[Series]] = {}
    for one in pooled(named, POOLED[part]) if part in POOLED else named:
        title = ", ".join(str(one.labels[name]) for name in BY[part] if name in one.labels)
        groups.setdefault(title, []).append(one)
    return "\n\n".join(table(name, group) for name, group in groups.items())


def pooled(series: list[Series], label: str) -> list[Series]:
    """Series that differ in this label only, as one with all of their values."""
    groups: dict[tuple[tuple[str, Scalar], ...], list[Series]] = {}
    for one in series:
        groups.setdefault(tuple(sorted(each for each in one.labels.items() if each[0] != label)), []).append(
            one
        )
    found = []
    for labels, group in groups.items():
        values: dict[tuple[float, ...], tuple[float, ...]] = {}
        for point in (point for one in group for point in one.points):
            values[point.at] = values.get(point.at, ()) + point.values
        points = tuple(Point(at, its) for at, its in sorted(values.items()))
        found.append(replace(group[0], labels=dict(labels), points=points))
    return found


def ranked(series: list[Series]) -> list[tuple[ScalingModel, str]]:
    """The model of each series of an operation, and its rank as a cell."""
    found = []
    for one in series:
        asked = {one.name: Expectation(LATENCIES[one.name], DEVIATION)}
        (model,) = model_series(ModelRequest([one], Question(expectations=asked, parameter="p"))).models
        found.append((model, rank_of(model)))
    return found


def table(title: str, series: list[Series]) -> str:
    """Models, adjusted R², divergences and ranks of one machine."""
    asked = [one for one in series if one.name in LATENCIES]
    ops = {one.name for one in asked}
    question = Question(
        expectations={one.name: Expectation(LATENCIES[one.name], DEVIATION) for one in asked}, parameter="p"
    )
    rules = [rule for rule in RULES if set(rule.replace("<=", "+").replace(" ", "").split("+")) <= ops]
    found = model_series(ModelRequest(asked, question, rules, "litmus" if "litmus" in ops else None))
    order = list(LATENCIES)
    machine = title.partition(",")[0]
    printed = published(SYSTEMS.get(machine, ""))
    rows = [
        row(model, printed.get(model.name, ""))
        for model in sorted(found.models, key=lambda each: order.index(each.name))
    ]
    beside = f"{SYSTEMS[machine]}, published" if machine in SYSTEMS else "published"
    simulated = ", simulated" if any(one.simulated for one in asked) else ""
    head = [f"| operation | expected | model | R̄² | δ | rank (probability) | points | {beside} |"]
    head.append("|---" * 8 + "|")
    return "\n".join([f"### {title}{simulated}", "", *head, *rows, *said(found)])


def published(system: str) -> dict[str, str]:
    """Model and rank that Tables 4 and 6 print for a system, by operation."""
    with PUBLISHED.open(newline="", encoding="utf-8") as file:
        return {
            "litmus" if line["function"].endswith("(BT)") else line["function"].lower(): (
                f"{SIGNS[line['rank']]} O({line['model']})"
            )
            for line in csv.DictReader(file)
            if line["table"] in ("4", "6") and line["system"] == system
        }


def row(model: ScalingModel, printed: str) -> str:
    """One line of a table."""
    checked = model.validation
    assert checked is not None  # noqa: S101 -- every operation here has an expectation
    r2 = "" if model.r2 is None else f"{model.r2:.2f}"
    segments = f", {len(model.segments)} segments" if model.segments else ""
    cells = (model.name, checked.expectation, f"{model.growth()}{segments}", r2)
    judged = (checked.divergence.big_o("p"), rank_of(model))
    return f"| {' | '.join((*cells, *judged, str(model.points), printed))} |"


def rank_of(model: ScalingModel) -> str:
    """The rank, with the probability of the likeliest one."""
    checked = model.validation
    assert checked is not None  # noqa: S101 -- every operation here has an expectation
    sure = max(checked.probability.match, checked.probability.approximate, checked.probability.none)
    return f"{SIGNS[checked.rank]} ({sure:.2f})"


def said(found: Modelled) -> list[str]:
    """Rules, causes, and what could not be modelled."""
    lines = [f"- rule {each.rule}: {each.verdict}" for each in found.rules]
    blamed = zip(found.models, found.causes, strict=True)
    lines += [
        f"- {model.name}: the cause is likely the {cause}" for model, cause in blamed if cause is not None
    ]
    lines += [f"- {each.name}: not modelled, {each.reason}" for each in found.failed]
    return ["", *lines] if lines else []


if __name__ == "__main__":
    sys.exit(main())
