"""Marks of execution-time-variability follow the data: each has a change of them that moves it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from mutations import both, check_no_mark_is_typed, check_statements, judge_changed, list_declarations

STUDIES = Path(__file__).parents[2] / "studies"
sys.path.insert(0, str(STUDIES))

import beside  # noqa: E402
from declarations import Data, judge  # noqa: E402

compared = beside.load("execution-time-variability")
DECLARED = list_declarations(compared)
DECIDED = [name for name, item in DECLARED.items() if item.kind != "set-up"]
DATA = Data(compared.HERE)
SUMMARY, MEASURED, BUILT = "nas-summary.json", "nas-measured.csv", "summary.json"
PRINTED, STATED = "published.csv", "statements.csv"
ROWS, NULL = "nas-environment-rows", "nas-environment-null-rows"


def shares(part, before, after=None, metric="elapsed_s"):
    """Every program with these percentages of its pairs that differ, before and after Holm."""

    def change(document):
        metric_data = document[part][metric]
        for row in metric_data["programs"].values():
            row["before"] = round(before * row["pairs"] / 100)
            row["after"] = round((before if after is None else after) * row["pairs"] / 100)
        for key in ("before", "after"):
            metric_data[key] = sum(row[key] for row in metric_data["programs"].values())
        return document

    return change


def of_program(name, before, after):
    """A program with so many findings before and after Holm."""

    def change(document):
        document[ROWS]["elapsed_s"]["programs"][name].update(pairs=10_000, before=before, after=after)
        return document

    return change


def chosen(part, used, metric="elapsed_s"):
    """Every program with these tests."""

    def change(document):
        for row in document[part][metric]["programs"].values():
            row["tests"] = dict(used)
        return document

    return change


def effects(factor, resolved):
    """An effect resolved in the first programs only."""

    def change(document):
        for i, row in enumerate(document["nas-services-blocks"]["elapsed_s"]["effects"].values()):
            row.setdefault(factor, {"ratio": 1.1})["resolved"] = i < resolved
        return document

    return change


def cells(part, before, after=None, only=lambda _: True):
    """Cells of a part with so many of their programs, before and after Holm."""

    def change(rows):
        for row in rows:
            if row["part"] == part and only(row):
                row["before"] = str(before)
                row["after"] = str(before if after is None else after)
        return rows

    return change


def default(share):
    def change(document):
        for row in document["nas-affinity-blocks"]["elapsed_s"]["programs"].values():
            row["default"] = round(share * row["pairs"] / 100)
        return document

    return change


def stacks(share):
    def change(document):
        for name, row in document["environment-built-random-blocks"]["cpu_s"]["programs"].items():
            if name.startswith("stack"):
                row["after"] = round(share * row["pairs"] / 100)
        return document

    return change


def cell_of(table, percent, opt="", second=""):
    """The first cell of a printed table, or of a column, with this percentage."""

    def change(rows):
        row = next(
            row
            for row in rows
            if (row["table"], row["opt"]) == (table, opt) and second in ("", row["second"])
        )
        row["percent"] = str(percent)
        return rows

    return change


def share_of(name, stated):
    """A printed share of false findings replaced."""

    def change(rows):
        for row in rows:
            if row["id"] == name:
                row["published"] = stated
        return rows

    return change


def one_size_slow(rows):
    """One size ten times as slow as measured."""
    for row in rows:
        if row["env_bytes"] == "256":
            row["elapsed_s"] = f"{10 * float(row['elapsed_s']):.9g}"
    return rows


def as_table(name, table, opt, part, key):
    stated = compared.pairs.mean_of(table, opt)
    change = shares(f"nas-{part}-rows", stated, stated if key == "after" else 0)
    return [(SUMMARY, change, "reproduced")]


def as_cell(name, stated):
    """So many findings that Holm removes the published share of, with a narrow interval."""
    return [(SUMMARY, of_program(name, 4000, round(40 * (100 - stated))), "reproduced")]


MUTATIONS = {
    **{row[0]: as_table(*row) for row in compared.TABLES},
    **{
        f"false-{name.replace(' ', '-')}": as_cell(name, stated)
        for name, stated in compared._stated_removed().items()
    },
    "stack": [(BUILT, stacks(0), "contradicted"), (SUMMARY, shares(ROWS, 0), "not resolved")],
    "holm": [(SUMMARY, shares(NULL, 30, 0), "not resolved")],
    "prevented": [(SUMMARY, shares(NULL, 30, 0), "not resolved")],
    "sizes-matter": [
        (SUMMARY, shares("nas-environment-blocks", 30), "not resolved"),
        (
            SUMMARY,
            both(shares("nas-environment-blocks", 30), shares("nas-environment-null-rows", 0)),
            "reproduced",
        ),
    ],
    "optimisation": [
        (SUMMARY, effects("opt", 10), "not resolved"),
        (MEASURED, cells("nas-services-rows", 9), "not resolved"),
    ],
    "services": [(SUMMARY, effects("background_load", 10), "not resolved")],
    "services-matter": [(SUMMARY, effects("background_load", 0), "not resolved")],
    "holm-1": [(PRINTED, cell_of("4", 50), "contradicted")],
    "holm-3": [(PRINTED, cell_of("8", 50), "contradicted")],
    "tests-1": [(SUMMARY, chosen("nas-services-rows", {"mann-whitney": 6}, "wall_s"), "reproduced")],
    "tests-2": [(SUMMARY, chosen("nas-environment-rows", {"student": 28}, "wall_s"), "not resolved")],
    "tests-2-means": [
        (
            SUMMARY,
            both(
                *(
                    chosen(ROWS, {"student": 4, "welch": 2, "mann-whitney": 22}, metric)
                    for metric in ("elapsed_s", "wall_s")
                )
            ),
            "reproduced",
        )
    ],
    "tests-3": [
        (SUMMARY, chosen("nas-affinity-rows", {"student": 2, "welch": 3, "mann-whitney": 7}), "reproduced")
    ],
    "no-size": [("values/nas-environment-blocks.csv", one_size_slow, "contradicted")],
    "not-gaussian": [
        (
            SUMMARY,
            both(
                chosen("nas-environment-rows", {"student": 28}, "wall_s"),
                chosen("nas-services-rows", {"student": 28}, "wall_s"),
            ),
            "contradicted",
        )
    ],
    "over-20": [(PRINTED, cell_of("5", 10, "O3"), "contradicted")],
    "0-2048": [(PRINTED, cell_of("5", 70, "O2", "2048"), "contradicted")],
    "holm-2-O2": [(PRINTED, cell_of("6", 90, "O2"), "contradicted")],
    "holm-2-O3": [(PRINTED, cell_of("6", 50, "O3"), "reproduced")],
    "sum-O2": [(STATED, share_of("false-mg-O2", "95.65 %"), "contradicted")],
    "sum-O3": [(STATED, share_of("false-ua-O3", "16.67 %"), "reproduced")],
    "over-60": [(PRINTED, cell_of("7", 50), "contradicted")],
    "affinity-matters": [(SUMMARY, default(0), "contradicted")],
    "up-to-100": [(SUMMARY, shares(ROWS, 50), "contradicted")],
}
NOT_AT_ONCE = {"optimisation", "services"}
"""Statements that more than one change of their data moves; below."""


def changed(name, *changes):
    return judge_changed(DECLARED[name], DATA, *changes)


@pytest.mark.parametrize("name", [name for name in DECIDED if name not in NOT_AT_ONCE])
def test_a_mark_moves_with_its_data(name):
    marks = {judge(DECLARED[name], DATA).mark}
    for file, change, expected in MUTATIONS[name]:
        judged = changed(name, (file, change))
        assert judged.mark == expected, judged
        marks.add(judged.mark)
    assert len(marks) > 1, f"nothing moves the mark of {name}"


def many_programs(factor, programs, resolved):
    """So many programs, of which an effect is resolved in some."""

    def change(document):
        document["nas-services-blocks"]["elapsed_s"]["effects"] = {
            f"p{i}": {factor: {"ratio": 1.1, "resolved": i < resolved}} for i in range(programs)
        }
        return document

    return change


@pytest.mark.parametrize(
    ("name", "differ", "effects_of"),
    [
        ("optimisation", 9, many_programs("opt", 10, 10)),
        ("services", 5, many_programs("background_load", 100, 50)),
    ],
)
def test_cells_and_effects_as_published_are_reproduced(name, differ, effects_of):
    judged = changed(name, (MEASURED, cells("nas-services-rows", differ)), (SUMMARY, effects_of))
    assert judged.mark == "reproduced"


def test_half_of_ten_programs_are_too_few_to_tell_50_percent():
    half = many_programs("background_load", 10, 5)
    judged = changed("services", (MEASURED, cells("nas-services-rows", 5)), (SUMMARY, half))
    assert judged.by_paper.verdict == "holds"
    assert judged.cause.kind == "too few runs"


def test_a_clean_null_moves_what_the_null_contradicts():
    """With nothing false in one treatment eight times, no statement about false findings is contradicted."""
    for name in ("holm", "prevented"):
        assert judge(DECLARED[name], DATA).mark == "contradicted"
        assert changed(name, (SUMMARY, shares(NULL, 30, 0))).mark != "contradicted"


def test_every_statement_of_the_study_declares_its_data_and_moves():
    files = {name: [file for file, _, _ in changes] for name, changes in MUTATIONS.items()}
    check_statements(DECLARED, DECIDED, files)


def test_the_modules_of_the_study_type_no_mark():
    check_no_mark_is_typed(
        *(
            f"execution-time-variability/{name}"
            for name in ("compared", "claims_of_pairs", "claims_of_tables")
        )
    )


def test_the_documents_that_decide_are_those_of_the_study():
    assert json.loads((compared.HERE / SUMMARY).read_text(encoding="utf-8")) == DATA.document(SUMMARY)
