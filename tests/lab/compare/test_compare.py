"""From commands to an experiment, without a spec."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.design import treatments
from steelyard.lab.compare.compare import CompareRequest, scan, shell_words, split


def words(**keys) -> dict[str, tuple[str, ...]]:
    return dict(CompareRequest(**keys).experiment().program.commands)


def test_a_command_is_split_as_a_shell_splits_it_and_braces_stay_braces():
    result = words(commands=["awk '{print $1}' 'a file'", "cat x"])
    assert result["awk '{print $1}' 'a file'"] == ("awk", "{{print $1}}", "a file")


def test_parameters_become_factors_and_other_braces_stay():
    spec_ = CompareRequest(commands=["sort -S {mb}M {}", "sort"], parameters={"mb": ["1", "2"]}).experiment()
    assert spec_.program.commands["sort -S {mb}M {}"] == ("sort", "-S", "{mb}M", "{{}}")
    assert [dict(treatment.levels)["mb"] for treatment in treatments(spec_)] == [1, 2, 1, 2]


def test_several_commands_with_parameters_are_compared_at_equal_values():
    spec_ = CompareRequest(commands=["a {n}", "b {n}"], parameters={"n": ["1", "2"]}).experiment()
    assert spec_.analysis.baseline == {"command": "a {n}"}
    assert spec_.analysis.strata == ("n",)


def test_a_shell_gets_the_command_as_one_word():
    keys = {"commands": ["a | b", "c"], "shell": "/bin/bash"}
    assert words(**keys)["a | b"] == ("/bin/bash", "-c", "a | b")


def test_the_default_shell_gets_values_of_parameters_quoted():
    keys = {"commands": ["echo {x} | cat", "true"], "shell": "/bin/sh"}
    spec_ = CompareRequest(**keys, parameters={"x": ["$(touch gone)", "b"]}).experiment()
    assert spec_.program.shell
    assert spec_.program.commands["echo {x} | cat"] == ("echo {x} | cat",)


def test_the_same_command_twice_keeps_two_names():
    assert list(words(commands=["true", "true"])) == ["true #1", "true #2"]


def test_runs_without_a_precision_are_a_fixed_number_of_blocks():
    spec_ = CompareRequest(commands=["true"], blocks=17, rel_halfwidth=None).experiment()
    assert (spec_.design.blocks, spec_.design.stop) == (17, None)


def test_by_default_a_comparison_ends_when_it_is_answered():
    design = CompareRequest(commands=["a", "b"]).experiment().design
    assert (design.stop.decided, design.stop.max_time_s, design.blocks) == (True, None, 5)
    assert CompareRequest(commands=["a"]).experiment().design.blocks == 10
    question = CompareRequest(commands=["a", "b"], blocks=7, max_time_s=60.0).experiment().design
    assert (question.blocks, question.stop.max_time_s) == (7, 60.0)


def test_a_wanted_precision_has_three_minutes():
    stop = CompareRequest(commands=["a", "b"], rel_halfwidth=0.02).experiment().design.stop
    assert (stop.rel_halfwidth, stop.max_time_s, stop.decided) == (0.02, 180.0, False)


def test_as_many_prepare_commands_as_commands_run_each_before_its_own():
    keys = {"parameters": {"n": ["1", "2"]}, "prepare": ["x {n}", "y"]}
    ((shell, option, script, name, label, *texts),) = (
        CompareRequest(commands=["a {n}", "b"], **keys).experiment().program.prepare
    )
    assert (shell, option, name, label) == ("/bin/sh", "-c", "sh", "{command}")
    assert """'a {{n}}') exec /bin/sh -c "${{2}}";;""" in script
    assert texts == ["x {n}", "y"]
    every = CompareRequest(commands=["a", "b"], prepare=["x", "y", "z"]).experiment()
    assert [words[2] for words in every.program.prepare] == ["x", "y", "z"]


def test_with_contexts_every_block_draws_one():
    spec_ = CompareRequest(commands=["true", "true"], contexts=True).experiment()
    assert spec_.contexts is not None
    assert spec_.contexts.passes == 1
    assert set(spec_.contexts.settings) == {"env_bytes", "aslr"}


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"commands": [""]}, "a command is empty"),
        ({"commands": ["echo 'open"]}, "cannot be split into words"),
        ({"commands": ["a", "b"], "names": ["x"]}, "1 names for 2 commands"),
        ({"commands": ["a", "b"], "names": ["x", "x"]}, "are not all different"),
        ({"commands": ["true"], "parameters": {"n": ["1", "2"]}}, "n"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_a_cure(keys, message):
    with pytest.raises(UsageError, match=message) as caught:
        CompareRequest(**keys).experiment()
    assert caught.value.hint


@pytest.mark.parametrize(
    ("command", "result"),
    [
        ("sort a | uniq", ["|"]),
        ("cat a > b", [">"]),
        ("a 2>/dev/null && b", ["2>/dev/null", "&&"]),
        ("grep '>' a", []),
        ("awk '{ print $1 | \"sort\" }' x", []),
        ("a | 'open", []),
    ],
)
def test_words_that_only_a_shell_understands_are_noticed_unless_they_are_quoted(command, result):
    assert shell_words(command) == result


def test_an_empty_command_names_what_to_type():
    with pytest.raises(UsageError) as caught:
        split("  ")
    assert "steelyard compare" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("command", "result"),
    [
        ("echo $HOME", ["$HOME"]),
        ("echo ${x} $(date) `date`", ["${x}", "$(date)", "`date`"]),
        ('echo "$HOME is mine"', ['"$HOME is mine"']),
        ("ls *.c a?.h", ["*.c", "a?.h"]),
        ("ls ~/x ~", ["~/x", "~"]),
        ("echo '$HOME' '*.c' a~b", []),
        ("python -c 'print(1*2)' \"2*3\" \\$x", []),
        ("awk '{print $1}' x=5$ a=b", []),
    ],
)
def test_words_that_a_shell_would_replace_are_found_and_quoted_ones_are_not(command, result):
    assert shell_words(command) == result


@pytest.mark.parametrize(
    ("first", "last", "step", "values"),
    [
        ("1", "4", "1", ["1", "2", "3", "4"]),
        ("0", "1", "0.25", ["0.00", "0.25", "0.50", "0.75", "1.00"]),
        ("8", "2", "-3", ["8", "5", "2"]),
        ("1", "2", "3", ["1"]),
    ],
)
def test_a_scan_has_both_ends_that_the_step_meets_and_no_error_of_rounding(first, last, step, values):
    assert scan(first, last, step) == values


@pytest.mark.parametrize(
    ("first", "last", "step", "text"),
    [
        ("a", "2", "1", "--parameter-scan a 2: a is not a finite number"),
        ("nan", "1", "1", "--parameter-scan nan 1: nan is not a finite number"),
        ("1", "inf", "1", "--parameter-scan 1 inf: inf is not a finite number"),
        ("1", "2", "x", "--parameter-step-size x: x is not a finite number"),
        ("1", "2", "0", "--parameter-step-size 0: the step must not be 0"),
        ("3", "1", "1", "--parameter-scan 3 1: a step of 1 cannot reach 1 from 3"),
        ("1", "3", "-1", "--parameter-scan 1 3: a step of -1 cannot reach 3 from 1"),
        ("1", "1e9", "1", "--parameter-scan 1 1e9: more than 10,000 values in steps of 1"),
        ("1", "1e99", "1e-99", "--parameter-scan 1 1e99: more than 10,000 values in steps of 1e-99"),
        ("0", "1e999999", "1", "--parameter-scan 0 1e999999: 1e999999 is not a finite number"),
    ],
)
def test_a_scan_that_leads_nowhere_is_refused_and_the_message_says_why(first, last, step, text):
    with pytest.raises(UsageError) as refused:
        scan(first, last, step)
    assert refused.value.message == text
    assert refused.value.hint


def test_a_scan_may_have_as_many_values_as_are_allowed():
    assert len(scan("1", "10000", "1")) == 10_000
    with pytest.raises(UsageError):
        scan("1", "10001", "1")
