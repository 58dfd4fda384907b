"""Comparisons that hold over all looks: p, intervals, verdicts and what they could have shown."""

from __future__ import annotations

import math

import numpy as np
import pytest
from msgspec.structs import replace
from scipy.stats import t as student

from steelyard.core.analysis import Analysis
from steelyard.results.analysis import DesignFacts
from steelyard.stats.answer import answer
from steelyard.stats.compare.comparison import compare
from steelyard.stats.sequential.looks import Looks
from steelyard.stats.sequential.over_looks import looks_of

FACTS = DesignFacts("randomized-blocks", 20, seed=1)
AT = (5, 6, 7, 8, 10, 12, 15, 20)


def pair(sample, d):
    return [sample(np.exp(np.asarray(d))), sample(np.ones(len(d)), treatment=2)]


def test_looks_are_those_of_a_rule_that_decides_or_of_extensions():
    assert looks_of(FACTS) is None
    assert looks_of(replace(FACTS, looks=(10, 12, 20), target=0.01)) == Looks((20,), 20)
    assert looks_of(replace(FACTS, looks=(5, 10), decided=True)) == Looks((5, 10, 20))
    assert looks_of(replace(FACTS, looks=(1, 2), blocks=2, decided=True)) == Looks((3,))
    ended = replace(FACTS, looks=(5, 10), closed=10, decided=True)
    assert looks_of(replace(ended, blocks=10)) == Looks((5, 10), 10)
    assert looks_of(replace(ended, extended_from=(10,))) == Looks((5, 10, 20), 10)
    assert looks_of(replace(ended, looks=(1, 2), closed=2, blocks=2)) == Looks((3,), 3)
    assert looks_of(replace(FACTS, extended_from=(5, 10))) == Looks((5, 10, 20), 5)
    assert looks_of(replace(FACTS, extended_from=(20,))) == Looks((20,), 20)


@pytest.mark.parametrize("estimand", ["geomean_ratio", "ratio_of_means", "median_ratio"])
def test_p_is_at_most_alpha_exactly_where_the_interval_leaves_the_ratio_out(sample, estimand):
    d = np.random.default_rng(1).normal(0.01, 0.02, 20)
    (result,) = compare(pair(sample, d), Analysis(estimand=estimand), looks=Looks(AT))
    (alone,) = compare(pair(sample, d), Analysis(estimand=estimand))
    assert result.p > alone.p
    assert result.ci95.low < alone.ci95.low < alone.ci95.high < result.ci95.high
    assert result.resolvable > alone.resolvable
    for at in (0.98, 1.0, 1.01, 1.02, 1.04):
        for level in (0.3, 0.05, 0.01):
            interval = result.speedup.interval(level)
            assert (result.speedup.p_of(at) <= level) == (interval is not None and interval.excludes(at))


def alike(sample, d):
    """Two arms that vary alike, with these differences."""
    both = np.random.default_rng(0).normal(0, 0.05, len(d))
    return [sample(np.exp(both + d / 2)), sample(np.exp(both - d / 2), treatment=2)]


def by_t_of(d):
    """Estimate, and half-widths by t at given levels, of the logarithm."""
    n = len(d)
    return float(np.mean(d)), lambda level: float(student.isf(level / 2, n - 1) * np.std(d, ddof=1) / n**0.5)


@pytest.mark.parametrize("shift", [0.0, 0.008, 0.011, 0.018, 0.3])
@pytest.mark.parametrize("looks", [Looks(AT), Looks(AT, AT[-1])])
def test_beside_every_verdict_stands_the_interval_that_decided(sample, shift, looks):
    """Witness: t of SciPy."""
    d = np.random.default_rng(1).normal(0, 0.02, 20)
    d += shift - d.mean()
    (result,) = compare(alike(sample, d), Analysis(interval="log-delta"), looks=looks)
    mean, half = by_t_of(d)
    over_all = half(looks.level(0.05))
    assert (result.verdict != "not_resolved") == (abs(mean) > over_all)
    assert math.log(result.ci95.high / result.ci95.low) == pytest.approx(2 * over_all, rel=1e-6)
    assert result.ci95 == result.ci_family == result.speedup.interval(0.05)


def test_looks_that_could_not_end_a_run_spend_nothing_unless_it_was_ended_by_hand():
    idle = replace(FACTS, looks=(5, 10, 12, 20), idle=(5, 12), closed=20, decided=True)
    assert looks_of(idle) == Looks((10, 20), 20)
    assert looks_of(replace(idle, idle=(5, 10, 12))) == Looks((20,), 20)
    assert looks_of(replace(idle, closed=None, state="interrupted")) == Looks((5, 10, 12, 20))


def test_an_extension_and_a_precision_keep_their_intervals(sample):
    d = np.random.default_rng(1).normal(0.3, 0.02, 20)
    for looks in (Looks((10, 20), 10), Looks((20,), 20)):
        (result,) = compare(pair(sample, d), Analysis(interval="log-delta"), looks=looks)
        assert result.ci95 == result.speedup.interval(0.05)


def test_an_answer_takes_its_looks_from_the_design(sample):
    d = np.random.default_rng(2).normal(0.012, 0.02, 20)
    fixed, decided, extended = (
        answer("it", pair(sample, d), facts, Analysis())
        for facts in (
            FACTS,
            replace(FACTS, looks=AT, decided=True),
            replace(FACTS, extended_from=(10,)),
        )
    )
    widths = [
        math.log(item.judged[0].ci95.high / item.judged[0].ci95.low) for item in (fixed, extended, decided)
    ]
    assert widths == sorted(widths)
    assert {element.declared.alpha for element in (fixed, decided, extended)} == {0.05}
    notice = next(warning for warning in extended.warnings if warning.kind == "extended")
    assert notice.fields["alpha"] == pytest.approx(Looks((10, 20), 10).level(0.05))


def test_going_on_until_something_shows_calls_equal_programs_different_in_5_of_100(sample, perfect_passes):
    """N = 300, eight looks, 2.6 % may be spent by 20 blocks; at 5 % each time it is 16 %."""
    count, most = 300, 19
    assert perfect_passes(count, 0.05 * (1 - math.sqrt(2 / 20)), 0, most) > 0.98
    rng = np.random.default_rng(3)
    wrong = naive = 0
    for _ in range(count):
        d = rng.normal(0, 0.02, 20)
        looked = [
            compare(pair(sample, d[:n]), Analysis(), looks=Looks(AT[: k + 1]))[0] for k, n in enumerate(AT)
        ]
        wrong += any(item.verdict != "not_resolved" for item in looked)
        naive += any(compare(pair(sample, d[:n]), Analysis())[0].verdict != "not_resolved" for n in AT)
    assert wrong <= most
    assert naive > 30
