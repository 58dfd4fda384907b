"""Several claims and strata together: what decides, and how often a whole check is wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtr
from statsmodels.stats.multitest import multipletests

from steelyard.claims.draft import Draft, Undecided
from steelyard.claims.family import decide, p_of
from steelyard.claims.verdict import combine
from steelyard.spec.claims.ratio import Faster

CLAIM = Faster({"opt": "O3"}, {"opt": "O2"})


def make_undecided(indicated, p):
    return Undecided({}, indicated, p, lambda level: level)


UNDECIDED = st.builds(make_undecided, st.sampled_from(["holds", "fails"]), st.floats(0, 1, exclude_min=True))


@settings(max_examples=50)
@given(st.lists(st.lists(UNDECIDED, min_size=1, max_size=5), min_size=1, max_size=6))
def test_a_claim_is_decided_exactly_where_holm_rejects_its_p(claims):
    drafts = [Draft(tuple(tested)) for tested in claims]
    verdicts = decide([CLAIM] * len(drafts), drafts, 0.05)
    rejected, adjusted, *_ = multipletests([p_of(d.tested) for d in drafts], 0.05, method="holm")
    for verdict, reject, p in zip(verdicts, rejected, adjusted, strict=True):
        assert (verdict.outcome != "not_resolved") == reject
        assert verdict.family.p_holm == pytest.approx(p)


@given(st.lists(UNDECIDED, min_size=1, max_size=6))
def test_one_claim_alone_has_the_whole_level_to_hold_and_a_share_of_it_to_fail(tested):
    (verdict,) = decide([CLAIM], [Draft(tuple(tested))], 0.05)
    holds = all(item.indicated == "holds" and item.p <= 0.05 for item in tested)
    fails = any(element.indicated == "fails" and element.p <= 0.05 / len(tested) for element in tested)
    assert verdict.outcome == ("holds" if holds else "fails" if fails else "not_resolved")


def test_what_is_settled_by_a_model_is_in_no_family():
    drafts = [Draft((make_undecided("holds", 0.04),)), Draft(settled=())]
    first, second = decide([CLAIM, CLAIM], drafts, 0.05)
    assert (first.outcome, first.family.size, second.family) == ("holds", 1, None)
    assert second.outcome == "not_judged"


def test_outcomes_of_strata_combine():
    assert combine(["holds", "holds"]) == "holds"
    assert combine(["holds", "not_resolved"]) == "not_resolved"
    assert combine(["holds", "not_resolved", "not_judged"]) == "not_judged"
    assert combine(["not_judged", "fails"]) == "fails"
    assert combine(["holds", "not_resolved", "fails"]) == "fails"
    assert combine([]) == "not_judged"


def outcomes(rng, claims, strata, effect, *, blocks=20, count=1000):
    """For each of ``count`` checks, the outcomes of claims "faster by 1" on log ratios with this effect in
    units of s, by the same t tests."""
    draws = rng.normal(effect, 1.0, (count, claims, strata, blocks))
    t = draws.mean(axis=3) / draws.std(axis=3, ddof=1) * math.sqrt(blocks)
    p = 2 * stdtr(blocks - 1, -np.abs(t))
    result = []
    for each_t, each_p in zip(t, p, strict=True):
        drafts = [
            Draft(
                tuple(
                    make_undecided("holds" if t_ > 0 else "fails", float(p_))
                    for t_, p_ in zip(ts, ps, strict=True)
                )
            )
            for ts, ps in zip(each_t, each_p, strict=True)
        ]
        result.append([v.outcome for v in decide([CLAIM] * claims, drafts, 0.05)])
    return result


@pytest.mark.parametrize(("claims", "strata"), [(1, 1), (10, 1), (1, 8), (5, 4)])
def test_a_check_of_equal_programs_says_anything_wrong_in_at_most_5_of_100(perfect_passes, claims, strata):
    """N = 1000; at most 67 pass. Every claim is false by a hair and true by a hair, so that each verdict is
    wrong one way or the other."""
    assert perfect_passes(1000, 0.05, 0, 67) > 0.98
    checks = outcomes(np.random.default_rng([claims, strata]), claims, strata, 0.0)
    assert sum(any(o != "not_resolved" for o in check) for check in checks) <= 67


def test_true_claims_fail_a_gate_in_less_than_5_of_100_and_hold_with_power():
    """A gate on 10 claims in 4 strata that are true by 1.2 s: 20 blocks show all of them."""
    checks = outcomes(np.random.default_rng(9), 10, 4, 1.2, count=300)
    assert not any("fails" in check for check in checks)
    assert np.mean([o == "holds" for check in checks for o in check]) > 0.8
