"""Marks of mafia follow the data: each statement has a change of its values that moves its mark."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from mutations import check_no_mark_is_typed, check_statements, judge_changed, list_declarations

STUDIES = Path(__file__).parents[2] / "studies"
sys.path.insert(0, str(STUDIES))

import beside  # noqa: E402
from declarations import Data, judge  # noqa: E402

compared = beside.load("mafia")
FORMS, CLUSTERS = compared.of.FORMS, compared.of.CLUSTERS
DECLARED = list_declarations(compared)
DECIDED = [name for name, item in DECLARED.items() if item.kind != "set-up"]
DATA = Data(compared.HERE)
PHASES, CODE = "values/phases.csv", "values/paper-code.csv"
PRINTED = "../scalability-validation/published.csv"


def grown(column, factor, **filters):
    """A column multiplied by a function of k."""

    def change(rows):
        for row in rows:
            if row[column] and all(row[name] == level for name, level in filters.items()):
                row[column] = f"{float(row[column]) * factor(int(row['k'])):.12g}"
        return rows

    return change


def as_function(column, function, noise=0.0, **filters):
    """A column replaced by a function of k, with relative noise."""

    def change(rows):
        draw = random.Random(2019)
        for row in rows:
            if row[column] and all(row[name] == level for name, level in filters.items()):
                row[column] = f"{function(int(row['k'])) * draw.gauss(1, noise or 1e-9):.12g}"
        return rows

    return change


def changes_of_a_cell(name):
    """As the paper prints, and far beyond what it expects."""
    function = name.removesuffix("-code")
    published = {"gen": 4, "dedup": 4, "pcount": 1, "unjoin": 2}[function]
    yield CODE, as_function(f"{function}_s", lambda k: 1e-7 * k**published * 2**k)
    yield CODE, as_function(f"{function}_s", lambda k: 1e-7 * 4**k)


def printed(function, **values):
    """Columns of a cell of Table 7 replaced."""

    def change(rows):
        for row in rows:
            if (row["table"], row["function"]) == ("7", function):
                row.update(values)
        return rows

    return change


CELLS = [declared.id for _, declared in compared.CELLS]
MUTATIONS = {
    **{name: [*changes_of_a_cell(name)] for name in CELLS},
    "counted": [(PHASES, as_function("phase_operations", lambda k: 1e3 * 2**k, noise=0.2))],
    "exponential": [(PHASES, as_function("phase_s", lambda k: 1e-5 * k**2, phase="gen"))],
    "inside": [(PRINTED, printed("unjoin", rank="none"))],
    "rule-of-ranks": [(PRINTED, printed("gen", divergence="1"))],
    "figure-none": [(PHASES, grown("recall", lambda k: 0.9 if k > 14 else 1))],
}


@pytest.mark.parametrize("name", DECIDED)
def test_a_mark_moves_with_its_values(name):
    marks = {judge(DECLARED[name], DATA).mark}
    for file, change in MUTATIONS[name]:
        marks.add(judge_changed(DECLARED[name], DATA, (file, change)).mark)
    assert len(marks) > 1, f"nothing moves the mark of {name}"


def test_as_published_every_cell_is_reproduced():
    """What the paper prints, planted in the times of its own code, gives what the paper prints."""
    for name in CELLS:
        file, change = next(changes_of_a_cell(name))
        assert judge_changed(DECLARED[name], DATA, (file, change)).mark == "reproduced", name


def test_another_program_than_the_papers_decides_nothing_and_stands_beside():
    for name in CELLS:
        first = judge(DECLARED[name], DATA)
        for metric in ("phase_s", "phase_operations", "merges"):
            fourth = as_function(metric, lambda k: 1e-5 * 4**k)
            changed = judge_changed(DECLARED[name], DATA, (PHASES, fourth))
            assert changed.mark == first.mark, name
        assert "our program: time" in first.by_ours.text


def test_every_statement_of_the_study_declares_its_data_and_moves():
    files = {name: [file for file, _ in changes] for name, changes in MUTATIONS.items()}
    check_statements(DECLARED, DECIDED, files)


def test_the_modules_of_the_study_type_no_mark():
    check_no_mark_is_typed("mafia/compared", "mafia/claims_of_phases", "rank_claims", "printed_ranks")


def test_closed_forms_are_counts_of_subsets_of_the_dimensions_of_each_cluster():
    for k in range(3, 11):
        sizes = [size for size in (mask.bit_count() for mask in range(2**k)) if size > 1]
        pairs, members = sum(size * (size - 1) // 2 for size in sizes), sum(sizes)
        assert FORMS["gen"].at(k) == CLUSTERS * pairs
        assert FORMS["unjoin"].at(k) == CLUSTERS * members


@pytest.mark.parametrize(("function", "verdict"), [("gen", "fails"), ("unjoin", "holds")])
def test_exact_counts_are_ranked_by_their_form_others_by_the_posterior(function, verdict):
    """Merges are approximate as published, but grow less than expected where the paper's times grow more."""
    form = FORMS[function]
    filters = {} if function == "gen" else {"phase": function}
    column = "merges" if function == "gen" else "phase_operations"
    line = compared.table_7()[function]
    cell = compared.Cell(line["rank"], line["expectation"], "k", compared.of.SPACE, growth=line["model"])

    def ranked(data):
        return compared.of.by_form(function, compared.OF_COUNTS[function], cell, "")(data)

    def times_its_form(factor):
        change = as_function(column, lambda k: factor * form.at(k), **filters)
        return ranked(DATA.replace(PHASES, change(DATA.table(PHASES))))

    for answer in (ranked(DATA), times_its_form(1.005)):
        assert answer.verdict == verdict
        assert form.text in answer.text
    assert form.text not in times_its_form(1.05).text
    assert "inside" in times_its_form(1.05).text
