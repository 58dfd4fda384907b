"""What is printed of an explanation."""

from __future__ import annotations

import pytest
from explanations import ALIKE, QUALITY, contribution, explanation
from msgspec.structs import replace

from steelyard.extensions.explain.results import CountChange, Pool, Remainder, Validation
from steelyard.extensions.explain.text import format_value, lines
from steelyard.report.text.line import plain
from steelyard.results.interval import Interval

EXPECTED = """\
./prog-new x is 6.1 % slower in CPU time (95 % CI 5.4 to 6.8); 2 functions carry
  75 % of it
  + 4.2 % (3.6 to 4.8)        parse_block  parser.c:212
  + 0.40 % (0.10 to 0.70)     memcpy       libc  called by parse_block
  + 0.1 % (-0.5 to 0.7)       1 other function, not resolved alone
  + 1.4 % (0.9 to 1.9)        differs between plain and sampled runs
sampling made OLD 1.2 % and NEW 1.3 % slower, alike (difference 0.1 %, CI -0.3
  to 0.5): the profile may be trusted
"""


def printed(**fields):
    return plain(lines(explanation(**fields)))


def unwrapped(**fields):
    return printed(**fields).replace("\n  ", " ")


def test_the_answer_comes_first_then_the_functions_that_carry_it_and_the_rest():
    assert printed() == EXPECTED


def test_where_sampling_changes_the_difference_no_function_is_named():
    effect = replace(ALIKE, difference=0.04, ci95=Interval(0.03, 0.05), trust="changed")
    text = printed(sampler=effect)
    assert "no function is named" in text
    assert "parse_block" not in text
    assert "--rate 999" in text


def test_no_difference_is_not_called_one_and_says_what_would_have_shown():
    entries = (contribution("f", 0.001, p=0.8, named=False),)
    text = printed(change=0.002, ci95=Interval(-0.003, 0.007), contributions=entries, detectable=0.021)
    assert text.startswith("no difference in CPU time is resolved: ./prog-new x 0.2 % (95 % CI -0.3 to 0.7)")
    assert "20 blocks show a function only from about 2.1 %" in text


def test_a_difference_that_no_function_carries_says_which_blocks_would_show_half():
    entries = (contribution("f", 0.01, p=0.2, named=False),)
    text = unwrapped(contributions=entries, detectable=0.061)
    assert "; no function is named" in text
    assert "about 80 would show half of the difference (-m 80)" in text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"presence": "new"}, "new"),
        ({"presence": "gone"}, "gone"),
        ({"old_name": "parse_old"}, "was parse_old"),
        ({"counts": CountChange(100, 190, 10, 19)}, "called 1.9 × as often"),
        ({"counts": CountChange(100, 190, 10, 10)}, "1.9 × the instructions"),
        ({"counts": CountChange(100, 100, 10, 10)}, "same instructions: caches or branches"),
    ],
)
def test_what_else_is_known_of_a_function_stands_behind_it(fields, words):
    text = printed(contributions=(contribution("parse_block", 0.05, **fields),))
    assert words in text.splitlines()[2]


def test_every_line_fits_80_columns_whatever_names_are_called():
    entries = tuple(
        contribution(f"std::map<{'std::string, ' * 30}int>::f{i}(char const*)", 0.04) for i in range(20)
    )
    text = printed(
        contributions=entries,
        pool=Pool(1200, -0.0002, Interval(-0.001, 0.001), 0.4, named=False),
        waiting=Remainder(0.01, Interval(-0.1, 0.12)),
        old_quality=replace(QUALITY, samples=3.0, unnamed=0.9, rooted=0.1, lost=4),
    )
    assert max(map(len, text.splitlines())) <= 80
    assert "… and 8 functions more" in text


def test_each_fault_of_the_samples_has_its_cure():
    text = unwrapped(new_quality=replace(QUALITY, samples=12.0, unnamed=0.9, rooted=0.1, lost=4))
    assert "NEW has 12 samples in a run of 106 ms: give it 9 × the work, or 9 × the blocks" in text
    assert "NEW: 90 % of the program's own time has no symbol" in text
    assert "NEW: 4 samples lost" in text
    assert "OLD" not in text.partition("trusted")[2]
    broken = replace(QUALITY, rooted=0.1)
    text = unwrapped(old_quality=broken, new_quality=broken)
    assert "OLD and NEW: 90 % of call chains are cut off" in text
    assert "-fno-omit-frame-pointer" in text


def test_a_faster_program_has_its_interval_in_the_same_direction():
    text = unwrapped(change=-0.061, ci95=Interval(-0.068, -0.054), contributions=(contribution("f", -0.06),))
    assert text.startswith(
        "./prog-new x is 6.1 % faster in CPU time (95 % CI 5.4 to 6.8); 1 function carries"
    )


def test_opposite_functions_carry_none_of_the_difference_and_no_negative_share():
    text = unwrapped(contributions=(contribution("f", -0.06),))
    assert "1 function differs, and carries none of it" in text


def test_values_have_the_decimals_of_their_uncertainty():
    assert format_value(0.0421, Interval(0.036, 0.048)) == "+ 4.2 % (3.6 to 4.8)"
    assert format_value(-0.00002, Interval(-0.01, 0.01)) == "+ 0.0 % (-1.0 to 1.0)"
    assert format_value(0.5, None) == "+ 50 %"


SAME_WORK, MORE_WORK = CountChange(1_000_000, 1_000_000, 50, 50), CountChange(1_000_000, 1_100_000, 50, 50)


def test_two_builds_are_called_two_builds_with_what_tells_layout_from_work():
    text = unwrapped(layouts=0)
    assert text.startswith(
        "./prog-new x is 6.1 % slower in CPU time (95 % CI 5.4 to 6.8), of these two builds;"
    )
    assert "parse_block, memcpy differ in these two builds, perhaps by layout alone: --counts tells" in text
    assert "--objects with --build draws a layout for each block" in text


def test_functions_that_do_other_work_are_not_of_their_builds_alone():
    entries = (contribution("f", 0.04, counts=MORE_WORK), contribution("g", 0.02, presence="new"))
    text = unwrapped(layouts=0, contributions=entries)
    assert "builds" not in text
    assert "1.1 × the instructions" in text


def test_counted_functions_of_the_same_work_may_be_layout_unless_layouts_are_drawn():
    entries = (contribution("f", 0.04, counts=SAME_WORK),)
    text = unwrapped(layouts=0, contributions=entries)
    assert "same instructions: layout or data" in text
    assert "f differs in these two builds, perhaps by layout alone: --objects with" in text
    assert "--counts tells" not in text
    text = unwrapped(layouts=20, contributions=entries)
    assert "same instructions: caches or branches" in text
    assert "builds" not in text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"verdict": "confirmed", "change": 0.003, "ci95": Interval(-0.001, 0.007)},
            "with p.o of OLD, NEW is 0.3 % slower than OLD (95 % CI -0.1 to 0.7): parse is confirmed",
        ),
        (
            {"verdict": "refuted", "change": 0.041, "ci95": Interval(0.037, 0.045)},
            "parse is refuted, since it undoes 0.10 % (0.00 to 0.20) of 4.2 %",
        ),
        (
            {"verdict": "not_resolved", "change": -0.02, "ci95": Interval(-0.03, -0.01)},
            "NEW is 2.0 % faster than OLD (95 % CI 1.0 to 3.0): parse is not resolved",
        ),
        (
            {"verdict": "not_tested", "reason": "2 objects define it"},
            "parse is not tested: 2 objects define it",
        ),
    ],
)
def test_a_test_of_a_function_is_a_sentence(fields, words):
    usual = {"undone": 0.001, "undone_ci95": Interval(0.0, 0.002)} if "change" in fields else {}
    entry = Validation("p.o", ("parse",), 0.042, Interval(0.038, 0.046), **usual, **fields)
    assert words in unwrapped(validations=(entry,))


def test_code_that_was_compiled_at_run_time_says_how_it_gets_names():
    text = unwrapped(new_quality=replace(QUALITY, compiled=0.81))
    assert "NEW: 81 % of the time is in code that was compiled at run time, without names: node" in text
    assert "(stripped)" not in text
