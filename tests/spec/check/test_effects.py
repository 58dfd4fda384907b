from __future__ import annotations

import pytest

from steelyard.spec import dumps, loads

FACTORS = """
[program]
command = ["prog", "{a}", "{b}", "{c}", "{e}", "{f}"]
[factors]
a = [1, 2, 4]
b = ["x", "y"]
c = [10]
link = { zip = ["e", "f"], levels = [[1, 14], [2, 15], [4, 16]] }
"""


def spec(analysis, design=""):
    return f"{FACTORS}[design]\n{design}\n[analysis]\n{analysis}\n"


@pytest.mark.parametrize(
    "analysis",
    [
        'effects = ["a", "link"]',
        "effects = []",
        'unreplicated = "lenth"',
        'contrasts = { bend = { a = [-1, 2, -1] }, "a by link" = { a = [-1, 0, 1], link = [-1, 0, 1] } }',
        'failures = "ignore"',
    ],
)
def test_what_is_asked_of_effects_survives_its_text(read, analysis):
    result = read(spec(analysis))
    assert result.analysis != read(spec("")).analysis
    assert loads(dumps(result), source=result.source) == result


@pytest.mark.parametrize(
    ("analysis", "message"),
    [
        ('effects = ["a", "d"]', "analysis.effects[2]: d does not vary here"),
        ('effects = ["a", "c"]', "analysis.effects[2]: c does not vary here"),
        ('effects = ["a", "a"]', "analysis.effects[2]: a is named twice"),
        ('effects = ["a"]', "analysis.effects: effects of one factor are its comparisons"),
        ("contrasts = { x = {} }", "analysis.contrasts.x: names no factor"),
        ("contrasts = { x = { e = [1, 0, -1] } }", "analysis.contrasts.x.e: e does not vary here"),
        ("contrasts = { x = { a = [-1, 1] } }", "analysis.contrasts.x.a: 2 weights for the 3 levels of a"),
        (
            "contrasts = { x = { a = [1, 1, 1] } }",
            "analysis.contrasts.x.a: the weights have the sum 3, so they would compare unequal amounts",
        ),
        (
            "contrasts = { x = { a = [0, 0, 0] } }",
            "analysis.contrasts.x.a: weights must be finite and not all 0",
        ),
        (
            "contrasts = { x = { a = [inf, 0, 0] } }",
            "analysis.contrasts.x.a: weights must be finite and not all 0",
        ),
    ],
)
def test_what_cannot_be_estimated_is_refused(refused, analysis, message):
    assert refused(spec(analysis))[0] == message


def test_a_fraction_crosses_all_of_its_factors_or_none(refused, read):
    half = 'kind = "fraction"\ngenerators = ["link = a b"]'
    assert refused(spec('effects = ["a", "b"]', half))[0] == (
        'analysis.effects: kind = "fraction" crosses all of its factors or none'
    )
    assert refused(spec("contrasts = { x = { a = [-1, 1] } }", half))[0].startswith(
        'analysis.contrasts: kind = "fraction" does not run all combinations'
    )
    assert read(spec("effects = []", half)).analysis.effects == ()


def test_two_levels_have_two_weights(read):
    result = read(spec("contrasts = { x = { a = [-1, 1] } }", 'kind = "two-level"'))
    assert result.analysis.contrasts == {"x": {"a": (-1.0, 1.0)}}
