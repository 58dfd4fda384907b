"""``faster``, ``slower``, ``not_slower`` and ``equivalent``; SciPy's t tests are the witness."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.claims.ratio import explain_open
from steelyard.core.analysis import Analysis
from steelyard.core.sample import Failures
from steelyard.report.claims.claim import format_evidence_words
from steelyard.stats.compare.comparison import compare

FACTORS = {"opt": ["O2", "O3"]}
BY_T = {"interval": "log-delta"}
FASTER = {"faster": {"opt": "O3"}, "than": {"opt": "O2"}}


def two(noise, ratio, *, seed=2, spread=0.02):
    draw = noise(seed, spread)
    return lambda levels, blocks: draw(blocks.size) * (1.0 if levels["opt"] == "O3" else ratio)


def of_block(bench):
    """Log speedups of the blocks, worked out from the values themselves."""
    old, new = (bench.made[t.id] for t in bench.treatments)
    return np.log(old) - np.log(new)


@pytest.mark.parametrize("by", [1.0, 1.02, 1.1])
def test_the_p_of_faster_is_that_of_a_one_sample_t_test_against_log_by(bench, noise, by):
    result = bench(FACTORS, [{**FASTER, "by": by}], two(noise, 1.05), analysis=BY_T)
    (verdict,) = result.judge()
    expected = witness.ttest_1samp(of_block(result), np.log(by))
    assert verdict.family.p == pytest.approx(expected.pvalue, rel=1e-10)
    (instance,) = verdict.instances
    assert instance.evidence.ratio == pytest.approx(np.exp(of_block(result).mean()), rel=1e-12)
    assert instance.evidence.n == 20
    low, high = np.exp(expected.confidence_interval(0.95))
    assert low <= instance.evidence.ratio <= high
    side = "holds" if expected.statistic > 0 else "fails"
    assert verdict.outcome == (side if expected.pvalue <= 0.05 else "not_resolved")


@pytest.mark.parametrize(("margin", "by"), [(None, 1.0), (0.02, 1.02)])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_claim_and_an_answer_have_one_interval_for_one_ratio(bench, seed, margin, by):
    def values(levels, blocks):
        rng = np.random.default_rng(seed if levels["opt"] == "O3" else seed + 100)
        return np.exp(0.2 * rng.exponential(1, blocks.size) * (levels["opt"] == "O2"))

    result = bench(FACTORS, [{**FASTER, "by": by}], values, blocks=12)
    ((instance,),) = (verdict.instances for verdict in result.judge())
    (answered,) = compare(result.samples("wall_s"), Analysis(margin=margin, baseline={"opt": "O2"}))
    assert instance.evidence.level == 0.05
    assert instance.evidence.interval == answered.ci95
    assert instance.evidence.p == answered.speedup.p_of(by)
    assert instance.evidence.method == answered.speedup.method
    allowances = ("tail",) if margin is None else ("neighbours", "tail")
    assert instance.evidence.allowances == answered.speedup.allowances == allowances


@pytest.mark.parametrize("ratio", [1.02, 1.0, 0.98, 0.96])
def test_the_p_of_faster_is_by_default_that_of_the_permutation_test_of_the_blocks(bench, noise, ratio):
    result = bench(FACTORS, [FASTER], two(noise, ratio, spread=0.05), blocks=10)
    (verdict,) = result.judge()
    expected = witness.permutation_test(
        (of_block(result),),
        np.mean,
        permutation_type="samples",
        vectorized=False,
        n_resamples=np.inf,
    )
    assert verdict.family.p == pytest.approx(min(1.0, expected.pvalue), rel=1e-9)
    assert verdict.family.p > 2 / 2**10
    side = "holds" if of_block(result).mean() > 0 else "fails"
    assert verdict.outcome == (side if expected.pvalue <= 0.05 else "not_resolved")


@pytest.mark.parametrize(("ratio", "outcome"), [(1.10, "holds"), (0.95, "fails"), (1.02, "not_resolved")])
def test_faster_by_holds_above_it_fails_below_it_and_is_open_around_it(bench, noise, ratio, outcome):
    (verdict,) = bench(FACTORS, [{**FASTER, "by": 1.02}], two(noise, ratio)).judge()
    assert verdict.outcome == outcome


@pytest.mark.parametrize("order", ["sequential", "nogueira-matias-2014"])
def test_treatments_that_ran_one_after_the_other_are_told_apart_by_welchs_test(bench, noise, order):
    result = bench(FACTORS, [FASTER], two(noise, 1.02), design={"order": order})
    (verdict,) = result.judge()
    logs = [np.log(result.made[t.id]) for t in result.treatments]
    expected = witness.ttest_ind(*logs, equal_var=False)
    assert verdict.family.p == pytest.approx(expected.pvalue, rel=1e-10)
    assert verdict.instances[0].evidence.by == "launch"


def test_the_interval_lies_beyond_by_exactly_where_the_claim_is_decided(bench, noise):
    for seed in range(60):
        (verdict,) = bench(FACTORS, [FASTER], two(noise, 1.01, seed=seed)).judge()
        interval = verdict.instances[0].evidence.interval
        assert (verdict.outcome != "not_resolved") == interval.excludes(1.0)


def test_slower_says_the_slowdown_and_mirrors_faster(bench, noise):
    slower = {"slower": {"opt": "O2"}, "than": {"opt": "O3"}, "by": 1.02}
    first, second = bench(FACTORS, [{**FASTER, "by": 1.02}, slower], two(noise, 1.08)).judge()
    assert (first.outcome, second.outcome) == ("holds", "holds")
    assert first.family.p == pytest.approx(second.family.p, rel=1e-12)
    assert second.instances[0].evidence.ratio == pytest.approx(first.instances[0].evidence.ratio)
    assert second.instances[0].evidence.treatment == "O2"


def test_not_slower_says_the_slowdown_and_is_faster_by_the_inverse(bench, noise):
    not_slower = {"not_slower": {"opt": "O3"}, "than": {"opt": "O2"}, "by": "25%"}
    for truth, outcome in ((1.0, "holds"), (0.8, "not_resolved"), (0.7, "fails")):
        result = bench(FACTORS, [not_slower, {**FASTER, "by": 0.8}], two(noise, truth))
        first, second = result.judge()
        assert (first.outcome, second.outcome) == (outcome, outcome)
        assert first.family.p == pytest.approx(second.family.p, rel=1e-12)
        evidence = first.instances[0].evidence
        assert evidence.ratio == pytest.approx(1 / second.instances[0].evidence.ratio)
        assert evidence.treatment == "O3"


def test_not_slower_of_a_rate_is_about_less_of_it(bench, noise):
    claim = {"not_slower": {"opt": "O3"}, "than": {"opt": "O2"}, "by": "5%"}
    result = bench(FACTORS, [claim], two(noise, 1.1), metric="rate", better="higher")
    assert result.judge()[0].outcome == "fails"


def test_more_is_better_where_the_metric_says_so(bench, noise):
    result = bench(FACTORS, [FASTER], two(noise, 1.1), metric="rate", better="higher")
    assert result.judge()[0].outcome == "fails"


def test_equivalent_is_two_one_sided_tests(bench, noise):
    claim = {"equivalent": {"opt": "O3"}, "to": {"opt": "O2"}, "within": 0.02}
    result = bench(FACTORS, [claim], two(noise, 1.003), analysis=BY_T, blocks=200)
    (verdict,) = result.judge()
    logs = of_block(result)
    low = witness.ttest_1samp(logs, np.log(0.98), alternative="greater").pvalue
    high = witness.ttest_1samp(logs, np.log(1.02), alternative="less").pvalue
    assert verdict.family.p == pytest.approx(2 * max(low, high), rel=1e-10)
    assert verdict.outcome == "holds"
    assert bench(FACTORS, [claim], two(noise, 1.10)).judge()[0].outcome == "fails"
    assert bench(FACTORS, [claim], two(noise, 1.02)).judge()[0].outcome == "not_resolved"


@pytest.mark.parametrize(
    "claim",
    [
        {"equivalent": {"opt": "O3"}, "to": {"opt": "O2"}, "within": 0.03},
        {"not_slower": {"opt": "O3"}, "than": {"opt": "O2"}, "by": 0.03},
        {**FASTER, "by": 1 / 1.03},
    ],
)
def test_nothing_is_not_worse_before_slow_runs_would_have_shown(bench, noise, claim):
    # Equal to 0.1 %: one run in 24 that takes twice as long carries the mean over 3 %.
    values = two(noise, 1.0, spread=0.001)
    for blocks, outcome in ((20, "not_resolved"), (80, "holds")):
        (verdict,) = bench(FACTORS, [claim], values, blocks=blocks).judge()
        assert verdict.outcome == outcome
        (instance,) = verdict.instances
        needed = instance.evidence.runs_to_show
        assert needed is None if outcome == "holds" else 68 <= needed <= 72
        assert (needed is None) != (
            " would show slow runs that carry it over"
            in format_evidence_words(verdict.claim, verdict.instances[0])
        )


def test_what_lies_far_from_its_bound_needs_fewer_blocks_to_be_no_worse(bench, noise):
    claim = {"not_slower": {"opt": "O3"}, "than": {"opt": "O2"}, "by": 0.05}
    (verdict,) = bench(FACTORS, [claim], two(noise, 1.5), blocks=8).judge()
    assert verdict.outcome == "holds"


def test_equal_counts_are_equivalent_at_once(bench):
    claim = {"equivalent": {"opt": "O3"}, "to": {"opt": "O2"}, "within": 0.02}
    (verdict,) = bench(FACTORS, [claim], lambda _, blocks: np.full(blocks.size, 7.0), blocks=8).judge()
    assert verdict.outcome == "holds"


def test_a_claim_is_judged_in_every_stratum_and_fails_where_one_fails(bench, noise):
    draw = noise(3, 0.01)

    def values(levels, blocks):
        ratio = {1: 1.1, 2: 1.05, 3: 0.95}[levels["n"]]
        return draw(blocks.size) * levels["n"] * (ratio if levels["opt"] == "O2" else 1.0)

    factors = {**FACTORS, "n": [1, 2, 3]}
    (verdict,) = bench(factors, [FASTER], values).judge()
    assert verdict.outcome == "fails"
    assert [(i.stratum, i.outcome) for i in verdict.instances] == [
        ({"n": 1}, "holds"),
        ({"n": 2}, "holds"),
        ({"n": 3}, "fails"),
    ]
    (part,) = bench(factors, [{**FASTER, "where": {"n": 1}}], values).judge()
    assert (part.outcome, len(part.instances)) == ("holds", 1)


@pytest.mark.parametrize(
    ("failures", "outcome"),
    [
        (Failures(24, 4, 4), "not_judged"),
        (Failures(24, 4, 0), "not_judged"),
        (Failures(20, 0, 0), "holds"),
    ],
)
def test_runs_that_failed_leave_a_claim_open_unless_the_spec_says_otherwise(bench, noise, failures, outcome):
    result = bench(FACTORS, [FASTER], two(noise, 1.3))
    result.failures = {"O3": failures}
    (verdict,) = result.judge()
    assert verdict.outcome == outcome
    if outcome == "not_judged":
        assert verdict.instances[0].evidence.reason == "failures"
        declared = bench(FACTORS, [FASTER], two(noise, 1.3), analysis={"failures": "ignore"})
        declared.failures = result.failures
        assert declared.judge()[0].outcome == "holds"


def test_values_of_which_there_is_no_ratio_leave_a_claim_open(bench):
    result = bench(FACTORS, [FASTER], lambda levels, blocks: np.zeros(blocks.size))
    (verdict,) = result.judge()
    assert verdict.outcome == "not_judged"
    assert verdict.instances[0].evidence.reason == "zero_values"
    assert verdict.family.p == 1.0


def test_equal_blocks_claim_no_more_than_so_many_equal_signs_can(bench):
    def constant(levels, blocks):
        return np.full(blocks.size, 1.0 if levels["opt"] == "O3" else 2.0)

    assert bench(FACTORS, [FASTER], constant, blocks=6).judge()[0].outcome == "holds"
    assert bench(FACTORS, [FASTER], constant, blocks=5).judge()[0].outcome == "not_resolved"


@pytest.mark.parametrize("estimand", ["geomean_ratio", "ratio_of_means", "median_ratio"])
def test_a_claim_is_about_the_estimand_of_the_analysis(bench, noise, estimand):
    from steelyard.core.analysis import Analysis
    from steelyard.stats.compare.comparison import intervals

    result = bench(
        FACTORS, [FASTER], two(noise, 1.05, spread=0.3), blocks=60, analysis={"estimand": estimand}
    )
    evidence = result.judge()[0].instances[0].evidence
    (expected,) = intervals(
        result.samples("wall_s"), Analysis(estimand=estimand, baseline={"opt": "O2"}), metric="wall_s"
    )
    assert evidence.estimand == estimand
    assert evidence.ratio == expected.speedup.value
    assert (evidence.interval, evidence.p) == (expected.ci95, pytest.approx(expected.p))


@pytest.mark.parametrize(
    ("flags", "reason"),
    [(("crowded", "trend"), "crowded"), (("slow_mode",), "slow_mode"), (("failures_unequal",), "failures")],
)
def test_a_withheld_verdict_says_why_and_not_always_that_runs_failed(flags, reason):
    compared = SimpleNamespace(flags=flags, speedup=None)
    assert explain_open(compared, allowed=False) == reason


COMMANDS = {"version": ["base", "head"]}
BASE, HEAD = {"version": "base"}, {"version": "head"}


def with_slow_runs(base, head, *, of="base", slow=1, times=200.0, seed=3):
    """Times of both, of which one has a few runs that are slow."""
    rng = np.random.default_rng(seed)

    def values(levels, blocks):
        times_of = (base if levels["version"] == "base" else head) * (
            1 + 0.03 * rng.exponential(1, blocks.size)
        )
        if levels["version"] == of:
            times_of[5 : 5 + slow] *= times
        return times_of

    return values


@pytest.mark.parametrize("slow", [1, 2, 3])
@pytest.mark.parametrize("times", [30.0, 200.0])
@pytest.mark.parametrize("estimand", ["geomean_ratio", "ratio_of_means"])
def test_slow_runs_of_the_base_do_not_hide_that_a_typical_run_of_head_is_slower(bench, slow, times, estimand):
    claims = [
        {"not_slower": HEAD, "than": BASE, "by": 0.05},
        {"faster": HEAD, "than": BASE},
        {"equivalent": HEAD, "to": BASE, "within": 0.05},
        {"slower": HEAD, "than": BASE},
    ]
    values = with_slow_runs(0.01, 0.03, slow=slow, times=times)
    verdicts = [bench(COMMANDS, [it], values, analysis={"estimand": estimand}).judge()[0] for it in claims]
    *against, confirmed = verdicts
    assert [verdict.outcome for verdict in against] == ["fails"] * 3
    (instance,) = against[0].instances
    evidence = instance.evidence
    assert evidence.decided_by in ("mean", "typical")
    assert evidence.typical.better == slow
    assert (evidence.typical.worse, evidence.typical.n) == (20 - slow, 20)
    assert (evidence.typical.slow_runs, evidence.reason) == (slow, None)
    assert 2 < evidence.typical.interval.low < 3 < evidence.typical.interval.high < 3.3
    # The typical run confirms nothing.
    assert confirmed.outcome != "fails"
    assert confirmed.instances[0].evidence.decided_by != "typical"


def test_a_verdict_of_the_typical_run_says_so(bench):
    claims = [{"not_slower": HEAD, "than": BASE, "by": 0.05}]
    (verdict,) = bench(COMMANDS, claims, with_slow_runs(0.01, 0.03)).judge()
    text = format_evidence_words(verdict.claim, verdict.instances[0])
    assert text.startswith("slower in 19 of 20 blocks; one slow run of base; 3.00 × (98.8 % CI "), text
    assert "typical run); mean " in text


def test_where_typical_run_and_mean_disagree_no_claim_holds_by_the_one_alone(bench):
    """Head takes a tenth less, and one of its runs in seven 40 times as long."""
    claims = [
        {"faster": HEAD, "than": BASE},
        {"not_slower": HEAD, "than": BASE, "by": 0.05},
        {"equivalent": HEAD, "to": BASE, "within": 0.05},
    ]
    values = with_slow_runs(0.01, 0.009, of="head", slow=8, times=40.0)
    faster, not_slower, equivalent = bench(COMMANDS, claims, values, blocks=60).judge()
    assert faster.outcome != "holds"
    assert not_slower.outcome != "holds"
    assert equivalent.outcome == "fails"
    text = format_evidence_words(faster.claim, faster.instances[0])
    assert "but a typical run is faster in 49 of 60 blocks; 8 slow runs of head" in text


@pytest.mark.parametrize("blocks", [5, 20])
def test_a_rate_and_a_size_have_typical_runs_of_their_own(bench, blocks):
    rng = np.random.default_rng(1)

    def values(levels, at):
        rate = (3e6 if levels["version"] == "base" else 1e6) * (1 + 0.01 * rng.normal(size=at.size))
        rate[2] *= 0.005 if levels["version"] == "base" else 1
        return rate

    claims = [{"not_slower": HEAD, "than": BASE, "by": 0.05, "metric": "ops"}]
    (verdict,) = bench(COMMANDS, claims, values, metric="ops", better="higher", blocks=blocks).judge()
    assert verdict.outcome == ("fails" if blocks == 20 else "not_resolved")


def test_runs_that_failed_keep_the_typical_run_from_being_judged(bench):
    result = bench(
        COMMANDS, [{"not_slower": HEAD, "than": BASE, "by": 0.05}], with_slow_runs(0.01, 0.03, slow=2)
    )
    result.failures["head"] = Failures(24, 4, 0)
    (verdict,) = result.judge()
    assert verdict.outcome == "not_judged"
