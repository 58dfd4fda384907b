from __future__ import annotations

from typing import get_args

import pytest

from steelyard.report.answer.sentences import _SENTENCES, format_notice
from steelyard.results.notice import Kind, Notice


def test_every_kind_of_notice_has_a_sentence_and_no_sentence_is_without_a_kind():
    assert set(_SENTENCES) == set(get_args(Kind))


@pytest.mark.parametrize(
    ("kind", "fields", "text"),
    [
        ("interrupted", {"blocks": 1}, "The run was interrupted after 1 block; it can be continued."),
        ("precision_not_reached", {"blocks": 20}, "The requested precision was not reached (20 blocks)."),
        (
            "precision_not_reached",
            {"blocks": 20, "target": 0.01, "cap": "max_blocks"},
            (
                "The requested precision was not reached with the blocks allowed (20 blocks): 1 % "
                "requested (half-width of the widest interval)."
            ),
        ),
        (
            "precision_not_reached",
            {"blocks": 10, "target": 0.05, "reached": 0.018, "cap": "max_blocks"},
            (
                "The requested precision (5 %) did not end the run after 10 blocks (1.8 %): below 30 blocks"
                " only a quarter of it ends a run."
            ),
        ),
        (  # before the first look, or in doubt, of which the record has a note
            "precision_not_reached",
            {"blocks": 3, "target": 0.05, "reached": 0.001, "cap": "max_time"},
            "The requested precision (5 %) did not end the run after 3 blocks (0.1 %).",
        ),
        ("failures", {"failed": 3, "timed_out": 0, "attempted": 33}, "a: 3 of 33 runs failed."),
        (
            "trend",
            {"blocked": False, "alone": False},
            "a: times drift during the run; without blocks, the drift is part of the difference.",
        ),
        (
            "trend",
            {"blocked": True, "alone": True},
            "a: times drift during the run; the mean averages over a machine that changed.",
        ),
        (
            "autocorrelated_mean",
            {"r1": 0.73, "n": 1000, "n_eff": 156.0},
            (
                "a: successive runs are correlated (r1 = 0.73): 1000 runs are worth 156;"
                " the standard error is too small."
            ),
        ),
        (
            "autocorrelated_few",
            {"r1": 0.47, "n": 8, "most": 0.8, "blocked": True},
            (
                "a: differences of successive blocks are correlated (r1 = 0.47), and 8 are too few to"
                " estimate how strongly; p-value and interval allow for an autocorrelation of up to 0.8."
            ),
        ),
        (
            "resolution",
            {"step": 0.0, "unit": "s"},
            (
                "a: all values are equal: a simulation that repeats to the bit, or a clock too coarse to tell"
                " them apart."
            ),
        ),
        (
            "longer_than_trial",
            {"metric": "score_s", "value": 312.0, "wall_s": 0.4},
            (
                "a: score_s is 312 s in trials that took 400 ms; values in milliseconds need"
                ' unit = "ms" (or a derived metric in seconds); ignore this for sums over threads or ranks.'
            ),
        ),
        (
            "few_blocks",
            {"n": 4, "wanted": 10, "blocked": False},
            "Only 4 runs of each treatment: intervals assume log-normal times (use 10 or more).",
        ),
        (
            "contexts_unseen",
            {"contexts": 20, "share": 0.139},
            "Kinds of context that are rarer than 14 % (20 contexts, 95 % sure).",
        ),
        (
            "pseudo_replication",
            {"cause": "contexts"},
            (
                "The protocol assumes independent launches, but launches of one context are correlated: the "
                "effective n is smaller."
            ),
        ),
        ("note", {"text": "Braces {who} stay.\x1b[0m"}, "Braces {who} stay.\\x1b[0m"),
    ],
)
def test_sentences_say_what_the_fields_hold(kind, fields, text):
    assert format_notice(Notice(kind, ("a",), fields), {"a": "a"}) == text


def test_treatments_are_called_by_their_short_names_and_long_lists_are_cut():
    about = Notice("unmatched_blocks", tuple("abcdef"))
    called = {label: label.upper() for label in "abcde"}
    assert format_notice(about, called).startswith("A, B, C and 3 more: ")
    assert format_notice(Notice("unmatched_blocks", ("f\n",)), called).startswith("f\\n: ")
