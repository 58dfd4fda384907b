from __future__ import annotations

import math

import numpy as np
import pytest
from msgspec.structs import replace
from statsmodels.stats.multitest import multipletests

from steelyard.core.analysis import Analysis
from steelyard.core.errors import UsageError
from steelyard.core.sample import Failures
from steelyard.extensions.protocol_2014.family import protocol
from steelyard.extensions.protocol_2014.results import Rules

ALL = Analysis(family="all-pairs")
NAMES = ("N1", "N2", "N3", "L1", "L2", "M1")


@pytest.fixture
def golden(sample, quantiles):
    return [
        sample(quantiles[name], treatment=i + 1, label=name, levels={"t": name})
        for i, name in enumerate(NAMES)
    ]


def test_holm_over_the_fifteen_golden_pairs_is_that_of_statsmodels(golden):
    result = protocol(golden, ALL, Rules())
    assert len(result.pairs) == 15
    rejected, adjusted, _, _ = multipletests([pair.p for pair in result.pairs], 0.05, method="holm")
    assert [pair.p_holm for pair in result.pairs] == pytest.approx(list(adjusted), rel=1e-9)
    assert [pair.after for pair in result.pairs] == list(rejected)
    assert {pair.family_size for pair in result.pairs} == {15}
    by = {(pair.baseline.label, pair.treatment.label): pair for pair in result.pairs}
    assert by["N1", "N2"].p_holm == pytest.approx(0.453422, rel=1e-5)
    assert by["N1", "N3"].p_holm == pytest.approx(0.0176259, rel=1e-5)
    assert (by["N1", "N3"].after, by["N1", "N3"].difference) == (True, "slower")
    assert (by["N1", "N2"].after, by["N1", "N2"].difference) == (False, "not_resolved")


def test_against_a_baseline_the_family_is_one_smaller_than_the_treatments(golden):
    result = protocol(golden, Analysis(baseline={"t": "N2"}), Rules())
    assert [pair.treatment.label for pair in result.pairs] == ["N1", "N3", "L1", "L2", "M1"]
    assert {pair.family_size for pair in result.pairs} == {5}


def test_families_do_not_reach_across_strata(sample, quantiles):
    samples = [
        sample(
            quantiles[name], treatment=i, label=f"{program},{name}", levels={"program": program, "t": name}
        )
        for i, (program, name) in enumerate(((p, n) for p in ("bt", "cg") for n in NAMES), start=1)
    ]
    result = protocol(samples, Analysis(family="all-pairs", strata=["program"]), Rules())
    assert len(result.pairs) == 30
    assert {pair.family_size for pair in result.pairs} == {15}
    alone = protocol(samples[:6], ALL, Rules())
    assert [pair.p_holm for pair in result.pairs[:15]] == [pair.p_holm for pair in alone.pairs]


def test_different_constants_are_tested_in_the_family_as_others_are(sample, quantiles):
    samples = [
        sample([1.0] * 30, treatment=1),
        sample([2.0] * 30, treatment=2),
        sample(quantiles["N1"], treatment=3),
    ]
    result = protocol(samples, ALL, Rules())
    constants = result.pairs[0]
    assert (constants.before, constants.after, constants.difference) == (True, True, "slower")
    assert constants.p == pytest.approx(2 / math.comb(60, 30))
    assert {pair.family_size for pair in result.pairs} == {3}
    faster = protocol(samples[:2], ALL, Rules(direction="faster")).pairs[0]
    assert (faster.after, faster.difference) == (False, "not_resolved")
    turned = [
        replace(samples[1], treatment=samples[0].treatment),
        replace(samples[0], treatment=samples[1].treatment),
    ]
    (result,) = protocol(turned, ALL, Rules(direction="faster")).pairs
    assert (result.before, result.after, result.difference) == (True, True, "faster")


def test_single_launches_are_refused_and_not_called_different(sample):
    (pairs,) = protocol([sample([1.0], treatment=1), sample([2.0], treatment=2)], ALL, Rules()).pairs
    assert (pairs.before, pairs.after, pairs.difference) == (False, False, "not_resolved")
    assert "too_few" in pairs.flags


def test_a_vetoed_pair_is_not_found_and_counts_with_1(sample):
    rng = np.random.default_rng(1)
    samples = [
        sample(np.exp(rng.normal(size=30)), treatment=1),
        sample(50 + 0.01 * rng.normal(size=30), treatment=2),
        sample(60 + 0.01 * rng.normal(size=30), treatment=3),
    ]
    flag, veto = protocol(samples, ALL, Rules()), protocol(samples, ALL, Rules(on_shape="veto"))
    assert [pair.after for pair in flag.pairs] == [True, True, True]
    assert [pair.after for pair in veto.pairs] == [False, False, True]
    assert veto.pairs[0].before is False
    assert veto.pairs[0].p_holm == 1
    assert veto.pairs[2].p_holm == pytest.approx(3 * veto.pairs[2].p)


def test_unequal_failures_leave_a_pair_unresolved_unless_ignored(sample, quantiles):
    samples = [
        sample(quantiles["N1"], treatment=1),
        sample(quantiles["N3"], treatment=2, failures=Failures(33, 3, 3)),
    ]
    refused = protocol(samples, ALL, Rules()).pairs[0]
    assert (refused.after, refused.difference) == (True, "not_resolved")
    assert {"failures_unequal", "timed_out"} <= set(refused.flags)
    ignored = protocol(samples, Analysis(family="all-pairs", failures="ignore"), Rules()).pairs[0]
    assert ignored.difference == "slower"


def test_times_of_more_ranks_than_cpus_leave_a_pair_unresolved(sample, quantiles):
    samples = [sample(quantiles["N1"], treatment=1), sample(quantiles["N3"], treatment=2)]
    samples[1] = replace(samples[1], provenance="crowded")
    (refused,) = protocol(samples, Analysis(family="all-pairs", failures="ignore"), Rules()).pairs
    assert (refused.after, refused.difference) == (True, "not_resolved")
    assert "crowded" in refused.flags


def test_of_a_rate_more_is_faster(sample, quantiles):
    samples = [
        sample(quantiles[name], treatment=i, metric="rate", unit="1/s", better="higher")
        for i, name in enumerate(("N1", "N3"), start=1)
    ]
    assert protocol(samples, Analysis(metric="rate"), Rules()).pairs[0].difference == "faster"


def test_a_stratum_that_does_not_exist_is_a_usage_error(golden):
    with pytest.raises(UsageError, match="neither a factor nor a label"):
        protocol(golden, Analysis(strata=["program"]), Rules())
    with pytest.raises(ValueError, match="no sample of the primary metric"):
        protocol(golden, Analysis(metric="cpu_s"), Rules())


def test_one_treatment_alone_is_in_no_pair(golden):
    result = protocol(golden[:1], ALL, Rules())
    assert (result.pairs, result.metric.name) == ((), "wall_s")
