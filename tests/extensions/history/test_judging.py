"""Histories that a reviewer would try, by seeded simulation.

Every bound on a rate states N, and that a tool whose rate is exactly nominal passes with the probability that
the test asserts (exact binomial).
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from steelyard.core.units import Metric
from steelyard.extensions.history import judging
from steelyard.extensions.history.judging import ALPHA, judge
from steelyard.extensions.history.steps import FEWEST

S = 0.02
"""Standard deviation of a record around its level."""


def line_of(series):
    return [point.commit for point in series.points]


def judged(series, **options):
    (result,) = judge([series], line_of(series), **options)
    return result


def places(found, kind="level"):
    return [int(change.first[1:]) for change in found.changes if change.kind == kind]


@pytest.mark.parametrize("phi", [0.0, 0.3, 0.5])
@pytest.mark.parametrize("alpha", [0.01, 0.05])
def test_a_stable_window_of_50_records_raises_at_most_twice_the_nominal_false_alarms(
    perfect_passes, noise_of, made_series, phi, alpha
):
    count = 400
    most = {0.01: 9, 0.05: 40}[alpha]
    assert most / count <= 2.4 * alpha
    assert perfect_passes(count, alpha, 0, most) > 0.98
    rng = np.random.default_rng([21, round(100 * phi), round(100 * alpha)])
    rows = S * noise_of(rng, 50, phi, count)
    assert sum(bool(judged(made_series(row), alpha=alpha).changes) for row in rows) <= most


@pytest.mark.parametrize("phi", [0.0, 0.5])
def test_a_step_of_five_s_in_the_middle_is_found_within_two_commits(
    perfect_passes, noise_of, made_series, phi
):
    count = 300
    assert perfect_passes(count, 0.95, 0, 295) > 0.98
    rng = np.random.default_rng([22, round(10 * phi)])
    rows = S * noise_of(rng, 50, phi, count)
    rows[:, 25:] += 5 * S
    result = [places(judged(made_series(row))) for row in rows]
    assert sum(any(abs(place - 25) <= 2 for place in item) for item in result) >= 0.95 * count
    assert sum(len(element) > 1 for element in result) <= 0.03 * count


def test_set_and_interval_of_a_found_step_cover_the_truth(noise_of, made_series):
    count = 300
    rng = np.random.default_rng(23)
    rows = S * noise_of(rng, 50, 0.3, count)
    rows[:, 30:] += 4 * S
    changes = [change for row in rows for change in judged(made_series(row)).changes]
    assert len(changes) >= 0.95 * count
    assert sum("c30" in change.commits for change in changes) >= 0.93 * len(changes)
    truth = math.exp(4 * S)
    assert sum(change.ci95.low <= truth <= change.ci95.high for change in changes) >= 0.93 * len(changes)
    assert all(change.probability >= 0.95 for change in changes)


def test_one_outlying_record_is_named_and_is_no_change(noise_of, made_series):
    rng = np.random.default_rng(24)
    for _ in range(40):
        row = S * noise_of(rng, 50, 0.0)
        place = int(rng.integers(1, 49))
        row[place] += 0.5
        result = judged(made_series(row))
        assert result.changes == ()
        assert f"c{place}" in result.outliers


def test_a_step_that_is_undone_is_two_changes_of_which_the_second_undoes_the_first(noise_of, made_series):
    rng = np.random.default_rng(25)
    both = undone = 0
    for _ in range(60):
        row = S * noise_of(rng, 50, 0.0)
        row[20:28] += 5 * S
        result = judged(made_series(row)).changes
        both += [change.direction for change in result] == ["worse", "better"]
        undone += len(result) == 2 and result[0].undone_by == result[1].first
    # Nine in ten are found in the long run.
    assert both >= 48
    assert undone >= 0.9 * both


def test_two_steps_close_together_are_both_found(noise_of, made_series):
    rng = np.random.default_rng(26)
    result = []
    for _ in range(60):
        row = S * noise_of(rng, 50, 0.0)
        row[20:] += 6 * S
        row[25:] += 6 * S
        result.append(places(judged(made_series(row))))
    both = [len(item) == 2 and abs(item[0] - 20) <= 2 and abs(item[1] - 25) <= 2 for item in result]
    assert sum(both) >= 50
    # Stairs in noise may look like a random walk.
    assert sum(map(bool, result)) >= 54


def test_a_change_of_scatter_alone_is_of_its_own_kind(noise_of, made_series):
    rng = np.random.default_rng(27)
    for _ in range(20):
        # What 10 normal runs show of a standard deviation that triples.
        true = np.where(np.arange(50) < 25, 0.01, 0.03)
        s = true * np.sqrt(rng.chisquare(9, 50) / 9)
        result = judged(made_series(0.002 * noise_of(rng, 50, 0.0), s=s))
        assert [change.kind for change in result.changes] == ["spread"]
        (change,) = result.changes
        assert abs(int(change.first[1:]) - 25) <= 3
        assert change.direction == "worse"
        assert change.ratio == pytest.approx(3, rel=0.35)


def test_a_change_of_the_fraction_of_slow_runs_alone_is_of_its_own_kind(noise_of, made_series):
    rng = np.random.default_rng(28)
    for _ in range(20):
        slow = rng.binomial(20, np.where(np.arange(50) < 25, 0.05, 0.35))
        result = judged(made_series(0.002 * noise_of(rng, 50, 0.0), slow=slow, n=20, u=0.004))
        assert [change.kind for change in result.changes] == ["slow_runs"]
        (change,) = result.changes
        assert (change.ratio, change.ci95, change.direction) == (None, None, "worse")
        assert change.before < 0.15 < change.after


def test_of_1000_series_at_once_few_of_those_said_to_change_are_stable(perfect_passes, noise_of, made_series):
    """950 stable, 50 with a step of four s; at 5 %, the expected share of false ones is below 5 %."""
    rng = np.random.default_rng(29)
    rows = S * noise_of(rng, 50, 0.2, 1000)
    rows[:50, 25:] += 4 * S
    series = [made_series(row) for row in rows]
    result = judge(series, line_of(series[0]), alpha=0.05)
    true = sum(bool(item.changes) for item in result[:50])
    false = sum(bool(element.changes) for element in result[50:])
    assert true >= 44
    # Of 50 + false, as many as a tool with exactly 5 % has at most in 98 of 100 histories.
    assert false <= 6
    assert perfect_passes(53, 0.05, 0, 6) > 0.98


@pytest.mark.parametrize("n", [1, 3, FEWEST - 1])
def test_a_series_of_too_few_records_is_refused_with_how_many_are_needed(made_series, n):
    result = judged(made_series([0.0, 1.0] * (n // 2) + [0.0] * (n % 2)))
    assert result.changes == ()
    assert result.refused.startswith(f"{n} record")
    assert str(FEWEST) in result.refused


def test_a_count_that_never_varies_shows_each_change_and_no_other(made_series):
    constant = judged(made_series(np.zeros(30), s=[0.0] * 30))
    assert constant.changes == ()
    row = np.where(np.arange(30) < 12, 0.0, math.log(1.001))
    (change,) = judged(made_series(row, s=[0.0] * 30)).changes
    assert (change.first, change.commits) == ("c12", ("c12",))
    assert change.ratio == pytest.approx(1.001)


def test_the_commits_without_a_record_before_a_step_are_among_the_candidates(made_series):
    row = np.where(np.arange(20) < 10, 0.0, 0.5) + 0.001 * np.sin(np.arange(20) * 7)
    series = made_series(row)
    line = [name for item in line_of(series) for name in ((f"{item}-missing", item))]
    (result,) = judge([series], line)
    assert result.changes[0].commits == ("c10-missing", "c10")


def test_a_machine_that_drifts_is_said_to_and_blames_no_commit(noise_of, made_series):
    rng = np.random.default_rng(30)
    for _ in range(20):
        row = S * noise_of(rng, 50, 0.0) + np.linspace(0, 10 * S, 50)
        result = judged(made_series(row))
        assert places(result) == []
        assert result.wanders[0].ratio == pytest.approx(math.exp(10 * S), rel=0.05)


def test_a_step_is_no_drift(noise_of, made_series):
    rng = np.random.default_rng(31)
    for _ in range(20):
        row = S * noise_of(rng, 50, 0.0)
        row[25:] += 5 * S
        assert judged(made_series(row)).wanders == ()


def test_changes_below_the_least_that_matters_are_left_out(made_series):
    row = np.where(np.arange(40) < 20, 0.0, 0.01) + 0.0005 * np.sin(np.arange(40) * 7)
    assert places(judged(made_series(row))) == [20]
    assert judged(made_series(row), least=0.02).changes == ()


def test_of_a_rate_less_is_worse_and_of_a_neutral_metric_nothing_is(made_series):
    row = np.where(np.arange(40) < 20, 0.0, -0.5) + 0.001 * np.sin(np.arange(40) * 7)
    for better, direction in (("lower", "better"), ("higher", "worse"), ("neither", "neither")):
        (change,) = judged(made_series(row, metric=Metric("m", "1/s", better=better))).changes
        assert change.direction == direction


def test_records_of_few_runs_count_less(made_series):
    """The last five rest on so few runs that they say nothing, and say so."""
    rng = np.random.default_rng(32)
    series = made_series(np.concatenate([0.001 * rng.normal(size=25), 0.001 * rng.normal(size=5) + 0.05]))
    result = judged(series, alpha=ALPHA)
    assert places(result) == [25]


def test_scaling_all_values_changes_no_verdict(noise_of, made_series):
    row = S * noise_of(np.random.default_rng(33), 50, 0.2)
    row[30:] += 4 * S
    first, second = judged(made_series(row)), judged(made_series(row + math.log(1000)))
    assert [change.commits for change in first.changes] == [change.commits for change in second.changes] != []


def test_a_series_whose_analysis_fails_ends_no_other(monkeypatch, noise_of, made_series):
    rows = S * noise_of(np.random.default_rng(34), 50, 0.0, 3)
    rows[:, 25:] += 5 * S
    series = [made_series(row) for row in rows]
    real, calls = judging.search, []

    def search(examined, alpha):
        calls.append(examined)
        if len(calls) == 2:
            raise ZeroDivisionError("division by zero")
        return real(examined, alpha)

    monkeypatch.setattr(judging, "search", search)
    first, second, third = judge(series, line_of(series[0]))
    assert [len(history.changes) for history in (first, second, third)] == [1, 0, 1]
    assert second.broken_off == "ZeroDivisionError: division by zero"
    assert not second.is_judged


@pytest.mark.simulates
@pytest.mark.parametrize(("n", "phi"), [(24, 0.0), (60, 0.0), (60, 0.3)])
def test_the_step_that_would_have_shown_shows_in_four_of_five(noise_of, made_series, n, phi):
    count = 150
    rows = S * noise_of(np.random.default_rng([35, n, round(10 * phi)]), n, phi, count)
    result = dict.fromkeys(("middle", "latest"), 0)
    for row in rows:
        resolvable = judged(made_series(row)).resolvable
        for size, split, name in (
            (resolvable.middle, n // 2, "middle"),
            (resolvable.latest, n - 2, "latest"),
        ):
            stepped = row + np.where(np.arange(n) >= split, math.log1p(size), 0.0)
            history = judged(made_series(stepped), wanders=False)
            result[name] += bool(places(history))
    # The noise with a step in it is estimated anew, and is a little larger.
    assert all(0.6 * count <= number for number in result.values()), result
