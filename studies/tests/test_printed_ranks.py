"""Sentences about printed ranks follow the cells of the tables, and the cells the rule of the paper."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

STUDIES = Path(__file__).parents[2] / "studies"
sys.path.insert(0, str(STUDIES))

import printed_ranks as printed  # noqa: E402
from declarations import Answer, Data, judge  # noqa: E402

DATA = Data(STUDIES / "mpi-collectives")


def changed(table, system, function, **values):
    """The cells with some columns of one replaced."""
    rows = DATA.table(printed.PRINTED)
    for row in rows:
        if (row["table"], row["system"], row["function"]) == (table, system, function):
            row.update(values)
    return DATA.replace(printed.PRINTED, rows)


def test_cells_of_a_table_that_is_not_printed_are_an_error():
    with pytest.raises(LookupError, match="Table 11 has no cell of any system"):
        printed.cells(DATA, "11")
    with pytest.raises(LookupError, match="Table 4 has no cell of Juqueen, Scan"):
        printed.cells(DATA, "4", ["Juqueen"], ["Scan"])


def test_the_rule_of_the_paper_takes_both_rank_and_divergence():
    rule = printed.follow_rule("4")
    assert rule(DATA).verdict == "holds"
    for values in ({"rank": "none"}, {"divergence": "p"}, {"model": "p^2"}):
        answer = rule(changed("4", "Juropa", "Bcast", **values))
        assert answer.verdict == "fails"
        assert "23 of 24 cells, not Juropa Bcast" in answer.text


def test_four_cells_of_table_10_do_not_follow_the_rule():
    answer = printed.follow_rule("10")(DATA)
    assert (answer.verdict, answer.text.count("Exact-splitting"), answer.text[:7]) == ("fails", 2, "8 of 12")


def test_a_guideline_breaks_where_the_whole_outgrows_each_of_its_parts():
    rule = printed.breaks_on("Allgather", ("Gather", "Bcast"), "Piz Daint")
    assert rule(DATA).verdict == "holds"
    assert rule(changed("4", "Piz Daint", "Allgather", model="p")).verdict == "fails"
    assert rule(changed("4", "Juqueen", "Allgather", model="p^2")).verdict == "fails"


def test_our_data_stand_beside_a_printed_answer_and_do_not_decide_it():
    def ours(_):
        return Answer("2 of 28", "fails")

    def stated(_):
        return Answer("26 of 28", "holds")

    assert printed.beside_printed(stated, ours)(DATA) == Answer("26 of 28; here 2 of 28", "holds")
    declared = printed.declare_printed("a", "rule", printed.beside_printed(stated, ours))
    assert (declared.kind, declared.origin) == ("recomputed", "the authors' data")
    assert judge(declared, DATA).by_ours.text.endswith("here 2 of 28")


def test_several_printed_facts_hold_together_or_not_at_all():
    four, none = (printed.rank_counts("6", system, "none", 4, 4) for system in ("Intel MPI", "Open MPI"))
    assert four(DATA).verdict == "holds"
    assert printed.all_of(four, none)(DATA).verdict == "fails"
