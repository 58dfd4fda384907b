"""Effects, their intervals and tests, against independent witnesses."""

from __future__ import annotations

import itertools
import math
from array import array

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from known_effects import CUBE, by_name, log_mean
from msgspec.structs import replace
from scipy import stats

from steelyard.core.analysis import Analysis
from steelyard.core.factorial import Axis, Layout
from steelyard.core.sample import Failures
from steelyard.stats.effects.analysis import factorial
from steelyard.stats.hypothesis.holm import holm


def test_an_effect_in_blocks_is_a_t_test_of_its_contrasts(experiment):
    layout, samples, values = experiment(2, log_mean, **CUBE)
    (result,) = factorial(samples, layout, Analysis())
    logs = np.log(values)
    cells = list(layout.cells())
    for effect in result.effects:
        signs = np.array(
            [math.prod(1 if cell[name] == CUBE[name][1] else -1 for name in effect.factors) for cell in cells]
        )
        witness = stats.ttest_1samp(-signs @ logs / 4, 0)
        assert effect.p == pytest.approx(witness.pvalue, rel=1e-9)
        assert effect.q == pytest.approx((signs @ logs).mean() / 8, rel=1e-9)
        low, high = np.exp(witness.confidence_interval())
        assert (effect.ci95.low, effect.ci95.high) == pytest.approx((low, high), rel=1e-9)
    adjusted = holm([effect.p for effect in result.effects])
    assert [effect.p_holm for effect in result.effects] == [item.p_holm for item in adjusted]


def test_without_blocks_treatments_keep_their_own_variances(experiment):
    layout, samples, values = experiment(3, log_mean, **CUBE)
    (result,) = factorial(samples, layout, Analysis(), order="sequential")
    logs = np.log(values)
    parts = logs.var(axis=1, ddof=1) / 12
    se = math.sqrt(parts.sum()) / 4
    nu = parts.sum() ** 2 / (parts**2 / 11).sum()
    for effect in result.effects:
        assert (effect.ratio.se, effect.ratio.nu) == pytest.approx((se, nu), rel=1e-10)
        assert effect.p == pytest.approx(2 * stats.t.sf(abs(effect.ratio.log) / se, nu), rel=1e-10)
        assert effect.method == "unpaired-contrast-t"


def test_effects_are_ratios_above_1_where_the_second_step_is_better(experiment):
    layout, samples, _ = experiment(4, log_mean, blocks=60, **CUBE)
    effects = by_name(factorial(samples, layout, Analysis())[0])
    # Half of the interaction stands in each main effect.
    truth = {
        ("a",): 1 / (2 * math.sqrt(1.05)),
        ("c",): 1 / (0.9 * math.sqrt(1.05)),
        ("a", "c"): 1 / math.sqrt(1.05),
        ("b",): 1.0,
    }
    for name, ratio in truth.items():
        result = effects[name].ratio
        assert abs(result.log - math.log(ratio)) < 4 * result.se
        assert result.se < 0.02
    assert effects["a",].resolved
    assert not effects["b",].resolved


def test_for_a_metric_of_which_more_is_better_ratios_turn_over(experiment):
    layout, samples, _ = experiment(4, log_mean, **CUBE)
    _, rates, _ = experiment(4, log_mean, better="higher", **CUBE)
    times = by_name(factorial(samples, layout, Analysis())[0])
    for name, effect in by_name(factorial(rates, layout, Analysis(metric="rate"))[0]).items():
        assert effect.ratio.value == pytest.approx(1 / times[name].ratio.value)
        assert (effect.q, effect.p) == (times[name].q, times[name].p)


@settings(max_examples=20)
@given(factor=st.floats(1e-6, 1e6), seed=st.integers(0, 1000))
def test_the_unit_of_the_metric_changes_nothing(experiment, layout, samples, factor, seed):
    result, _, values = experiment(seed, log_mean, **CUBE)
    first = factorial(samples(result, values), result, Analysis())[0]
    second = factorial(samples(result, values * factor), result, Analysis())[0]
    for mine, theirs in zip(first.effects, second.effects, strict=True):
        assert theirs.p == pytest.approx(mine.p, rel=1e-6)
        assert theirs.ratio.log == pytest.approx(mine.ratio.log, rel=1e-6, abs=1e-9)
        assert theirs.share == pytest.approx(mine.share, rel=1e-6, abs=1e-9)


@settings(max_examples=20)
@given(st.permutations(range(12)), st.floats(-2, 2))
def test_neither_the_order_of_blocks_nor_what_a_block_shares_matters(experiment, samples, order, shift):
    layout, _, values = experiment(5, log_mean, **CUBE)
    moved = values[:, order] * np.exp(shift * np.arange(12))
    first = factorial(samples(layout, values), layout, Analysis())[0]
    second = factorial(samples(layout, moved), layout, Analysis())[0]
    for mine, theirs in zip(first.effects, second.effects, strict=True):
        assert (theirs.p, theirs.share) == pytest.approx((mine.p, mine.share), rel=1e-6)


def test_turning_the_steps_of_a_factor_turns_its_effects(experiment, samples):
    layout, _, values = experiment(6, log_mean, **CUBE)
    turned = Layout("full", (Axis("a", ({"a": "hi"}, {"a": "lo"})), *layout.axes[1:]))
    rows = dict(zip([tuple(cell.values()) for cell in layout.cells()], values, strict=True))
    again = samples(turned, [rows[tuple(cell.values())] for cell in turned.cells()])
    result = by_name(factorial(samples(layout, values), layout, Analysis())[0])
    for name, effect in by_name(factorial(again, turned, Analysis())[0]).items():
        sign = -1 if "a" in name else 1
        assert effect.ratio.log == pytest.approx(sign * result[name].ratio.log, abs=1e-12)


def test_one_effect_of_a_single_degree_is_the_same_beside_a_factor_of_three_levels(experiment):
    layout, samples, values = experiment(7, lambda cell: 0.3 * (cell["a"] == 1), a=[0, 1], b=[0, 1, 2])
    (result,) = factorial(samples, layout, Analysis())
    effects = by_name(result)
    logs = np.log(values).reshape(2, 3, 12).mean(axis=1)
    witness = stats.ttest_1samp(logs[0] - logs[1], 0)
    assert effects["a",].p == pytest.approx(witness.pvalue, rel=1e-9)
    assert [effects[name].df for name in [("a",), ("b",), ("a", "b")]] == [1, 2, 2]
    assert effects["b",].ratio is effects["b",].ci95 is None
    assert [(level.factor, level.step) for level in result.levels] == [("b", 1), ("b", 2)]
    halves = np.log(values).reshape(2, 3, 12).mean(axis=0)
    assert result.levels[1].ratio.log == pytest.approx((halves[0] - halves[2]).mean(), rel=1e-9)


def test_shares_of_all_effects_and_chance_are_the_whole(experiment):
    layout, samples, _ = experiment(8, log_mean, a=["lo", "hi"], b=[0, 1, 2], c=[False, True])
    (result,) = factorial(samples, layout, Analysis())
    assert sum(effect.share for effect in result.effects) + result.rest == pytest.approx(1)
    assert result.unassigned == pytest.approx(0, abs=1e-12)


def test_where_no_value_varies_no_variation_is_left_for_other_interactions(experiment):
    layout, samples, _ = experiment(8, log_mean, a=["lo", "hi"], b=[0, 1], c=[False, True])
    equal = [replace(sample, values=array("d", [3.0] * len(sample))) for sample in samples]
    (result,) = factorial(equal, layout, Analysis())
    assert {effect.share for effect in result.effects} == {0.0}
    assert (result.rest, result.unassigned) == (0.0, 0.0)


def test_one_block_gives_effects_without_a_test_unless_lenth_is_declared(experiment):
    layout, samples, _ = experiment(12, log_mean, blocks=1, **CUBE)
    (bare,) = factorial(samples, layout, Analysis())
    assert {(e.p, e.p_holm, e.ci95, e.resolved, e.method) for e in bare.effects} == {
        (None, None, None, None, "no-error-term")
    }
    (judged,) = factorial(samples, layout, Analysis(unreplicated="lenth"))
    effects = by_name(judged)
    assert effects["a",].resolved
    assert effects["a",].method == "lenth-pseudo-se"
    assert [e.q for e in judged.effects] == [e.q for e in bare.effects]


@pytest.mark.parametrize("failures", [Failures(13, 1, 0), Failures(12, 1, 1)])
def test_unequal_failures_leave_nothing_judged_unless_declared(experiment, samples, failures):
    layout, _, values = experiment(22, log_mean, **CUBE)
    failing = samples(layout, values, failures={2: failures})
    (result,) = factorial(failing, layout, Analysis())
    assert result.censored
    assert {effect.resolved for effect in result.effects} == {None}
    (ignored,) = factorial(failing, layout, Analysis(failures="ignore"))
    assert ignored.effects[0].resolved


def test_times_of_more_ranks_than_cpus_leave_nothing_judged(experiment, samples):
    layout, _, values = experiment(22, log_mean, **CUBE)
    first, *rest = samples(layout, values)
    (result,) = factorial([replace(first, provenance="crowded"), *rest], layout, Analysis(failures="ignore"))
    assert result.censored
    assert {effect.resolved for effect in result.effects} == {None}


def test_declared_contrasts_are_a_family_of_their_own(experiment):
    def curve(cell):
        return 0.4 * (cell["b"] == 1) + 0.2 * (cell["a"] == 1 and cell["b"] == 2)

    layout, samples, values = experiment(23, curve, a=[0, 1], b=[0, 1, 2])
    declared = Analysis(
        contrasts={
            "bend": {"b": [-1, 2, -1]},
            "last": {"b": [0, -3, 3]},
            "a at last against first": {"a": [-1, 1], "b": [-1, 0, 1]},
        }
    )
    (result,) = factorial(samples, layout, declared)
    logs = np.log(values).reshape(2, 3, 12)
    mean = logs.mean(axis=0)
    expected = [
        (mean[0] + mean[2]) / 2 - mean[1],
        mean[1] - mean[2],
        (logs[0, 2] - logs[1, 2]) - (logs[0, 0] - logs[1, 0]),
    ]
    for contrast, values_ in zip(result.contrasts, expected, strict=True):
        witness = stats.ttest_1samp(values_, 0)
        assert (contrast.ratio.log, contrast.ratio.p) == pytest.approx(
            (values_.mean(), witness.pvalue), rel=1e-9
        )
    assert [item.p_holm for item in result.contrasts] == [
        element.p_holm for element in holm([element.ratio.p for element in result.contrasts])
    ]


@pytest.mark.parametrize("order", ["randomized-blocks", "sequential"])
def test_the_interval_of_the_family_excludes_1_exactly_where_holm_rejects(experiment, order):
    for seed in range(15):
        layout, samples, _ = experiment([24, seed], lambda cell: 0.03 * cell["b"], blocks=8, **CUBE)
        (result,) = factorial(samples, layout, Analysis(), order=order)
        for effect in result.effects:
            assert effect.ci_family.excludes(1) == effect.resolved


def test_signs_of_few_blocks_are_all_tried(experiment):
    layout, samples, values = experiment(25, log_mean, blocks=6, **CUBE)
    (result,) = factorial(samples, layout, Analysis())
    a = np.array([1 if cell["a"] == "hi" else -1 for cell in layout.cells()]) @ np.log(values)
    reached = [
        abs(sum(s * x for s, x in zip(signs, a, strict=True)))
        for signs in itertools.product((1, -1), repeat=6)
    ]
    expected = np.mean(np.array(reached) >= abs(a.sum()) - 1e-9)
    assert result.effects[0].p_flips == pytest.approx(expected)


def test_what_would_have_shown_is_told_at_the_level_tested(experiment):
    layout, samples, _ = experiment(28, lambda cell: 0.0, **CUBE)
    (result,) = factorial(samples, layout, Analysis())
    # Holm stops at the first of the seven.
    effect = max(result.effects, key=lambda effect: effect.p)
    se = effect.ratio.se
    shift = math.log1p(effect.resolvable) / se
    critical = stats.t.isf(0.05 / 7 / 2, 11)
    assert not effect.resolved
    assert stats.nct.sf(critical, 11, shift) == pytest.approx(0.8, abs=1e-4)


@pytest.mark.parametrize("order", ["randomized-blocks", "sequential"])
def test_where_two_factors_act_on_each_other_one_is_told_at_each_step_of_the_other(experiment, order):
    layout, samples, values = experiment(29, lambda cell: 0.5 * (cell["a"] == "hi" and cell["c"]), **CUBE)
    (result,) = factorial(samples, layout, Analysis(), order=order)
    assert [(item.factor, item.at, item.step) for item in result.conditional] == [
        ("a", "c", 0),
        ("a", "c", 1),
    ]
    cells = list(layout.cells())
    for element, c in zip(result.conditional, (False, True), strict=True):
        high = [place for place, cell in enumerate(cells) if cell["a"] == "hi" and cell["c"] is c]
        low = [place for place, cell in enumerate(cells) if cell["a"] == "lo" and cell["c"] is c]
        logs = np.log(values)
        gains = logs[low].mean(axis=0) - logs[high].mean(axis=0)
        assert element.ratio.log == pytest.approx(gains.mean(), rel=1e-9)
        if order == "randomized-blocks":
            assert element.ratio.p == pytest.approx(stats.ttest_1samp(gains, 0).pvalue, rel=1e-9)
    assert not result.conditional[0].ci95.excludes(1)
    assert result.conditional[1].ci95.excludes(1)


@pytest.mark.parametrize(("contexts", "unit"), [(None, "block"), ([1 + b % 4 for b in range(12)], "context")])
def test_the_method_names_what_is_independent(experiment, samples, contexts, unit):
    layout, _, values = experiment(36, lambda cell: 0.1 * cell["b"], a=[0, 1], b=[0, 1, 2])
    (result,) = factorial(samples(layout, values, contexts=contexts), layout, Analysis())
    assert [effect.method for effect in result.effects] == [
        f"{unit}-contrast-t",
        f"{unit}-contrast-box",
        f"{unit}-contrast-box",
    ]
    assert {level.ratio.method for level in result.levels} == {f"{unit}-contrast-t"}


def test_without_blocks_a_factor_of_three_levels_is_tested_by_welch_and_james(experiment):
    layout, samples, _ = experiment(36, lambda cell: 0.3 * (cell["a"] == 1), a=[0, 1], b=[0, 1, 2])
    (result,) = factorial(samples, layout, Analysis(), order="sequential")
    assert {name: item.method for name, item in by_name(result).items()} == {
        ("a",): "unpaired-contrast-t",
        ("b",): "unpaired-welch-james",
        ("a", "b"): "unpaired-welch-james",
    }
