from __future__ import annotations

import pytest
from msgspec.structs import replace

from steelyard.extensions.solvers.judging import answer
from steelyard.extensions.solvers.text import lines
from steelyard.report.text.line import plain


@pytest.mark.parametrize("width", [80, 60])
def test_the_answer_fits_the_terminal_and_says_what_it_is_about(drawn, width):
    text = plain(lines(answer(drawn(1, 45, 1.2, seeds=3)), width))
    assert max(map(len, text.splitlines())) <= width
    words = " ".join(text.split())
    assert "b against a: worse, its PAR2 is" in words
    assert "95 % CI of the ratio" in words
    assert "The verdicts are about instances like these, under this limit." in words
    assert "Fewer than 30 instances" not in words


def test_few_instances_say_that_no_ratio_is_bounded(drawn):
    words = " ".join(plain(lines(answer(drawn(2, 12, 2.5)), 80)).split())
    assert "95 % CI of the ratio" not in words
    assert "Fewer than 30 instances bound no ratio of means" in words


def test_wrong_answers_and_reasons_of_failures_and_missing_runs_are_said(drawn):
    campaign = drawn(2, 12, 2.5, seeds=2)
    first, second, *runs = campaign.runs[:-1]
    first = replace(first, outcome="wrong")
    second = replace(second, outcome="failed", reason="out of memory")
    words = " ".join(plain(lines(answer(replace(campaign, runs=(first, second, *runs))), 80)).split())
    assert "a gave 1 wrong answer, which counts as not solved." in words
    assert "a failed: 1 × out of memory." in words
    assert "b lacks 1 run: some instances have fewer than others." in words
