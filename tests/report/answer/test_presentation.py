"""Decisions about how one answer is shown, made once for its sentences and tables."""

from __future__ import annotations

from msgspec.structs import replace

from steelyard.core.analysis import Analysis
from steelyard.report.answer.presentation import Presentation
from steelyard.report.answer.tables import primary


def test_a_row_tells_the_comparison_of_its_treatment_and_a_baseline_that_it_is_one(case):
    answer = case("no_difference")
    view = Presentation(answer, 80)
    assert view.tells_each
    assert view.find_comparisons(primary(answer)) == [None, *answer.judged]
    cells = view.list_verdicts(primary(answer), lambda comparison: (comparison.verdict, ""))
    assert [cell.text for cell in cells] == ["baseline", answer.judged[0].verdict]


def test_of_all_pairs_no_row_tells_a_comparison(case):
    answer = replace(case("no_difference"), declared=Analysis(family="all-pairs"))
    view = Presentation(answer, 80)
    assert not view.is_row_by_row
    assert not view.tells_each
    assert view.find_comparisons(primary(answer)) == [None, None]


def test_names_and_factors_are_those_of_the_treatments(case):
    view = Presentation(case("no_difference"), 80)
    assert set(view.names) == {sample.treatment.label for sample in view.answer.samples}
    assert view.room == 40
