"""Ratios that stay the same though both sides grow; SciPy's ``linregress`` is the witness of the bound."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.extensions.growth import rule_judging
from steelyard.extensions.growth.algebra import parse_rule
from steelyard.extensions.growth.scaling import Question, series_of
from steelyard.extensions.growth.scaling.steady_ratio import is_steady

P = [16.0, 32.0, 64.0, 128.0, 256.0, 512.0]
RULE = parse_rule("a <= b + c")


def measured(name, values, noise=0.01, seed=1, scales=P):
    rng = np.random.default_rng(seed)
    repeated = [value * np.exp(noise * rng.standard_normal(5)) for value in values]
    return series_of(name, ("p",), [[p] for p in scales], repeated)


def sides(left, noise=0.01, scales=P):
    p = np.array(scales)
    curves = {"a": left(p), "b": 1 + 0.1 * p, "c": 2 + 0.1 * np.sqrt(p)}
    return {
        name: measured(name, values, noise, seed, scales)
        for seed, (name, values) in enumerate(curves.items(), 1)
    }


def both(p):
    return 3 + 0.1 * p + 0.1 * np.sqrt(p)


def test_a_multiple_of_the_right_side_stays_in_one_ratio():
    assert is_steady(RULE, sides(lambda p: 0.7 * both(p)))


def test_a_logarithm_more_does_not():
    assert not is_steady(RULE, sides(lambda p: 0.1 * both(p) * np.log2(p)))


def test_what_hardly_grows_says_nothing():
    rule = parse_rule("a <= b")
    flat = {name: measured(name, 1 + 1e-4 * np.array(P), seed=seed) for seed, name in enumerate("ab")}
    assert not is_steady(rule, flat)


def test_noise_that_hides_a_logarithm_says_nothing():
    assert not is_steady(RULE, sides(lambda p: 0.7 * both(p), noise=0.2))


def test_fewer_points_than_five_or_single_values_say_nothing():
    few = [16.0, 64.0, 256.0, 1024.0]
    assert not is_steady(RULE, sides(lambda p: 0.7 * both(p), scales=few))
    apart = sides(lambda p: 0.7 * both(p))
    apart["a"] = measured("a", both(np.array(P)), scales=[p + 1 for p in P])
    assert not is_steady(RULE, apart)


@pytest.mark.parametrize("slope", [0.0, 0.003, 0.006, 0.02])
def test_the_bound_is_that_of_a_line_in_log_p(slope):
    rule, logs = parse_rule("a <= b"), np.log2(P) - 4
    b = np.array(P)
    u = 1e-3
    functions = {
        "a": series_of("a", ("p",), [[p] for p in P], [[v] for v in b * (1 + slope * logs)], u=b * u),
        "b": series_of("b", ("p",), [[p] for p in P], [[v] for v in b], u=b * 1e-9),
    }
    result = witness.linregress(logs, 1 + slope * logs)
    most = result.slope + 1.645 * u / np.sqrt(((logs - logs.mean()) ** 2).sum())
    assert is_steady(rule, functions) == (most * (logs[-1] + 2) < 0.1 * result.intercept)


def test_a_rule_between_sides_in_one_ratio_holds_where_formulas_leave_it_open(monkeypatch):
    functions = sides(lambda p: 0.7 * both(p), noise=0.02)
    judged = rule_judging.judge_growth({}, RULE, "t", functions, Question())
    assert judged.outcome == "holds"
    monkeypatch.setattr(rule_judging, "is_steady", lambda *_: False)
    by_formulas = rule_judging.judge_growth({}, RULE, "t", functions, Question())
    assert by_formulas.outcome == "not_resolved"
