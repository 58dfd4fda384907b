from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import TTestPower

from steelyard.factorial import Axis, Generator, Layout
from steelyard.sample import Failures
from steelyard.stats.declared import Declared
from steelyard.stats.factorial.analysis import factorial
from steelyard.stats.factorial.fresh import with_fresh_runs
from steelyard.stats.facts import DesignFacts
from steelyard.stats.holm import holm

CUBE = {"a": ["lo", "hi"], "b": [0, 1], "c": [False, True]}


def log_mean(cell):
    """Known effects: a doubles, c saves a tenth, and both together cost a twentieth."""
    high = cell["a"] == "hi"
    return math.log(2) * high + math.log(0.9) * (cell["c"] is True) + math.log(1.05) * (high and cell["c"])


def by_name(found):
    return {effect.factors: effect for effect in found.effects}


def test_effects_stand_in_the_order_of_yates(experiment):
    layout, samples, _ = experiment(1, log_mean, **CUBE)
    (found,) = factorial(samples, layout, Declared())
    assert [effect.factors for effect in found.effects] == [
        ("a",), ("b",), ("a", "b"), ("c",), ("a", "c"), ("b", "c"), ("a", "b", "c"),
    ]  # fmt: skip
    assert (found.kind, found.by, found.units, found.treatments) == ("complete", "block", 12, 8)


def test_an_effect_in_blocks_is_a_t_test_of_its_contrasts(experiment):
    layout, samples, values = experiment(2, log_mean, **CUBE)
    (found,) = factorial(samples, layout, Declared())
    logs = np.log(values)
    cells = list(layout.cells())
    for effect in found.effects:
        signs = np.array(
            [math.prod(1 if cell[name] == CUBE[name][1] else -1 for name in effect.factors) for cell in cells]
        )
        witness = stats.ttest_1samp(-signs @ logs / 4, 0)
        assert effect.p == pytest.approx(witness.pvalue, rel=1e-9)
        assert effect.q == pytest.approx((signs @ logs).mean() / 8, rel=1e-9)
        low, high = np.exp(witness.confidence_interval())
        assert (effect.ci95.low, effect.ci95.high) == pytest.approx((low, high), rel=1e-9)
    adjusted = holm([effect.p for effect in found.effects])
    assert [effect.p_holm for effect in found.effects] == [each.p_holm for each in adjusted]


def test_without_blocks_treatments_keep_their_own_variances(experiment):
    layout, samples, values = experiment(3, log_mean, **CUBE)
    (found,) = factorial(samples, layout, Declared(), order="sequential")
    logs = np.log(values)
    parts = logs.var(axis=1, ddof=1) / 12
    se = math.sqrt(parts.sum()) / 4
    nu = parts.sum() ** 2 / (parts**2 / 11).sum()
    for effect in found.effects:
        assert (effect.ratio.se, effect.ratio.nu) == pytest.approx((se, nu), rel=1e-10)
        assert effect.p == pytest.approx(2 * stats.t.sf(abs(effect.ratio.log) / se, nu), rel=1e-10)
        assert effect.method == "unpaired-contrast-t"


def test_known_effects_are_found_as_ratios_that_are_above_1_where_the_second_step_is_better(experiment):
    layout, samples, _ = experiment(4, log_mean, blocks=60, **CUBE)
    effects = by_name(factorial(samples, layout, Declared())[0])
    # Half of the interaction stands in each main effect.
    truth = {
        ("a",): 1 / (2 * math.sqrt(1.05)),
        ("c",): 1 / (0.9 * math.sqrt(1.05)),
        ("a", "c"): 1 / math.sqrt(1.05),
        ("b",): 1.0,
    }
    for name, ratio in truth.items():
        found = effects[name].ratio
        assert abs(found.log - math.log(ratio)) < 4 * found.se
        assert found.se < 0.02
    assert effects["a",].resolved
    assert not effects["b",].resolved


def test_for_a_metric_of_which_more_is_better_ratios_turn_over(experiment):
    layout, samples, _ = experiment(4, log_mean, **CUBE)
    _, rates, _ = experiment(4, log_mean, better="higher", **CUBE)
    times = by_name(factorial(samples, layout, Declared())[0])
    for name, effect in by_name(factorial(rates, layout, Declared(metric="rate"))[0]).items():
        assert effect.ratio.value == pytest.approx(1 / times[name].ratio.value)
        assert (effect.q, effect.p) == (times[name].q, times[name].p)


@settings(max_examples=20)
@given(factor=st.floats(1e-6, 1e6), seed=st.integers(0, 1000))
def test_the_unit_of_the_metric_changes_nothing(experiment, layout, samples, factor, seed):
    found, _, values = experiment(seed, log_mean, **CUBE)
    one = factorial(samples(found, values), found, Declared())[0]
    other = factorial(samples(found, values * factor), found, Declared())[0]
    for mine, theirs in zip(one.effects, other.effects, strict=True):
        assert theirs.p == pytest.approx(mine.p, rel=1e-6)
        assert theirs.ratio.log == pytest.approx(mine.ratio.log, rel=1e-6, abs=1e-9)
        assert theirs.share == pytest.approx(mine.share, rel=1e-6, abs=1e-9)


@settings(max_examples=20)
@given(st.permutations(range(12)), st.floats(-2, 2))
def test_neither_the_order_of_blocks_nor_what_a_block_shares_matters(experiment, samples, order, shift):
    layout, _, values = experiment(5, log_mean, **CUBE)
    moved = values[:, order] * np.exp(shift * np.arange(12))
    one = factorial(samples(layout, values), layout, Declared())[0]
    other = factorial(samples(layout, moved), layout, Declared())[0]
    for mine, theirs in zip(one.effects, other.effects, strict=True):
        assert (theirs.p, theirs.share) == pytest.approx((mine.p, mine.share), rel=1e-6)


def test_turning_the_steps_of_a_factor_turns_its_effects(experiment, samples):
    layout, _, values = experiment(6, log_mean, **CUBE)
    turned = Layout("full", (Axis("a", ({"a": "hi"}, {"a": "lo"})), *layout.axes[1:]))
    rows = dict(zip([tuple(cell.values()) for cell in layout.cells()], values, strict=True))
    again = samples(turned, [rows[tuple(cell.values())] for cell in turned.cells()])
    one = by_name(factorial(samples(layout, values), layout, Declared())[0])
    for name, effect in by_name(factorial(again, turned, Declared())[0]).items():
        sign = -1 if "a" in name else 1
        assert effect.ratio.log == pytest.approx(sign * one[name].ratio.log, abs=1e-12)


def test_one_effect_of_a_single_degree_is_the_same_beside_a_factor_of_three_levels(experiment):
    layout, samples, values = experiment(7, lambda cell: 0.3 * (cell["a"] == 1), a=[0, 1], b=[0, 1, 2])
    (found,) = factorial(samples, layout, Declared())
    effects = by_name(found)
    logs = np.log(values).reshape(2, 3, 12).mean(axis=1)
    witness = stats.ttest_1samp(logs[0] - logs[1], 0)
    assert effects["a",].p == pytest.approx(witness.pvalue, rel=1e-9)
    assert [effects[name].df for name in [("a",), ("b",), ("a", "b")]] == [1, 2, 2]
    assert effects["b",].ratio is effects["b",].ci95 is None
    assert [(level.factor, level.step) for level in found.levels] == [("b", 1), ("b", 2)]
    halves = np.log(values).reshape(2, 3, 12).mean(axis=0)
    assert found.levels[1].ratio.log == pytest.approx((halves[0] - halves[2]).mean(), rel=1e-9)


def test_shares_of_all_effects_and_chance_are_the_whole(experiment):
    layout, samples, _ = experiment(8, log_mean, a=["lo", "hi"], b=[0, 1, 2], c=[False, True])
    (found,) = factorial(samples, layout, Declared())
    assert sum(effect.share for effect in found.effects) + found.rest == pytest.approx(1)
    assert found.unassigned == pytest.approx(0, abs=1e-12)


def test_a_fraction_estimates_the_sums_of_what_it_confounds(experiment):
    half = (Generator(2, 0b011),)
    layout, samples, values = experiment(9, log_mean, kind="fraction", generators=half, **CUBE)
    (found,) = factorial(samples, layout, Declared())
    assert [(effect.factors, effect.confounded) for effect in found.effects] == [
        (("a",), ("b × c",)),
        (("b",), ("a × c",)),
        (("c",), ("a × b",)),
    ]
    a = np.array([1 if cell["a"] == "hi" else -1 for cell in layout.cells()])
    assert found.effects[0].q == pytest.approx((a @ np.log(values)).mean() / 4)


def test_an_alias_of_the_other_sign_has_a_minus(experiment):
    half = (Generator(2, 0b011, -1),)
    layout, samples, _ = experiment(9, log_mean, kind="fraction", generators=half, **CUBE)
    (found,) = factorial(samples, layout, Declared())
    assert [effect.confounded for effect in found.effects] == [("−b × c",), ("−a × c",), ("−a × b",)]


def test_a_screening_estimates_main_effects_and_says_what_is_left(experiment):
    names = {f"x{j}": [0, 1] for j in range(9)}
    layout, samples, _ = experiment(
        11, lambda cell: 0.5 * cell["x3"] - 0.4 * cell["x7"], kind="plackett-burman", **names
    )
    (found,) = factorial(samples, layout, Declared())
    assert (found.kind, found.treatments, len(found.effects)) == ("screening", 12, 9)
    assert [effect.factors[0] for effect in found.effects if effect.resolved] == ["x3", "x7"]
    whole = sum(effect.share for effect in found.effects) + found.rest + found.unassigned
    assert whole == pytest.approx(1)


def test_one_factor_at_a_time_has_comparisons_and_no_effects(experiment):
    layout, samples, _ = experiment(11, log_mean, kind="one-at-a-time", **CUBE)
    assert factorial(samples, layout, Declared()) == ()


def test_one_block_gives_effects_without_a_test_unless_lenth_is_declared(experiment):
    layout, samples, _ = experiment(12, log_mean, blocks=1, **CUBE)
    (bare,) = factorial(samples, layout, Declared())
    assert {(e.p, e.p_holm, e.ci95, e.resolved, e.method) for e in bare.effects} == {
        (None, None, None, None, "no-error-term")
    }
    (judged,) = factorial(samples, layout, Declared(unreplicated="lenth"))
    effects = by_name(judged)
    assert effects["a",].resolved
    assert effects["a",].method == "lenth-pseudo-se"
    assert [e.q for e in judged.effects] == [e.q for e in bare.effects]


def test_contexts_that_are_visited_again_are_the_units(experiment, samples):
    layout, _, values = experiment(13, log_mean, blocks=12, **CUBE)
    visited = samples(layout, values, contexts=[1 + b % 4 for b in range(12)])
    (found,) = factorial(visited, layout, Declared())
    assert (found.by, found.units, found.blocks) == ("context", 4, 12)
    means = np.log(values).reshape(8, 3, 4).mean(axis=1)
    a = np.array([1 if cell["a"] == "hi" else -1 for cell in layout.cells()])
    assert found.effects[0].p == pytest.approx(stats.ttest_1samp(a @ means, 0).pvalue, rel=1e-9)


def test_replicates_of_a_block_count_as_their_mean(experiment, samples):
    layout, _, values = experiment(14, log_mean, blocks=12, **CUBE)
    twice = samples(layout, values, blocks=[1 + b // 2 for b in range(12)])
    (found,) = factorial(twice, layout, Declared())
    halves = np.log(values).reshape(8, 6, 2).mean(axis=2)
    (same,) = factorial(samples(layout, np.exp(halves)), layout, Declared())
    assert found.units == 6
    assert [e.p for e in found.effects] == pytest.approx([e.p for e in same.effects], rel=1e-9)


def test_only_blocks_that_every_treatment_has_are_used(experiment, samples):
    layout, _, values = experiment(15, log_mean, **CUBE)
    whole = samples(layout, values)
    whole[3] = samples(layout, values[:, 2:], blocks=range(3, 13))[3]
    (found,) = factorial(whole, layout, Declared())
    (cut,) = factorial(samples(layout, values[:, 2:]), layout, Declared())
    assert (found.units, found.unmatched) == (10, 2)
    assert [e.p for e in found.effects] == [e.p for e in cut.effects]


@pytest.mark.parametrize(
    ("bad", "reason"), [(0.0, "zero_values"), (-1.0, "negative_values"), (math.nan, "not_finite")]
)
def test_what_has_no_logarithm_has_no_effects(experiment, samples, bad, reason):
    layout, _, values = experiment(16, log_mean, **CUBE)
    values[2, 5] = bad
    (found,) = factorial(samples(layout, values), layout, Declared())
    assert (found.undefined.reason, found.effects) == (reason, ())


def test_a_missing_combination_leaves_no_effects_and_says_so(experiment, samples):
    layout, _, values = experiment(17, log_mean, **CUBE)
    (found,) = factorial(
        samples(layout, values, keep=lambda cell: cell != {"a": "hi", "b": 1, "c": True}), layout, Declared()
    )
    assert (found.undefined.reason, found.treatments) == ("missing_combinations", 7)
    assert (found.kind, found.axes) == ("complete", ())


def test_a_level_that_was_excluded_altogether_leaves_a_smaller_crossing(experiment, samples):
    layout, _, values = experiment(18, lambda cell: 0.1 * cell["b"], a=[0, 1], b=[0, 1, 2])
    (found,) = factorial(samples(layout, values, keep=lambda cell: cell["b"] != 1), layout, Declared())
    assert [len(axis.steps) for axis in found.axes] == [2, 2]
    assert found.axes[1].steps == ({"b": 0}, {"b": 2})


def test_strata_keep_apart_where_two_factors_are_left(experiment):
    layout, samples, _ = experiment(19, log_mean, **CUBE)
    apart = factorial(samples, layout, Declared(strata=("b",)))
    assert [(each.stratum, len(each.effects)) for each in apart] == [({"b": 0}, 3), ({"b": 1}, 3)]
    (whole,) = factorial(samples, layout, Declared(strata=("b", "c")))
    assert (whole.stratum, len(whole.effects)) == ({}, 7)


def test_the_spec_can_name_the_factors_or_none(experiment):
    layout, samples, _ = experiment(20, log_mean, **CUBE)
    chosen = factorial(samples, layout, Declared(effects=("a", "c")))
    assert [each.stratum for each in chosen] == [{"b": 0}, {"b": 1}]
    assert factorial(samples, layout, Declared(effects=())) == ()


def test_values_with_labels_are_analysed_apart(experiment, samples):
    layout, _, values = experiment(21, log_mean, **CUBE)
    both = [
        *samples(layout, values, labels={"op": "bcast"}),
        *samples(layout, values**2, labels={"op": "reduce"}),
    ]
    one, other = factorial(both, layout, Declared())
    assert (one.labels, other.labels) == ({"op": "bcast"}, {"op": "reduce"})
    assert other.effects[0].q == pytest.approx(2 * one.effects[0].q)


@pytest.mark.parametrize("failures", [Failures(13, 1, 0), Failures(12, 1, 1)])
def test_unequal_failures_leave_nothing_judged_unless_declared(experiment, samples, failures):
    layout, _, values = experiment(22, log_mean, **CUBE)
    failing = samples(layout, values, failures={2: failures})
    (found,) = factorial(failing, layout, Declared())
    assert found.censored
    assert {effect.resolved for effect in found.effects} == {None}
    (ignored,) = factorial(failing, layout, Declared(failures="ignore"))
    assert ignored.effects[0].resolved


def test_times_of_more_ranks_than_cpus_leave_nothing_judged(experiment, samples):
    layout, _, values = experiment(22, log_mean, **CUBE)
    first, *rest = samples(layout, values)
    (found,) = factorial([replace(first, provenance="crowded"), *rest], layout, Declared(failures="ignore"))
    assert found.censored
    assert {effect.resolved for effect in found.effects} == {None}


def test_declared_contrasts_are_a_family_of_their_own(experiment):
    def curve(cell):
        return 0.4 * (cell["b"] == 1) + 0.2 * (cell["a"] == 1 and cell["b"] == 2)

    layout, samples, values = experiment(23, curve, a=[0, 1], b=[0, 1, 2])
    declared = Declared(
        contrasts={
            "bend": {"b": [-1, 2, -1]},
            "last": {"b": [0, -3, 3]},
            "a at last against first": {"a": [-1, 1], "b": [-1, 0, 1]},
        }
    )
    (found,) = factorial(samples, layout, declared)
    logs = np.log(values).reshape(2, 3, 12)
    mean = logs.mean(axis=0)
    expected = [
        (mean[0] + mean[2]) / 2 - mean[1],
        mean[1] - mean[2],
        (logs[0, 2] - logs[1, 2]) - (logs[0, 0] - logs[1, 0]),
    ]
    for contrast, values_ in zip(found.contrasts, expected, strict=True):
        witness = stats.ttest_1samp(values_, 0)
        assert (contrast.ratio.log, contrast.ratio.p) == pytest.approx(
            (values_.mean(), witness.pvalue), rel=1e-9
        )
    assert [each.p_holm for each in found.contrasts] == [
        each.p_holm for each in holm([each.ratio.p for each in found.contrasts])
    ]


@pytest.mark.parametrize("order", ["randomized-blocks", "sequential"])
def test_the_interval_of_the_family_excludes_1_exactly_where_holm_rejects(experiment, order):
    for seed in range(15):
        layout, samples, _ = experiment([24, seed], lambda cell: 0.03 * cell["b"], blocks=8, **CUBE)
        (found,) = factorial(samples, layout, Declared(), order=order)
        for effect in found.effects:
            assert effect.ci_family.excludes(1) == effect.resolved


def test_signs_of_few_blocks_are_all_tried(experiment):
    layout, samples, values = experiment(25, log_mean, blocks=6, **CUBE)
    (found,) = factorial(samples, layout, Declared())
    a = np.array([1 if cell["a"] == "hi" else -1 for cell in layout.cells()]) @ np.log(values)
    reached = [
        abs(sum(s * x for s, x in zip(signs, a, strict=True)))
        for signs in itertools.product((1, -1), repeat=6)
    ]
    expected = np.mean(np.array(reached) >= abs(a.sum()) - 1e-9)
    assert found.effects[0].p_flips == pytest.approx(expected)


@pytest.mark.parametrize("blocks", [10, 30])
@pytest.mark.parametrize("shape", ["normal", "unequal"])
@pytest.mark.parametrize("name", ["interaction, blocks", "4 levels, blocks"])
def test_a_test_in_blocks_errs_as_often_as_it_says_whatever_the_variances(
    simulation, perfect_passes, name, shape, blocks
):
    count, low, high = 1000, 32, 70
    # Of 1,000 experiments without an effect, 3.2 to 7 % called one: a test of 5 % stays within in 99 of 100.
    assert perfect_passes(count, 0.05, low, high) > 0.99
    assert low <= simulation.rejections(name, shape, blocks, count) <= high


def test_ranks_would_err_far_more_often_where_variances_differ(simulation):
    # Decision 025: why there is neither a rank transform nor ART.
    assert simulation.rejections("aligned ranks", "unequal", 30, 300) > 45
    assert simulation.rejections("rank transform", "unequal lognormal", 30, 300) > 60


def test_of_many_factors_only_what_can_be_read_is_estimated(layout, samples):
    many = layout(**{f"x{j}": [0, 1] for j in range(9)})
    values = np.exp(np.random.default_rng(26).normal(0, 0.1, (512, 3)))
    (found,) = factorial(samples(many, values), many, Declared())
    assert len(found.effects) == 9 + 36
    (eight,) = factorial(samples(many, values), many, Declared(strata=("x8",)))[:1]
    assert len(eight.effects) == 255
    assert found.unassigned > 0.1
    by_name = {effect.factors: effect for effect in found.effects}
    half = np.array([2 * cell["x8"] - 1 for cell in many.cells()]) @ np.log(values)
    assert by_name["x8",].q == pytest.approx(half.mean() / 512)


def test_an_interaction_of_hundreds_of_contrasts_is_left_out(layout, samples):
    wide = layout(a=list(range(20)), b=list(range(20)))
    values = np.exp(np.random.default_rng(27).normal(0, 0.1, (400, 4)))
    (found,) = factorial(samples(wide, values), wide, Declared())
    assert [effect.factors for effect in found.effects] == [("a",), ("b",)]


def test_what_would_have_shown_is_told_at_the_level_tested(experiment):
    layout, samples, _ = experiment(28, lambda cell: 0.0, **CUBE)
    (found,) = factorial(samples, layout, Declared())
    # Holm stops at the first of the seven.
    effect = max(found.effects, key=lambda effect: effect.p)
    se = effect.ratio.se
    shift = math.log1p(effect.resolvable) / se
    critical = stats.t.isf(0.05 / 7 / 2, 11)
    assert not effect.resolved
    assert stats.nct.sf(critical, 11, shift) == pytest.approx(0.8, abs=1e-4)


@pytest.mark.parametrize("order", ["randomized-blocks", "sequential"])
def test_where_two_factors_act_on_each_other_one_is_told_at_each_step_of_the_other(experiment, order):
    layout, samples, values = experiment(29, lambda cell: 0.5 * (cell["a"] == "hi" and cell["c"]), **CUBE)
    (found,) = factorial(samples, layout, Declared(), order=order)
    assert [(each.factor, each.at, each.step) for each in found.conditional] == [("a", "c", 0), ("a", "c", 1)]
    cells = list(layout.cells())
    for each, c in zip(found.conditional, (False, True), strict=True):
        high = [place for place, cell in enumerate(cells) if cell["a"] == "hi" and cell["c"] is c]
        low = [place for place, cell in enumerate(cells) if cell["a"] == "lo" and cell["c"] is c]
        logs = np.log(values)
        gains = logs[low].mean(axis=0) - logs[high].mean(axis=0)
        assert each.ratio.log == pytest.approx(gains.mean(), rel=1e-9)
        if order == "randomized-blocks":
            assert each.ratio.p == pytest.approx(stats.ttest_1samp(gains, 0).pvalue, rel=1e-9)
    assert not found.conditional[0].ci95.excludes(1)
    assert found.conditional[1].ci95.excludes(1)


def test_blocks_may_come_in_any_order_and_hold_several_launches(experiment, samples):
    layout, _, values = experiment(30, log_mean, blocks=12, **CUBE)
    order = np.random.default_rng(31).permutation(12)
    mixed = samples(layout, values[:, order], blocks=[1 + int(b) // 2 for b in order], contexts=[1] * 12)
    (found,) = factorial(mixed, layout, Declared())
    halves = np.exp(np.log(values).reshape(8, 6, 2).mean(axis=2))
    (same,) = factorial(samples(layout, halves), layout, Declared())
    assert found.by == "context"
    assert found.units == 1
    contexts = [1 + int(b) // 4 for b in order]
    again = samples(layout, values[:, order], blocks=[1 + int(b) // 2 for b in order], contexts=contexts)
    (visited,) = factorial(again, layout, Declared())
    assert (visited.by, visited.units, visited.blocks) == ("context", 3, 6)
    assert [e.q for e in visited.effects] == pytest.approx([e.q for e in same.effects], rel=1e-9)


def test_blocks_without_anything_in_common_have_no_effects(experiment, samples):
    layout, _, values = experiment(32, log_mean, **CUBE)
    apart = [*samples(layout, values)[:7], samples(layout, values, blocks=range(101, 113))[7]]
    (found,) = factorial(apart, layout, Declared())
    assert found.undefined.reason == "no_common_block"


def test_a_split_plot_in_blocks_errs_as_often_as_it_says(layout, samples, perfect_passes):
    # The level of a is set up once a block: its error is shared by the treatments of that half of the block.
    count, low, high = 600, 17, 44
    assert perfect_passes(count, 0.05, low, high) > 0.98
    rng = np.random.default_rng(33)
    square = layout(a=[0, 1], b=[0, 1])
    wrong = 0
    for _ in range(count):
        plots = np.repeat(rng.normal(0, 0.05, (2, 10)), 2, axis=0)
        values = np.exp(plots + rng.normal(0, 0.01, (4, 10)))
        (found,) = factorial(samples(square, values), square, Declared())
        wrong += found.effects[0].p <= 0.05
    assert low <= wrong <= high


def test_without_a_layout_nothing_is_known_to_be_crossed(experiment):
    layout, samples, _ = experiment(34, log_mean, **CUBE)
    assert factorial(samples, None, Declared()) == ()
    assert factorial([], layout, Declared()) == ()


def test_what_only_interactions_of_three_could_explain_stands_for_itself(experiment):
    half = (Generator(3, 0b0111),)
    layout, samples, _ = experiment(35, log_mean, kind="fraction", generators=half, d=[0, 1], **CUBE)
    (found,) = factorial(samples, layout, Declared())
    confounded = {effect.factors: effect.confounded for effect in found.effects}
    assert [len(each) for names, each in confounded.items() if len(names) == 1] == [0, 0, 0, 0]
    assert [len(each) for names, each in confounded.items() if len(names) == 2] == [1, 1, 1]


@pytest.mark.parametrize(("contexts", "unit"), [(None, "block"), ([1 + b % 4 for b in range(12)], "context")])
def test_the_method_names_what_is_independent(experiment, samples, contexts, unit):
    layout, _, values = experiment(36, lambda cell: 0.1 * cell["b"], a=[0, 1], b=[0, 1, 2])
    (found,) = factorial(samples(layout, values, contexts=contexts), layout, Declared())
    assert [effect.method for effect in found.effects] == [
        f"{unit}-contrast-t",
        f"{unit}-contrast-box",
        f"{unit}-contrast-box",
    ]
    assert {level.ratio.method for level in found.levels} == {f"{unit}-contrast-t"}


def test_blocks_that_some_lack_are_counted_with_contexts_too(experiment, samples):
    layout, _, values = experiment(37, log_mean, **CUBE)
    contexts = [1 + b % 4 for b in range(12)]
    whole = samples(layout, values, contexts=contexts)
    whole[5] = samples(layout, values[:, 3:], blocks=range(4, 13), contexts=contexts[3:])[5]
    (found,) = factorial(whole, layout, Declared())
    assert (found.by, found.units, found.blocks, found.unmatched) == ("context", 4, 9, 3)


def test_what_is_not_resolved_says_what_a_fresh_run_would_need(experiment):
    layout, samples, _ = experiment(38, lambda cell: 0.02 * cell["b"], **CUBE)
    facts = DesignFacts("randomized-blocks", 12, seed=1)
    found = with_fresh_runs(factorial(samples, layout, Declared())[0], Declared(), facts)
    effect = next(each for each in found.effects if each.resolved is False and each.fresh is not None)
    size = abs(effect.ratio.log) / (effect.ratio.se * 12**0.5)
    power = TTestPower()
    blocks = effect.fresh.blocks
    # By the witness, so many blocks suffice at Bonferroni's level, and one less does not.
    assert power.power(size, blocks, 0.05 / 7) >= 0.8 > power.power(size, blocks - 1, 0.05 / 7)
    assert effect.fresh.difference == pytest.approx(math.expm1(abs(effect.ratio.log)))
    assert all(each.fresh is None for each in found.effects if each.resolved)


def test_without_blocks_no_fresh_run_is_planned(experiment):
    layout, samples, _ = experiment(38, lambda cell: 0.0, **CUBE)
    (found,) = factorial(samples, layout, Declared(), order="sequential")
    facts = DesignFacts("sequential", 1, seed=1)
    assert with_fresh_runs(found, Declared(), facts) == found


def test_without_blocks_a_factor_of_three_levels_is_tested_by_welch_and_james(experiment):
    layout, samples, _ = experiment(36, lambda cell: 0.3 * (cell["a"] == 1), a=[0, 1], b=[0, 1, 2])
    (found,) = factorial(samples, layout, Declared(), order="sequential")
    assert {name: each.method for name, each in by_name(found).items()} == {
        ("a",): "unpaired-contrast-t",
        ("b",): "unpaired-welch-james",
        ("a", "b"): "unpaired-welch-james",
    }


def test_strata_take_no_factor_out_of_a_screening(experiment):
    names = {f"x{i}": [0, 1] for i in range(1, 12)}
    layout, samples, _ = experiment(37, lambda cell: 0.0, kind="plackett-burman", **names)
    (found,) = factorial(samples, layout, Declared(strata=("x1",)))
    assert [effect.factors for effect in found.effects] == [(name,) for name in names]
    assert found.stratum == {}
