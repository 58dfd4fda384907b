from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.core.errors import UsageError
from steelyard.spec.text.placeholders import escape
from steelyard.spec.text.shell_text import expand_for_shell


def test_a_level_is_one_word_of_the_shell_whatever_it_holds():
    assert expand_for_shell("prog {x} | sort", {"x": "a b"}) == "prog 'a b' | sort"
    assert expand_for_shell("prog {x}", {"x": "$(id)"}) == "prog '$(id)'"
    assert expand_for_shell("prog {x}", {"x": "plain-1.0"}) == "prog plain-1.0"
    assert expand_for_shell("prog {x}", {"x": ""}) == "prog ''"


def test_braces_are_escaped_as_elsewhere():
    assert expand_for_shell("awk '{{print $1}}' {f}", {"f": "a b"}) == "awk '{print $1}' 'a b'"


@pytest.mark.parametrize(
    "text",
    ["prog '{x}'", 'prog "{x}"', 'sh -c "prog {x}"', "prog \\{x}", "prog 'it'\"{x}\"", "a 'b\\' \"{x}\""],
)
def test_inside_quotes_a_level_that_needs_quotes_is_refused(text):
    with pytest.raises(UsageError, match="inside quotes of a shell command") as caught:
        expand_for_shell(text, {"x": "a b"})
    assert "outside of the quotes" in caught.value.hint


@pytest.mark.parametrize("text", ["prog `id {x}`", "cat <<END\n{x}\nEND", "prog # {x}", "prog $'{x}'"])
def test_where_quotes_mean_little_a_level_that_needs_them_is_refused(text):
    with pytest.raises(UsageError, match="shell command"):
        expand_for_shell(text, {"x": "a b"})


@pytest.mark.parametrize("text", ["prog '{x}'", 'prog "{x}"', "cat <<END\n{x}\nEND", "prog \\{x}"])
def test_a_level_of_harmless_characters_may_stand_anywhere(text):
    assert expand_for_shell(text, {"x": "O2,n=1000"}) == text.replace("{x}", "O2,n=1000")


@pytest.mark.parametrize(
    "text", ["prog 'a b' {x}", 'prog "a\\"b" {x}', "prog a\\ b {x}", "prog 'a\\' {x}", "p {x}{x}"]
)
def test_after_quotes_are_closed_a_level_is_quoted_again(text):
    assert expand_for_shell(text, {"x": "$y"}) == text.replace("{x}", "'$y'")


def test_unknown_placeholders_and_lone_braces_are_refused():
    with pytest.raises(UsageError, match="has no value"):
        expand_for_shell("prog {y}", {"x": 1})
    with pytest.raises(UsageError, match="not a placeholder"):
        expand_for_shell("awk '{print $1}'", {})


WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
PIECES = st.sampled_from(
    ["'", '"', "\\", "`", "<<E", "#", "$'", " ", "a", "$(", ")", "{x}", ";", "&", "\n", "("]
)


@given(value=WORDS)
@settings(max_examples=25)
def test_the_shell_gets_exactly_the_level(value):
    text = expand_for_shell("printf %s {x}", {"x": value})
    done = subprocess.run(["/bin/sh", "-c", text], capture_output=True, check=True)
    assert done.stdout == value.encode()


@given(pieces=st.lists(PIECES, max_size=8))
@settings(max_examples=150)
def test_no_text_around_a_level_makes_a_command_of_it(tmp_path_factory, pieces):
    # What the shell makes of the text itself is the user's matter; the level must add no command to it.
    trap = tmp_path_factory.getbasetemp() / "trap"
    level = f"x'\"; : > {trap} #\n: > {trap}\n`: > {trap}` $(: > {trap})"
    text = "".join(piece if piece == "{x}" else escape(piece) for piece in [*pieces, " {x}"])
    try:
        expanded = expand_for_shell(text, {"x": level})
    except UsageError:
        return
    subprocess.run(
        ["/bin/sh", "-c", expanded], capture_output=True, check=False, stdin=subprocess.DEVNULL, env={}
    )
    assert not trap.exists()
