from __future__ import annotations

import pytest

from steelyard.core.units import BUILTIN
from steelyard.extensions.observe.results import Change
from steelyard.extensions.observe.reversal import reversals
from steelyard.results.interval import Interval
from steelyard.results.undefined import Undefined


def change(ratio, p):
    interval = Interval(ratio * 0.9, ratio * 1.1)
    return Change(BUILTIN["wall_s"], ratio, interval, p, 1.0, "not_resolved", 20)


def test_a_reversal_needs_both_ratios_shown_on_their_sides():
    names = ("none", "turned", "unsure", "same")
    result = reversals(
        names, [change(1.2, 0.001), change(0.8, 0.002), change(0.9, 0.3), change(1.5, 1e-9)], alpha=0.05
    )
    assert [item.reversed for item in result] == [False, True, False, False]
    # The larger of the two, times the three probes that are tested; by Holm 2 for the next.
    assert [element.p_holm for element in result] == pytest.approx([None, 0.006, 0.6, 1.0])


def test_where_the_programs_do_not_differ_alone_nothing_is_turned_round():
    result = reversals(("none", "probe"), [change(1.01, 0.4), change(0.5, 1e-12)], alpha=0.05)
    assert not any(item.reversed for item in result)


def test_a_probe_without_a_ratio_is_left_out_and_without_a_baseline_all_are():
    lost = Undefined("no_values")
    result = reversals(("none", "lost", "other"), [change(1.2, 0.001), lost, change(0.8, 0.001)], alpha=0.05)
    assert [(item.probe, item.reversed) for item in result] == [("none", False), ("other", True)]
    assert reversals(("none", "probe"), [lost, change(0.8, 0.001)], alpha=0.05) == ()
