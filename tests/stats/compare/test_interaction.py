from __future__ import annotations

import math

import numpy as np
import pytest
from msgspec.structs import replace
from scipy import stats as witness
from statsmodels.stats.multitest import multipletests

from steelyard.core.analysis import Analysis
from steelyard.core.sample import Failures
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.compare.interaction import ratios_of_speedups
from steelyard.stats.compare.interaction_estimate import ratio_of_speedups
from steelyard.stats.compare.speedup import speedup

DECLARED = Analysis(baseline={"algorithm": "delta"}, strata=("runtime",), ratio_across="runtime")


def four(rng, n=20, *, gains=(0.1, 0.3), size=0.02):
    """Times of delta and kla on runtimes a and b: one drift, which the runtimes share."""
    drift = np.cumsum(rng.normal(0, 0.05, n))
    logs = rng.normal(0, size, (4, n)) + drift
    return np.exp(logs - np.array([0, gains[0], 0, gains[1]])[:, None])


def samples(sample, table, runtimes=("a", "b"), **of):
    return [
        sample(values, treatment=t + 1, levels={"algorithm": algorithm, "runtime": runtime}, **of)
        for t, (values, (runtime, algorithm)) in enumerate(
            zip(table, [(r, a) for r in runtimes for a in ("delta", "kla")], strict=True)
        )
    ]


def test_each_block_has_a_ratio_of_its_own(sample):
    """Paired t over the blocks' differences of differences of logarithms (SciPy)."""
    table = four(np.random.default_rng(1))
    (result,) = ratios_of_speedups(samples(sample, table), replace(DECLARED, interval="log-delta"))
    logs = np.log(table)
    t = witness.ttest_1samp((logs[2] - logs[3]) - (logs[0] - logs[1]), 0)
    assert (result.ratio.p, result.ratio.nu) == (pytest.approx(t.pvalue), 19)
    interval = t.confidence_interval()
    assert (math.log(result.ci95.low), math.log(result.ci95.high)) == pytest.approx(tuple(interval))
    assert (result.level, result.reference, result.change) == ("b", "a", "larger")
    assert (result.treatment.id, result.baseline.id) == (4, 3)
    assert (result.reference_treatment.id, result.reference_baseline.id) == (2, 1)


def test_the_ratio_of_ratios_of_means_has_the_uncertainty_of_its_effects(sample):
    table = four(np.random.default_rng(2))
    declared = Analysis(
        baseline=DECLARED.baseline,
        strata=("runtime",),
        ratio_across="runtime",
        estimand="ratio_of_means",
    )
    (result,) = ratios_of_speedups(samples(sample, table), declared)
    means = table.mean(axis=1)
    assert result.ratio.value == pytest.approx((means[2] / means[3]) / (means[0] / means[1]))
    relative = table / means[:, None]
    effects = (relative[2] - relative[3]) - (relative[0] - relative[1])
    assert result.ratio.se == pytest.approx(witness.sem(effects))
    assert result.ratio.method == "block-means-log-delta"


def test_a_median_of_ratios_has_one_too(sample):
    table = four(np.random.default_rng(3), 21)
    declared = Analysis(baseline=DECLARED.baseline, ratio_across="runtime", estimand="median_ratio")
    (result,) = ratios_of_speedups(samples(sample, table), declared)
    logs = np.log(table)
    assert result.ratio.log == pytest.approx(np.median((logs[2] - logs[3]) - (logs[0] - logs[1])))
    assert result.ratio.method == "block-median-sign"


def test_the_ratio_of_two_ratios_turns_over_with_them(sample):
    table = four(np.random.default_rng(4))
    old_a, new_a, old_b, new_b = samples(sample, table)
    a, b = contrast(old_a, new_a), contrast(old_b, new_b)
    first, second = ratio_of_speedups(a, b), ratio_of_speedups(b, a)
    assert first.value == pytest.approx(1 / second.value)
    assert first.interval().low == pytest.approx(second.interval().reciprocal().low)
    assert ratio_of_speedups(a, a).p == 1.0


def test_of_several_levels_each_is_set_against_the_first_and_all_are_one_family(sample):
    rng = np.random.default_rng(5)
    table = np.vstack([four(rng), four(rng, gains=(0.1, 0.11))])
    result = ratios_of_speedups(samples(sample, table, ("a", "b", "c", "d")), DECLARED)
    assert [(element.level, element.reference) for element in result] == [("b", "a"), ("c", "a"), ("d", "a")]
    p = [item.ratio.p for item in result]
    assert [element.p_holm for element in result] == pytest.approx(list(multipletests(p, method="holm")[1]))
    for element in result:
        assert element.ci_family.excludes(1) == (element.change != "not_resolved")


def test_without_blocks_the_variances_of_both_add_up(sample):
    table = four(np.random.default_rng(6))
    old_a, new_a, old_b, new_b = samples(sample, table)
    a, b = (contrast(*pair, order="sequential") for pair in ((old_a, new_a), (old_b, new_b)))
    result = ratio_of_speedups(b, a)
    logs = np.log(table)
    assert result.se == pytest.approx(math.sqrt(sum(witness.sem(row) ** 2 for row in logs)))
    assert 19 < result.nu < 76
    assert result.n == 80


def test_blocks_that_only_one_runtime_has_are_in_no_ratio(sample):
    table = four(np.random.default_rng(7), 10)
    old_a, new_a, *_ = samples(sample, table)
    late = samples(sample, table, blocks=range(6, 16))[2:]
    result = ratio_of_speedups(contrast(*late), contrast(old_a, new_a))
    assert result.n == 5
    second = samples(sample, table, blocks=range(101, 111))[2:]
    assert ratio_of_speedups(contrast(*second), contrast(old_a, new_a)) == Undefined("no_common_block")


def test_what_has_no_ratio_stays_not_resolved_and_out_of_the_family(sample):
    table = four(np.random.default_rng(8))
    result = samples(sample, np.vstack([table, table[:2]]), ("a", "b", "c"))
    result[5] = sample([], treatment=6, levels={"algorithm": "kla", "runtime": "c"})
    good, broken = ratios_of_speedups(result, DECLARED)
    assert (broken.ratio, broken.change, broken.p_holm) == (Undefined("no_values"), "not_resolved", None)
    assert good.p_holm == good.ratio.p


def test_equal_gains_are_called_different_in_at_most_5_of_100(sample, perfect_passes):
    """N = 600, under a drift that all four share."""
    count = 600
    assert perfect_passes(count, 0.05, 18, 43) > 0.98
    rng = np.random.default_rng(9)
    result = (
        ratios_of_speedups(samples(sample, four(rng, gains=(0.2, 0.2))), DECLARED) for _ in range(count)
    )
    assert 18 <= sum(item[0].change != "not_resolved" for item in result) <= 43


def test_without_a_declared_factor_there_is_none(sample):
    table = four(np.random.default_rng(10))
    assert ratios_of_speedups(samples(sample, table), Analysis(baseline={"algorithm": "delta"})) == ()


def test_blocks_with_one_ratio_of_means_claim_what_their_number_can(sample):
    drift = np.exp(np.random.default_rng(11).normal(0, 0.1, 8))
    old_a, new_a, old_b, new_b = samples(sample, np.outer([1.0, 0.5, 1.0, 0.25], drift))
    a, b = contrast(old_a, new_a), contrast(old_b, new_b)
    result = ratio_of_speedups(b, a, "ratio_of_means")
    assert (result.value, result.se, result.p) == (pytest.approx(2.0), 0.0, 2**-7)
    assert (result.method, result.estimand) == ("block-log-ratio-sign", "ratio_of_means")
    neutral = ratio_of_speedups(a, a, "ratio_of_means")
    assert (neutral.value, neutral.se, neutral.p) == (1.0, 0.0, 1.0)


@pytest.mark.parametrize(
    "odd", [{"failures": Failures(20, 0, 0)}, {"failures": Failures(21, 1, 1)}, {"provenance": "crowded"}]
)
def test_runs_that_fail_or_crowd_leave_it_unresolved(sample, odd):
    result = samples(sample, four(np.random.default_rng(1)))
    result[3] = replace(result[3], **odd)
    (answer,) = ratios_of_speedups(result, DECLARED)
    refused = odd != {"failures": Failures(20, 0, 0)}
    assert (answer.refused, answer.change) == ((True, "not_resolved") if refused else (False, "larger"))
    assert answer.p_holm < 0.05


def test_pairs_on_one_side_only_leave_the_sum_of_both_variances(sample):
    old_a, new_a, old_b, new_b = samples(sample, four(np.random.default_rng(12)))
    a, b = contrast(old_a, new_a), contrast(old_b, new_b, order="sequential")
    for first, second in ((a, b), (b, a)):
        result = ratio_of_speedups(first, second)
        assert result.log == pytest.approx(speedup(first).log - speedup(second).log)
        assert result.se == pytest.approx(math.hypot(speedup(a).se, speedup(b).se))


def test_where_one_ratio_of_means_has_no_value_neither_has_theirs(sample):
    old_a, new_a, old_b, _ = samples(sample, four(np.random.default_rng(13)))
    a = contrast(old_a, new_a)
    never = contrast(old_b, sample([0.0] * 20, treatment=4), zeros=True)
    assert ratio_of_speedups(never, a, "ratio_of_means") == Undefined("out_of_range")
    assert ratio_of_speedups(a, never, "ratio_of_means") == Undefined("out_of_range")
