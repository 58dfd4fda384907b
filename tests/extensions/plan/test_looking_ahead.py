from __future__ import annotations

import math

import pytest

from steelyard.extensions.plan.looking_ahead import DIFFERENCES, SPREADS, outlook
from steelyard.extensions.plan.results import Pilot
from steelyard.stats.planning.at_bound import units_at_bound
from steelyard.stats.planning.sample_size import n_paired, n_relied_on, n_signs, n_tost, n_welch
from steelyard.stats.planning.slow_runs import units_to_trust


def test_every_spread_has_its_row_and_pilots_come_first():
    result = outlook(unit="block", units=30, comparisons=3, alpha=0.06, pilots=[Pilot("new", 0.013)])
    assert [(row.s, row.pilot) for row in result.rows] == [(0.013, "new"), *((s, None) for s in SPREADS)]
    assert result.level == pytest.approx(0.02)
    row = result.rows[0]
    assert row.needed == tuple(n_paired(math.log1p(d) / 0.013, 0.02, in_time=True) for d in DIFFERENCES)
    assert n_paired(math.log1p(row.shows) / 0.013, 0.02, in_time=True) in (30, 31)
    assert (row.precise, row.equivalent) == (None, None)


def test_a_stop_rule_and_a_margin_have_their_columns():
    result = outlook(unit="context", units=20, comparisons=1, alpha=0.05, target=0.01, margin=0.02)
    for row in result.rows:
        assert row.precise == max(20, n_relied_on(0.01, row.s))
        needed = n_tost(math.log1p(0.02) / row.s, 0.025, 0.9)
        assert row.equivalent == units_to_trust(math.log1p(0.02), row.s, 0.9, least=needed) >= needed


def test_runs_that_nothing_pairs_need_more():
    result = outlook(unit="run", units=30, comparisons=1, alpha=0.05, target=0.01, margin=0.02)
    paired = outlook(unit="block", units=30, comparisons=1, alpha=0.05)
    for alone, pairs in zip(result.rows, paired.rows, strict=True):
        assert alone.needed == tuple(n_welch(math.log1p(d) / alone.s, in_time=True) for d in DIFFERENCES)
        assert alone.shows > pairs.shows
        assert alone.precise is None


@pytest.mark.parametrize(("units", "comparisons"), [(1, 1), (30, 0)])
def test_where_nothing_can_be_shown_there_is_no_outlook(units, comparisons):
    assert outlook(unit="block", units=units, comparisons=comparisons, alpha=0.05) is None


def test_a_pilot_without_spread_has_no_row():
    result = outlook(unit="block", units=30, comparisons=1, alpha=0.05, pilots=[Pilot("new", 0.0)])
    assert [row.pilot for row in result.rows] == [None] * len(SPREADS)


def test_where_signs_are_flipped_their_power_counts():
    design = {"unit": "block", "units": 8, "comparisons": 5, "alpha": 0.05, "margin": 0.02}
    by_t, by_signs = outlook(**design), outlook(**design, judge="sign-flip")
    for row, before in zip(by_signs.rows, by_t.rows, strict=True):
        assert math.log1p(row.shows) == pytest.approx(1.2 * math.log1p(before.shows), rel=0.01)
        both = {"flipped": True, "in_time": True}
        assert row.needed == tuple(n_paired(math.log1p(d) / row.s, 0.01, **both) for d in DIFFERENCES)
        needed = n_tost(math.log1p(0.02) / row.s, 0.005, 0.9, **both)
        assert row.equivalent == units_to_trust(math.log1p(0.02), row.s, 0.9, least=needed) >= needed
    assert outlook(**{**design, "units": 65}, judge="sign-flip").rows[0].shows == pytest.approx(
        outlook(**{**design, "units": 65}).rows[0].shows
    )


def test_of_a_median_so_few_units_show_nothing_and_it_says_how_many_can():
    design = {"unit": "block", "units": 7, "alpha": 0.05, "judge": "sign"}
    item, many = outlook(**design, comparisons=1, margin=0.02), outlook(**design, comparisons=4)
    assert item.fewest is None
    assert all(row.shows > 0 for row in item.rows)
    assert many.fewest == 8
    assert all(row.shows is None for row in many.rows)
    assert outlook(**{**design, "units": 8}, comparisons=4).fewest is None
    for row in item.rows:
        assert row.needed == tuple(n_signs(math.log1p(d) / row.s, in_time=True) for d in DIFFERENCES)
        assert row.equivalent == units_at_bound(
            lambda times, s=row.s: n_signs(math.log1p(0.02) / s / times, 0.05, 0.95, in_time=True)
        )
