from __future__ import annotations

import pytest
from answers.made import BLOCKS, make, noisy

from steelyard.core.analysis import Analysis
from steelyard.report.answer.text import lines, render
from steelyard.report.text.label import columns
from steelyard.report.text.line import plain
from steelyard.stats.answer import answer

IN_DETAIL = (
    "a_difference",
    "no_difference",
    "one_treatment",
    "a_skewed_sample",
    "a_slowdown_beside_other_metrics",
    "a_run_that_was_cut_short",
    "a_context_for_each_block",
    "all_pairs_with_a_margin",
    "everything_odd",
    "failing_runs",
    "metrics_beside_effects",
    "one_after_the_other",
    "zeros",
)


def test_the_text_of_every_case_is_the_one_that_was_reviewed(presented, golden):
    name, answer = presented
    golden(f"{name}.txt", render(answer))


@pytest.mark.parametrize("name", IN_DETAIL)
def test_details_are_those_that_were_reviewed(case, golden, name):
    golden(f"{name}_in_detail.txt", render(case(name), details=True))


@pytest.mark.parametrize("name", ["a_difference", "no_difference", "one_treatment", "memory", "long_names"])
def test_the_first_screen_of_two_commands_has_fourteen_lines_at_most(case, name):
    assert len(render(case(name)).splitlines()) <= 12  # and two for the record


@pytest.mark.parametrize("details", [False, True])
def test_microseconds_beside_seconds_have_units_of_their_own(details):
    samples = [make(noisy(n, at=at), n, f"{at:g}") for n, at in enumerate((2e-6, 1.5), 1)]
    text = render(answer("suite", samples, BLOCKS, Analysis()), details=details)
    rows = [line for line in text.splitlines() if line.startswith(("2e-06 ", "1.5 ")) and "s  " in line]
    assert " 1.991 " in rows[0]
    assert [" µs " in rows[0], " s " in rows[1]] == [True, True]


def test_every_treatment_has_a_row_with_mean_range_and_the_verdict_of_the_sentence(case):
    text = render(case("a_slowdown_beside_other_metrics"))
    (row,) = (line for line in text.splitlines() if line.startswith("new ") and "…" in line)
    assert "±" in row
    message = text.splitlines()[0].partition(" is ")[2].partition(" than")[0]
    assert message in row
    assert "p Holm" not in text


def test_times_are_shown_in_the_unit_asked_for(case):
    output = plain(lines(case("a_difference"), 80, time_unit="second"))
    assert "mean ± SE s" in output
    assert "0.00099" in output


def test_at_most_three_cautions_are_told_and_how_many_more_there_are(case):
    text = render(case("everything_odd"))
    cautions = [line for line in text.splitlines() if line.startswith("- ")]
    assert len(cautions) == 4
    assert cautions[-1].startswith("- … and ")
    assert cautions[-1].endswith("more: --details")
    assert "Limitations" not in text
    assert "Limitations" in render(case("everything_odd"), details=True)


@pytest.mark.parametrize("details", [False, True])
@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_no_line_is_wider_than_the_terminal(presented, width, details):
    _, answer = presented
    text = render(answer, width, details=details)
    assert [line for line in text.splitlines() if columns(line) > width] == []


def test_plain_text_has_no_colour_no_control_character_and_no_space_at_line_ends(presented):
    _, answer = presented
    for line in render(answer).splitlines():
        assert line == line.rstrip()
        assert line.isprintable()


def test_an_uncertainty_is_never_a_bare_plus_minus(presented):
    named = ("mean ± SE", "S ± u (k = 1)", "S ± spread")
    for text in (render(presented[1]), render(presented[1], details=True)):
        assert ("±" in text) == any(name in text for name in named)


def test_no_number_is_nan_or_infinite(presented):
    words = render(presented[1]).replace("(", " ").replace(",", " ").split()
    assert not {"nan", "inf", "-inf"} & {word.lower() for word in words}
    assert "None" not in words


def test_the_finding_comes_first_then_table_then_warnings_then_limitations(case):
    text = render(case("failing_runs"), details=True)
    places = [text.index(part) for part in ("new against old", "treatment ", "Warnings", "Limitations")]
    assert places == sorted(places)
    assert places[0] == 0


def test_of_many_findings_the_largest_are_told_in_the_order_of_the_design(case):
    message = [
        line.partition(" is ")[0]
        for line in render(case("many_differences")).splitlines()
        if " × slower than" in line
    ]
    assert message == [f"n={t}" for t in range(9, 21)]
    assert "19 comparisons: " in render(case("many_differences"))


@pytest.mark.parametrize(
    ("blocks", "by"),
    [(6, "the delta method on logarithms"), (7, "flipped signs of blocks"), (65, "the delta method on")],
)
def test_intervals_are_said_to_be_by_t_where_t_stands_in_for_flipped_signs(blocks, by):
    samples = [make(noisy(1, blocks), label="old"), make(noisy(2, blocks), 2, "new")]
    text = render(answer("few", samples, BLOCKS, Analysis(interval="sign-flip")), details=True)
    assert f"intervals by {by}" in " ".join(text.split())


def test_the_median_is_shown_where_it_tells_another_story_than_the_mean(case):
    assert "median ms" in render(case("a_skewed_sample"), details=True)
    assert "median" not in render(case("a_difference"), details=True)


def test_a_wider_terminal_brings_back_the_columns_that_gave_way(case):
    result = case("a_slowdown_beside_other_metrics")
    narrow, wide = (render(result, width, details=True) for width in (60, 120))
    assert " s ms" not in narrow
    assert " s ms" in wide
    assert all(title in wide for title in ("n  ", "mean ms", "CV %", "95 % CI", "p Holm", "verdict"))


def test_good_news_and_bad_news_differ_in_colour_and_open_questions_from_both(case):
    def styles(name):
        return {span.style for line in lines(case(name)) for span in line} - {"", "heading", "dim"}

    assert styles("a_difference") == {"good"}
    assert styles("no_difference") == {"open"}
    assert styles("a_slowdown_beside_other_metrics") == {"bad", "open"}
