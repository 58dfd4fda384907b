from __future__ import annotations

import pytest

from steelyard.extensions.exchange.outcomes import WORDS, read_ending, read_exit_code


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("OK", "ok"),
        ("COMPLETED", "ok"),
        ("SAT", "ok"),
        ("TIMEOUT", "timed_out"),
        ("Time-Limit Exceeded", "timed_out"),
        ("out of time", "timed_out"),
        ("OUT_OF_MEMORY", "failed"),
        ("CANCELLED by 1000", "failed"),
        ("NODE_FAIL", "failed"),
        ("error: bad input", "failed"),
        ("skipped", "failed"),
        ("green", None),
        ("", None),
    ],
)
def test_words_of_schedulers_and_tools_say_what_became_of_a_run(text, ending):
    assert read_ending(text) == ending


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("0", "ok"),
        ("0.0", "ok"),
        ("0:0", "ok"),
        ("0:9", "failed"),
        ("139", "failed"),
        ("-11", "failed"),
        ("124", "timed_out"),
        ("0.5", None),
        ("ok", None),
    ],
)
def test_an_exit_code_may_have_a_signal_behind_it(text, ending):
    assert read_exit_code(text) == ending


def test_no_word_means_two_things():
    words = [word for words_of_state in WORDS.values() for word in words_of_state]
    assert len(words) == len(set(words))
