"""The table of a plan that says what it could show."""

from __future__ import annotations

from steelyard.extensions.plan.looking_ahead import outlook
from steelyard.extensions.plan.outlook_words import lines
from steelyard.extensions.plan.results import Pilot
from steelyard.report.text.line import plain

BLOCKS = {"unit": "block", "units": 30, "comparisons": 1, "alpha": 0.05}


def test_it_says_what_the_blocks_show_and_what_differences_need():
    output = plain(lines(outlook(**BLOCKS), 80)).splitlines()
    assert output == [
        "What it could show",
        "s is the spread of a ratio from block to block; differences that show with 80 %",
        "power at 5 %; needs: blocks",
        "    s  30 blocks show  1 % needs  2 % needs  5 % needs",
        "0.5 %          0.29 %          5          3          3",
        "  1 %          0.59 %         11          5          3",
        "  2 %           1.2 %         40         11          4",
        "  5 %             3 %        212         59         11",
        " 10 %             6 %        817        214         41",
    ]


def test_of_looks_it_says_that_they_are_counted():
    output = plain(
        lines(outlook(**{**BLOCKS, "units": 10}, judge="sign-flip", decided=True), 80)
    ).splitlines()
    assert output == [
        "What it could show",
        "s is the spread of a ratio from block to block; differences that show with 80 %",
        "power at 5 % over all looks; needs: blocks, at the look by which 80 % are",
        "decided; of them 10 are the first",
        "    s  10 blocks show  1 % needs  2 % needs  5 % needs",
        "0.5 %          0.62 %         10         10         10",
        "  1 %           1.3 %         19         10         10",
        "  2 %           2.5 %         74         19         10",
        "  5 %           6.4 %        555        116         19",
        " 10 %            13 %      2,117        555         93",
    ]


def test_a_family_a_stop_rule_a_margin_and_a_record_are_said_and_fit_80_columns():
    result = outlook(
        unit="context",
        units=20,
        comparisons=28,
        alpha=0.05,
        target=0.01,
        margin=0.02,
        pilots=[Pilot("-O3 with a long name that has to give way \x1b[31m", 0.013)],
    )
    output = lines(result, 80)
    text = " ".join(plain(output).split())
    assert "at 0.18 % (the first of 28 comparisons, Holm)" in text
    assert "to 1 %: until intervals that precise end the run" in text
    assert "equal: with 90 % power, if nothing differs" in text
    assert "in the record" in text
    assert "-O3 with" in text
    assert "\x1b" not in text
    assert all(len(line) <= 80 for line in plain(output).splitlines())


def test_what_nobody_runs_is_a_dash():
    output = plain(lines(outlook(**BLOCKS, pilots=[Pilot("wild", 300.0)]), 80)).splitlines()
    assert output[4].split()[0] == "30000"
    assert output[4].split()[-4:] == ["–", "–", "–", "–"]


def test_where_no_difference_can_show_it_says_so_and_from_how_many_on_one_can():
    output = plain(lines(outlook(unit="block", units=7, comparisons=4, alpha=0.05, judge="sign"), 80))
    assert output.splitlines() == [
        "What it could show",
        "s is the spread of a ratio from block to block; differences that show with 80 %",
        "power at 1.2 % (the first of 4 comparisons, Holm); needs: blocks; 7 blocks show",
        "no difference, however large: only 8 and more can",
        "    s  7 blocks show  1 % needs  2 % needs  5 % needs",
        "0.5 %              –         11          8          8",
        "  1 %              –         29         11          8",
        "  2 %              –         87         29          8",
        "  5 %              –        476        130         29",
        " 10 %              –      1,841        478         89",
    ]


def test_no_level_is_out_of_reach_of_flipped_signs():
    result = outlook(unit="block", units=7, comparisons=1000, alpha=0.05, judge="sign-flip")
    assert result.fewest is None
    assert "–" not in plain(lines(result, 80)).splitlines()[-5]
