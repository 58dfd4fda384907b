"""The page: one file that fetches nothing, in the order in which a reader asks, whatever a record holds."""

from __future__ import annotations

import base64
import hashlib
import re
from itertools import pairwise

import pytest
from answers.pages import (
    ESCAPES,
    HOSTILE,
    all_failed,
    held_to_a_rule,
    hostile,
    in_contexts,
    interleaved,
    many_runs,
    one_treatment,
    page_of,
    still_running,
    swept,
    two_treatments,
    without_runs,
)
from answers.presentable import PRESENTABLE
from outlined_page import WORDS, charts_of, data_of, outlined

from steelyard.extensions.page import document
from steelyard.extensions.page.sections import headline, sections_of
from steelyard.results.analysis import DesignFacts


@pytest.mark.parametrize("make_page", PRESENTABLE, ids=lambda value: value.__name__)
def test_a_page_is_whole(make_page):
    page = document.render([make_page()])
    outline = outlined(page)
    assert len(set(outline.places)) == len(outline.places)
    assert {link[1:] for link in outline.links} <= set(outline.places)
    levels = [level for level, _ in outline.headings]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    drawn = {
        f"r1-{chart.name}"
        for section in sections_of(make_page())
        for chart in section.charts
        if not chart.empty
    }
    assert {f"{name}-{kind}-{part}" for name in drawn for kind in ("wide", "narrow") for part in WORDS} == {
        place for place in outline.places if place.endswith(WORDS)
    }


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

    result = " ".join("".join(outlined(document.render([contents])).text).split())
    first = render(contents.answer, 1000).splitlines()[0]
    claim, _, evidence = first.partition("  (")
    assert claim in result
    assert evidence.removesuffix(")") in result


def test_beside_the_chart_stands_what_the_headline_says():
    from answers.made import make, noisy

    contents = page_of(interleaved([make(noisy(1), 1, "old"), make(noisy(2, at=2.76e-3), 2, "new")]))
    (finding, *_), _ = headline(contents)
    (size,) = re.findall(r"[\d.]+ × slower", finding.claim)
    (row,) = charts_of(contents)["effects"].data["rows"]
    assert row["says"] == size
    assert f"95 % CI {row['ci']}" in finding.evidence
    assert row["value"] < 1
    text = " ".join(outlined(document.render([contents])).text)
    assert text.count(size) >= 3  # the headline, and the chart for wide and narrow windows


def test_contexts_say_slower_where_the_headline_does():
    from answers.made import make, noisy

    facts = DesignFacts("randomized-blocks", 30, 1, contexts=30)
    arms = [make(noisy(30 + t, at=1e-2 * t), t, f"-O{t}", contexts=range(1, 31)) for t in (2, 3)]
    contents = page_of(interleaved(arms), facts, contexts=[(i, {"env_bytes": 16 * i}) for i in range(1, 31)])
    (finding, *_), _ = headline(contents)
    (size,) = re.findall(r"[\d.]+ × slower", finding.claim)
    (row,) = charts_of(contents)["single-contexts"].data["together"]
    assert row["says"] == size
    assert f"95 % CI {row['ci']}" in finding.evidence
    texts = " ".join(outlined(document.render([contents])).text)
    assert f"all: {size}" in texts


def test_statistics_are_named_as_readers_name_them():
    text = " ".join(outlined(document.render([swept()])).text)
    for word in ("ratio of means", "standard error", "σ"):
        assert word in text
    for word in ("u of S", "S, ratio", "u of the mean"):
        assert word not in text


def test_nothing_is_fetched_and_only_the_script_of_the_page_runs():
    page = document.render([two_treatments()])
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = re.search(r"script-src ([^;]*)", policy).group(1).split()
    assert [f"'sha256-{item}'" for item in hashes] == allowed
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
    assert "r1-effects" not in outlined(page).places
    assert noisy


def test_runs_that_are_in_no_result_are_listed_with_their_reason():
    text = " ".join(outlined(document.render([two_treatments()])).text)
    assert "60 runs in the results, 2 runs not" in text
    assert "Disturbed runs" in text
    assert "it ran longer than 1 s" in text
    assert "in a block that lacks another run" in text


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
    assert len(page) < 2_700_000


def test_instances_show_what_of_the_spread_is_theirs_and_which_stands_out():
    from answers.pages import with_instances

    page = document.render([with_instances()])
    assert (2, "Problem instances") in outlined(page).headings
    rows = charts_of(with_instances())["each-instance"].data["told"]
    assert [row["says"] for row in rows] == ["2 carries 75 %", "2 carries 75 %"]


def test_what_grows_with_the_ranks_is_weak_scaling_with_s_speedup_and_rsu():
    from answers.pages import weak_scaling

    page = document.render([weak_scaling()])
    assert [text for level, text in outlined(page).headings if level == 3 and " over p" in text] == [
        "wall_s over p, and scale with it",
        "Adjusted speedup over p, and scale with it",
        "Relative standard uncertainty over p, and scale with it",
    ]
    assert (2, "Sweeps") not in outlined(page).headings


@pytest.mark.extensions("growth")
def test_a_rule_is_a_grid_of_ratios_in_which_broken_cells_are_marked():
    (chart,) = next(item.charts for item in sections_of(held_to_a_rule()) if item.name == "rules")
    cells = {(row["y"], row["x"]): (row["ratio"], row["outcome"]) for row in chart.data["rows"]}
    assert cells["bytes = 1024", "4"] == ("✗ 2.5 ×", "fails")
    assert cells["bytes = 8", "8"] == ("1.06 ×", "not resolved")
    assert [outcome for _, outcome in cells.values()].count("fails") == 1
    assert "fails" in chart.title
    page = document.render([held_to_a_rule()])
    assert "broken at 1 of 6 points, 1 open: at worst 2.50 × reduce + bcast" in page


def test_the_commands_that_repeat_a_page_name_one_spec_and_its_page():
    text = document.render([two_treatments()])
    (spec,) = set(re.findall(r"steelyard (?:run|analyze) (\S+\.toml)", text))
    assert f"steelyard report {spec} -o {spec.removesuffix('.toml')}.html<" in text
