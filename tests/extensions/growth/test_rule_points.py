"""Rules over series whose launches nothing pairs: Welch's test of SciPy is the witness."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from steelyard.claims.draft import Draft
from steelyard.claims.family import decide
from steelyard.core.series import series_of
from steelyard.extensions.growth.algebra import parse_rule
from steelyard.extensions.growth.rule_claim import Rule
from steelyard.extensions.growth.rule_points import judge_series

P = [2**k for k in range(4, 11)]
RULE = parse_rule("allreduce <= reduce + bcast")


def series(name, law, *, spread=0.05, launches=5, seed=1):
    rng = np.random.default_rng(seed)
    values = [(law(p) * np.exp(spread * rng.standard_normal(launches))).tolist() for p in P]
    return series_of(name, ["p"], [[p] for p in P], values, metric="latency_s", unit="s")


def library(law, **keys):
    """Functions with Reduce and Bcast of 1 and log p, and an Allreduce by ``law(p, both)``."""

    def both(p):
        return 1.0 + np.log2(p)

    seed = keys.pop("seed", 1)
    laws = {"allreduce": lambda p: law(p, both(p)), "reduce": lambda _: 1.0, "bcast": np.log2}
    return {
        name: series(name, growth, seed=(seed, i), **keys) for i, (name, growth) in enumerate(laws.items())
    }


def verdict_of(functions, *rules, tolerance=0.05):
    drafts = []
    for rule in rules or (RULE,):
        tested, settled = judge_series({}, rule, functions, "latency_s", tolerance)
        drafts.append(Draft(tuple(tested), tuple(settled)))
    return decide([Rule(rule.text, "function") for rule in rules or (RULE,)], drafts, 0.05)[0]


def outcomes(functions, **keys):
    return {instance.stratum["p"]: instance.outcome for instance in verdict_of(functions, **keys).instances}


@pytest.mark.parametrize("launches", [1, 5])
def test_ten_times_as_slow_is_flagged_at_every_point_with_or_without_repetitions(launches):
    result = outcomes(library(lambda _, both: 10 * both, launches=launches))
    assert result == dict.fromkeys(P, "fails")


def test_slow_at_one_point_is_flagged_there_and_nowhere_else():
    result = outcomes(library(lambda p, both: both * (2 if p == 128 else 0.8)))
    assert {p for p, outcome in result.items() if outcome == "fails"} == {128}


def test_counts_and_simulated_values_are_compared_as_they_are():
    functions = library(lambda p, both: both * (1.06 if p >= 256 else 1.04), spread=0, launches=1)
    exact = {name: replace(item, counts=True) for name, item in functions.items()}
    assert outcomes(exact) == {p: "fails" if p >= 256 else "holds" for p in P}
    # So are values that repeat to the bit, whatever they come from.
    repeated = library(lambda p, both: both * (1.06 if p >= 256 else 1.04), spread=0, launches=2)
    assert outcomes(repeated) == outcomes(exact)


def test_a_ratio_is_tested_as_welch_does():
    from scipy import stats

    functions = library(lambda _, both: 1.2 * both)
    values = {
        name: [np.array(point.values) for point in element.points] for name, element in functions.items()
    }
    for i, entry in enumerate(verdict_of(functions).instances):
        # Two samples of which one is a sum of two: its variance and degrees of freedom by hand.
        top = values["allreduce"][i]
        sums = [1.05 * values[name][i] for name in ("reduce", "bcast")]
        parts = [item.var(ddof=1) / item.size for item in (top, *sums)]
        t = (top.mean() - sum(entry.mean() for entry in sums)) / np.sqrt(sum(parts))
        nu = sum(parts) ** 2 / sum(part**2 / 4 for part in parts)
        expected = 2 * stats.t.sf(abs(t), nu)
        # Degrees of freedom are those at the ratio that was seen, not at the limit.
        assert np.log(entry.evidence.p) == pytest.approx(np.log(expected), rel=0.1)


def test_a_stated_uncertainty_is_used():
    def summary(name, value, u):
        at = [[p] for p in P]
        n = len(P)
        return series_of(name, ["p"], at, [[value]] * n, metric="latency_s", unit="s", u=[u] * n, n=[30] * n)

    def allreduce(u):
        summaries = {"allreduce": summary("allreduce", 3.0, u)}
        return summaries | {name: summary(name, 1.0, 0.01) for name in ("reduce", "bcast")}

    assert set(outcomes(allreduce(0.01)).values()) == {"fails"}
    assert set(outcomes(allreduce(1.0)).values()) == {"not_resolved"}


def test_single_values_at_two_points_say_nothing_of_their_uncertainty():
    second = {
        name: replace(first, points=first.points[:2])
        for name, first in library(lambda _, both: 3 * both, launches=1).items()
    }
    verdict = verdict_of(second)
    assert verdict.outcome == "not_judged"
    assert all("uncertainty is unknown" in instance.evidence.reason for instance in verdict.instances)


def test_equal_values_of_a_clock_at_one_point_are_not_certain():
    functions = library(lambda _, both: 1.08 * both, spread=0.3, launches=2)
    for name, item in functions.items():
        first = item.points[0]
        functions[name] = replace(
            item, points=(replace(first, values=(first.values[0],) * 2), *item.points[1:])
        )
    assert outcomes(functions)[P[0]] == "not_resolved"


@pytest.mark.parametrize("flag", ["censored", "crowded"])
def test_values_that_decide_nothing_flag_nothing(flag):
    functions = library(lambda _, both: 10 * both)
    functions["bcast"] = replace(functions["bcast"], **{flag: True})
    assert set(outcomes(functions).values()) == {"not_judged"}


@pytest.mark.simulates
@pytest.mark.parametrize("launches", [1, 5])
def test_a_library_at_the_limit_is_flagged_as_rarely_as_stated(perfect_passes, launches):
    times, most = 400, 36
    flagged = sum(
        verdict_of(library(lambda _, both: 1.05 * both, launches=launches, seed=seed)).outcome == "fails"
        for seed in range(times)
    )
    assert perfect_passes(times, 0.05, 0, most) > 0.999
    assert flagged <= most


@pytest.mark.parametrize("lacking", ["reduce", "allreduce"])
def test_a_point_that_lacks_a_function_of_either_side_is_open(lacking):
    functions = library(lambda _, both: 3 * both)
    fewer = functions[lacking]
    functions[lacking] = replace(fewer, points=fewer.points[:-1])
    rule = parse_rule("reduce + bcast <= allreduce")
    result = {instance.stratum["p"]: instance.outcome for instance in verdict_of(functions, rule).instances}
    assert result == {**dict.fromkeys(P[:-1], "holds"), P[-1]: "not_judged"}
