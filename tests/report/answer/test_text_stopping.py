"""How a run came to its end."""

from __future__ import annotations

import pytest

from steelyard.report.answer.text import stopping as sentence
from steelyard.results.analysis import DesignFacts

LOOKED = {"looks": (10, 12, 15), "target": 0.01, "reached": 0.0083}


def of(**options):
    return sentence(DesignFacts("randomized-blocks", 15, 1, **{**LOOKED, **options}))


def test_what_was_wanted_and_reached_and_where_it_was_looked_at():
    assert of() == (
        "intervals reach at most 0.83 % to either side, 1 % wanted; looked at after 10, 12 and 15 blocks"
    )
    assert "1 % wanted (strict); looked at after 40 blocks" in of(looks=(40,), strict=True)


def test_of_many_looks_the_first_and_the_last_are_named():
    assert of(looks=(10, 12, 15, 19, 24, 30, 38)).endswith("after 10, 12, …, 30 and 38 blocks")


@pytest.mark.parametrize("inputs", [{"looks": ()}, {"target": None}, {"reached": None}, {"state": "running"}])
def test_without_a_stop_rule_or_an_end_there_is_nothing_to_say(inputs):
    assert of(**inputs) == ""
