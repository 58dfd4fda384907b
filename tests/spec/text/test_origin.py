from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.spec.text.origin import Origin, format_path, nearest, suggest, visible

TEXT = """\
# program.timeout = 1
name = "x"

[program]
command = ["p"]
env = { A = "1",
        B = "2" }

[factors]
n = [
  1,
]
weak = { zip = ["a", "b"], levels = [[1, 2]] }

[program.verify]
exit = 0
"my key" = 1
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("name",), 2),
        (("program",), 4),
        (("program", "command"), 5),
        (("program", "env", "A"), 6),
        (("program", "env", "B"), 7),
        (("program", "timeout"), 4),
        (("factors", "n", 0), 10),
        (("factors", "weak", "levels", 0), 13),
        (("program", "verify"), 15),
        (("program", "verify", "exit"), 16),
        (("program", "verify", "my key"), 17),
        (("absent",), None),
        ((), None),
    ],
)
def test_an_error_names_the_line_of_the_deepest_key_that_is_there(path, line):
    assert Origin("s.toml", TEXT).line(path) == line


@pytest.mark.parametrize(
    "text", ["a.b.c = 1", "a.b = { c = 1 }", "a = { b.c = 1 }", "[a]\nb.c = 1", "[ 'a' . b ] # x\nc = 1"]
)
def test_keys_are_found_in_every_way_to_write_them(text):
    assert Origin("s.toml", text).line(("a", "b", "c")) == len(text.splitlines())


def test_keyword_arguments_have_no_lines():
    assert Origin("experiment()").error(("design", "blocks"), "is wrong", "cure").message == (
        "experiment(): design.blocks: is wrong"
    )


def test_an_error_names_file_line_and_key_and_shows_what_a_terminal_would_not():
    error = Origin("s.toml", TEXT).error(("factors", "n"), "has a\nbell \x07", "no\x1b")
    assert (error.message, error.hint) == ("s.toml:10: factors.n: has a\\nbell \\x07", "no\\x1b")


def test_the_error_of_another_room_gets_its_place():
    error = Origin("s.toml").place_error(("a",), UsageError("is wrong", hint="cure"))
    assert (error.message, error.hint) == ("s.toml: a: is wrong", "cure")


def test_positions_in_a_path_count_from_1_and_odd_keys_are_quoted():
    assert format_path(("a", 0, "b c", 11)) == 'a[1]."b c"[12]'


def test_visible_text_is_one_printable_line():
    assert visible("é\u2028\ud800\tx") == "é\\u2028\\ud800\\tx"


@pytest.mark.parametrize(
    ("word", "meant"), [("blokcs", "blocks"), ("Blocks", "blocks"), ("max-time", "max_time"), ("zzz", None)]
)
def test_a_misspelt_word_is_near_the_one_it_was_meant_to_be(word, meant):
    assert nearest(word, ["blocks", "seed", "max_time"]) == meant


def test_a_word_that_is_near_nothing_gets_all_of_them():
    assert suggest("zzz", ["a", "b"], "factors") == "name one of the factors: a, b"
    assert suggest("zzz", [], "factors") == "remove it: the spec has no factors"
    assert suggest("aa", ["aaa"], "factors") == "did you mean aaa?"
