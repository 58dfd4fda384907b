from __future__ import annotations

import math

import numpy as np
import pytest
from msgspec.structs import replace

from steelyard.core.analysis import Analysis
from steelyard.core.factorial import Axis, Layout
from steelyard.core.sample import Failures
from steelyard.results.analysis import DesignFacts
from steelyard.results.notice import Notice
from steelyard.stats.answer import answer
from steelyard.stats.describe.summary import summarise

BLOCKS = 30
FACTS = DesignFacts("randomized-blocks", BLOCKS, seed=7)


def noisy(rng, n=BLOCKS, size=0.02):
    return np.exp(rng.normal(0, size, n))


@pytest.fixture
def pair(sample):
    rng = np.random.default_rng(40)
    return [sample(noisy(rng), label="old"), sample(noisy(rng) / 1.5, treatment=2, label="new")]


def kinds(notices):
    return [notice.kind for notice in notices]


def only(notices, kind):
    (result,) = [notice for notice in notices if notice.kind == kind]
    return result


def test_an_answer_holds_every_sample_summarised_and_every_comparison(sample, pair):
    sizes = [sample([1e6] * BLOCKS, treatment=t, metric="rss_bytes") for t in (1, 2)]
    result = answer("e", [*sizes, *pair], FACTS, Analysis())
    assert result.metric.name == "wall_s"
    assert [item.metric.name for item in result.samples] == ["wall_s"] * 2 + ["rss_bytes"] * 2
    assert result.samples[0].summary == summarise(pair[0].values)
    assert [c.metric.name for c in result.comparisons] == ["wall_s", "rss_bytes"]
    assert [c.verdict for c in result.comparisons] == ["faster", None]
    assert [c.metric.name for c in result.judged] == ["wall_s"]


def test_quiet_values_give_no_warning(pair):
    assert answer("e", pair, FACTS, Analysis()).warnings == ()


def test_what_other_rooms_know_comes_after_what_the_samples_show(pair):
    text, limit = Notice("note", fields={"text": "The kernel changed."}), Notice("queue_wait")
    result = answer(
        "e", pair, DesignFacts("randomized-blocks", 5, 1), Analysis(), warnings=[text], unobserved=[limit]
    )
    assert kinds(result.warnings) == ["few_blocks", "note"]
    assert kinds(result.unobserved) == ["modes_unseen", "one_context", "queue_wait"]


def test_without_a_sample_of_the_primary_metric_there_is_no_answer(pair):
    with pytest.raises(ValueError, match="no sample of the primary metric 'teps'"):
        answer("e", pair, FACTS, Analysis(metric="teps"))


def test_an_interrupted_run_says_after_how_many_blocks(pair):
    result = answer("e", pair, DesignFacts("randomized-blocks", 30, 1, state="interrupted"), Analysis())
    assert result.warnings == (Notice("interrupted", (), {"blocks": 30}),)


def test_a_precision_that_was_not_reached_is_told_with_what_was(pair):
    facts = DesignFacts(
        "randomized-blocks", 30, 1, state="precision_not_reached", target=0.01, reached=0.02, cap="max_time"
    )
    fields = {"target": 0.01, "reached": 0.02, "cap": "max_time", "blocks": 30}
    assert answer("e", pair, facts, Analysis()).warnings == (Notice("precision_not_reached", (), fields),)
    unknown = DesignFacts("randomized-blocks", 30, 1, state="precision_not_reached", target=0.01)
    assert answer("e", pair, unknown, Analysis()).warnings[0].fields == {"target": 0.01, "blocks": 30}


def test_a_sequential_order_is_warned_of_and_counts_launches_not_blocks(sample):
    rng = np.random.default_rng(41)
    one_block = [1] * 8
    few = [sample(noisy(rng, 8), treatment=t, blocks=one_block) for t in (1, 2)]
    result = answer("e", few, DesignFacts("sequential", 1, 1), Analysis())
    assert kinds(result.warnings) == ["sequential_order", "few_blocks"]
    assert result.warnings[1].fields == {"n": 8, "wanted": 10, "blocked": False}


def test_a_treatment_without_values_is_no_small_number_of_runs(sample):
    sides = [sample([1.0] * 12, treatment=1, blocks=[1] * 12), sample([], treatment=2, blocks=[])]
    result = answer("e", sides, DesignFacts("sequential", 1, 1), Analysis())
    assert "few_blocks" not in kinds(result.warnings)


def test_failures_are_counted_per_treatment_whatever_the_policy(sample):
    rng = np.random.default_rng(42)
    pair = [
        sample(noisy(rng), label="old", failures=Failures(30, 0, 0)),
        sample(noisy(rng), treatment=2, label="new", failures=Failures(33, 3, 1)),
    ]
    result = answer("e", pair, FACTS, Analysis())
    assert result.warnings == (
        Notice("failures", ("new",), {"failed": 3, "timed_out": 1, "attempted": 33}),
        Notice("failures_unequal", ("new",)),
    )
    ignored = answer("e", pair, FACTS, Analysis(failures="ignore"))
    assert kinds(ignored.warnings) == ["failures", "failures_ignored"]


def test_a_comparison_without_a_verdict_names_the_side_that_failed(sample):
    rng = np.random.default_rng(44)
    pair = [
        sample(noisy(rng), label="old", failures=Failures(33, 3, 0)),
        sample(noisy(rng), treatment=2, label="new", failures=Failures(30, 0, 0)),
    ]
    result = answer("e", pair, FACTS, Analysis())
    assert Notice("failures_unequal", ("old",)) in result.warnings


def test_failures_of_a_treatment_with_many_labels_are_told_once(sample):
    rng = np.random.default_rng(43)
    failures = Failures(33, 3, 0)
    samples = [
        sample(noisy(rng), treatment=t, labels={"op": op}, failures=failures) for t in (1, 2) for op in "abc"
    ]
    result = answer("e", samples, FACTS, Analysis())
    assert kinds(result.warnings) == ["failures", "failures"]


def test_a_shared_drift_is_told_once_for_all_it_is_seen_in(sample):
    rng = np.random.default_rng(44)
    ramp = np.exp(np.linspace(0, 0.3, BLOCKS))
    pair = [sample(noisy(rng) * ramp, treatment=t, label=label) for t, label in ((1, "old"), (2, "new"))]
    result = answer("e", pair, FACTS, Analysis())
    assert result.warnings == (Notice("trend", ("old", "new"), {"blocked": True, "alone": False}),)


def test_a_difference_that_drifts_is_told_with_what_it_leaves_of_n(sample):
    rng = np.random.default_rng(45)
    ramp = np.exp(np.linspace(0, 0.3, BLOCKS))
    pair = [sample(noisy(rng), label="old"), sample(noisy(rng) * ramp, treatment=2, label="new")]
    result = answer("e", pair, FACTS, Analysis())
    assert kinds(result.warnings) == ["trend", "autocorrelated", "trend_of_difference"]
    correlated = only(result.warnings, "autocorrelated")
    assert (correlated.treatments, correlated.fields["n"], correlated.fields["blocked"]) == (
        ("new",),
        BLOCKS,
        True,
    )
    assert 0 < correlated.fields["n_eff"] < 15


def test_likeness_of_neighbours_is_told_of_a_mean_that_is_compared_with_nothing(sample):
    rng = np.random.default_rng(48)
    values = np.exp(np.cumsum(rng.normal(0, 0.01, 60)))
    result = answer("e", [sample(values, label="only")], FACTS, Analysis())
    message = only(result.warnings, "autocorrelated_mean")
    assert (message.treatments, message.fields["n"]) == (("only",), 60)
    assert message.fields["n_eff"] < 30
    assert only(result.warnings, "trend").fields["alone"] is True
    steady = answer("e", [sample(noisy(rng), label="only")], FACTS, Analysis())
    assert "autocorrelated_mean" not in kinds(steady.warnings)


def test_a_drift_in_a_sequential_order_is_part_of_the_difference(sample):
    rng = np.random.default_rng(46)
    ramp = np.exp(np.linspace(0, 0.3, BLOCKS))
    pair = [sample(noisy(rng) * ramp, label="old"), sample(noisy(rng), treatment=2, label="new")]
    result = answer("e", pair, DesignFacts("sequential", 1, 1), Analysis())
    assert only(result.warnings, "trend").fields == {"blocked": False, "alone": False}
    assert only(result.warnings, "autocorrelated").fields["blocked"] is False


def test_values_far_out_are_counted_for_each_treatment(sample):
    rng = np.random.default_rng(47)
    values = noisy(rng)
    values[3] = 9.0
    result = answer("e", [sample(values, label="old"), sample(noisy(rng), treatment=2)], FACTS, Analysis())
    far = only(result.warnings, "outliers")
    assert (far.treatments, far.fields["count"], far.fields["n"]) == (("old",), 1, BLOCKS)
    assert far.fields["farthest"] == pytest.approx(9 / np.median(values))


def test_the_step_of_a_clock_is_told_in_its_unit(sample):
    rng = np.random.default_rng(48)
    pair = [sample(np.round(1 + rng.normal(0, 0.01, BLOCKS), 2), treatment=t, label=f"t{t}") for t in (1, 2)]
    result = answer("e", pair, FACTS, Analysis())
    coarse = only(result.warnings, "resolution")
    assert coarse.treatments == ("t1", "t2")
    assert coarse.fields == {"step": pytest.approx(0.01), "unit": "s"}


def test_a_value_that_is_no_number_is_told_and_leaves_no_nan_anywhere(sample, pair):
    bad = sample([math.nan, *[1.0] * (BLOCKS - 1)], treatment=3, label="bad")
    result = answer("e", [*pair, bad], FACTS, Analysis())
    assert only(result.warnings, "not_finite").treatments == ("bad",)
    assert result.samples[2].summary.mean is None
    assert result.judged[1].verdict == "not_resolved"


def test_a_treatment_without_a_baseline_is_named(sample):
    levels = [{"opt": "O2", "n": 1}, {"opt": "O3", "n": 1}, {"opt": "O3", "n": 2}, {"opt": "O2", "n": 3}]
    rng = np.random.default_rng(49)
    samples = [sample(noisy(rng), treatment=i, levels=item) for i, item in enumerate(levels, 1)]
    result = answer("e", samples, FACTS, Analysis(baseline={"opt": "O2"}))
    assert only(result.warnings, "no_baseline").treatments == ("t3",)


def test_blocks_and_contexts_that_do_not_match_up_are_named(sample):
    rng = np.random.default_rng(50)
    contexts = [1 + i % 7 for i in range(BLOCKS)]
    new_blocks = [*range(1, BLOCKS), BLOCKS + 1]
    samples = [
        sample(noisy(rng), contexts=contexts),
        sample(noisy(rng), treatment=2, label="new", contexts=contexts, blocks=new_blocks),
    ]
    result = answer("e", samples, DesignFacts("randomized-blocks", 30, 1, contexts=7, passes=4), Analysis())
    assert {"unmatched_blocks", "unbalanced_contexts"} <= set(kinds(result.warnings))


def test_what_repetition_cannot_show_is_always_said(pair):
    unseen, place = answer("e", pair, FACTS, Analysis()).unobserved
    assert (unseen.kind, unseen.fields["runs"]) == ("modes_unseen", BLOCKS)
    assert unseen.fields["share"] == pytest.approx(1 - 0.05 ** (1 / BLOCKS))
    assert place == Notice("one_context")


def test_contexts_that_could_be_unseen_replace_the_one_context(pair):
    facts = DesignFacts("randomized-blocks", 30, 1, contexts=20)
    assert answer("e", pair, facts, Analysis()).unobserved[1] == Notice(
        "contexts_unseen", (), {"contexts": 20, "share": pytest.approx(1 - 0.05 ** (1 / 20))}
    )


def test_contexts_that_leave_the_layout_of_code_alone_say_so_and_others_do_not(pair):
    facts = DesignFacts("randomized-blocks", 30, 1, contexts=20)
    assert "one_code_layout" in kinds(answer("e", pair, facts, Analysis()).unobserved)
    drawn = replace(facts, code_varied=True)
    assert "one_code_layout" not in kinds(answer("e", pair, drawn, Analysis()).unobserved)


def test_user_and_system_time_below_a_tick_are_marked_and_longer_ones_are_not(sample, pair):
    def split(user_s):
        return [sample([user_s] * BLOCKS, treatment=t, metric="user_s") for t in (1, 2)]

    short = answer("e", [*pair, *split(0.004)], FACTS, Analysis())
    assert only(short.unobserved, "below_tick").fields == {"metrics": "user_s", "tick_s": 0.1}
    assert "below_tick" not in kinds(answer("e", [*pair, *split(3.0)], FACTS, Analysis()).unobserved)


def test_a_stratum_that_only_the_primary_metric_has_as_a_label_stops_no_other(sample):
    rng = np.random.default_rng(51)
    latency = [
        sample(noisy(rng), treatment=t, metric="latency_s", labels={"op": op}) for t in (1, 2) for op in "ab"
    ]
    walls = [sample(noisy(rng), treatment=t) for t in (1, 2)]
    result = answer("e", [*latency, *walls], FACTS, Analysis(metric="latency_s", strata=("op",)))
    assert [c.stratum for c in result.judged] == [{"op": "a"}, {"op": "b"}]
    assert result.comparisons[-1].stratum == {}


def test_an_empty_sample_of_a_treatment_that_always_failed_is_not_compared(sample, pair):
    never = sample([], treatment=3, label="never", failures=Failures(3, 3, 0))
    result = answer("e", [*pair, never], FACTS, Analysis())
    assert result.samples[2].summary.reason == "no_values"
    assert result.samples[2].flags == ("failures",)
    assert only(result.warnings, "failures").treatments == ("never",)


def test_a_sequential_order_leaves_pairs_to_no_part_of_the_answer(sample):
    rng = np.random.default_rng(52)
    square = Layout("full", tuple(Axis(name, ({name: 0}, {name: 1})) for name in "ab"))
    samples = [sample(noisy(rng), treatment=i, levels=cell) for i, cell in enumerate(square.cells(), 1)]
    result = answer("e", samples, DesignFacts("sequential", 1, 1), Analysis(), layout=square)
    assert {item.speedup.method for item in result.judged} == {"unpaired-log-ratio-t"}
    (effects,) = result.effects
    assert {effect.method for effect in effects.effects} == {"unpaired-contrast-t"}


@pytest.mark.extensions("protocol_2014")
def test_what_the_protocol_takes_for_granted_and_the_design_does_not_give_is_told(pair):
    analysis = Analysis(protocol="nogueira-matias-2014")
    returning = DesignFacts("randomized-blocks", BLOCKS, 1, contexts=10, passes=3)
    warnings = answer("e", pair, returning, analysis).warnings
    assert Notice("pairing_given_up") in warnings
    assert only(warnings, "pseudo_replication").fields == {"cause": "contexts"}
    assert "pseudo_replication" not in kinds(answer("e", pair, FACTS, analysis).warnings)
    sequential = answer("e", pair, DesignFacts("sequential", 1, 1), analysis).warnings
    assert only(sequential, "pseudo_replication").fields == {"cause": "order"}
    assert "pairing_given_up" not in kinds(sequential)


def test_where_values_come_from_is_told_once(pair):
    simulated = [replace(item, provenance="simulated") for item in pair]
    assert answer("e", simulated, FACTS, Analysis()).warnings == (Notice("simulated"),)
    crowded = [pair[0], replace(pair[1], provenance="crowded")]
    assert answer("e", crowded, FACTS, Analysis()).warnings == (Notice("crowded", ("new",)),)


def test_one_value_that_carries_the_spread_is_told_with_its_treatment(sample):
    rng = np.random.default_rng(53)
    values = noisy(rng, size=0.01)
    values[0] *= 3
    result = answer("e", [sample(values, label="old"), sample(noisy(rng), treatment=2)], FACTS, Analysis())
    message = only(result.warnings, "dominated")
    squares = (np.log(values) - np.log(values).mean()) ** 2
    assert (message.treatments, message.fields["n"]) == (("old",), BLOCKS)
    assert message.fields["share"] == pytest.approx(squares[0] / squares.sum())


def test_an_extension_is_told_with_what_it_began_from_and_the_level_that_is_left(pair):
    facts = DesignFacts("randomized-blocks", BLOCKS, 1, extended_from=(10, 20))
    result = only(answer("e", pair, facts, Analysis()).warnings, "extended")
    assert (result.fields["times"], result.fields["blocks"]) == (2, 10)
    assert set(result.fields) == {"times", "blocks", "alpha"}


def test_values_that_are_all_equal_have_a_step_that_is_not_known(sample):
    result = answer("e", [sample([2.0] * BLOCKS, treatment=t) for t in (1, 2)], FACTS, Analysis())
    assert only(result.warnings, "resolution").fields == {"step": 0.0, "unit": "s"}
