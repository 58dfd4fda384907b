"""What follows from models: rules, limits, causes, suggestions, the status quo."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.growth.algebra import parse_growth, parse_rule
from steelyard.extensions.growth.scaling import (
    Expectation,
    NotModelled,
    Question,
    model,
    model_all,
    series_of,
)
from steelyard.extensions.growth.scaling.limit import breaks
from steelyard.extensions.growth.scaling.litmus import cause
from steelyard.extensions.growth.scaling.rules import STEADY, judge
from steelyard.extensions.growth.scaling.status_quo import accept, read_accepted
from steelyard.extensions.growth.scaling.suggest import advise
from steelyard.extensions.growth.scaling.versus import versus

P = [16, 32, 64, 128, 256, 512]


def exact(name, text, factor=1.0, constant=1.0, noise=0.0, seed=1):
    growth = parse_growth(text)
    truth = np.array([constant + factor * growth.at(p) for p in P])[:, None]
    values = truth * (1 + noise * np.random.default_rng(seed).standard_normal((6, 5 if noise else 1)))
    return series_of(name, ["p"], [[p] for p in P], values.tolist(), metric="latency_s", unit="s")


def models(**texts):
    return whole([exact(name, text) for name, text in texts.items()])


def whole(series):
    """Models that name every lead, as rules need them."""
    return {m.name: m for m in model_all(series, Question(every_lead=True))}


def test_a_rule_compares_leading_terms_and_says_where_it_breaks():
    # Table 4, Piz Daint: Allreduce p^0.67 log p against Reduce p^0.5 log p + Bcast p^0.5; coefficients ours.
    functions = [
        exact("allreduce", "p^(2/3) log p", 0.1),
        exact("reduce", "p^0.5 log p", 1.0),
        exact("bcast", "p^0.5", 1.0),
    ]
    result = whole(functions)
    answer = judge(parse_rule("allreduce <= reduce + bcast"), result, 16, 512)
    assert answer.verdict == "fails"
    lhs, right = result["allreduce"], [result["reduce"], result["bcast"]]
    below = answer.breaks_at / 2 ** (1 / 16)
    assert lhs.at(answer.breaks_at) > sum(m.at(answer.breaks_at) for m in right)
    assert lhs.at(below) <= sum(m.at(below) for m in right)
    assert not answer.measured


def test_a_rule_that_is_kept_never_breaks():
    answer = judge(parse_rule("a ≤ b + c"), models(a="log p", b="p", c="p^0.5"), 16, 512)
    assert (answer.verdict, answer.breaks_at) == ("holds", None)


@pytest.mark.simulates
def test_a_rule_between_equal_functions_seldom_fails():
    rule, verdicts = parse_rule("a <= b"), []
    for seed in range(60):
        functions = [
            exact("a", "p^0.5", noise=0.02, seed=2 * seed),
            exact("b", "p^0.5", noise=0.02, seed=2 * seed + 1),
        ]
        verdicts.append(judge(rule, whole(functions), 16, 512).verdict)
    # Of 60, a tool that fails 5 % fails 7 or fewer in 99 %.
    assert verdicts.count("fails") <= 7


def test_a_rule_weighs_the_best_pair_that_keeps_it_against_the_best_that_breaks_it():
    result = whole([exact("a", "p^0.5", noise=0.1, seed=1), exact("b", "p^0.5", noise=0.1, seed=2)])
    leads = [{m.lead[0]: m.posterior, **{g[0]: p for g, p in m.alternatives}} for m in result.values()]
    a, b = (
        {g: p / m.priors[(g,)] for g, p in lead.items() if g.power.denominator in (1, 2, 3, 4)}
        for lead, m in zip(leads, result.values(), strict=True)
    )
    assert len(a) > 4 < len(b)
    share = max(p * q for g, p in a.items() for h, q in b.items() if g.power <= h.power and g <= h)
    broken = max(p * q for g, p in a.items() for h, q in b.items() if h * parse_growth("log p", "p") <= g)
    total = sum(leads[0].values()) * sum(leads[1].values())
    # What no formula says is 5 % of each at this noise.
    assert total == pytest.approx(0.95**2, rel=1e-3)
    answer = judge(parse_rule("a <= b"), result, 16, 512)
    assert answer.probability == pytest.approx(total * share / (share + broken) + (1 - total) / 2)


def test_rule_counts_a_logarithm_against_the_left_side_and_a_twelfth_of_a_power_not():
    logarithm = judge(parse_rule("a <= b"), models(a="p log p", b="p"), 16, 512)
    twelfth = judge(parse_rule("a <= b"), models(a="p^(13/12)", b="p"), 16, 512)
    assert (logarithm.verdict, twelfth.verdict) == ("fails", "fails")
    assert models(a="p")["a"].priors[(parse_growth("p", "p"),)] > 0


def test_sides_in_a_steady_ratio_keep_a_rule_that_their_formulas_would_break():
    result = models(a="p log p", b="p")
    assert judge(parse_rule("a <= b"), result, 16, 512).verdict == "fails"
    steady = judge(parse_rule("a <= b"), result, 16, 512, steady=True)
    assert (steady.verdict, steady.probability) == ("holds", STEADY)


def test_the_method_of_seed_001_states_neither_a_probability_nor_an_interval():
    question = Question(method="seed001", space="mpi-study")
    result = {name: model(exact(name, text), question) for name, text in (("a", "p^0.5"), ("b", "p"))}
    answer = judge(parse_rule("a <= b"), result, 16, 512)
    assert (answer.verdict, answer.probability) == ("holds", None)
    assert "%" not in result["a"]._repr_markdown_()
    passed = breaks(exact("b", "p"), 1025.0, question)
    assert (passed.at, passed.earliest, passed.latest) == (pytest.approx(1024, rel=0.02), None, None)
    with pytest.raises(UsageError, match="states no probability"):
        versus(exact("a", "p^0.5"), exact("b", "p"), question)


@pytest.mark.parametrize("text", ["a < b", "a <= ", "<= b", "a <= b <= c", "a + <= b"])
def test_a_rule_of_another_form_is_refused(text):
    with pytest.raises(UsageError, match="not of the form") as caught:
        parse_rule(text)
    assert caught.value.hint


def test_a_rule_naming_an_unknown_function_names_the_nearest():
    with pytest.raises(UsageError, match="'reduec', which is not among") as caught:
        judge(parse_rule("bcast <= reduec"), models(bcast="p", reduce="p"), 16, 512)
    assert "'reduce'" in caught.value.hint


def test_a_rule_over_functions_without_names_says_how_to_name_them():
    with pytest.raises(UsageError, match="'bcast', which is not among") as caught:
        judge(parse_rule("bcast <= reduce"), {"": model(exact("", "p"))}, 16, 512)
    assert "--by COLUMN" in caught.value.hint


def test_a_limit_breaks_where_the_formula_says():
    # Seed 001, § 3.2.2: 0.55 MB for each connection, 8 processes on a node of 24 GB.
    memory = series_of("memory", ["p"], [[p] for p in P], [[8 * (16e6 + 0.56e6 * p)] for p in P], unit="B")
    result = breaks(memory, 24e9)
    truth = (24e9 / 8 - 16e6) / 0.56e6
    assert result.at == pytest.approx(truth, rel=0.01)
    assert result.earliest <= result.at <= result.latest
    assert breaks(memory, 1e30).at is None
    assert isinstance(breaks(series_of("m", ["p"], [[1], [2]], [[1.0], [2.0]]), 3), NotModelled)


def test_a_limit_that_a_valley_passes_twice_is_named_at_both_ends():
    strong = series_of("w", ["p"], [[p] for p in P], [[100 / p + 0.01 * p] for p in P], unit="s")
    result = breaks(strong, 5.0)
    # 100/p + p/100 = 5: the roots of p² - 500 p + 10⁴.
    first, last = 250 - math.sqrt(250**2 - 100**2), 250 + math.sqrt(250**2 - 100**2)
    assert result.above_until == pytest.approx(first, rel=0.02)
    assert result.at == pytest.approx(last, rel=0.02)
    assert result.earliest <= result.at <= result.latest
    falling = series_of("w", ["p"], [[p] for p in P], [[100 / p] for p in P], unit="s")
    assert breaks(falling, 5.0).above_until == pytest.approx(20, rel=0.02)
    assert breaks(falling, 5.0).at is None


def test_a_limit_is_looked_for_up_to_the_largest_parameter_and_not_beyond():
    # 3 × 2^log₂(10³⁰ / 3) is 10³⁰ and 3 × 10¹⁵ more in floating point.
    far = [3.0, 3e7, 3e14, 3e21, 3e28]
    result = breaks(series_of("f", ["p"], [[p] for p in far], [[math.log2(p)] for p in far]), 97)
    assert result.at == pytest.approx(2.0**97, rel=0.01)


def test_a_limit_breaks_over_parameters_below_1_too():
    small = [0.001, 0.002, 0.004, 0.008, 0.016]
    waited = series_of("w", ["s"], [[x] for x in small], [[x + 0.0005] for x in small], unit="s")
    assert breaks(waited, 0.0205).at == pytest.approx(0.02, rel=0.01)


def test_the_litmus_test_tells_the_machine_from_the_library():
    question = Question(expectations={"*": Expectation("O(log p)", "p^0.5")})
    bad, good, near = (model(exact("f", text), question) for text in ("p^1.25", "log p", "p^0.5"))
    assert cause(bad, bad) == "machine"
    assert cause(bad, good) == "library"
    assert cause(bad, near) == "library"
    assert cause(good, bad) is None
    assert cause(bad, model(exact("f", "p"))) == "unknown"


def test_an_undecided_rank_gets_points_that_would_settle_it_cheapest_first():
    question = Question(expectations={"*": Expectation("O(log^2 p)")})
    seen_settling = 0
    for seed in range(12):
        series = exact("f", "log^2 p", noise=0.06, seed=seed)
        result = model(series, question)
        if result.validation.rank != "undecided":
            continue
        suggestions = advise(series, question)
        settling = [s for s in suggestions if s.settles]
        assert list(suggestions[: len(settling)]) == settling
        assert [s.cost for s in settling] == sorted(s.cost for s in settling)
        share = result.validation.probability
        assert max(s.certainty for s in suggestions) > max(share.match, share.approximate, share.none)
        assert all(s.at[0] not in P for s in suggestions)
        # Between two powers of two as well as beyond them, and nowhere beyond what there is.
        assert any(P[0] < s.at[0] < P[-1] for s in suggestions)
        # Relative to the last point that was measured.
        assert all((s.cost < 1) == (s.at[0] < P[-1]) for s in suggestions)
        within = advise(series, question, most=P[-1])
        assert within == tuple(s for s in suggestions if s.at[0] <= P[-1])
        seen_settling += 0 < len(settling) < len(suggestions)
    assert seen_settling >= 2


def test_advice_needs_an_expectation_and_a_series_that_can_be_modelled():
    assert advise(exact("f", "p"), Question()) == ()
    assert advise(series_of("m", ["p"], [[1], [2]], [[1.0], [2.0]]), Question()) == ()


def test_accepted_models_are_read_back_and_hold_what_they_were_accepted_for():
    measured = [exact("bcast", "log p"), exact("gather", "p")]
    text, left_out = accept(model_all(measured), measured)
    assert left_out == ()
    accepted = read_accepted(text, "file")
    after = model_all([exact("bcast", "p"), exact("gather", "p")], Question(expectations=accepted))
    assert [m.validation.rank for m in after] == ["none", "match"]


def test_nothing_is_accepted_where_no_growth_is_known():
    unknown = [series_of("zero", ["p"], [[p] for p in P], [[0.0]] * len(P))]
    assert all(isinstance(item, NotModelled) for item in model_all(unknown))
    with pytest.raises(UsageError, match="nothing to accept") as caught:
        accept([], unknown)
    assert caught.value.hint


def test_what_was_accepted_from_noisy_data_passes_on_them():
    rng = np.random.default_rng(8)
    measured = [
        series_of(
            f"f{i}", ["p"], [[p] for p in P],
            ((50 + np.array(P) ** power)[:, None] * (1 + 0.2 * rng.standard_normal((len(P), 5)))).tolist(),
        )
        for i, power in enumerate([0.25, 0.5, 1.0, 1.5] * 5)
    ]  # fmt: skip
    text, left_out = accept(model_all(measured), measured)
    accepted = read_accepted(text, "file")
    assert len(accepted) + len(left_out) == len(measured)
    assert len(accepted) >= 12
    again = [item for item in measured if f"{item.name} {item.metric}" in accepted]
    ranks = [m.validation.rank for m in model_all(again, Question(expectations=accepted))]
    assert set(ranks) <= {"match", "approximate"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        json.dumps({"format": "other", "version": 1}),
        json.dumps({"format": "steelyard/expectations", "version": 9}),
    ],
)
def test_what_is_no_document_of_expectations_is_refused(text):
    with pytest.raises(UsageError) as caught:
        read_accepted(text, "file.json")
    assert caught.value.message.startswith("file.json")
    assert caught.value.hint
