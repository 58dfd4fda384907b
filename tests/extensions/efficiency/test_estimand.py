"""Speedup and parallel efficiency against textbook numbers, and the coverage of their intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from msgspec.structs import replace
from scipy import stats

from steelyard.extensions.efficiency.estimand import measure_efficiency
from steelyard.extensions.efficiency.results import Efficiencies, NotComputed
from steelyard.extensions.efficiency.text import describe, format_latex, make_columns
from steelyard.extensions.growth.scaling import series_of

P = [1, 2, 4, 8, 16]
TIMES = [100.0, 51.0, 27.0, 18.0, 19.0]


def series(values, at=P, **options):
    rows = [value if isinstance(value, list) else [value] for value in values]
    return series_of("f", ["p"], [[p] for p in at], rows, metric="t", unit="s", **options)


def test_strong_scaling_is_that_of_the_textbook():
    efficiency = measure_efficiency(series(TIMES))
    assert [point.speedup for point in efficiency.points] == pytest.approx([100 / t for t in TIMES])
    assert [point.efficiency for point in efficiency.points] == pytest.approx(
        [100 / (p * t) for p, t in zip(P, TIMES, strict=True)]
    )
    assert [point.cost for point in efficiency.points] == pytest.approx([100, 102, 108, 144, 304])
    # 92.6 % at 4, 69.4 % at 8; the speedup falls after 8.
    assert (efficiency.up_to, efficiency.peak) == (4, 8)
    assert efficiency.surely_up_to is None


def test_a_base_above_one_is_the_unit_of_scales():
    efficiency = measure_efficiency(series([50.0, 26.0, 14.0], at=[16, 32, 64]))
    assert [point.efficiency for point in efficiency.points] == pytest.approx([1, 50 / 52, 50 / 56])


def test_weak_scaling_and_rates_have_their_own_ratio():
    weak = measure_efficiency(series([10.0, 11.0, 12.5], at=[1, 2, 4]), "weak")
    assert [point.efficiency for point in weak.points] == pytest.approx([1, 10 / 11, 0.8])
    assert [point.speedup for point in weak.points] == pytest.approx([1, 20 / 11, 3.2])
    for scaling in ("strong", "weak"):
        rate = replace(series([10.0, 18.0, 28.0], at=[1, 2, 4]), better="higher")
        efficiency = measure_efficiency(rate, scaling)
        assert [point.efficiency for point in efficiency.points] == pytest.approx([1, 0.9, 0.7])
        assert efficiency.points[0].cost is None


def test_the_interval_is_welchs_on_logarithms():
    base, point = [100.0, 104.0, 97.0, 101.0], [30.0, 31.0, 29.5]
    interval = measure_efficiency(series([base, point], at=[1, 4])).points[1].interval
    errors = [np.var(v, ddof=1) / len(v) / np.mean(v) ** 2 for v in (base, point)]
    freedom = sum(errors) ** 2 / (errors[0] ** 2 / 3 + errors[1] ** 2 / 2)
    reach = stats.t.ppf(0.975, freedom) * math.sqrt(sum(errors))
    middle = np.mean(base) / 4 / np.mean(point)
    assert (interval.low, interval.high) == pytest.approx(
        (middle * math.exp(-reach), middle * math.exp(reach))
    )


def test_intervals_of_95_percent_hold_the_truth_in_95_percent():
    rng = np.random.default_rng(68)
    held = 0
    for _ in range(2000):
        rows = [list(scale * np.exp(0.1 * rng.standard_normal(5))) for scale in (100.0, 25.0 / 0.8)]
        held += not measure_efficiency(series(rows, at=[1, 4])).points[1].interval.excludes(0.8)
    # Three standard errors of 2,000 are 1.5 %.
    assert 0.935 <= held / 2000 <= 0.965


def test_more_than_ideal_is_named_only_where_the_interval_says_so():
    sure = series([[100.0, 101.0, 99.0], [40.0, 40.4, 39.6], [25.0, 40.0, 10.0]], at=[1, 2, 4])
    efficiency = measure_efficiency(sure)
    assert efficiency.superlinear == (2.0,)
    assert "superlinear" in describe(efficiency)


def test_efficiency_holds_up_to_the_first_scale_that_fails():
    efficiency = measure_efficiency(series([100.0, 80.0, 26.0], at=[1, 2, 4]))
    assert efficiency.up_to is None
    assert describe(efficiency).startswith("f: below 70 % of efficiency at once")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (series([1.0], at=[1]), "1 point"),
        (series([1.0, 0.0], at=[1, 2]), "a value or a scale of 0 at p = 2"),
        (
            replace(series([1.0, 0.5], at=[1, 2]), lost=("'FAILED' at p = 4",)),
            "'FAILED' at p = 4: what fails",
        ),
        (replace(series([1.0, 0.5], at=[1, 2]), crowded=True), "more ranks than CPUs"),
        (series_of("f", ["p", "n"], [[1, 1], [2, 2]], [[1.0], [2.0]]), "2 parameters"),
    ],
)
def test_what_has_no_efficiency_says_why(data, words):
    efficiency = measure_efficiency(data)
    assert isinstance(efficiency, NotComputed)
    assert words in efficiency.reason


def test_scales_below_the_first_failure_have_an_efficiency_and_the_rest_is_open():
    lost = {"lost": ("'TIMEOUT' at p = 8 (line 9)",), "lost_at": ((8.0,), (16.0,))}
    efficiency = measure_efficiency(replace(series(TIMES), **lost))
    assert [point.at for point in efficiency.points] == [1, 2, 4]
    assert (efficiency.up_to, efficiency.open_from) == (4, 8)
    assert "open from p = 8 on: 'TIMEOUT' at p = 8 (line 9): what fails" in describe(efficiency)


@pytest.mark.parametrize("at", [1.0, 2.0])
def test_a_failure_at_the_base_or_next_to_it_leaves_no_efficiency(at):
    efficiency = measure_efficiency(replace(series(TIMES), censored=True, lost_at=((at,),)))
    assert isinstance(efficiency, NotComputed)
    assert efficiency.reason.startswith("runs that failed or timed out: what fails")


def test_a_rate_above_the_peak_of_so_many_nodes_is_named():
    rate = replace(series([10.0, 19.0, 42.0], at=[1, 2, 4]), better="higher")
    efficiency = measure_efficiency(rate, peak_rate=10.0)
    assert [point.of_peak for point in efficiency.points] == pytest.approx([1, 0.95, 1.05])
    assert "more than 100 % of peak at p = 4:" in describe(efficiency)
    assert [column.title for column in make_columns(efficiency)][-1] == "of peak"


def test_a_time_has_no_share_of_a_peak():
    efficiency = measure_efficiency(series(TIMES), peak_rate=10.0)
    assert isinstance(efficiency, NotComputed)
    assert "a peak is that of a rate" in efficiency.reason


def test_the_latex_table_has_a_row_a_scale():
    text = format_latex(Efficiencies((measure_efficiency(series(TIMES)),), ()))
    assert text.count(r" \\") == 6
    assert r"4 & 27.0 & 3.7 & 4 & 92.6 & -- & 0.03 \\" in text
    assert r"\caption{f: 70 \% of efficiency up to p = 4 (strong scaling from 1)}" in text
