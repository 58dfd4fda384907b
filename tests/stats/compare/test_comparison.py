from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as witness
from statsmodels.stats.multitest import multipletests

from steelyard.core.analysis import Analysis
from steelyard.core.sample import Failures
from steelyard.results.comparison import Speedup
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.comparison import compare, intervals
from steelyard.stats.compare.speedup import resolvable

tables = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.floats(0.5, 2), min_size=k, max_size=k), min_size=3, max_size=15)
)


def noisy(rng, n=30, *, faster=1.0, size=0.02):
    return np.exp(rng.normal(0, size, n)) / faster


@pytest.fixture(scope="module")
def trio(sample):
    rng = np.random.default_rng(20)
    drift = np.exp(np.cumsum(rng.normal(0, 0.05, 30)))
    return [
        sample(drift * noisy(rng), treatment=1),
        sample(drift * noisy(rng, faster=1.05), treatment=2),
        sample(drift * noisy(rng), treatment=3),
    ]


def test_p_values_are_those_of_paired_t_tests_adjusted_by_statsmodels(trio):
    logs = [np.log(np.array(item.values)) for item in trio]
    p = [witness.ttest_rel(logs[0], logs[i]).pvalue for i in (1, 2)]
    comparisons = compare(trio, Analysis(interval="log-delta"))
    assert [c.p for c in comparisons] == pytest.approx(p)
    assert [c.p_holm for c in comparisons] == pytest.approx(list(multipletests(p, method="holm")[1]))
    assert [c.verdict for c in comparisons] == ["faster", "not_resolved"]
    assert [c.family_size for c in comparisons] == [2, 2]


def test_marginal_interval_is_at_95_percent_and_the_family_one_at_its_step_of_holm(trio):
    first, second = compare(trio, Analysis(alpha=0.01))
    assert first.ci95 == first.speedup.interval(0.05)
    assert first.ci_family == first.speedup.interval(0.005)
    assert second.ci_family == second.speedup.interval(0.01)


@given(tables, st.floats(0.01, 0.2))
def test_the_family_interval_excludes_1_exactly_when_the_comparison_was_rejected(sample, table, alpha):
    samples = [sample(column, treatment=t) for t, column in enumerate(zip(*table, strict=True), 1)]
    for c in compare(samples, Analysis(alpha=alpha, family="all-pairs")):
        assume(abs(c.p_holm - alpha) > 1e-9)
        rejected = c.ci_family is not None and c.ci_family.excludes(1)
        assert rejected == (c.p_holm < alpha) == (c.difference != "not_resolved")


@given(tables, st.floats(1e-3, 1e3), st.sampled_from([None, 0.01, 0.3]))
def test_scaling_all_times_leaves_every_verdict_as_it_was(sample, table, factor, margin):
    def verdicts(scale):
        columns = enumerate(zip(*table, strict=True), 1)
        samples = [sample([scale * x for x in column], treatment=t) for t, column in columns]
        comparisons = compare(samples, Analysis(margin=margin))
        # A decision on the very edge may fall either way by rounding.
        edges = [abs(c.p_holm - 0.05) < 1e-6 for c in comparisons]
        return [None if edge else c.difference for c, edge in zip(comparisons, edges, strict=True)]

    assert verdicts(1.0) == verdicts(factor)


@given(tables)
def test_swapping_baseline_and_treatment_swaps_faster_and_slower(sample, table):
    old, new = (list(column) for column in list(zip(*table, strict=True))[:2])
    (result,) = compare([sample(old), sample(new, treatment=2)], Analysis())
    (backwards,) = compare([sample(new), sample(old, treatment=2)], Analysis())
    swapped = {"faster": "slower", "slower": "faster", "not_resolved": "not_resolved"}
    assert result.verdict == swapped[backwards.verdict]
    assert result.speedup.value == pytest.approx(1 / backwards.speedup.value)
    assert result.p == pytest.approx(backwards.p)


def test_without_a_margin_there_is_no_relevance(trio):
    result = compare(trio, Analysis())
    assert {(c.relevance, c.ci_relevance, c.p_relevance) for c in result} == {(None, None, None)}


def test_a_resolved_difference_inside_the_margin_is_equivalent(sample):
    rng = np.random.default_rng(21)
    pair = [sample(noisy(rng, 200)), sample(noisy(rng, 200, faster=1.008), treatment=2)]
    (c,) = compare(pair, Analysis(margin=0.02))
    assert (c.difference, c.relevance, c.verdict) == ("faster", "inside", "equivalent")


def test_a_resolved_difference_that_may_be_too_small_to_matter_is_not_resolved(sample):
    rng = np.random.default_rng(22)
    pair = [sample(noisy(rng, size=0.01)), sample(noisy(rng, size=0.01, faster=1.02), treatment=2)]
    (c,) = compare(pair, Analysis(margin=0.02))
    assert (c.difference, c.relevance, c.verdict) == ("faster", "straddles", "not_resolved")


def test_a_difference_beyond_the_margin_is_a_verdict(sample):
    rng = np.random.default_rng(23)
    pair = [sample(noisy(rng)), sample(noisy(rng, faster=0.8), treatment=2)]
    (c,) = compare(pair, Analysis(margin=0.02))
    assert (c.difference, c.relevance, c.verdict) == ("slower", "above", "slower")


def test_decisions_about_the_margin_are_a_family_of_their_own(sample):
    rng = np.random.default_rng(24)
    samples = [sample(noisy(rng, 12), treatment=t) for t in range(1, 40)]
    family = compare(samples, Analysis(margin=0.02))
    alone = [compare([samples[0], item], Analysis(margin=0.02))[0] for item in samples[1:]]
    p = [c.p_relevance for c in alone]
    assert [c.p_relevance for c in family] == pytest.approx(list(multipletests(p, method="holm")[1]))
    wider = [
        a.ci_relevance.low >= f.ci_relevance.low and a.ci_relevance.high <= f.ci_relevance.high
        for a, f in zip(alone, family, strict=True)
    ]
    assert all(wider)


@given(tables, st.sampled_from([0.05, 0.2, 0.5]), st.sampled_from(["baseline", "all-pairs"]))
def test_the_interval_of_the_margin_lies_beyond_or_inside_exactly_when_decided(sample, table, margin, family):
    samples = [sample(column, treatment=t) for t, column in enumerate(zip(*table, strict=True), 1)]
    for c in compare(samples, Analysis(margin=margin, family=family)):
        if abs(c.p_relevance - 0.05) < 1e-9:
            continue
        bounds = c.ci_relevance
        beyond = bounds is not None and (bounds.low > 1 + margin or bounds.high < 1 - margin)
        inside = bounds is not None and 1 - margin <= bounds.low and bounds.high <= 1 + margin
        assert (c.relevance == "above") == beyond
        if c.relevance == "inside" or inside:
            # Inside, and before slow runs would have shown, it waits for them.
            assert inside
            assert (c.relevance == "inside") == (c.blocks_to_show is None)
        if beyond:
            assert c.verdict == ("faster" if c.speedup.log > 0 else "slower")


@pytest.mark.parametrize("verdict", ["faster", "slower"])
def test_for_a_rate_more_is_faster(sample, verdict):
    rng = np.random.default_rng(25)
    factor = 1.2 if verdict == "faster" else 1 / 1.2
    rate = {"metric": "rate", "unit": "1/s", "better": "higher"}
    pair = [sample(noisy(rng), **rate), sample(factor * noisy(rng), treatment=2, **rate)]
    (c,) = compare(pair, Analysis(metric="rate"))
    assert c.verdict == verdict
    assert (c.speedup.value > 1) == (c.adjusted.value > 1) == (verdict == "faster")


@pytest.mark.parametrize(
    ("old", "new", "flags"),
    [
        (Failures(31, 1, 0), Failures(31, 0, 0), {"failures_unequal"}),
        (Failures(30, 0, 0), Failures(33, 3, 3), {"failures_unequal", "timed_out"}),
        (Failures(33, 3, 1), Failures(33, 3, 1), {"timed_out"}),
        (Failures(33, 3, 0), Failures(33, 3, 0), set()),
        (Failures(66, 6, 0), Failures(33, 3, 0), set()),
        (Failures(), Failures(), set()),
        (Failures(), Failures(3, 3, 0), {"failures_unequal"}),
    ],
)
def test_unequal_or_timed_out_shares_of_failure_leave_a_comparison_unresolved(sample, old, new, flags):
    rng = np.random.default_rng(26)
    pair = [sample(noisy(rng), failures=old), sample(noisy(rng, faster=2), treatment=2, failures=new)]
    (strict,) = compare(pair, Analysis())
    assert flags == {"failures_unequal", "timed_out"} & set(strict.flags)
    assert strict.verdict == strict.difference == ("not_resolved" if flags else "faster")
    assert strict.p_holm < 0.05
    assert strict.ci_family.excludes(1)
    (ignored,) = compare(pair, Analysis(failures="ignore"))
    assert ignored.verdict == "faster"
    assert set(ignored.flags) == set(strict.flags)


def test_runs_that_fail_unequally_prove_no_equivalence_either(sample):
    rng = np.random.default_rng(32)
    failing = Failures(33, 3, 0)
    values = [noisy(rng, size=0.001, n=120) for _ in range(2)]
    pair = [sample(values[0]), sample(values[1], treatment=2, failures=failing)]
    (c,) = compare(pair, Analysis(margin=0.02))
    assert (c.relevance, c.verdict) == ("inside", "not_resolved")


def test_a_treatment_that_always_fails_has_no_verdict_and_does_not_spoil_the_family(sample):
    rng = np.random.default_rng(27)
    samples = [
        sample(noisy(rng)),
        sample([], treatment=2, failures=Failures(3, 3, 0)),
        sample(noisy(rng, faster=2), treatment=3),
    ]
    broken, good = compare(samples, Analysis())
    assert broken.speedup == Undefined("no_values")
    assert (broken.verdict, broken.p, broken.ci95, broken.ci_family) == ("not_resolved", None, None, None)
    assert {"undefined", "failures_unequal"} <= set(broken.flags)
    assert (good.verdict, good.family_size) == ("faster", 1)


def test_each_stratum_is_a_family_of_its_own(sample):
    rng = np.random.default_rng(28)
    levels = [{"opt": o, "n": n} for n in (1, 2) for o in ("O1", "O2", "O3")]
    samples = [sample(noisy(rng), treatment=t, levels=item) for t, item in enumerate(levels, 1)]
    by_stratum = compare(samples, Analysis(strata=("n",), baseline={"opt": "O1"}))
    assert [c.family_size for c in by_stratum] == [2, 2, 2, 2]
    assert [c.stratum for c in by_stratum] == [{"n": 1}, {"n": 1}, {"n": 2}, {"n": 2}]
    together = compare(samples, Analysis(baseline={"opt": "O1"}))
    assert [c.family_size for c in together] == [4, 4, 4, 4]
    assert [c.p for c in together] == [c.p for c in by_stratum]


def test_other_metrics_get_intervals_and_nothing_that_judges(trio):
    result = intervals(trio, Analysis(), metric="wall_s")
    assert {(c.verdict, c.difference, c.p_holm, c.ci_family) for c in result} == {(None, None, None, None)}
    assert [c.ci95 for c in result] == [c.ci95 for c in compare(trio, Analysis())]


def test_only_samples_of_the_metric_are_compared(sample):
    samples = [sample([1.0, 2.0], treatment=t, metric=m) for t in (1, 2) for m in ("wall_s", "cpu_s")]
    assert [c.metric.name for c in compare(samples, Analysis(metric="cpu_s"))] == ["cpu_s"]


@pytest.mark.parametrize(
    ("order", "method"),
    [("randomized-blocks", "block-log-ratio-sign-flip"), ("sequential", "unpaired-log-ratio-t")],
)
def test_a_sequential_order_is_analysed_without_pairs_and_flagged(trio, order, method):
    comparisons = compare(trio, Analysis(), order=order)
    assert {c.speedup.method for c in comparisons} == {method}
    assert {"sequential_order" in c.flags for c in comparisons} == {order == "sequential"}
    assert all(c.adjusted.paired == (order != "sequential") for c in comparisons)


def test_few_blocks_dropped_blocks_and_missing_spread_are_flagged(sample):
    old = sample([2.0] * 5, blocks=[1, 2, 3, 4, 5], metric="minor_faults")
    new = sample([1.0] * 5, blocks=[2, 3, 4, 5, 6], treatment=2, metric="minor_faults")
    (c,) = compare([old, new], Analysis(metric="minor_faults"))
    assert set(c.flags) == {"few_blocks", "unmatched_blocks", "no_spread"}
    assert (c.blocks, c.verdict, c.resolvable) == (4, "not_resolved", None)


def test_a_drifting_difference_is_flagged_and_a_shared_drift_is_not(sample):
    rng = np.random.default_rng(30)
    ramp = np.exp(np.linspace(0, 0.2, 40))
    old, new, drifting = noisy(rng, 40), noisy(rng, 40), noisy(rng, 40) * ramp
    shared = compare([sample(old * ramp), sample(new * ramp, treatment=2)], Analysis())[0]
    alone = compare([sample(old), sample(drifting, treatment=2)], Analysis())[0]
    assert not {"trend", "autocorrelated"} & set(shared.flags)
    assert {"trend", "autocorrelated"} <= set(alone.flags)
    assert alone.autocorrelation.n_eff < 20


def test_times_in_steps_of_a_clock_are_flagged_and_counts_are_not(sample):
    values = [3.0, 3.0, 4.0, 3.0, 4.0, 4.0, 3.0, 3.0, 4.0, 3.0, 4.0]
    ticks = compare([sample(values), sample(values[::-1], treatment=2)], Analysis())[0]
    counts = [sample(v, treatment=t, metric="minor_faults") for t, v in ((1, values), (2, values[::-1]))]
    assert "resolution" in ticks.flags
    assert "resolution" not in compare(counts, Analysis(metric="minor_faults"))[0].flags


def test_contexts_that_return_are_counted(sample):
    rng = np.random.default_rng(31)
    contexts = [1, 2, 3, 4] * 3
    pair = [sample(noisy(rng, 12), treatment=t, contexts=contexts) for t in (1, 2)]
    (c,) = compare(pair, Analysis())
    assert (c.contexts, c.blocks, c.speedup.nu) == (4, 12, 3)


def test_the_resolvable_difference_is_at_the_level_that_holm_left(trio):
    second = compare(trio, Analysis())[1]
    assert isinstance(second.speedup, Speedup)
    assert second.resolvable == resolvable(second.speedup, 0.05)
    pair = [trio[0], trio[2], trio[2]]
    assert math.isfinite(second.resolvable)
    assert compare(pair, Analysis())[0].resolvable > second.resolvable


@pytest.mark.parametrize(
    ("estimand", "interval", "method"),
    [
        ("geomean_ratio", None, "block-log-ratio-sign-flip"),
        ("geomean_ratio", "log-delta", "block-log-ratio-t"),
        ("geomean_ratio", "bootstrap-t", "block-log-ratio-bootstrap-t"),
        ("ratio_of_means", None, "block-means-log-delta"),
        ("ratio_of_means", "fieller", "block-means-fieller"),
        ("ratio_of_means", "gum-s1", "block-means-gum-s1"),
        ("ratio_of_means", "bootstrap-t", "block-means-bootstrap-t"),
        ("median_ratio", "sign", "block-median-sign"),
    ],
)
def test_what_was_declared_is_estimated_and_keeps_the_promise_of_its_interval(
    trio, estimand, interval, method
):
    for c in compare(trio, Analysis(estimand=estimand, interval=interval, margin=0.02)):
        assert (c.estimand, c.speedup.estimand, c.speedup.method) == (estimand, estimand, method)
        assert c.ci_family.excludes(1) == (c.difference != "not_resolved") == (c.p_holm <= 0.05)
        assert c.resolvable > 0
    assert compare(trio, Analysis(estimand=estimand, interval=interval))[0].verdict == "faster"


@pytest.mark.parametrize("estimand", ["geomean_ratio", "ratio_of_means", "median_ratio"])
def test_contexts_that_return_are_the_units_of_every_estimand(sample, estimand):
    rng = np.random.default_rng(33)
    contexts = [*range(1, 9)] * 3
    pair = [sample(noisy(rng, 24), treatment=t, contexts=contexts) for t in (1, 2)]
    (c,) = compare(pair, Analysis(estimand=estimand))
    assert (c.contexts, c.speedup.n, c.speedup.method.partition("-")[0]) == (8, 8, "context")


def test_the_estimand_decides_on_which_side_of_1_table_1_lies(sample, run_2, run_5):
    pair = [sample(run_2), sample(run_5, treatment=2)]
    values = {
        estimand: compare(pair, Analysis(estimand=estimand))[0].speedup.value
        for estimand in ("geomean_ratio", "ratio_of_means", "median_ratio")
    }
    assert values["geomean_ratio"] == pytest.approx(0.978156, abs=5e-7)
    assert values["ratio_of_means"] == pytest.approx(1.026769, abs=5e-7)
    assert values["median_ratio"] == pytest.approx(math.exp(np.median(np.log(run_2) - np.log(run_5))))


def test_counts_of_zero_have_a_ratio_of_means_and_no_geometric_one(sample):
    values = [[3, 0, 5, 4, 2, 6, 1, 0, 2, 4], [1, 2, 0, 1, 0, 1, 2, 1, 0, 1]]
    pair = [sample(v, treatment=t, metric="minor_faults") for t, v in enumerate(values, 1)]
    (means,) = compare(pair, Analysis(metric="minor_faults", estimand="ratio_of_means"))
    assert means.speedup.value == pytest.approx(3.0)
    assert math.isfinite(means.autocorrelation.r1)
    (logs,) = compare(pair, Analysis(metric="minor_faults"))
    assert logs.speedup == Undefined("zero_values")
