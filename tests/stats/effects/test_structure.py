"""Which effects can be told from one another, and what is analysed apart."""

from __future__ import annotations

import numpy as np
import pytest
from known_effects import CUBE, log_mean

from steelyard.core.analysis import Analysis
from steelyard.core.factorial import Generator
from steelyard.stats.effects.analysis import factorial


def test_effects_stand_in_the_order_of_yates(experiment):
    layout, samples, _ = experiment(1, log_mean, **CUBE)
    (result,) = factorial(samples, layout, Analysis())
    assert [effect.factors for effect in result.effects] == [
        ("a",), ("b",), ("a", "b"), ("c",), ("a", "c"), ("b", "c"), ("a", "b", "c"),
    ]  # fmt: skip
    assert (result.kind, result.by, result.units, result.treatments) == ("complete", "block", 12, 8)


def test_a_fraction_estimates_the_sums_of_what_it_confounds(experiment):
    half = (Generator(2, 0b011),)
    layout, samples, values = experiment(9, log_mean, kind="fraction", generators=half, **CUBE)
    (result,) = factorial(samples, layout, Analysis())
    assert [(effect.factors, effect.confounded) for effect in result.effects] == [
        (("a",), ("b × c",)),
        (("b",), ("a × c",)),
        (("c",), ("a × b",)),
    ]
    a = np.array([1 if cell["a"] == "hi" else -1 for cell in layout.cells()])
    assert result.effects[0].q == pytest.approx((a @ np.log(values)).mean() / 4)


def test_an_alias_of_the_other_sign_has_a_minus(experiment):
    half = (Generator(2, 0b011, -1),)
    layout, samples, _ = experiment(9, log_mean, kind="fraction", generators=half, **CUBE)
    (result,) = factorial(samples, layout, Analysis())
    assert [effect.confounded for effect in result.effects] == [("−b × c",), ("−a × c",), ("−a × b",)]


def test_a_screening_estimates_main_effects_and_says_what_is_left(experiment):
    names = {f"x{j}": [0, 1] for j in range(9)}
    layout, samples, _ = experiment(
        11, lambda cell: 0.5 * cell["x3"] - 0.4 * cell["x7"], kind="plackett-burman", **names
    )
    (result,) = factorial(samples, layout, Analysis())
    assert (result.kind, result.treatments, len(result.effects)) == ("screening", 12, 9)
    assert [effect.factors[0] for effect in result.effects if effect.resolved] == ["x3", "x7"]
    total = sum(effect.share for effect in result.effects) + result.rest + result.unassigned
    assert total == pytest.approx(1)


def test_one_factor_at_a_time_has_comparisons_and_no_effects(experiment):
    layout, samples, _ = experiment(11, log_mean, kind="one-at-a-time", **CUBE)
    assert factorial(samples, layout, Analysis()) == ()


def test_a_missing_combination_leaves_no_effects_and_says_so(experiment, samples):
    layout, _, values = experiment(17, log_mean, **CUBE)
    (result,) = factorial(
        samples(layout, values, keep=lambda cell: cell != {"a": "hi", "b": 1, "c": True}), layout, Analysis()
    )
    assert (result.undefined.reason, result.treatments) == ("missing_combinations", 7)
    assert (result.kind, result.axes) == ("complete", ())


def test_a_level_that_was_excluded_altogether_leaves_a_smaller_crossing(experiment, samples):
    layout, _, values = experiment(18, lambda cell: 0.1 * cell["b"], a=[0, 1], b=[0, 1, 2])
    (result,) = factorial(samples(layout, values, keep=lambda cell: cell["b"] != 1), layout, Analysis())
    assert [len(axis.steps) for axis in result.axes] == [2, 2]
    assert result.axes[1].steps == ({"b": 0}, {"b": 2})


def test_strata_keep_apart_where_two_factors_are_left(experiment):
    layout, samples, _ = experiment(19, log_mean, **CUBE)
    apart = factorial(samples, layout, Analysis(strata=("b",)))
    assert [(item.stratum, len(item.effects)) for item in apart] == [({"b": 0}, 3), ({"b": 1}, 3)]
    (result,) = factorial(samples, layout, Analysis(strata=("b", "c")))
    assert (result.stratum, len(result.effects)) == ({}, 7)


def test_the_spec_can_name_the_factors_or_none(experiment):
    layout, samples, _ = experiment(20, log_mean, **CUBE)
    chosen = factorial(samples, layout, Analysis(effects=("a", "c")))
    assert [item.stratum for item in chosen] == [{"b": 0}, {"b": 1}]
    assert factorial(samples, layout, Analysis(effects=())) == ()


def test_values_with_labels_are_analysed_apart(experiment, samples):
    layout, _, values = experiment(21, log_mean, **CUBE)
    both = [
        *samples(layout, values, labels={"op": "bcast"}),
        *samples(layout, values**2, labels={"op": "reduce"}),
    ]
    first, second = factorial(both, layout, Analysis())
    assert (first.labels, second.labels) == ({"op": "bcast"}, {"op": "reduce"})
    assert second.effects[0].q == pytest.approx(2 * first.effects[0].q)


def test_of_many_factors_only_what_can_be_read_is_estimated(layout, samples):
    many = layout(**{f"x{j}": [0, 1] for j in range(9)})
    values = np.exp(np.random.default_rng(26).normal(0, 0.1, (512, 3)))
    (result,) = factorial(samples(many, values), many, Analysis())
    assert len(result.effects) == 9 + 36
    (eight,) = factorial(samples(many, values), many, Analysis(strata=("x8",)))[:1]
    assert len(eight.effects) == 255
    assert result.unassigned > 0.1
    by_name = {effect.factors: effect for effect in result.effects}
    half = np.array([2 * cell["x8"] - 1 for cell in many.cells()]) @ np.log(values)
    assert by_name["x8",].q == pytest.approx(half.mean() / 512)


def test_an_interaction_of_hundreds_of_contrasts_is_left_out(layout, samples):
    wide = layout(a=list(range(20)), b=list(range(20)))
    values = np.exp(np.random.default_rng(27).normal(0, 0.1, (400, 4)))
    (result,) = factorial(samples(wide, values), wide, Analysis())
    assert [effect.factors for effect in result.effects] == [("a",), ("b",)]


def test_without_a_layout_nothing_is_known_to_be_crossed(experiment):
    layout, samples, _ = experiment(34, log_mean, **CUBE)
    assert factorial(samples, None, Analysis()) == ()
    assert factorial([], layout, Analysis()) == ()


def test_what_only_interactions_of_three_could_explain_stands_for_itself(experiment):
    half = (Generator(3, 0b0111),)
    layout, samples, _ = experiment(35, log_mean, kind="fraction", generators=half, d=[0, 1], **CUBE)
    (result,) = factorial(samples, layout, Analysis())
    confounded = {effect.factors: effect.confounded for effect in result.effects}
    assert [len(item) for names, item in confounded.items() if len(names) == 1] == [0, 0, 0, 0]
    assert [len(element) for names, element in confounded.items() if len(names) == 2] == [1, 1, 1]


def test_strata_take_no_factor_out_of_a_screening(experiment):
    names = {f"x{i}": [0, 1] for i in range(1, 12)}
    layout, samples, _ = experiment(37, lambda cell: 0.0, kind="plackett-burman", **names)
    (result,) = factorial(samples, layout, Analysis(strata=("x1",)))
    assert [effect.factors for effect in result.effects] == [(name,) for name in names]
    assert result.stratum == {}
