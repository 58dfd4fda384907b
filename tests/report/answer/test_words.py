from __future__ import annotations

from typing import get_args

import pytest
from msgspec.structs import replace

from steelyard.core.analysis import Analysis
from steelyard.core.units import Metric
from steelyard.report.answer.words import (
    format_comparative,
    format_fresh_run,
    is_speed,
    names,
    render_finding,
    verdict,
)
from steelyard.results.comparison import FreshRun
from steelyard.results.interval import Interval
from steelyard.results.undefined import REASONS, Reason


def test_every_reason_for_what_does_not_exist_has_words():
    assert set(REASONS) == set(get_args(Reason))


@pytest.mark.parametrize(
    ("unit", "better", "good", "bad"),
    [
        ("s", "lower", "faster", "slower"),
        ("1/s", "higher", "faster", "slower"),
        ("B/s", "higher", "faster", "slower"),
        ("B", "lower", "less", "more"),
        ("", "lower", "less", "more"),
        ("", "neither", "less", "more"),
        ("s", "higher", "more", "less"),
        ("flop", "higher", "more", "less"),
    ],
)
def test_only_times_and_rates_are_fast(unit, better, good, bad):
    metric = Metric("m", unit, better=better)
    assert (format_comparative(metric, better=True), format_comparative(metric, better=False)) == (good, bad)
    assert is_speed(metric) == (good == "faster")


def test_sides_with_different_numbers_of_runs_are_counted_apart(case):
    result = case("one_after_the_other")
    (comparison,) = result.judged
    samples = tuple(
        replace(sample, summary=replace(sample.summary, n=15))
        if sample.treatment.id == comparison.baseline.id
        else sample
        for sample in result.samples
    )
    names = {side.label: side.label for side in (comparison.treatment, comparison.baseline)}
    evidence = render_finding(comparison, replace(result, samples=samples), names, {}).evidence
    assert "30 runs against 15 in one context, one after the other" in evidence


def test_an_interval_inside_the_margin_that_decides_nothing_names_the_others(case):
    result = case("no_difference")
    (comparison,) = result.judged
    margin = max(comparison.ci95.high - 1, 1 - comparison.ci95.low) * 1.01
    text = replace(
        result,
        declared=Analysis(margin=margin),
        comparisons=(replace(comparison, relevance="straddles", p_relevance=0.06, family_size=3),),
    )
    names = {"old": "old", "new": "new"}
    assert "but p = 0.060 about" in render_finding(text.judged[0], text, names, {}).evidence
    assert render_finding(text.judged[0], text, names, {}).evidence.endswith(
        "among 3 comparisons, 30 blocks in one context"
    )
    decided = replace(text.judged[0], relevance="inside", verdict="equivalent")
    assert "but p" not in render_finding(decided, text, names, {}).evidence


def test_what_is_neither_within_the_margin_nor_beyond_says_how_far_apart_both_can_be(case):
    result = case("no_difference")
    (comparison,) = result.judged
    interval = Interval(0.95, 1.08)
    wide = replace(comparison, relevance="straddles", p_relevance=0.3, ci95=interval, ci_relevance=interval)
    text = replace(result, declared=Analysis(margin=0.02), comparisons=(wide,))
    claim = render_finding(wide, text, {"old": "old", "new": "new"}, {}).claim
    assert claim.startswith(
        "new against old: neither within 2 % nor beyond: between 5.3 % slower and 8 % faster"
    )
    # Where the interval of this comparison alone would decide, that of its family says what is possible.
    inside = replace(wide, ci95=Interval(0.99, 1.01), family_size=3)
    text = replace(text, comparisons=(inside,))
    claim = render_finding(inside, text, {"old": "old", "new": "new"}, {}).claim
    assert "between 5.3 % slower and 8 % faster" in claim


def test_an_exploratory_verdict_is_in_brackets_and_its_sentence_says_so(case):
    result = case("a_difference")
    (comparison,) = result.comparisons
    chosen = replace(comparison, exploratory=True)
    assert verdict(comparison) == ("faster", "good")
    assert verdict(chosen) == ("(faster)", "")
    finding = render_finding(chosen, result, names(item.treatment.label for item in result.samples), {})
    assert finding.claim.startswith("exploratory: new is 1.0")
    assert verdict(replace(chosen, verdict="not_resolved")) == ("not resolved", "open")


@pytest.mark.parametrize(("seconds", "time"), [(0.02, ""), (0.9, ""), (1.0, " (about 1 s)"), (None, "")])
def test_the_time_of_a_fresh_run_is_told_from_a_second_on(seconds, time):
    run = FreshRun(difference=0.1, margin=None, blocks=40, seconds=seconds)
    assert format_fresh_run(run, 30) == f"; to confirm the 10 % seen here, run 40 blocks{time}"


@pytest.mark.parametrize(
    ("in_one_context", "flags", "scope"),
    [
        (True, (), "30 blocks in one context"),
        (False, (), "30 blocks"),
        (False, ("one_process",), "30 blocks in one process"),
        (True, ("one_process",), "30 blocks in one process"),
        (False, ("sequential_order",), "30 runs of each, one after the other"),
        (True, ("sequential_order",), "30 runs of each in one context, one after the other"),
        (True, ("sequential_order", "sessions"), "30 sessions of each, one after the other"),
        (True, ("sequential_order", "two_sessions"), "30 runs of each in these two sessions"),
    ],
)
def test_an_interval_names_what_all_runs_share(case, in_one_context, flags, scope):
    result = case("no_difference")
    (comparison,) = result.judged
    shared = replace(comparison, in_one_context=in_one_context, flags=flags)
    assert render_finding(shared, result, {"old": "old", "new": "new"}, {}).evidence.endswith(f", {scope}")
