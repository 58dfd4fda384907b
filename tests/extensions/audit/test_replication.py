"""The replication tests against a least effect, as SciPy's t test does, and keeps its family-wise level."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace
from scipy.stats import binom, t, ttest_1samp
from statsmodels.stats.multitest import multipletests

from steelyard.extensions.audit.replication import LevelPair, replicate, verdict
from steelyard.results.interval import Interval

LEAST = 0.02
BOUND = math.log1p(LEAST)


def pairs(*differences) -> list[LevelPair]:
    return [LevelPair("env_bytes", i, np.asarray(item, dtype=float)) for i, item in enumerate(differences)]


def test_p_values_are_those_of_scipys_t_against_the_least_effect_and_holm():
    draw = np.random.default_rng(2)
    inputs = [draw.normal(mean, 0.02, 12) for mean in (0.05, -0.06, 0.03, 0.001)]
    result = [item for _, item in replicate(pairs(*inputs), alpha=0.01, least=LEAST)]
    expected = [
        ttest_1samp(element, math.copysign(BOUND, element.mean())).pvalue
        if abs(element.mean()) > BOUND
        else 1.0
        for element in inputs
    ]
    assert [element.p for element in result] == pytest.approx(expected, rel=1e-9)
    rejected, adjusted, *_ = multipletests(expected, 0.01, "holm")
    assert [element.p_holm for element in result] == pytest.approx(list(adjusted), rel=1e-9)
    assert [element.moves for element in result] == list(rejected)
    assert [element.ratio for element in result] == pytest.approx(
        [math.exp(element.mean()) for element in inputs]
    )
    first = result[0]
    half = t.ppf(0.975, 11) * inputs[0].std(ddof=1) / math.sqrt(12)
    assert first.ci95.low == pytest.approx(math.exp(inputs[0].mean() - half))


@given(
    st.lists(
        st.lists(st.floats(-0.2, 0.2), min_size=5, max_size=8).filter(lambda x: np.ptp(x) > 1e-6),
        min_size=1,
        max_size=5,
    )
)
def test_an_effect_is_one_exactly_when_its_interval_lies_beyond_the_least(given):
    for _, item in replicate(pairs(*given), alpha=0.01, least=LEAST):
        low, high = item.ci_family.low, item.ci_family.high
        # Bounds that touch the least effect are decided by the last bit.
        assume(min(abs(math.log(low) - BOUND), abs(math.log(high) + BOUND)) > 1e-9)
        assert item.moves == (low > 1 + LEAST or high < 1 / (1 + LEAST))


def test_a_kind_is_within_only_where_all_its_intervals_are():
    tight, wide = [0.001, -0.001] * 6, [0.2, -0.2] * 6
    judged = dict(enumerate(element for _, element in replicate(pairs(tight, wide), alpha=0.01, least=LEAST)))
    assert verdict([judged[0]], LEAST) == "within"
    assert verdict([judged[0], judged[1]], LEAST) == "not_resolved"
    moved = [item for _, item in replicate(pairs([0.3, 0.31] * 6, tight), alpha=0.01, least=LEAST)]
    assert verdict(moved, LEAST) == "moves"


def test_equal_differences_in_all_blocks_claim_what_as_many_equal_signs_can():
    (_, few), (_, none) = replicate(pairs([0.5] * 4, [0.0] * 4), alpha=0.01, least=LEAST)
    assert few.p == 1 / 8
    assert not few.moves
    assert (none.p, none.ratio) == (1.0, 1.0)
    ((_, least),) = replicate(pairs([BOUND] * 4), alpha=0.01, least=LEAST)
    assert least.p == 1.0
    ((_, many),) = replicate(pairs([0.5] * 12), alpha=0.01, least=LEAST)
    assert many.moves


def test_effects_at_the_edge_of_the_least_are_called_in_one_audit_of_a_hundred():
    # 1,000 audits of seven effects exactly at the bound, the worst case. A perfect tool at 1 % stays at or
    # below 19 with probability .997 (exact binomial).
    audits, most = 1000, 19
    assert binom.cdf(most, audits, 0.01) >= 0.98
    draw = np.random.default_rng(11)
    false = 0
    for _ in range(audits):
        inputs = BOUND + draw.normal(0, 0.03, (7, 12))
        false += any(item.moves for _, item in replicate(pairs(*inputs), alpha=0.01, least=LEAST))
    assert false <= most


def test_an_interval_that_ends_at_the_least_effect_is_within():
    tight = [0.001, -0.001] * 6
    ((_, result),) = replicate(pairs(tight), alpha=0.01, least=LEAST)
    ends = replace(result, ci_family=Interval(1 / (1 + LEAST), 1 + LEAST))
    assert verdict([ends], LEAST) == "within"
    for beyond in (Interval(0.98, 1 + LEAST), Interval(1.0, 1.0201)):
        assert verdict([replace(result, ci_family=beyond)], LEAST) == "not_resolved"


@pytest.mark.parametrize(("blocks", "known"), [(4, False), (7, False), (8, True)])
def test_equal_differences_have_an_interval_only_where_so_many_can_reject(blocks, known):
    # At 1 %: 2^-(n-1) is 1/64 for seven blocks and 1/128 for eight.
    ((_, result),) = replicate(pairs([0.001] * blocks), alpha=0.01, least=LEAST)
    assert (result.ci_family is not None) == known
    assert verdict([result], LEAST) == ("within" if known else "not_resolved")
    ((_, beyond),) = replicate(pairs([0.5] * blocks), alpha=0.01, least=LEAST)
    assert beyond.moves == (beyond.ci_family is not None) == known


def test_equal_differences_claim_no_more_than_their_number_can():
    rng = np.random.default_rng(6)
    times = [np.full(10, time) for time in rng.uniform(1e-6, 1, 100)]
    equal = [np.log(1.1 * item) - np.mean([np.log(item)] * 3, axis=0) for item in times]
    assert {result.p for _, result in replicate(pairs(*equal), alpha=0.01, least=LEAST)} == {2**-9}
