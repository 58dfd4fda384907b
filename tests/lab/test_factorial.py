"""Factors from the spec to their effects; the numbers are judged in tests/stats/effects."""

from __future__ import annotations

import json

import pytest

from steelyard.lab.answer.analyze import analyze
from steelyard.report.answer.document import render
from steelyard.report.answer.text import render as text

FACTORS = {"size": [1, 2, 9], "env_bytes": [0, 64], "repeat": [1, 2]}
PROGRAM = {"command": ["/bin/echo", "{size} {repeat}"]}
METRICS = {"made_up": {"source": "stdout", "pattern": "^([0-9]+) "}}


def crossed(run_in, **design):
    return run_in(
        program=PROGRAM,
        factors=FACTORS,
        metrics=METRICS,
        analysis={"metric": "made_up"},
        design={"blocks": 4, **design},
    )


def test_two_levels_are_run_and_their_effects_are_exact(run_in):
    answer = analyze(crossed(run_in, kind="two-level"))
    (result,) = answer.effects
    assert (result.design, result.treatments, result.units) == ("two-level", 8, 4)
    effects = {effect.factors: effect for effect in result.effects}
    # The value printed is the size: 9 times as much at its second end, nothing else does anything.
    assert effects["size",].ratio.value == pytest.approx(1 / 9)
    assert effects["size",].share == pytest.approx(1)
    # Four equal signs, and Holm over seven effects: p = 7 / 8.
    assert effects["size",].p == 1 / 8
    assert not effects["size",].resolved
    assert effects["env_bytes",].ratio.value == 1.0


def test_a_fraction_is_run_and_says_what_it_confounds(run_in):
    answer = analyze(crossed(run_in, kind="fraction", generators=["repeat = size env_bytes"], blocks=8))
    (result,) = answer.effects
    assert [effect.confounded for effect in result.effects] == [
        ("env_bytes × repeat",),
        ("size × repeat",),
        ("size × env_bytes",),
    ]
    document = json.loads(render(answer))
    assert document["effects"][0]["effects"][0]["confounded"] == ["env_bytes × repeat"]
    assert document["effects"][0]["effects"][0]["resolved"] is True
    assert "size or env_bytes × repeat" in text(answer)


def test_an_excluded_combination_leaves_comparisons_and_no_effects(run_in):
    answer = analyze(crossed(run_in, exclude=[{"size": 9, "repeat": 2}]))
    assert answer.effects[0].undefined.reason == "missing_combinations"
    assert len(answer.judged) == 9
    assert "No effects of the factors: some combinations of the factors are not run." in text(answer)


def test_one_factor_has_no_effects_beside_its_comparisons(run_in):
    assert analyze(run_in()).effects == ()
