"""Marks of have-it-right follow the data: each measured statement has a change that moves its mark."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mutations import both, check_no_mark_is_typed, narrowed, permuted, planted, removed

STUDIES = Path(__file__).parents[2] / "studies"
sys.path.insert(0, str(STUDIES))

import beside  # noqa: E402
from declarations import Data, judge  # noqa: E402

compared = beside.load("have-it-right")
DECLARED = {declaration.id: declaration for declaration in compared.DECLARATIONS}
MEASURED = [name for name, item in DECLARED.items() if item.kind == "measured"]
DATA = Data(compared.HERE)
INSIDE, PLACES, ADDED, CALLS = (f"values/{name}.csv" for name in ("inside", "places", "added", "calls"))
OVER, QUANTUM = "values/optimisation.csv", "values/libquantum.csv"
ALONE, QUANTUM_ALONE = "values/optimisation-default.csv", "values/libquantum-default.csv"
AGAIN = "../execution-time-variability/values/environment-again-blocks.csv"
PROBES = "values/upstream-probes.csv"
ENVIRONMENT, VALIDATION = "values/environment.csv", "values/validation.csv"


def few_instructions_shuffled(rows):
    """What places add, shuffled among programs that add little."""
    none = {row["place"]: float(row["instructions"]) for row in rows if row["sites"] == "0"}
    few = [
        row
        for row in rows
        if row["sites"] != "0" and 1 < float(row["instructions"]) / none[row["place"]] <= 1.02
    ]
    values = [row["instructions"] for row in few]
    random.Random(1).shuffle(values)
    for row, value in zip(few, values, strict=True):
        row["instructions"] = value
    return rows


def one_count(rows):
    """Every count of a program changes as its D1 misses do."""
    bare = {row["name"]: row for row in rows if row["counters"] == row["files"] == "0"}
    bare = {name: dict(row) for name, row in bare.items()}
    for row in rows:
        base = bare[row["name"]]
        ratio = float(row["d1_misses"]) / float(base["d1_misses"])
        for metric in ("i1_misses", "mispredicts"):
            row[metric] = f"{ratio * float(base[metric]):.12g}"
    return rows


def more_by_calls(rows):
    """Counts of programs with one file counted 1.5 times as large."""
    changes = [planted(metric, 1.5, files="1") for metric in ("i1_misses", "d1_misses", "mispredicts")]
    return both(*changes)(rows)


def by_place(order):
    """Places as far apart as their numbers with few sites, as these numbers with many."""

    def change(rows):
        rows = removed("cpu_s")(rows)
        places = sorted({row["place"] for row in rows}, key=int)
        ranks = {"7": range(len(places)), "27": order}
        for row in rows:
            if row["sites"] in ranks:
                rank = ranks[row["sites"]][places.index(row["place"])]
                row["cpu_s"] = f"{(1 + 0.02 * rank) * float(row['cpu_s']):.9g}"
        return rows

    return change


def unrelated_order(number):
    """An order of so many whose rank correlation with the natural one is 0."""
    draw, order = random.Random(1), list(range(number))
    while sum((i - rank) ** 2 for i, rank in enumerate(order)) != (number**3 - number) // 6:
        draw.shuffle(order)
    return order


def lengths_of_perl(rows):
    """Every fourth context of perl 10 % slower."""
    for row in rows:
        if row["command"] == "perl" and int(row["context"]) % 4 == 0:
            row["cpu_s"] = f"{1.1 * float(row['cpu_s']):.9g}"
    return rows


def contexts_of_events(rows):
    """Contexts that change -O1 and -O3 of events.c."""
    for row in rows:
        shift = {"O1": int(row["context"]) % 2, "O3": int(row["context"]) % 3}.get(row["opt"], 0)
        if row["file"] == "events.c":
            row["cpu_s"] = f"{(1 + 0.1 * shift) * float(row['cpu_s']):.9g}"
    return rows


def contexts_of_both_signs(rows):
    """-O2 of events.c 10 % faster in a third of contexts, 10 % slower in another."""
    for row in rows:
        if row["file"] == "events.c" and row["opt"] == "O2":
            factor = (0.9, 1.0, 1.1)[int(row["context"]) % 3]
            row["cpu_s"] = f"{factor * float(row['cpu_s']):.9g}"
    return rows


shuffled_levels = permuted("cpu_s", "block", "file")
equal_levels = removed("cpu_s", "file")
MUTATIONS: dict[str, list[tuple[str, dict[str, Callable[[Any], Any]], str]]] = {
    "figure-1": [
        ("permuted", {INSIDE: permuted("cpu_s", "block", "rounds")}, "not resolved"),
        ("removed", {INSIDE: removed("cpu_s", "rounds")}, "contradicted"),
        (
            "as published",
            {INSIDE: both(removed("cpu_s", "rounds"), planted("cpu_s", 1.06, counters="6", calls="1"))},
            "reproduced",
        ),
        ("in the control, too", {INSIDE: planted("cpu_s", 1.06, counters="0", calls="1")}, "not resolved"),
    ],
    "figure-2": [
        ("as published in counts", {PROBES: more_by_calls}, "reproduced"),
        ("more by hardware", {INSIDE: planted("cpu_s", 1.5, counters="6", calls="1")}, "not resolved"),
    ],
    "other-approach": [
        ("heavy as light", {PLACES: by_place(range(16))}, "not resolved"),
        ("no relation", {PLACES: by_place(unrelated_order(16))}, "reproduced"),
    ],
    "steady": [
        ("quieter", {ALONE: narrowed("cpu_s", 0.3, "file", "opt")}, "reproduced"),
    ],
    "indirect": [
        ("permuted", {INSIDE: permuted("cpu_s", "block", "rounds")}, "not resolved"),
        ("removed", {INSIDE: removed("cpu_s", "rounds")}, "contradicted"),
        (
            "of calls alone",
            {INSIDE: both(removed("cpu_s", "rounds"), planted("cpu_s", 1.06, calls="1"))},
            "contradicted",
        ),
    ],
    "commonplace": [
        ("as published", {CALLS: planted("cpu_s", 1.06, counters="6", calls="1")}, "reproduced"),
        ("removed", {CALLS: removed("cpu_s", "file")}, "not resolved"),
    ],
    "no-bearing": [
        ("amounts shuffled", {ADDED: few_instructions_shuffled}, "reproduced"),
    ],
    "either-way": [
        ("removed", {INSIDE: removed("cpu_s", "rounds")}, "not resolved"),
        ("permuted", {INSIDE: permuted("cpu_s", "block", "rounds")}, "not resolved"),
    ],
    "no-prediction": [
        ("one count for the others", {PROBES: one_count}, "not resolved"),
    ],
    "validation": [
        ("permuted", {VALIDATION: permuted("cpu_s", "block")}, "not resolved"),
        ("removed", {VALIDATION: removed("cpu_s")}, "not resolved"),
    ],
    "figure-3": [
        ("planted", {ENVIRONMENT: lengths_of_perl}, "reproduced"),
        ("removed", {ENVIRONMENT: removed("cpu_s", "command")}, "contradicted"),
    ],
    "insignificant": [
        ("permuted", {AGAIN: permuted("cpu_s", "block", "command")}, "not resolved"),
        ("removed", {AGAIN: removed("cpu_s", "command")}, "contradicted"),
    ],
    "unpredictable": [
        ("permuted", {ENVIRONMENT: permuted("cpu_s", "command")}, "not resolved"),
    ],
    "figure-4-default": [
        ("as published", {QUANTUM_ALONE: planted("cpu_s", 1 / 1.125, opt="O3")}, "reproduced"),
        ("removed", {QUANTUM_ALONE: equal_levels}, "not resolved"),
    ],
    "figure-4-all": [
        ("as published", {QUANTUM_ALONE: planted("cpu_s", 1 / 1.3, opt="O3")}, "reproduced"),
        (
            "in all contexts",
            {
                QUANTUM_ALONE: planted("cpu_s", 1 / 1.3, opt="O3"),
                QUANTUM: planted("cpu_s", 1 / 1.3, opt="O3"),
            },
            "not resolved",
        ),
    ],
    "one-skewed": [
        ("removed", dict.fromkeys((OVER, QUANTUM, ALONE, QUANTUM_ALONE), equal_levels), "not resolved"),
    ],
    "figure-5": [
        ("planted", {OVER: contexts_of_events}, "reproduced"),
        ("removed", {OVER: equal_levels, QUANTUM: equal_levels}, "contradicted"),
    ],
    "contradict": [
        ("permuted", {QUANTUM: shuffled_levels}, "not resolved"),
        ("one direction", {QUANTUM: planted("cpu_s", 0.5, opt="O2")}, "not resolved"),
        (
            "in the control, too",
            {OVER: both(equal_levels, contexts_of_both_signs)},
            "not resolved",
        ),
    ],
}


def changed(replaced):
    data = DATA
    for name, change in replaced.items():
        content = DATA.document(name) if name.endswith(".json") else DATA.table(name)
        data = data.replace(name, change(content))
    return data


@pytest.mark.parametrize("name", MEASURED)
def test_a_mark_moves_with_its_data(name):
    first = judge(DECLARED[name], DATA).mark
    marks = {first}
    for how, replaced, expected in MUTATIONS[name]:
        judged = judge(DECLARED[name], changed(replaced))
        assert judged.mark == expected, (how, judged)
        marks.add(judged.mark)
    assert len(marks) > 1, f"nothing moves the mark of {name}"


def test_every_measured_statement_declares_its_data_its_rule_and_its_claim():
    assert set(MUTATIONS) == set(MEASURED)
    for name in MEASURED:
        declared = DECLARED[name]
        assert all((STUDIES / "have-it-right" / file).is_file() for file in declared.data), name
        assert declared.data, name
        assert declared.rule, name
        assert declared.claim, name
        assert {file for _, replaced, _ in MUTATIONS[name] for file in replaced} <= {*declared.data}, name


def test_a_statement_that_is_not_resolved_names_its_cause_and_a_command():
    for name in MEASURED:
        judged = judge(DECLARED[name], DATA)
        assert (judged.mark == "not resolved") == (judged.cause is not None), name
        if judged.cause is not None and judged.cause.kind not in ("methods", "control"):
            assert judged.cause.command, name


def test_the_modules_of_the_study_hold_no_mark():
    check_no_mark_is_typed(
        *(
            f"have-it-right/{name}"
            for name in ("compared", "claims_of_contexts", "claims_of_counts", "claims_of_probes")
        )
    )
