"""Models as text and as JSON: what a person reads first, and what a program relies on."""

from __future__ import annotations

import json
from fractions import Fraction
from math import log2

import pytest

from steelyard.claims.verdict import Instance, Verdict
from steelyard.extensions.growth import follow_ups
from steelyard.extensions.growth.algebra import Growth
from steelyard.extensions.growth.document import render
from steelyard.extensions.growth.evidence import RuleEvidence, RulePointEvidence
from steelyard.extensions.growth.rule_claim import Rule
from steelyard.extensions.growth.rule_words import render_rules
from steelyard.extensions.growth.scaling.limit import Breaks
from steelyard.extensions.growth.scaling.model import (
    ModelWarning,
    NotModelled,
    Prediction,
    RankProbability,
    ScalingModel,
    Segment,
    Term,
    Validation,
)
from steelyard.extensions.growth.scaling.rules import RuleAnswer
from steelyard.extensions.growth.text import lines
from steelyard.report.text.line import plain
from steelyard.results.interval import Interval


def make_model(name, growth, rank, **options):
    shares = {
        "match": (0.9, 0.1, 0.0),
        "approximate": (0.1, 0.9, 0.0),
        "none": (0.0, 0.05, 0.95),
        "undecided": (0.5, 0.4, 0.1),
    }
    expected = Growth.make(0, 1)
    validation = Validation(
        "O(log p)", "p^0.5", "p", growth / expected, rank, RankProbability(*shares[rank]), 8192.0, rank
    )
    settings = {
        "name": name, "metric": "latency_s", "unit": "s", "labels": {"op": name}, "parameters": ("p",),
        "points": 6, "launches": 5, "constant": 1.2e-6, "terms": (Term(3.4e-7, (growth,)),),
        "lead": (growth,), "posterior": 0.83, "alternatives": (((Growth.make("1/4"),), 0.1),),
        "aggregate": "mean", "noise_law": 1.0, "lack_of_fit": 0.4,
        "r2": 0.99, "segments": (), "method": "posterior", "validation": validation,
        "predictions": (Prediction((8192.0,), 5.6e-6, 5.1e-6, 6.2e-6),), "warnings": (),
    }  # fmt: skip
    return ScalingModel(**{**settings, **options})


MODELS = [
    make_model("bcast", Growth.make(0, 1), "match"),
    make_model("alltoall", Growth.make("5/4", 1), "none", warnings=(ModelWarning("far", "a long way off"),)),
    make_model("reduce", Growth.make(0, 2), "approximate"),
    make_model("gather", Growth.make("1/2"), "undecided", warnings=(ModelWarning("far", "a long way off"),)),
]
FAILED = [NotModelled("scan", "latency_s", {}, "2 points; a model needs at least 3, and 5 for a verdict")]


def rule(text, outcome, *answer, measured=False):
    grown = RuleEvidence("latency_s", RuleAnswer(text, outcome, *answer, measured=measured))
    ratio, high = (12.4, 15.0) if outcome == "fails" else (0.4, 0.5)
    between = Interval(ratio / 2, high)
    point = RulePointEvidence(
        "latency_s", *text.split(" <= "), ratio, between, 0.05, 0.01, 1e-9, "block-log-ratio-t", 20, "block"
    )
    instances = (Instance({"p": 64}, outcome, point), Instance({}, outcome, grown))
    return Verdict(Rule(text, "op"), outcome, instances)


RULES = [rule("allreduce <= reduce + bcast", "fails", 0.05, 2048.0)]


def test_the_worst_rank_comes_first_with_the_words_of_the_seed():
    text = plain(lines(MODELS, FAILED, render_rules(RULES, 120), [None, "machine", None, None], width=120))
    assert text.startswith("4 expectations: 1 match, 1 approximate match, 1 no match, 1 undecided.\n")
    rows = [line for line in text.splitlines() if line[:1] in "✓≈✗?" and line.strip()]
    assert [(row[0], row.split()[1]) for row in rows] == [
        ("✗", "alltoall"),
        ("?", "gather"),
        ("≈", "reduce"),
        ("✓", "bcast"),
    ]
    assert "O(p^1.25 log p)" in rows[0]
    assert "5.60 µs [5.10 µs, 6.20 µs]" in rows[0]


def test_rules_causes_warnings_and_failures_are_said_in_words():
    text = plain(lines(MODELS, FAILED, render_rules(RULES, 400), [None, "machine", None, None], width=400))
    assert (
        "rule allreduce <= reduce + bcast: fails; broken at the only point: at worst 12 × reduce + bcast"
        " (99 % CI 6 to 15, 20 blocks) at p = 64; reduce + bcast is faster there;"
        " grows faster (5 % sure that the left side grows no faster; the fitted models cross at 2048)" in text
    )
    assert "alltoall: the litmus test misses its expectation too: the machine is the likely cause" in text
    assert "alltoall and 1 more: a long way off" in text
    assert "scan: 2 points; a model needs at least 3" in text


def test_by_the_method_of_seed_001_nothing_is_said_of_probabilities():
    published = [make_model(name, Growth.make(1), "match", method="seed001", posterior=1.0) for name in "ab"]
    result = rule("a <= b", "holds", None, None)
    limit = Breaks(1.0, "p", 64.0, None, None)
    text = plain(lines(published, [], render_rules([result], 200), [None, None], width=200))
    assert "grows no faster (the fitted models never cross)" in text
    follow_up = plain(follow_ups.lines(follow_ups.After(limits=((published[0], limit),)), width=200))
    assert follow_up.splitlines()[-1] == "  a: above 1.00 s from p = 64 on"
    assert "% sure" not in text + follow_up


def test_the_text_fits_the_width():
    for width in (60, 80, 100):
        text = plain(lines(MODELS, FAILED, render_rules(RULES, width), [None] * 4, width=width))
        assert all(len(line) <= width for line in text.splitlines()), width


def test_call_paths_are_shown_by_their_last_function_where_that_is_enough():
    paths = [
        make_model("main->solve->MPI_Send", Growth.make(1), "none"),
        make_model("main->MPI_Recv", Growth.make(1), "none"),
    ]
    text = plain(lines(paths, [], [], [None] * 2, width=100))
    assert "MPI_Send" in text
    assert "main" not in text


def test_without_expectations_there_are_no_ranks():
    free = make_model("bcast", Growth.make(0, 1), "match", validation=None, predictions=())
    text = plain(lines([free], [], [], [None], width=100))
    assert "expect" not in text
    assert "O(log p)" in text


def test_the_document_has_the_fields_that_readers_rely_on():
    segment = Segment(16, 64, 1e-6, (Term(2e-7, (Growth.make(1),)),))
    document = json.loads(
        render(
            [make_model("bcast", Growth.make("1/3", 1), "match", segments=(segment,))],
            FAILED,
            RULES,
            ["library"],
        )
    )
    assert (document["format"], document["version"]) == ("steelyard/models", 1)
    (model,) = document["models"]
    assert model["labels"] == {"op": "bcast"}
    assert model["growth"] == "O(p^(1/3) log p)"
    assert model["model"] == "1.2e-06 + 3.4e-07 * p^(1/3) * log2(p)"
    assert model["terms"] == [
        {"coefficient": 3.4e-7, "exponents": {"p": {"power": "1/3", "log": "1", "exp2": "0"}}}
    ]
    assert Fraction(model["terms"][0]["exponents"]["p"]["power"]) == Fraction(1, 3)
    assert model["rank"] == "match"
    assert model["rank_at"] == {"p": 8192.0, "rank": "match"}
    assert model["rank_probability"] == {"match": 0.9, "approximate": 0.1, "none": 0.0}
    assert model["predictions"] == [{"at": {"p": 8192.0}, "value": 5.6e-6, "interval95": [5.1e-6, 6.2e-6]}]
    assert model["segments"][0]["end"] == 64
    assert model["cause"] == "library"
    point = {
        "at": {"p": 64}, "verdict": "fails", "ratio": 12.4, "interval": [6.2, 15.0], "level": 0.01,
        "method": "block-log-ratio-t", "n": 20, "reason": None,
    }  # fmt: skip
    assert document["rules"][0] == {
        "rule": "allreduce <= reduce + bcast", "metric": None, "tolerance": 0.05, "verdict": "fails",
        "points": [point], "growth": "fails", "probability": 0.05, "breaks_at": 2048.0, "measured": False,
        "reason": None,
    }  # fmt: skip
    assert document["not_modelled"][0]["name"] == "scan"


def test_the_text_of_a_formula_is_its_value():
    result = make_model(
        "x",
        Growth.make("3/2", 2),
        "none",
        terms=(Term(2.0, (Growth.make("3/2", 2),)), Term(5.0, (Growth.make(0, 0, 1),))),
    )
    p = 8.0
    expression = result.text().replace("^", "**")
    assert eval(expression, {"log2": log2, "p": p}) == pytest.approx(result.at(p))  # noqa: S307 our own text


def test_a_model_of_a_pure_number_has_no_unit_behind_it():
    for unit in ("", "1"):
        text = plain(
            lines([make_model("bcast", Growth.make(0, 1), "match", unit=unit)], [], [], [None], width=160)
        )
        assert "log2(p)  (1)" not in text
        assert "5.6e-06 [5.1e-06, 6.2e-06]" in text


def test_models_of_several_metrics_have_a_column_that_says_which():
    two = [make_model("bcast", Growth.make(0, 1), "match", metric=metric) for metric in ("time_s", "cpu_s")]
    text = plain(lines(two, [], [], [None] * 2, width=200)).splitlines()
    (at,) = [number for number, line in enumerate(text) if " metric " in line]
    place = text[at].index("metric")
    assert [row[place:].split()[0] for row in text[at + 1 : at + 3]] == ["cpu_s", "time_s"]
    assert "metric" not in plain(lines(two[:1], [], [], [None], width=200))
