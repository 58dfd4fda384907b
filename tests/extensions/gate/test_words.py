"""Sentences of a gate."""

from __future__ import annotations

import pytest
from gate_answers import make_answer

from steelyard.extensions.gate.words import explain_basis


@pytest.mark.parametrize(
    ("scope", "words"),
    [
        ("builds", "of these two builds."),
        ("layouts", "over drawn layouts."),
        ("session", "in this session."),
    ],
)
def test_a_gate_says_whose_its_rate_of_wrong_verdicts_is(scope, words):
    assert explain_basis(make_answer(scope=scope)).endswith(f"over all benchmarks and looks {words}")
