"""Marks of grappa follow the data: each statement has a change of its values that moves its mark."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from mutations import check_no_mark_is_typed, check_statements, exchanged, judge_changed, list_declarations

STUDIES = Path(__file__).parents[2] / "studies"
sys.path.insert(0, str(STUDIES))

import beside  # noqa: E402
from declarations import Data, judge  # noqa: E402

compared = beside.load("grappa")
DECLARED = list_declarations(compared)
DECIDED = [name for name, item in DECLARED.items() if item.kind != "set-up"]
DATA = Data(compared.HERE)


def scaled(column, factor, **filters):
    """A column multiplied where the levels are these; the factor may depend on the row."""

    def change(rows):
        for row in rows:
            if row[column] and all(row[name] == level for name, level in filters.items()):
                by = factor(row) if callable(factor) else factor
                row[column] = f"{float(row[column]) * by:.12g}"
        return rows

    return change


def levelled(column, value):
    """A column replaced by one value."""

    def change(rows):
        for row in rows:
            row[column] = value if row[column] else ""
        return rows

    return change


def stated(name, value):
    """A number of the draft replaced."""

    def change(rows):
        for row in rows:
            if row["name"] == name:
                row["value"] = value
        return rows

    return change


MEMORY, REAL, PING = "values/uts-memory.csv", "values/real.csv", "values/ping.csv"
RESPONSE, THRESHOLD = "values/response.csv", "values/threshold.csv"
MUTATIONS = {
    "binomial": [(REAL, scaled("rate", 0.5, tree="T3"), "reproduced")],
    "rate": [(MEMORY, scaled("rate", 112 / 136, p="60"), "reproduced")],
    "per-node": [(MEMORY, scaled("rate", lambda row: (112 + 2 * 28) / 135.8, p="60"), "reproduced")],
    "averages": [("published.csv", stated("rate a machine", "3"), "contradicted")],
    "xmt-network": [("published.csv", stated("requests of Grappa", "50"), "contradicted")],
    "raw-share": [("published.csv", stated("aggregated over raw", "8"), "contradicted")],
    "scales-128": [(REAL, exchanged("p", "1", "2"), "not resolved")],
    "endpoints": [(MEMORY, exchanged("p", "8", "128"), "not resolved")],
    "locality": [("values/screening-uts.csv", exchanged("list_piece", "1", "31"), "not resolved")],
    "bfs-scales": [("values/real-graph.csv", exchanged("p", "1", "2"), "reproduced")],
    "small-messages": [(PING, scaled("bandwidth", 9, op="mpi", payload="32"), "not resolved")],
    "raw-3": [(PING, scaled("bandwidth", 9, op="raw", payload="32"), "not resolved")],
    "peak-16k": [(PING, scaled("bandwidth", 1.62, op="mpi", payload="16384"), "reproduced")],
    "sizes": [("values/aggregator.csv", exchanged("up_to", "16", "64"), "reproduced")],
    "twelve": [(PING, exchanged("op", "raw", "aggregated"), "not resolved")],
    "third": [(PING, scaled("bandwidth", 2, op="aggregated", payload="32"), "reproduced")],
    "limit-75": [(PING, scaled("bandwidth", 4, op="aggregated"), "not resolved")],
    "four": [("values/aggregator.csv", exchanged("buffer_bytes", "0", "4096"), "not resolved")],
    "harder": [("values/buffers.csv", levelled("full_fraction", "0.5"), "not resolved")],
    "flush-moves": [(RESPONSE, exchanged("p", "32", "96"), "not resolved")],
    "tasks-need": [(RESPONSE, exchanged("active_tasks", "1024", "16000"), "not resolved")],
    "too-many": [("values/real-tasks.csv", exchanged("active_tasks", "64", "65536"), "contradicted")],
    "tasks-move": [(RESPONSE, exchanged("p", "32", "96"), "not resolved")],
    "chunk": [
        (
            "values/chunks.csv",
            scaled("time_s", lambda row: 1.5 if row["chunk"] == "1" else 1),
            "reproduced",
        )
    ],
    "threshold": [(THRESHOLD, exchanged("loop_threshold", "8", "512"), "not resolved")],
    "cost-of-tasks": [(THRESHOLD, scaled("time_s", 3, loop_threshold="1"), "reproduced")],
}


@pytest.mark.parametrize("name", DECIDED)
def test_a_mark_moves_with_its_values(name):
    marks = {judge(DECLARED[name], DATA).mark}
    for file, change, expected in MUTATIONS[name]:
        judged = judge_changed(DECLARED[name], DATA, (file, change))
        assert judged.mark == expected, judged
        marks.add(judged.mark)
    assert len(marks) > 1, f"nothing moves the mark of {name}"


def test_the_runs_of_two_real_ranks_decide_what_scales():
    """A simulation at the draft's size does not hide that two real ranks search slower than one."""
    for name in ("bfs-scales", "scales-128", "binomial"):
        assert any("real" in file for file in DECLARED[name].data), name
        assert DECLARED[name].origin == "measured here"


def test_a_simulation_alone_contradicts_nothing():
    for name in DECIDED:
        if DECLARED[name].origin == "simulated":
            assert judge(DECLARED[name], DATA).mark != "contradicted", name


def test_every_statement_of_the_study_declares_its_data_and_moves():
    files = {name: [file for file, _, _ in changes] for name, changes in MUTATIONS.items()}
    check_statements(DECLARED, DECIDED, files)


def test_the_modules_of_the_study_type_no_mark():
    check_no_mark_is_typed("grappa/compared", "grappa/claims_of_grappa", "grappa/numbers_of_draft")
