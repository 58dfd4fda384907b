from __future__ import annotations

import json

from steelyard.report.answer.budget import render_budgets
from steelyard.report.answer.document import render
from steelyard.report.text.label import columns
from steelyard.report.text.line import plain


def test_the_budget_of_a_speedup_is_a_table_that_names_its_parts(case, golden):
    golden("a_budget.txt", plain(render_budgets(case("an_uncertainty_budget"), 80)))


def test_it_stays_within_the_terminal(presented):
    for width in (60, 100):
        assert all(columns(line) <= width for line in plain(render_budgets(presented[1], width)).splitlines())


def test_the_document_has_the_same_components(case):
    (comparison,) = json.loads(render(case("an_uncertainty_budget")))["comparisons"]
    budget = comparison["budget"]
    assert [component["type"] for component in budget["components"]] == ["A", "A", "A", "B", "B", "B", "A"]
    total = sum(item["variance"] for item in budget["components"])
    assert abs(total - budget["u_relative"] ** 2) < 1e-15
    assert budget["u95_relative"] == budget["k"] * budget["u_relative"]


def test_a_median_has_none(case):
    (comparison,) = json.loads(render(case("a_median_of_ratios")))["comparisons"]
    assert comparison["budget"] is None
    assert "no budget" in plain(render_budgets(case("a_median_of_ratios"), 80))
