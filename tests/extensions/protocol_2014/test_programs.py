"""The tables of the paper, put through the maker of tables, come out as printed."""

from __future__ import annotations

import importlib.util
from itertools import combinations
from pathlib import Path

import pytest

from steelyard.core.analysis import Analysis
from steelyard.extensions.protocol_2014.family import protocol
from steelyard.extensions.protocol_2014.programs import Found, tabulate
from steelyard.extensions.protocol_2014.results import Rules

_spec = importlib.util.spec_from_file_location("published", Path(__file__).with_name("published.py"))
published = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(published)


def outcomes(experiment):
    """Programs that would give the published cells: the first of the ten differ, as many as printed."""
    treatments = published.TREATMENTS[experiment]
    before, after = (published.cells(table[experiment]) for table in (published.BEFORE, published.AFTER))
    for i, j in combinations(range(len(treatments)), 2):
        differ = int(before[i][j - i - 1]) // 10
        remain = int(after[i][j - i - 1].rstrip("*")) // 10
        for place, program in enumerate(published.PROGRAMS):
            yield Found(
                program, (), treatments[i], treatments[j], "mann-whitney", place < differ, place < remain
            )


@pytest.mark.parametrize("experiment", published.TREATMENTS)
def test_every_published_cell_and_asterisk_is_reproduced(experiment):
    (table,) = tabulate(list(outcomes(experiment))).tables
    assert table.treatments == published.TREATMENTS[experiment]
    printed = iter(
        (before, after)
        for rows in zip(
            published.cells(published.BEFORE[experiment]),
            published.cells(published.AFTER[experiment]),
            strict=True,
        )
        for before, after in zip(*rows, strict=True)
    )
    for cell, (before, after) in zip(table.cells, printed, strict=True):
        assert f"{10 * cell.before}" == before
        assert f"{10 * cell.after}{'*' if cell.dropped else ''}" == after


@pytest.mark.parametrize(
    ("experiment", "before", "after", "of"),
    [
        ("experiment 1", 48, 47, 60),
        ("experiment 2, O2", 141, 95, 280),
        ("experiment 2, O3", 154, 115, 280),
    ],
)
def test_the_totals_are_those_that_the_tables_come_to(experiment, before, after, of):
    (table,) = tabulate(list(outcomes(experiment))).tables
    assert (table.before, table.after, table.comparisons) == (before, after, of)
    assert table.tests == {"mann-whitney": of}


def test_a_program_row_tells_what_share_holm_did_not_leave():
    """Experiment 1: one of the three differences of SP, the 33.33 % of the text."""
    pairs = list(combinations("abcd", 2))
    result = [
        Found("SP", (), *pair, "student" if i == 0 else "mann-whitney", i < 3, i < 2)
        for i, pair in enumerate(pairs)
    ]
    (row,) = tabulate(result).rows
    assert (row.pairs, row.before, row.after) == (6, 3, 2)
    assert 100 * row.dropped_share == pytest.approx(33.33, abs=0.005)
    assert row.tests == {"mann-whitney": 5, "student": 1}
    (none,) = tabulate([Found("EP", (), "a", "b", None, before=False, after=False)]).rows
    assert (none.dropped_share, none.tests) == (None, {})


def test_programs_and_strata_come_from_the_declared_strata(sample, quantiles):
    samples = []
    for program in ("bt", "cg"):
        for opt in ("O2", "O3"):
            for size, name in ((0, "N1"), (64, "N3"), (128, "L2")):
                levels = {"opt": opt, "command": program, "env": size}
                samples.append(
                    sample(quantiles[name], treatment=len(samples) + 1, levels=levels, label=f"{levels}")
                )
    programs = protocol(samples, Analysis(family="all-pairs", strata=["opt", "command"]), Rules()).programs
    assert programs.program == "command"
    assert [table.stratum for table in programs.tables] == [{"opt": "O2"}, {"opt": "O3"}]
    assert programs.tables[0].treatments == ("0", "64", "128")
    assert [(row.program, row.stratum["opt"]) for row in programs.rows] == [
        ("bt", "O2"), ("bt", "O3"), ("cg", "O2"), ("cg", "O3"),
    ]  # fmt: skip
    assert all(cell.programs == 2 for table in programs.tables for cell in table.cells)
    all_pairs = protocol(samples, Analysis(family="all-pairs", strata=["opt"]), Rules()).programs
    assert all_pairs.program == "opt"
    assert all_pairs.tables[0].treatments[0] == "bt,0"


def test_a_factor_with_one_level_names_no_treatment(sample, quantiles):
    samples = [
        sample(quantiles["N1"], treatment=i, levels={"program": program, "aslr": "off", "size": size})
        for i, (program, size) in enumerate((p, s) for p in "ab" for s in (0, 64))
    ]
    programs = protocol(samples, Analysis(family="all-pairs", strata=["program"]), Rules()).programs
    assert programs.tables[0].treatments == ("0", "64")


def test_an_empty_level_is_a_treatment_like_any_other(sample, quantiles):
    samples = [
        sample(quantiles["N1"], treatment=i, levels={"program": program, "flag": flag})
        for i, (program, flag) in enumerate((p, f) for p in "ab" for f in ("", "-x"))
    ]
    programs = protocol(samples, Analysis(family="all-pairs", strata=["program"]), Rules()).programs
    assert programs.tables[0].treatments == ("''", "-x")
    assert len(programs.tables[0].cells) == 1


def test_without_strata_there_are_no_tables(sample, quantiles):
    samples = [sample(quantiles[name], treatment=i) for i, name in enumerate(("N1", "N2"), start=1)]
    assert protocol(samples, Analysis(), Rules()).programs is None


def test_a_label_with_the_name_of_a_stratum_parts_what_the_stratum_does_not(sample, quantiles):
    samples = [
        sample(
            quantiles[name],
            treatment=t,
            levels={"p": p, "opt": opt},
            label=f"{p}, {opt}",
            labels={"p": value},
        )
        for t, (p, opt, name) in enumerate(
            [(4, "O2", "N1"), (4, "O3", "N3"), (8, "O2", "N1"), (8, "O3", "N3")], start=1
        )
        for value in (2, 4)
    ]
    programs = protocol(samples, Analysis(family="all-pairs", strata=["p"]), Rules()).programs
    assert [(row.program, dict(row.stratum), row.pairs) for row in programs.rows] == [
        ("4", {"label.p": 2}, 1),
        ("4", {}, 1),
        ("8", {"label.p": 2}, 1),
        ("8", {"label.p": 4}, 1),
    ]
    assert programs.factors == ("opt",)
