"""The words of ``compare``: at most 30 options, and a sentence for each that went elsewhere."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import click
import pytest

from steelyard.cli.compare import command
from steelyard.cli.compare_line import FORMER
from steelyard.core.errors import UsageError
from steelyard.spec import experiment

DOCS = Path(__file__).parents[2] / "docs"
VALUES = {
    "--precision": ("2%", "[design.stop]\nrel_halfwidth = 0.02"),
    "--timeout": ("3 s", '[program]\ntimeout = "3 s"'),
    "--seed": ("7", "[design]\nseed = 7"),
    "--build": ("cc 'a b.c' -o {build}/p", '[build]\ncommand = ["cc", "a b.c", "-o", "{build}/p"]'),
    "--objects": ("a.c b.c", '[build]\nobjects = ["a.c", "b.c"]'),
    "--comparisons": ("9", "steelyard compare --null=9 COMMAND"),
    "--protocol": ("nogueira-matias-2014", "steelyard analyze RECORD --protocol nogueira-matias-2014"),
    "--export-json-2": ("a.json", "steelyard export RECORD --format hyperfine-2 -o a.json"),
}
KEYS = {
    "program": {"command": ["{build}/p"]},
    "build": {"command": ["cc", "{objects}", "-o", "{build}/p"], "objects": ["a.c"], "inputs": ["a.c"]},
}


def parse(*words):
    return command.make_context("compare", [*words])


def options():
    return [param for param in command.params if isinstance(param, click.Option)]


def test_the_help_lists_at_most_30_options_and_names_those_that_it_does_not_describe():
    listed = [option for option in options() if not option.hidden]
    assert len(listed) + 1 <= 30  # and --help
    for option in options():
        assert not option.hidden or any(re.search(rf"{name}\b", command.epilog) for name in option.opts)


@pytest.mark.parametrize("option", FORMER)
def test_a_former_option_is_refused_with_its_value_and_the_words_that_say_it_now(option):
    value, cure = VALUES[option]
    for words in ([f"{option}={value}"], [option, value]):
        with pytest.raises(UsageError) as caught:
            parse("-n", option, *words, "./old", "./new")
        assert caught.value.message.startswith(f"compare no longer has {option}={shlex.quote(value)}")
        assert caught.value.hint.endswith(cure)


def test_contexts_take_no_value_any_more_and_leave_the_word_behind_them_alone():
    with pytest.raises(UsageError, match="compare no longer has --contexts=layout: ") as caught:
        parse("--contexts=layout", "./old", "./new")
    assert caught.value.hint.endswith('[contexts]\ncode = "random"')
    assert parse("--contexts", "layout", "./new").params["commands"] == ("layout", "./new")


@pytest.mark.parametrize("option", [name for name, former in FORMER.items() if former.is_key])
def test_the_lines_of_a_spec_are_such_that_a_spec_takes(option):
    for value in (VALUES[option][0], "'"):
        lines = FORMER[option].refuse(option, value).hint.partition("\n\n")[2]
        keys = {table: dict(values) for table, values in KEYS.items()}
        for table, values in tomllib.loads(lines).items():
            keys[table] = keys.get(table, {}) | values
        if option != "--timeout" or value != "'":  # no time, which the spec would say
            experiment(**keys)


def test_words_behind_two_dashes_and_values_of_other_options_are_no_options():
    assert parse("-n", "--seed", "--", "./old", "--timeout").params["commands"] == ("./old", "--timeout")


def test_the_page_for_users_of_hyperfine_says_where_each_went():
    text = (DOCS / "coming-from-hyperfine.md").read_text(encoding="utf-8")
    for option in FORMER:
        assert re.search(rf"^\| `{option}[ `=]", text, re.MULTILINE), option
