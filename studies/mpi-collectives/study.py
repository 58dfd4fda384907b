"""The whole study by one command: run what is not finished yet, model it, and write the tables.

    .venv/bin/python studies/mpi-collectives/study.py [PART ...] [--records DIRECTORY] [--no-run]

PART is topologies, selectors, planted, noise, allocations, sizes, memory, connected or real; by default all.
An interrupted study goes on where it stopped. Tables go to stdout, as Markdown. Latencies of simulated parts
are kept in simulated.csv, memory after all ranks have talked in connected.csv, the rest in values/, when all
of a part has been run; from them ``--no-run``, which writes nothing, makes tables where there are no records.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import connections
import heaps
import latencies
import noise
import simulated
import sizes
from msgspec.structs import replace
from simulated import Row

from steelyard.api import Record, RecordError
from steelyard.api.claims import format_verdict
from steelyard.api.scaling import (
    Expectation,
    Modelled,
    ModelRequest,
    Point,
    Question,
    ScalingModel,
    Series,
    model_series,
    series_of_record,
)
from steelyard.api.text import Scalar

HERE: Final = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import parts  # noqa: E402 -- what studies share lies beside them

PARTS: Final = (
    *("topologies", "selectors", "planted", "noise", "allocations", "sizes"),
    *("memory", "connected", "real"),
)
OF_RECORDS: Final = ("memory", "real")
"""Parts of which every value is kept, in ``values/PART.csv``."""
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

SYSTEMS: Final = {
    "torus": "Juqueen",
    "fat-tree": "Juropa",
    "dragonfly": "Piz Daint",
    "impi": "Intel MPI",
    "ompi": "Open MPI",
}
"""Which published system a machine or selector stands beside."""

BY_PAPER: Final = "by the paper's method"
RULES: Final = ("allreduce <= reduce + bcast", "allgather <= gather + bcast")


def tables(part: str, record: Record) -> str:
    """One table a machine, library or selector; of real latencies, medians and ratios."""
    if part == "real":
        return latencies.tables(record)
    if part == "connected":
        return connections.tables(list(connections.rows_of(memory_of(record))))
    metric = "heap_mean_bytes" if part == "memory" else "latency_quantile_s"
    series = series_of_record(record, ("p",), (metric,))
    if part == "memory":
        models = heaps.tables([replace(item, name=str(item.labels["op"])) for item in series])
        return f"{models}\n\n### Shared pages\n\n{heaps.beside_heap(record)}"
    return tables_of(part, simulated.rows_of(part, series))


def memory_of(record: Record) -> list[Series]:
    """Memory before and after all ranks talked, by library."""
    return series_of_record(record, ("p",), connections.METRICS)


def tables_kept(part: str) -> str:
    """The tables of a part, from the values that the study keeps."""
    if part == "connected":
        return connections.tables(connections.kept())
    if part in OF_RECORDS:
        with parts.kept_values.rebuilt(HERE, part) as record:
            return tables(part, record)
    return tables_of(part, simulated.kept(part))


def keep(part: str, record: Record) -> None:
    """Keep the latencies of a simulated part, or memory.

    Raises
    ------
    RecordError
        Not all of the part has been run.
    """
    runs = record.runs()
    if not runs or runs[-1].state != "complete":
        raise RecordError(
            f"{record.directory} is not complete: what is kept stays as it is",
            hint=f"study.py {part} goes on where it stopped",
        )
    if part == "connected":
        connections.keep(connections.rows_of(memory_of(record)))
        return
    series = series_of_record(record, ("p",), ("latency_quantile_s",))
    simulated.keep(part, simulated.rows_of(part, series))


def tables_of(part: str, rows: Iterable[Row]) -> str:
    """The tables of a simulated part."""
    series = simulated.series_in(simulated.as_kept(rows))
    if part == "noise":
        return noise.tables(series, ranked)
    if part == "sizes":
        return sizes.tables(series, ranked)
    groups: dict[str, list[Series]] = {}
    for item in pooled(series, POOLED[part]) if part in POOLED else series:
        title = ", ".join(str(label) for name, label in item.labels.items() if name != "op")
        groups.setdefault(title, []).append(item)
    return "\n\n".join(table(name, group) for name, group in groups.items())


def pooled(series: list[Series], label: str) -> list[Series]:
    """Series that differ in this label only, as one with all of their values."""
    groups: dict[tuple[tuple[str, Scalar], ...], list[Series]] = {}
    for function in series:
        groups.setdefault(
            tuple(sorted(item for item in function.labels.items() if item[0] != label)), []
        ).append(function)
    result = []
    for labels, group in groups.items():
        values: dict[tuple[float, ...], tuple[float, ...]] = {}
        for point in (point for function in group for point in function.points):
            values[point.at] = values.get(point.at, ()) + point.values
        points = tuple(Point(at, latencies) for at, latencies in sorted(values.items()))
        result.append(replace(group[0], labels=dict(labels), points=points))
    return result


def ranked(series: list[Series]) -> list[tuple[ScalingModel, str]]:
    """The model of each series of an operation, and its rank as a cell."""
    result = []
    for item in series:
        expectations_ = {item.name: Expectation(LATENCIES[item.name], DEVIATION)}
        (model,) = model_series(
            ModelRequest([item], Question(expectations=expectations_, parameter="p"))
        ).models
        result.append((model, rank_of(model)))
    return result


def table(title: str, series: list[Series]) -> str:
    """Models, adjusted R², divergences and ranks of one machine."""
    chosen = [item for item in series if item.name in LATENCIES]
    ops = {item.name for item in chosen}
    question = Question(
        expectations={item.name: Expectation(LATENCIES[item.name], DEVIATION) for item in chosen},
        parameter="p",
    )
    rules = [rule for rule in RULES if set(rule.replace("<=", "+").replace(" ", "").split("+")) <= ops]
    result = model_series(ModelRequest(chosen, question, rules, litmus="litmus" if "litmus" in ops else None))
    order = list(LATENCIES)
    machine = title.partition(",")[0]
    printed = published(SYSTEMS.get(machine, ""))
    ours = sorted(result.models, key=lambda model: order.index(model.name))
    theirs = by_their_method(chosen)
    rows = [row(model, theirs[model.name], printed.get(model.name)) for model in ours]
    beside = f"{SYSTEMS[machine]}, published" if machine in SYSTEMS else "published"
    simulated = ", simulated" if any(item.simulated for item in chosen) else ""
    columns = ("operation", "expected", "model", "R̄²", "δ", "rank (probability)", "points", BY_PAPER, beside)
    head = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    counts = agreement(ours, theirs, printed)
    return "\n".join([f"### {title}{simulated}", "", *head, *rows, *said(result), *counts])


def by_their_method(series: list[Series]) -> dict[str, ScalingModel]:
    """Model latencies as the paper did: its search space, one leading term, D = √p."""
    question = Question(
        method="seed001",
        space="mpi-study",
        expectations={item.name: Expectation(LATENCIES[item.name], DEVIATION) for item in series},
        parameter="p",
    )
    return {model.name: model for model in model_series(ModelRequest(series, question)).models}


def agreement(
    ours: list[ScalingModel], theirs: dict[str, ScalingModel], printed: Mapping[str, Published]
) -> list[str]:
    """Count the operations whose rank is the published one, by the paper's method and by ours."""
    if not printed:
        return []
    compared = [(model, printed[model.name].rank) for model in ours if model.name in printed]
    result = sum(rank_text(theirs[model.name]) == rank for model, rank in compared)
    stated = [(model, rank) for model, rank in compared if rank_text(model) != "undecided"]
    equal = sum(rank_text(model) == rank for model, rank in stated)
    counts = f"Of {len(compared)} published ranks, the paper's method gives {result} on these data"
    return ["", f"{counts}; ours states {len(stated)}, {equal} of them as published."]


def rank_text(model: ScalingModel) -> str:
    """The rank of a model that has an expectation."""
    checked = model.validation
    assert checked is not None  # noqa: S101 -- every operation here has an expectation
    return checked.rank


class Published(NamedTuple):
    """A cell of Table 4 or 6: the growth, as in ``p^0.67 log p``, and the rank."""

    growth: str
    rank: str

    def __str__(self) -> str:
        return f"{parts.SIGNS[self.rank]} O({self.growth})"


def published(system: str) -> dict[str, Published]:
    """Model and rank that Tables 4 and 6 print for a system, by operation."""
    with parts.PUBLISHED.open(newline="", encoding="utf-8") as file:
        return {
            "litmus" if line["function"].endswith("(BT)") else line["function"].lower(): Published(
                line["model"], line["rank"]
            )
            for line in csv.DictReader(file)
            if line["table"] in ("4", "6") and line["system"] == system
        }


def row(model: ScalingModel, theirs: ScalingModel, printed: Published | None) -> str:
    """One line of a table."""
    checked = model.validation
    assert checked is not None  # noqa: S101 -- every operation here has an expectation
    by_paper = f"{parts.SIGNS[rank_text(theirs)]} {theirs.growth()}"
    beside = "" if printed is None else str(printed)
    cells = (model.name, checked.expectation, *judged(model), str(model.points), by_paper, beside)
    return f"| {' | '.join(cells)} |"


def judged(model: ScalingModel) -> tuple[str, str, str, str]:
    """Growth, adjusted R², divergence and rank, as cells."""
    checked = model.validation
    assert checked is not None  # noqa: S101 -- every operation here has an expectation
    r2 = "" if model.r2 is None else f"{model.r2:.2f}"
    segments = f", {len(model.segments)} segments" if model.segments else ""
    return f"{model.growth()}{segments}", r2, checked.divergence.big_o("p"), rank_of(model)


def rank_of(model: ScalingModel) -> str:
    """The rank, with the probability of the likeliest one."""
    checked = model.validation
    assert checked is not None  # noqa: S101 -- every operation here has an expectation
    sure = max(checked.probability.match, checked.probability.approximate, checked.probability.none)
    return f"{parts.SIGNS[checked.rank]} ({sure:.2f})"


def said(answer: Modelled) -> list[str]:
    """Rules, causes, and what could not be modelled."""
    lines = [f"- rule {format_verdict(item)}" for item in answer.rules]
    blamed = zip(answer.models, answer.causes, strict=True)
    lines += [
        f"- {model.name}: the cause is likely the {cause}" for model, cause in blamed if cause is not None
    ]
    lines += [f"- {failure.name}: not modelled, {failure.reason}" for failure in answer.failed]
    return ["", *lines] if lines else []


def main() -> int:
    """Run the parts asked for, print their tables, and keep what was simulated."""
    by_part = {part: partial(tables, part) for part in PARTS}
    have = [part for part in simulated.LABELS if simulated.kept(part)]
    have += ["connected"] if connections.kept() else []
    by_kept_part = {part: partial(tables_kept, part) for part in have}
    keeping = {part: partial(keep, part) for part in (*simulated.LABELS, "connected")}
    return parts.main(HERE, __doc__, by_part, by_kept_part, keeping)


if __name__ == "__main__":
    sys.exit(main())
