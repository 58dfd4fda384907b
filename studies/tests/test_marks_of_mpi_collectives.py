"""Marks of mpi-collectives follow the data: each statement has a change of them that moves its mark."""

from __future__ import annotations

import sys
from math import log2
from pathlib import Path

import pytest
from mutations import both, check_no_mark_is_typed, check_statements, judge_changed, list_declarations

STUDIES = Path(__file__).parents[2] / "studies"
sys.path.insert(0, str(STUDIES))

import beside  # noqa: E402
from declarations import Data, judge  # noqa: E402

compared = beside.load("mpi-collectives")
DECLARED = list_declarations(compared)
STATED = {item.id for item in compared.DECLARATIONS}
CELLS = {name: item for name, item in DECLARED.items() if name not in STATED}
DECIDED = [name for name, item in DECLARED.items() if item.kind != "set-up"]
DATA = Data(compared.HERE)
SIMULATED, AUTHORS, HEAPS = "simulated.csv", "../scalability-validation/authors.csv", "values/memory.csv"
GROWTHS = {"match": None, "approximate": 0.25, "none": 2.0}
"""Beyond what is expected, by the power of p."""
EXPECTED = {
    "O(log p)": log2,
    "O(p)": lambda p: p,
    "O(p log p)": lambda p: p * log2(p),
    "O(1)": lambda p: 1.0,
}


def function(expected, rank, *, below=False):
    """A function that has this rank beside what is expected, approximate ones on the side that is printed."""
    power = -0.25 if below and rank == "approximate" else GROWTHS[rank]
    return lambda p: EXPECTED[expected](p) * (p**power if power else 1.0)


def latencies(level, operation, growth):
    """Latencies of an operation on a machine as a function of p."""

    def change(rows):
        part = compared.of.PARTS[level]
        for row in rows:
            if (row["part"], row["op"]) == (part, operation) and row["of"].endswith(f"={level}"):
                row["latency_s"] = f"{1e-6 * growth(int(row['p'])):.12g}"
        return rows

    return change


def scaled(factor, **filters):
    """Latencies multiplied where these columns begin so."""

    def change(rows):
        for row in rows:
            if row["latency_s"] and all(row[name].startswith(start) for name, start in filters.items()):
                row["latency_s"] = f"{float(row['latency_s']) * factor:.12g}"
        return rows

    return change


def heap(library, name, growth):
    """The heap of an object as a function of p."""

    def change(rows):
        for row in rows:
            if (row["implementation"], row["op"]) == (library, name) and row["heap_mean_bytes"]:
                row["heap_mean_bytes"] = f"{1e4 * growth(int(row['p'])):.12g}"
        return rows

    return change


def authors(system, operation="", **values):
    """Columns of the authors' rows replaced."""

    def change(rows):
        for row in rows:
            if row["system"] == system and operation in ("", row["operation"]):
                row.update({name: str(value) for name, value in values.items()})
        return rows

    return change


def printed(table, system="", function="", **values):
    """Columns of cells as they are printed replaced."""

    def change(rows):
        for row in rows:
            is_named = system in ("", row["system"]) and function in ("", row["function"])
            if row["table"] == table and is_named:
                row.update(values)
        return rows

    return change


def statement(name, text):
    """The text of a statement replaced."""

    def change(rows):
        for row in rows:
            if row["id"] == name:
                row["statement"] = text
        return rows

    return change


def of_a_cell(name):
    """As published, and as nobody publishes."""
    for key, system in {**compared.MACHINES, **compared.SELECTORS}.items():
        if name.startswith(f"{key}-"):
            operation = name.removeprefix(f"{key}-")
            growth, printed = compared.study.published(system)[operation]
            if DECLARED[name].data == (AUTHORS,):
                for rank in (printed, "none" if printed != "none" else "match"):
                    ranks = {"rank": rank, "rank_by_paper": rank, "faster": 1, "faster_by_paper": 1}
                    yield AUTHORS, authors(system, operation, **ranks)
                return
            expected = compared.study.LATENCIES[operation]
            for rank in (printed, "none" if printed != "none" else "match"):
                below = (expected, growth) == ("O(p log p)", "p")
                change = latencies(key, operation, function(expected, rank, below=below))
                others = {*compared.SELECTORS} - {key} if key in compared.SELECTORS else ()
                far = [latencies(other, operation, function(expected, "none")) for other in others]
                yield SIMULATED, both(change, *far)
            return
    line = next(row for row in compared.table_5() if name == f"{row['system']}-{row['function']}")
    library, op = compared.LIBRARIES[line["system"]], compared.OBJECTS[line["function"]]
    expected = compared.study.heaps.EXPECTED[op]
    for rank in (line["rank"], "none" if line["rank"] != "none" else "match"):
        yield HEAPS, heap(library, op, function(expected, rank))


def everywhere(machines, operations, rank):
    return both(
        *(
            latencies(machine, operation, function(compared.study.LATENCIES[operation], rank))
            for machine in machines
            for operation in operations
        )
    )


PRINTED = "../scalability-validation/published.csv"
MUTATIONS = {
    **{name: [*of_a_cell(name)] for name in CELLS},
    "juqueen-met": [(PRINTED, printed("4", "Juqueen", "Alltoall", rank="match"))],
    "log-or-linear": [(PRINTED, printed("4", "Juqueen", "Alltoall", model="p log p"))],
    "rule-of-ranks": [(PRINTED, printed("6", "Open MPI", "Barrier", divergence="1"))],
    "expectation-5": [(PRINTED, printed("5", "", "MPI memory", expectation="1"))],
    "juropa-daint": [(PRINTED, printed("4", "Juropa", "Bcast", model="log p"))],
    "litmus-fails": [(PRINTED, printed("4", "Piz Daint", "Bcast (BT)", rank="approximate"))],
    "gather-linear": [(PRINTED, printed("4", "Juropa", "Allgather", rank="approximate"))],
    "guideline-allgather": [(PRINTED, printed("4", "Juropa", "Allgather", model="p^1.25"))],
    "intel-half": [(PRINTED, printed("6", "Intel MPI", "", rank="none"))],
    "open-none": [(PRINTED, printed("6", "Open MPI", "Allgather", rank="none"))],
    "memory-35": [("statements.csv", statement("figure-4i", "16 MB + 0.75 MB · p"))],
    "quartile-mean": [
        (
            AUTHORS,
            both(
                *(
                    authors(system, growth_of_means="O(p)", growth_of_least="O(p)")
                    for system in ("Intel MPI", "Open MPI")
                )
            ),
        )
    ],
    "bt-slower": [(SIMULATED, scaled(2, op="litmus", of="machine=torus"))],
    "noise": [
        (
            SIMULATED,
            lambda rows: [
                {**row, "latency_s": f"{1e-6 * int(row['p']) ** 2}"}
                if row["part"] == "noise" and row["of"] == "links=0 hosts=0.1" and row["op"] == "barrier"
                else row
                for row in rows
            ],
        )
    ],
    "neighbours": [
        (SIMULATED, scaled(0.1, part="allocations", of="machine=dragonfly-tapered placement=scattered"))
    ],
    "guideline-predicted": [(PRINTED, printed("4", "Piz Daint", "Allreduce", model="log p"))],
    "comm-dup": [(HEAPS, heap("impi", "comm_dup", lambda p: 1.0))],
    "constants": [(PRINTED, printed("5", "Juqueen", "Comm_dup", constant_bytes="300"))],
    "memory-wall": [("statements.csv", statement("memory-wall", "0.35 MB a connection make 8,192"))],
    "figure-4i": [(HEAPS, heap("mpich", "mpi_init", lambda p: 56 * p))],
    "gather-switch": [(AUTHORS, authors("Open MPI", "gather", segments=1))],
    "intel-noise": [(AUTHORS, authors("Intel MPI", "reduce", over_open_at_512=2, most_over_open=2))],
    "open-better": [(AUTHORS, authors("Intel MPI", change_over_open=0.9))],
}


@pytest.mark.parametrize("name", DECIDED)
def test_a_mark_moves_with_its_data_and_a_simulation_contradicts_nothing(name):
    marks = {judge(DECLARED[name], DATA).mark}
    for file, change in MUTATIONS[name]:
        marks.add(judge_changed(DECLARED[name], DATA, (file, change)).mark)
    assert len(marks) > 1, f"nothing moves the mark of {name}"
    assert DECLARED[name].origin != "simulated" or "contradicted" not in marks


def test_the_authors_measurements_decide_what_is_said_of_their_libraries():
    for name in ("intel-noise", "open-better", "gather-switch", "quartile-mean"):
        assert DECLARED[name].origin == "the authors' data"
    for name, cell in CELLS.items():
        if name.startswith(("impi-", "ompi-")) and not name.endswith("litmus"):
            assert cell.data == (AUTHORS,), name


def test_every_statement_of_the_study_declares_its_data_and_moves():
    files = {name: [file for file, _ in changes] for name, changes in MUTATIONS.items()}
    check_statements(DECLARED, DECIDED, files)


def test_the_modules_of_the_study_type_no_mark():
    check_no_mark_is_typed("mpi-collectives/compared", "mpi-collectives/claims_of_models", "printed_ranks")
