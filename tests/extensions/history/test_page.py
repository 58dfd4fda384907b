"""The page of a history: what changed where, on which machines, and how to confirm it."""

from __future__ import annotations

import pytest
from answers.histories import a_regression_that_stands, nothing_changed, two_machines
from msgspec.structs import replace
from outlined_page import charts_of, data_of, outlined

from steelyard.extensions.page import document

pytestmark = pytest.mark.extensions("page")


def test_the_page_of_a_history_says_what_changed_where_and_how_to_confirm_it():
    page = document.render([a_regression_that_stands()])
    text = " ".join(" ".join(outlined(page).text).split())
    assert "✗ wall_s of nbody: 5.2 % more (95 % CI 4.6 to 5.7 %): 12.04 ms → 12.66 ms from 0a0a0a0a0a" in text
    assert "one of 2 commits made it (97 % sure, if no machine changed): 0a0a0a0a0a and 0b0b0b0b0b" in text
    assert "steelyard bisect 0909090909 0a0a0a0a0a --build CMD -- PROGRAM" in text
    assert data_of(page)["records"][0]["runs"] is None


def test_a_change_is_shaded_from_the_record_before_its_commits_to_the_last_of_them():
    data = charts_of(a_regression_that_stands())["history-1"].data
    assert [(band["from"], band["to"]) for band in data["bands"]] == [(9, 11)]
    assert [(level["from"], level["to"]) for level in data["levels"]] == [(0, 9), (10, 19)]


def test_two_machines_are_one_chart_with_a_break_and_each_kind_of_change_has_its_own():
    page = document.render([two_machines()])
    charts = charts_of(two_machines())
    assert [row["place"] for row in charts["history-4"].data["breaks"]] == [11.5]
    assert {name for name in charts if "history" in name} == {f"history-{i}" for i in range(1, 6)}
    text = " ".join(outlined(page).text)
    assert "scatter of wall_s of <script>" in text
    assert "slow runs of wall_s of <script>" in text
    assert "Left out: x.lab is damaged" in text
    assert "<script>alert" not in page


def test_a_history_without_a_change_says_so_and_offers_nothing_to_confirm():
    outline = outlined(document.render([nothing_changed()]))
    assert "No lasting change in 1 series" in " ".join(outline.text)
    assert "How to confirm it" not in [text for _, text in outline.headings]


def test_ten_thousand_records_of_ten_treatments_stay_below_3_mb():
    result = nothing_changed()
    (series,) = result.series
    ids = [f"{place:040x}" for place in range(10_000)]
    points = tuple(replace(series.points[0], commit=item) for item in ids)
    every = tuple(replace(series, treatment=f"t{i}", points=points) for i in range(10))
    page = document.render([replace(result, series=every, commits=tuple(ids))])
    assert len(page) < 2_700_000
    assert "Charts show the latest 500 of 10,000 records." in page
