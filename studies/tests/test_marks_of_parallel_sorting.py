"""Marks of parallel-sorting follow the data: each statement has a change that moves its mark."""

from __future__ import annotations

import sys
from math import log2
from pathlib import Path

import pytest
from mutations import (
    both,
    check_no_mark_is_typed,
    check_statements,
    exchanged,
    judge_changed,
    list_declarations,
)

STUDIES = Path(__file__).parents[2] / "studies"
sys.path.insert(0, str(STUDIES))

import beside  # noqa: E402
from declarations import Data, judge  # noqa: E402

compared = beside.load("parallel-sorting")
DECLARED = list_declarations(compared)
DECIDED = [name for name, item in DECLARED.items() if item.kind != "set-up"]
CELLS = [declared.id for _, declared in compared.CELLS]
DATA = Data(compared.HERE)
MODELS = {
    "p^2 log p": lambda p: p**2 * log2(p),
    "p": lambda p: p,
    "p^0.75": lambda p: p**0.75,
    "p log^2 p": lambda p: p * log2(p) ** 2,
    "p log p": lambda p: p * log2(p),
    "p^1.75 log p": lambda p: p**1.75 * log2(p),
    "log p": log2,
    "p^0.5": lambda p: p**0.5,
    "log^2 p": lambda p: log2(p) ** 2,
    "p^0.75 log^2 p": lambda p: p**0.75 * log2(p) ** 2,
    "p^1.25": lambda p: p**1.25,
}


def as_function(column, function, **filters):
    """A column replaced by a function of p."""

    def change(rows):
        for row in rows:
            if row[column] and all(row[name] == level for name, level in filters.items()):
                row[column] = f"{1e-6 * function(int(row['p'])):.12g}"
        return rows

    return change


def constant(column, value, **filters):
    """A column replaced by one value."""

    def change(rows):
        for row in rows:
            if row[column] and all(row[name] == level for name, level in filters.items()):
                row[column] = value
        return rows

    return change


def changes_of_a_cell(name):
    """As published, or as expected where that is a match; then as p³."""
    line = next(line for line in compared.table_10() if name == f"{line['system']}-{line['function']}")
    model = line["model"]
    (file,) = DECLARED[name].data
    yield file, as_function("time_s", MODELS[model], phase="")
    yield file, as_function("time_s", lambda p: p**3, phase="")


def printed(system, function, **values):
    """Columns of a cell of Table 10 replaced."""

    def change(rows):
        for row in rows:
            if (row["table"], row["system"], row["function"]) == ("10", system, function):
                row.update(values)
        return rows

    return change


PRINTED = "../scalability-validation/published.csv"
WHOLE = {"phase": ""}
SPLITTER, MINI = "values/splitter-based.csv", "values/radix-mini.csv"
MUTATIONS = {
    **{name: [*changes_of_a_cell(name)] for name in CELLS},
    "constant-local": [("values/scans.csv", as_function("phase_s", lambda p: p, phase="local_sort"))],
    "r-2": [("values/rounds.csv", constant("rounds", "2"))],
    "same-distributions": [("values/gaussian.csv", as_function("time_s", lambda p: p, **WHOLE))],
    "sample-splitters": [
        (SPLITTER, as_function("phase_s", lambda p: p**4, phase="splitters", algorithm="sample"))
    ],
    "histogram-better": [(PRINTED, printed("Juqueen", "Histogram", model="p^1.25"))],
    "exact-collectives": [(SPLITTER, exchanged("schedule", "batched", "sequential"))],
    "radix-steps": [(MINI, exchanged("bits", "4", "8"))],
    "radix-k4": [(PRINTED, printed("Juqueen", "Radix k = 4", rank="approximate"))],
    "radix-memory": [
        ("values/memory.csv", as_function("step_bytes", lambda p: 1e9 * p, exchange="p2p", bits="8"))
    ],
    "radix-k8-closer": [(PRINTED, printed("Lichtenberg", "Radix k = 8", rank="none"))],
    "differ-075": [(PRINTED, printed("Juqueen", "Mini", model="log p"))],
    "rule-of-ranks": [
        (
            PRINTED,
            both(
                printed("Lichtenberg", "Exact-splitting", rank="none"),
                printed("Lichtenberg", "Radix k = 4", rank="none"),
                printed("Lichtenberg", "Radix k = 8", rank="none"),
                printed("Juqueen", "Exact-splitting", rank="approximate", divergence="log^-1 p"),
            ),
        )
    ],
    "mini-median": [
        (
            MINI,
            both(
                as_function("phase_s", lambda p: p, algorithm="mini", phase="pivot"),
                as_function("time_s", lambda p: p, algorithm="mini", **WHOLE),
            ),
        )
    ],
    "binary-tree": [("values/medians.csv", exchanged("tree", "binary", "ternary"))],
    "sample-bottleneck": [(SPLITTER, exchanged("algorithm", "sample", "histogram"))],
    "exact-balance": [("values/real.csv", constant("load", "1.2", algorithm="exact"))],
    "histogram-balance": [("values/real.csv", constant("load", "1.2", algorithm="histogram"))],
    "engineering": [
        ("values/groups.csv", as_function("phase_s", MODELS["log^2 p"], phase="groups", groups="comm_split"))
    ],
}


@pytest.mark.parametrize("name", DECIDED)
def test_a_mark_moves_with_its_values(name):
    marks = {judge(DECLARED[name], DATA).mark}
    for file, change in MUTATIONS[name]:
        marks.add(judge_changed(DECLARED[name], DATA, (file, change)).mark)
    assert len(marks) > 1, f"nothing moves the mark of {name}"


def test_as_published_most_cells_are_reproduced():
    """What the paper prints, planted in our times; cells that contradict the paper's own rule aside."""
    marks = {}
    for name in CELLS:
        file, change = next(changes_of_a_cell(name))
        marks[name] = judge_changed(DECLARED[name], DATA, (file, change)).mark
    failing = {name for name, mark in marks.items() if mark != "reproduced"}
    assert all("printed cell" in DECLARED[name].remark for name in failing), failing


def test_a_simulation_alone_contradicts_nothing():
    for name in DECIDED:
        if DECLARED[name].origin == "simulated":
            for file, change in MUTATIONS[name]:
                mark = judge_changed(DECLARED[name], DATA, (file, change)).mark
                assert mark != "contradicted", name


def test_every_statement_of_the_study_declares_its_data_and_moves():
    files = {name: [file for file, _ in changes] for name, changes in MUTATIONS.items()}
    check_statements(DECLARED, DECIDED, files)


def test_the_modules_of_the_study_type_no_mark():
    check_no_mark_is_typed("parallel-sorting/compared", "parallel-sorting/claims_of_sorts", "printed_ranks")
