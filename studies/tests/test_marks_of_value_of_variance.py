"""Marks of value-of-variance follow the runs: each statement has a change of its data that moves its mark."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import pytest
from mutations import (
    Change,
    both,
    check_no_mark_is_typed,
    check_statements,
    exchanged,
    list_declarations,
    planted,
)

STUDIES = Path(__file__).parents[2] / "studies"
sys.path.insert(0, str(STUDIES))

import beside  # noqa: E402
from declarations import Data, judge  # noqa: E402

compared = beside.load("value-of-variance")
DECLARED = list_declarations(compared)
DECIDED = [name for name, item in DECLARED.items() if item.kind != "set-up"]
DATA = Data(compared.HERE)
REAL, PAPERS, TABLE_1 = "real-runs.csv", "papers-runs.csv", "published.csv"
STATED = "statements.csv"
SOURCES = [f"source_{i}_s" for i in range(1, 9)]
QUANTILES = (-1.534, -0.887, -0.489, -0.157, 0.157, 0.489, 0.887, 1.534)
"""Of eight normal values, whose standard deviation is .99."""


def scaled(factor: float, **filters: str) -> Change:
    """All times multiplied where the levels are these."""
    return both(*(planted(source, factor, **filters) for source in SOURCES))


def each_row(change: Callable[[list[float]], list[float]], **filters: str) -> Change:
    """Times of a run replaced by others made of them."""

    def of_rows(rows):
        for row in rows:
            if all(row[key] == value for key, value in filters.items()):
                times = change([float(row[source]) for source in SOURCES])
                row.update({source: f"{time:.9g}" for source, time in zip(SOURCES, times, strict=True)})
        return rows

    return of_rows


def spread(factor: float, **filters: str) -> Change:
    """Deviations of sources from their mean multiplied."""
    return each_row(
        lambda times: [fmean(times) + factor * (time - fmean(times)) for time in times], **filters
    )


def normal(relative: float) -> Change:
    """Sources of KLA of normal quantiles with this s / mean, those of Δ = 1 alike."""
    return both(
        each_row(lambda times: [fmean(times) * (1 + relative * z) for z in QUANTILES], order="kla"),
        each_row(lambda times: [fmean(times)] * 8, order="delta"),
    )


def one_run_again(rows):
    """Every run of a size with the times of the first."""
    first: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        key = tuple(row[name] for name in ("runtime", "order", "weight", "scale", "ranks"))
        of_first = first.setdefault(key, row)
        row.update({source: of_first[source] for source in SOURCES})
    return rows


def sources_shuffled(rows):
    draw = random.Random(2008)
    for row in rows:
        times = [row[source] for source in SOURCES]
        draw.shuffle(times)
        row.update(dict(zip(SOURCES, times, strict=True)))
    return rows


def orders_alike(rows):
    """Δ = 1 with the relative deviations of KLA."""
    kla = {
        tuple(row[name] for name in ("runtime", "weight", "scale", "run")): row
        for row in rows
        if row["order"] == "kla"
    }
    for row in rows:
        kla_row = kla[tuple(row[name] for name in ("runtime", "weight", "scale", "run"))]
        row.update({source: kla_row[source] for source in SOURCES})
    return rows


def orders_at_random(rows):
    """Which of two orders a run is of, drawn anew for each run."""
    draw = random.Random(2008)
    swap: dict[tuple[str, ...], bool] = {}
    names = {"kla": "delta", "delta": "kla"}
    for row in rows:
        key = tuple(row[name] for name in ("runtime", "weight", "scale", "ranks", "run"))
        if swap.setdefault(key, draw.random() < 0.5):
            row["order"] = names[row["order"]]
    return rows


def instance_7(run: str, excess: float) -> Change:
    """Instance 7 of a run this many times the mean of all."""

    def change(rows):
        for row in rows:
            if row["run"] == run:
                rest = sum(float(row[f"instance_{i}"]) for i in range(1, 9) if i != 7)
                row["instance_7"] = f"{excess * rest / (8 - excess):.9g}"
        return rows

    return change


def stated(name: str, published: str) -> Change:
    """What is published of a statement replaced."""
    return lambda rows: [{**row, "published": published} if row["id"] == name else row for row in rows]


swapped, moved = exchanged("order", "kla", "delta"), exchanged("runtime", "am++", "hpx-5")
KLA_ON_HPX = {"runtime": "hpx-5", "order": "kla"}
MUTATIONS: dict[str, list[tuple[str, dict[str, Change], str]]] = {
    "table-1-2": [("as stated", {TABLE_1: instance_7("2", 1.5)}, "reproduced")],
    "table-1-5": [("another is slowest", {TABLE_1: instance_7("5", 1.0)}, "contradicted")],
    "table-1-most": [("another run", {TABLE_1: instance_7("5", 4.6)}, "contradicted")],
    "rsu-half": [("as stated", {TABLE_1: instance_7("2", 4.6)}, "reproduced")],
    "figure-4": [
        ("orders exchanged", {REAL: swapped}, "contradicted"),
        ("orders at random", {REAL: orders_at_random}, "not resolved"),
    ],
    "figure-6": [
        ("orders exchanged", {REAL: swapped}, "contradicted"),
        ("orders at random", {REAL: orders_at_random}, "not resolved"),
    ],
    "figure-5": [("as published", {REAL: scaled(3, **KLA_ON_HPX)}, "reproduced")],
    "figure-7": [("as published", {REAL: scaled(3, **KLA_ON_HPX)}, "reproduced")],
    "two-inputs": [("one input only", {REAL: scaled(2, weight="255", order="kla")}, "not resolved")],
    "figure-8": [("runtimes exchanged", {REAL: moved}, "contradicted")],
    "figure-9": [
        ("orders exchanged", {REAL: swapped}, "not resolved"),
        ("far more", {REAL: scaled(5, order="kla")}, "not resolved"),
    ],
    "figure-10": [("orders exchanged", {REAL: swapped}, "contradicted")],
    "figure-11": [("orders exchanged", {REAL: swapped}, "contradicted")],
    "figure-12": [("orders alike", {PAPERS: orders_alike}, "reproduced")],
    "larger-s": [
        ("orders exchanged", {REAL: swapped}, "contradicted"),
        ("orders at random", {REAL: orders_at_random}, "not resolved"),
    ],
    "smaller-am": [("runtimes exchanged", {REAL: moved}, "contradicted")],
    "variability-am": [("no spread on AM++", {REAL: spread(1e-3, runtime="am++")}, "reproduced")],
    "sensitive": [
        ("KLA more", {REAL: spread(4, order="kla")}, "reproduced"),
        ("orders exchanged", {REAL: swapped}, "not resolved"),
    ],
    "averages-inside": [("one run again", {REAL: one_run_again}, "reproduced")],
    "clusters": [("one run again", {REAL: one_run_again}, "reproduced")],
    "settles": [("as published", {PAPERS: scaled(4, **KLA_ON_HPX)}, "reproduced")],
    "68": [("normal sources", {REAL: normal(0.1)}, "reproduced")],
    "half": [("wider on AM++", {STATED: stated("figure-9", "around 2 ± 1.8")}, "contradicted")],
    "sources": [("sources shuffled", {REAL: sources_shuffled}, "not resolved")],
    "consistent-7": [("one source stands out", {REAL: planted("source_3_s", 9, **KLA_ON_HPX)}, "reproduced")],
    "delta-steady": [("less steady", {REAL: spread(3, order="delta")}, "not resolved")],
    "asynchronous": [("orders exchanged", {PAPERS: swapped}, "not resolved")],
}


@pytest.mark.parametrize("name", DECIDED)
def test_a_mark_moves_with_its_runs(name):
    marks = {judge(DECLARED[name], DATA).mark}
    for how, replaced, expected in MUTATIONS[name]:
        data = DATA
        for file, change in replaced.items():
            data = data.replace(file, change(DATA.table(file)))
        judged = judge(DECLARED[name], data)
        assert judged.mark == expected, (how, judged)
        marks.add(judged.mark)
    assert len(marks) > 1, f"nothing moves the mark of {name}"


def test_runtimes_and_orders_exchanged_everywhere_move_most_marks_on_direction():
    before = {name: judge(DECLARED[name], DATA).mark for name in DECIDED}
    data = Data(compared.HERE)
    for file in (REAL, PAPERS):
        data = data.replace(file, swapped(DATA.table(file)))
    after = {name: judge(DECLARED[name], data).mark for name in DECIDED}
    moved_marks = {name for name in DECIDED if before[name] != after[name]}
    directions = {"figure-4", "figure-6", "figure-9", "figure-10", "figure-11", "larger-s", "asynchronous"}
    assert directions <= moved_marks


def test_a_simulation_alone_contradicts_nothing():
    for name in DECIDED:
        if DECLARED[name].origin == "simulated":
            assert judge(DECLARED[name], DATA).mark != "contradicted", name


def test_every_statement_of_the_study_declares_its_data_and_moves():
    files = {
        name: [file for _, replaced, _ in changes for file in replaced] for name, changes in MUTATIONS.items()
    }
    check_statements(DECLARED, DECIDED, files)


def test_the_modules_of_the_study_type_no_mark():
    check_no_mark_is_typed("value-of-variance/compared", "value-of-variance/claims_of_runs")
