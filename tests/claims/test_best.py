"""``best``: the set that may be the best, and that nothing is gained by looking often enough."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.claims.best import divide
from steelyard.core.sample import Failures

LEVELS = ["a", "b", "c", "d", "e"]
BEST = {"best": "k"}
BY_T = {"interval": "log-delta"}


def values(noise, gains, seed=1, spread=0.05):
    draw = noise(seed, spread)
    return lambda levels, blocks: draw(blocks.size) * math.exp(-gains.get(levels["k"], 0.0))


def test_a_level_that_leads_far_is_best_by_blocks_that_did_not_choose(bench, noise):
    result = bench({"k": LEVELS}, [BEST], values(noise, {"c": 0.2}), blocks=30, analysis=BY_T)
    (verdict,) = result.judge()
    evidence = verdict.instances[0].evidence
    assert (verdict.outcome, evidence.chosen, evidence.possible) == ("holds", "c", ("c",))
    assert (evidence.selection, evidence.n) == (10, 20)
    logs = {level: np.log(result.made[i])[10:] for i, level in enumerate(LEVELS, 1)}
    tests = {level: witness.ttest_rel(logs[level], logs["c"]) for level in LEVELS if level != "c"}
    for candidate in evidence.candidates:
        expected = tests[candidate.level].confidence_interval(0.95)
        assert (candidate.interval.low, candidate.interval.high) == pytest.approx(
            (math.exp(expected.low), math.exp(expected.high))
        )
    assert verdict.family.p == pytest.approx(max(t.pvalue for t in tests.values()), rel=1e-10)


def test_levels_that_lead_together_leave_the_claim_open_and_are_named(bench, noise):
    (verdict,) = bench({"k": LEVELS}, [BEST], values(noise, {"c": 0.3, "d": 0.3}), blocks=40).judge()
    assert verdict.outcome == "not_resolved"
    assert set(verdict.instances[0].evidence.possible) == {"c", "d"}


def test_the_claim_of_another_level_fails(bench, noise):
    claims = [{**BEST, "level": level} for level in ("c", "d")]
    right, wrong = bench({"k": LEVELS}, claims, values(noise, {"c": 0.2}), blocks=30).judge()
    assert (right.outcome, wrong.outcome) == ("holds", "fails")


def test_more_is_better_where_the_metric_says_so(bench, noise):
    result = bench(
        {"k": LEVELS}, [BEST], values(noise, {"c": -0.2}), blocks=30, metric="rate", better="higher"
    )
    assert result.judge()[0].instances[0].evidence.possible == ("c",)


def test_contexts_that_return_are_never_on_both_sides(bench, noise):
    contexts = np.tile(np.arange(1, 7), 3)
    result = bench({"k": LEVELS}, [BEST], values(noise, {}), blocks=18, contexts=contexts)
    choosing, judging = divide(result.samples("wall_s"))
    assert (set(choosing), set(judging)) == ({1, 2}, {3, 4, 5, 6})
    assert result.judge()[0].instances[0].evidence.by == "context"


@pytest.mark.parametrize("blocks", [2, 3])
def test_too_few_blocks_choose_nothing(bench, noise, blocks):
    (verdict,) = bench({"k": LEVELS}, [BEST], values(noise, {}), blocks=blocks).judge()
    assert verdict.outcome == "not_judged"
    assert verdict.instances[0].evidence.reason == "one_block"


def test_failed_runs_choose_nothing(bench, noise):
    result = bench({"k": LEVELS}, [BEST], values(noise, {"c": 0.5}))
    result.failures = {"a": Failures(30, 10, 10)}
    (verdict,) = result.judge()
    assert (verdict.outcome, verdict.instances[0].evidence.reason) == ("not_judged", "failures")


def test_of_20_equal_settings_none_gains_anything(bench, perfect_passes):
    """N = 400; at most 32 may lose a true best from the set, of which 2.5 % are nominal; the mean gain of the
    chosen one over a fixed other lies within 4 standard errors of 0.
    """
    assert perfect_passes(400, 0.05, 0, 32) > 0.98
    levels = list(range(20))
    rng = np.random.default_rng(5)
    missed, gains = 0, []
    for _ in range(400):
        result = bench(
            {"k": levels},
            [BEST],
            lambda _, blocks: np.exp(0.05 * rng.standard_normal(blocks.size)),
            blocks=10,
        )
        (verdict,) = result.judge()
        evidence = verdict.instances[0].evidence
        missed += 0 not in evidence.possible
        gains.append(math.log(evidence.candidates[0].ratio))
    assert missed <= 32
    assert abs(np.mean(gains)) < 4 * np.std(gains) / math.sqrt(len(gains))
    # The same choice, believed on the blocks that made it, gains 3.2 % (decision 030).
    assert abs(np.mean(gains)) < 0.01


def only_lucky(bench, noise, gain):
    """``a`` is far ahead in the blocks that choose, and behind ``b`` by ``gain`` in those that judge."""
    draw = noise(7, 0.02)

    def values(levels, blocks):
        lead = {"a": np.where(blocks <= 10, 0.3, 0.0), "b": gain}.get(levels["k"], 0.0)
        return draw(blocks.size) * np.exp(-lead)

    return bench({"k": LEVELS}, [BEST, {**BEST, "level": "a"}], values, blocks=30, analysis=BY_T)


def test_a_level_that_was_lucky_when_chosen_leaves_the_set_and_its_claim_fails(bench, noise):
    open_, wrong = only_lucky(bench, noise, 0.2).judge()
    evidence = wrong.instances[0].evidence
    assert evidence.chosen == "a"
    # Only the chosen one is held against the others: c, d and e are no worse than it.
    assert evidence.possible == ("b", "c", "d", "e")
    assert (open_.outcome, wrong.outcome) == ("not_resolved", "fails")


def test_every_other_level_has_its_share_to_show_that_the_chosen_one_is_not_best(bench, noise):
    result = only_lucky(bench, noise, 0.03)
    judged = {level: np.log(result.made[i])[10:] for i, level in enumerate(LEVELS, 1)}
    p = min(witness.ttest_rel(judged["a"], judged[level]).pvalue for level in LEVELS[1:])
    assert 0.05 / 4 < p < 0.05
    (_, wrong) = result.judge()
    assert wrong.family.p == pytest.approx(4 * p, rel=1e-6)
    assert "a" in wrong.instances[0].evidence.possible
    assert wrong.outcome == "not_resolved"
