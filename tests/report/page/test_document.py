"""The page: one file that fetches nothing, in the order in which a reader asks, whatever a record holds."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from answers.histories import HISTORIES, a_regression_that_stands, nothing_changed, two_machines
from answers.pages import (
    ESCAPES,
    HOSTILE,
    PAGES,
    all_failed,
    held_to_a_rule,
    hostile,
    in_contexts,
    many_runs,
    one_treatment,
    page_of,
    still_running,
    swept,
    two_treatments,
    without_runs,
)

from steelyard.report.page import document
from steelyard.report.page.sections import sections_of

VOID = {"meta", "br", "hr", "img", "input", "link"}


@pytest.fixture(autouse=True)
def _small_bundle(monkeypatch):
    """The scripts of Vega say nothing about the page; tests/browser runs them."""
    monkeypatch.setattr(document, "bundle", lambda: "/* vega */")


class Outline(HTMLParser):
    """Elements, identifiers, headings and text; fails where elements do not nest."""

    def __init__(self):
        super().__init__()
        self.open, self.places, self.headings, self.links, self.text = [], [], [], [], []

    def handle_starttag(self, tag, attributes):
        its = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in its:
            self.places.append(its["id"])
        if tag == "a":
            self.links.append(its["href"])
        if re.fullmatch("h[1-6]", tag):
            self.headings.append((int(tag[1]), ""))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        if self.open and re.fullmatch("h[1-6]", self.open[-1]):
            level, so_far = self.headings[-1]
            self.headings[-1] = (level, so_far + text)
        if "script" not in self.open and "style" not in self.open:
            self.text.append(text)


def outlined(page):
    outline = Outline()
    outline.feed(page)
    outline.close()
    assert outline.open == []
    return outline


def data_of(page):
    return json.loads(re.search(r'id="page-data">(.*?)</script>', page, re.DOTALL).group(1))


@pytest.mark.parametrize("made", [*PAGES, *HISTORIES], ids=lambda each: each.__name__)
def test_a_page_is_whole(made):
    page = document.render([made()])
    outline = outlined(page)
    assert len(set(outline.places)) == len(outline.places)
    assert {link[1:] for link in outline.links} <= set(outline.places)
    levels = [level for level, _ in outline.headings]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert set(data_of(page)["records"][0]["charts"]) <= set(outline.places)


def test_the_page_of_every_answer_is_whole(presented):
    _, answer = presented
    page = document.render([without_runs(answer)])
    assert outlined(page).headings[1][1]


def test_a_reader_is_answered_in_the_order_of_asking():
    headings = [text for level, text in outlined(document.render([swept()])).headings if level == 2]
    assert headings == [
        "Comparison",
        "Every run",
        "Sweeps",
        "Warnings and limitations",
        "Design",
        "Machine and program",
        "How to repeat it",
    ]


def test_the_first_sentence_is_that_of_the_terminal():
    contents = two_treatments()
    from steelyard.report.answer.text import render

    shown = " ".join("".join(outlined(document.render([contents])).text).split())
    first = render(contents.answer, 1000).splitlines()[0]
    claim, _, evidence = first.partition("  (")
    assert claim in shown
    assert evidence.removesuffix(")") in shown


def test_nothing_is_fetched_and_only_the_two_scripts_of_the_page_run():
    page = document.render([two_treatments()])
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in scripts]
    allowed = re.search(r"script-src ([^;]*)", policy).group(1).split()
    assert [f"'sha256-{each}'" for each in hashes] == allowed
    assert not re.search(r'(src|href)="(?!#)', page)
    assert "@import" not in page
    assert "url(" not in page


def test_a_name_that_is_a_script_is_text():
    page = document.render([hostile()])
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    assert data_of(page)["records"][0]["treatments"][0] == HOSTILE


def test_an_escape_sequence_is_shown_and_not_obeyed():
    page = document.render([hostile()])
    assert "\\x1b[31mred" in page
    assert not set(page) & set(ESCAPES) - set("red[310m")


def test_bytes_that_are_no_text_can_be_written():
    from answers.made import make, noisy

    page = document.render([page_of([make(noisy(1), 1, "caf\udce9"), make(noisy(2), 2, "b")])])
    assert page.encode()


def test_where_every_run_failed_the_page_says_so_and_lists_them():
    text = " ".join(outlined(document.render([all_failed()])).text)
    assert "Nothing can be said yet: made.lab has no complete block to analyze yet" in text
    assert "ended because a program failed" in text
    assert text.count("exit code 1") == 10


def test_a_record_that_is_still_being_written_says_how_far_it_is():
    text = " ".join(outlined(document.render([still_running()])).text)
    assert "still running, 12 of 30 blocks" in text
    assert "The experiment is still running; this is after 12 blocks." in text


def test_one_treatment_is_described_without_a_comparison():
    outline = outlined(document.render([one_treatment()]))
    assert (2, "What was measured") in outline.headings
    assert "only takes " in " ".join(outline.text)


def test_a_chart_without_data_says_why():
    from answers.made import make, noisy

    zeros = [make([0.0] * 30, t, name, metric="teps") for t, name in ((1, "a"), (2, "b"))]
    from steelyard.core.analysis import Analysis

    page = document.render([page_of(zeros, declared=Analysis(metric="teps"))])
    assert "No ratio could be computed; the table says why." in " ".join(outlined(page).text)
    assert "r1-effects" not in data_of(page)["records"][0]["charts"]
    assert noisy


def test_runs_that_are_in_no_result_are_listed_with_their_reason():
    text = " ".join(outlined(document.render([two_treatments()])).text)
    assert "60 runs in the results, 2 runs not" in text
    assert "Disturbed runs" in text
    assert "it ran longer than 1 s" in text
    assert "of a block that lacks another run" in text


def test_several_records_stand_below_each_other():
    page = document.render([two_treatments(), in_contexts()], "Before and after")
    outline = outlined(page)
    assert outline.headings[0] == (1, "Before and after")
    assert [text for level, text in outline.headings if level == 2] == ["made up", "made up"]
    assert len(data_of(page)["records"]) == 2


def test_a_page_of_100000_runs_has_every_value_once():
    samples = many_runs(40, 2500)
    page = document.render([page_of(samples)])
    runs = data_of(page)["records"][0]["runs"]
    assert len(base64.b64decode(runs["value"]["data"])) == 8 * 100_000
    assert len(page) < 2_000_000  # beside the scripts
    drawn = data_of(page)["records"][0]["charts"]
    assert all("runs" not in chart["data"] for chart in drawn.values())


def test_the_page_of_a_history_says_what_changed_where_and_how_to_confirm_it():
    page = document.render([a_regression_that_stands()])
    text = " ".join(" ".join(outlined(page).text).split())
    assert "✗ wall_s of nbody: 5.2 % more (95 % CI 4.6 to 5.7 %): 12.04 ms → 12.66 ms from 0a0a0a0a0a" in text
    assert "one of 2 commits made it (97 % sure): 0a0a0a0a0a and 0b0b0b0b0b" in text
    assert "steelyard bisect 0909090909 0a0a0a0a0a --build CMD -- PROGRAM" in text
    assert data_of(page)["records"][0]["runs"] is None


def test_a_change_is_shaded_from_the_record_before_its_commits_to_the_last_of_them():
    charts = data_of(document.render([a_regression_that_stands()]))["records"][0]["charts"]
    bands = charts["r1-history-1"]["data"]["bands"]
    assert (bands["from"], bands["to"]) == ([9], [11])
    levels = charts["r1-history-1"]["data"]["levels"]
    assert (levels["from"], levels["to"]) == ([0, 10], [9, 19])


def test_two_machines_are_one_chart_with_a_break_and_each_kind_of_change_has_its_own():
    page = document.render([two_machines()])
    charts = data_of(page)["records"][0]["charts"]
    first = charts["r1-history-4"]["data"]
    assert first["breaks"]["place"] == [11.5]
    assert {name for name in charts if "history" in name} == {f"r1-history-{i}" for i in range(1, 6)}
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
    from msgspec.structs import replace

    found = nothing_changed()
    (series,) = found.series
    ids = [f"{place:040x}" for place in range(10_000)]
    points = tuple(replace(series.points[0], commit=each) for each in ids)
    every = tuple(replace(series, treatment=f"t{i}", points=points) for i in range(10))
    page = document.render([replace(found, series=every, commits=tuple(ids))])
    assert len(page) < 2_000_000  # beside the scripts
    assert "Charts show the latest 500 of 10,000 records." in page


def test_instances_show_what_of_the_spread_is_theirs_and_which_stands_out():
    from answers.pages import with_instances

    page = document.render([with_instances()])
    assert (2, "Problem instances") in outlined(page).headings
    charts = data_of(page)["records"][0]["charts"]
    told = charts["r1-each-instance"]["data"]["told"]
    assert told["says"] == {"of": ["2 carries 75 %"], "at": [0, 0]}


def test_what_grows_with_the_ranks_is_weak_scaling_with_s_speedup_and_rsu():
    from answers.pages import weak_scaling

    page = document.render([weak_scaling()])
    assert [text for level, text in outlined(page).headings if level == 3 and " over p" in text] == [
        "wall_s over p, and scale with it",
        "Adjusted speedup over p, and scale with it",
        "Relative standard uncertainty over p, and scale with it",
    ]
    assert (2, "Sweeps") not in outlined(page).headings


def test_a_rule_is_a_grid_of_ratios_in_which_broken_cells_are_marked():
    (chart,) = next(each.charts for each in sections_of(held_to_a_rule()) if each.name == "rules")
    cells = {(row["y"], row["x"]): (row["ratio"], row["outcome"]) for row in chart.data["rows"]}
    assert cells["bytes = 1024", "4"] == ("✗ 2.5 ×", "fails")
    assert cells["bytes = 8", "8"] == ("1.06 ×", "not resolved")
    assert [outcome for _, outcome in cells.values()].count("fails") == 1
    assert "fails" in chart.title
    page = document.render([held_to_a_rule()])
    assert "broken at 1 of 6 points, 1 open: at worst 2.50 × reduce + bcast" in page
