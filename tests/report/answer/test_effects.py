"""What is said of effects beside the golden texts: every note, and every way of not knowing."""

from __future__ import annotations

import pytest

from steelyard.core.analysis import MeasuredTypeB, TypeB
from steelyard.core.factorial import Axis, Layout
from steelyard.core.units import BUILTIN, Metric
from steelyard.report.answer import effects
from steelyard.report.answer.effect_words import findings, format_interactions, leads, name_effect
from steelyard.report.text.line import plain
from steelyard.results.effects import ConditionalEffect, Effect, Factorial, LevelEffect, LogEstimate
from steelyard.results.interval import Interval
from steelyard.results.undefined import Undefined

AXES = (
    Axis("opt", ({"opt": "O2"}, {"opt": "O3"})),
    Axis("weak", ({"nodes": 1, "scale": 14}, {"nodes": 2, "scale": 15}, {"nodes": 4, "scale": 16})),
)


def estimate(log, se=0.01):
    return LogEstimate(log, se, 9, 0.01, "block-contrast-t")


def make_effect(**options):
    base = {
        "stratum": {},
        "labels": {},
        "metric": BUILTIN["wall_s"],
        "axes": AXES,
        "kind": "complete",
        "units": 10,
        "treatments": 6,
        "effects": (
            Effect(
                ("opt",),
                (),
                1,
                0.5,
                0.4,
                "block-contrast-t",
                -0.1,
                estimate(0.2),
                Interval(1.19, 1.25),
                p=0.01,
            ),
        ),
    }
    return Factorial(**{**base, **options})


class Answering:
    """As much of an answer as effects need."""

    def __init__(self, *parts, **declared):
        self.effects = parts
        self.declared = type(
            "Analysis", (), {"baseline": {}, "family": "baseline", "alpha": 0.05, "type_b": ()} | declared
        )


def text(*parts):
    return plain(effects.lines(Answering(*parts), 80))


def test_strata_and_labels_head_each_part():
    words = text(make_effect(stratum={"n": 10, "fast": True}), make_effect(labels={"op": "bcast"}))
    assert "Effects on wall_s, n = 10, fast = true: 6 treatments, 10 blocks" in words
    assert "\n\nEffects on wall_s, op = bcast: 6 treatments" in words


@pytest.mark.parametrize(
    ("inputs", "note"),
    [
        ({"censored": True}, "Nothing is judged: runs failed or timed out"),
        ({"unmatched": 1}, "1 block lacks a value of some treatment"),
        ({"kind": "screening"}, "interactions are not estimated and hide in the main"),
        ({"units": 5, "effects": (Effect(("opt",), (), 1, 1.0, None),)}, "without an error term"),
        ({"units": 1, "effects": (Effect(("opt",), (), 1, 1.0, None),)}, "One value of each treatment"),
        (
            {"effects": (Effect(("opt",), (), 1, 1.0, None, "lenth-pseudo-se", p=0.1, p_holm=0.1),)},
            "Judged by Lenth's pseudo standard error, as declared",
        ),
        ({"undefined": Undefined("zero_values"), "effects": ()}, "No effects of the factors: a value is 0."),
    ],
)
def test_each_way_of_not_knowing_has_its_note(inputs, note):
    assert note in text(make_effect(**inputs))


def test_launches_and_contexts_are_counted_as_what_they_are():
    assert "10 runs of each;" in text(make_effect(by="launch"))
    assert "10 contexts;" in text(make_effect(by="context"))


def test_linked_factors_are_told_by_all_their_levels():
    words = text(make_effect(levels=(LevelEffect("weak", 2, estimate(0.1), Interval(1.05, 1.15)),)))
    assert "weak: 1 14 → 4 16" in words
    axes = {axis.name: axis for axis in AXES}
    assert name_effect(Effect(("weak",), (), 2, 0.1, None), axes) == "weak (3 levels)"
    assert name_effect(Effect(("opt",), ("−b × c",), 1, 0.1, None), axes) == "opt or −b × c"


def test_what_is_shared_by_others_has_a_line_of_its_own():
    assert "other interactions" in text(make_effect(unassigned=0.2))
    assert "not assigned" in text(make_effect(kind="screening", unassigned=0.2))


def test_an_interaction_is_told_at_both_levels_and_the_worse_news_as_slower():
    both = make_effect(
        axes=(AXES[0], Axis("n", ({"n": 1}, {"n": 2}))),
        effects=(Effect(("opt", "n"), (), 1, 0.5, 0.4),),
        conditional=(
            ConditionalEffect("opt", "n", 0, estimate(-0.2), Interval(0.8, 0.84)),
            ConditionalEffect("opt", "n", 1, estimate(0.001), Interval(0.98, 1.02)),
        ),
    )
    (result,) = format_interactions(both)
    assert result == (
        "opt and n interact: O2 → O3 is 1.221 × slower (1.190 to 1.250) at n = 1,"
        " not resolved (0.980 to 1.020) at n = 2"
    )


def test_for_what_is_no_speed_there_is_less_and_more():
    memory = Metric("rss_bytes", "B", better="lower")
    both = make_effect(
        metric=memory,
        axes=(AXES[0], Axis("n", ({"n": 1}, {"n": 2}))),
        effects=(Effect(("opt", "n"), (), 1, 0.5, 0.4),),
        conditional=(ConditionalEffect("opt", "n", 0, estimate(0.2), Interval(1.19, 1.25)),),
    )
    assert "1.221 × less (1.190 to 1.250)" in next(format_interactions(both))
    assert "× better" in text(make_effect(metric=memory))


def test_ratios_beyond_any_number_are_dashes():
    beyond = Effect(("opt",), (), 1, 1.0, None, "block-contrast-t", 500.0, estimate(1000.0), None, p=0.01)
    assert "opt: O2 → O3        –" in text(make_effect(effects=(beyond,)))


@pytest.mark.parametrize(
    ("better", "log", "claim", "style"),
    [
        ("lower", 0.2, "is 1.221 × less size", "good"),
        ("lower", -0.2, "is 1.221 × more size", "bad"),
        ("neither", 0.2, "1.221 ×", ""),
    ],
)
def test_a_main_effect_is_good_news_or_bad_news_or_where_no_way_is_better_neither(better, log, claim, style):
    ends = Interval(1.19, 1.25) if log > 0 else Interval(0.8, 0.84)
    resolved = Effect(
        ("opt",), (), 1, 0.5, 0.4, "block-contrast-t", -0.1, estimate(log), ends, p=0.01, resolved=True
    )
    factorial = make_effect(metric=Metric("size", "B", better=better), effects=(resolved,))
    (finding,) = findings(Answering(factorial))
    assert claim in finding.claim
    assert finding.style == style


def test_only_two_steps_without_a_baseline_lead():
    assert leads(Answering(make_effect(design="two-level")))
    assert leads(Answering(make_effect(design="fraction")))
    assert not leads(Answering(make_effect(design="full")))
    assert not leads(Answering(make_effect(design="two-level"), baseline={"opt": "O2"}))
    assert not leads(Answering(make_effect(design="two-level"), family="all-pairs"))
    assert not leads(Answering())


def test_names_that_could_move_the_cursor_are_escaped():
    odd = Axis("opt", ({"opt": "O2\x1b[2J"}, {"opt": "O3"}))
    assert "\x1b" not in text(make_effect(axes=(odd, AXES[1])))
    assert Layout("full", (odd,)).names == ("opt",)


def test_errors_that_are_declared_are_in_no_effect_and_those_of_the_clock_unsaid():
    declared = TypeB("scale of the meter", 0.01)
    words = plain(effects.lines(Answering(make_effect(), type_b=(declared,)), 80))
    assert "type_b" in words
    clock = MeasuredTypeB("scale of the meter", 0.01)
    assert "type_b" not in plain(effects.lines(Answering(make_effect(), type_b=(clock,)), 80))
    assert "type_b" not in text(make_effect())
