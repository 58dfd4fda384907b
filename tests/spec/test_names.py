from __future__ import annotations

import pytest

from steelyard.core.errors import SpecError
from steelyard.spec import experiment


def named(name):
    return experiment(name=name, program={"command": ["p"]}).name


@pytest.mark.parametrize(
    "name", ["O2 against O3 across contexts", "it's", '"quoted"', "é 😀", "a.b", "a..b", "x" * 100]
)
def test_an_experiment_is_named_by_one_line_of_text(name):
    assert named(name) == name


@pytest.mark.parametrize(
    ("name", "message", "cure"),
    [
        ("a/b", 'name: "a/b" contains / or starts with a dot', 'name = "a-b"'),
        ("../x", 'name: "../x" contains / or starts with a dot', 'name = "x"'),
        (".hidden", 'name: ".hidden" contains / or starts with a dot', 'name = "hidden"'),
        ("..", 'name: ".." contains / or starts with a dot', "choose another name"),
        ("", 'name: the name of the experiment is empty: ""', "write one line of text"),
        ("  ", 'name: the name of the experiment is empty: "  "', "write one line of text"),
        (
            "a\nb",
            "name: the name of the experiment contains the control character '\\n': \"a\\nb\"",
            "write one line",
        ),
        ("a\0b", 'name: the name of the experiment contains NUL: "a\\u0000b"', "leave out \\u0000"),
        ("\x7f", "name: the name of the experiment contains the control character", "write one line"),
        (
            "\ud800",
            "name: the name of the experiment cannot be encoded in UTF-8",
            "leave out lone surrogates",
        ),
        (
            "x" * 101,
            "name: the name of the experiment has 101 characters, 100 at most",
            "choose a shorter one",
        ),
    ],
)
def test_what_cannot_name_the_directory_of_a_record_is_refused(name, message, cure):
    with pytest.raises(SpecError) as caught:
        named(name)
    assert caught.value.message.startswith(f"experiment(): {message}")
    assert cure in caught.value.hint
