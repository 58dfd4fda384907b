"""``studies/value-of-variance/assumptions.py``: each estimate against numbers made for it; the page against
its data.
"""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from reduced_specs import ROOT

STUDY = ROOT / "studies" / "value-of-variance"


@pytest.fixture
def assumptions(monkeypatch):
    monkeypatch.syspath_prepend(str(STUDY))
    for name in ("assumptions", "runs"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import assumptions as module  # type: ignore[import-not-found]

    yield module
    for name in ("assumptions", "runs"):
        sys.modules.pop(name, None)


def made_up(assumptions, kla, delta):
    return assumptions.PairedRuns("am++", 100, 12, 4, np.array(kla, float), np.array(delta, float))


def test_the_page_says_what_the_data_say(assumptions):
    assert assumptions.PAGE.read_text(encoding="utf-8") == assumptions.render()


def test_times_in_proportion_correlate_and_their_speedup_has_no_spread(assumptions):
    point = made_up(assumptions, [[2, 4, 6, 8]] * 3, [[1, 2, 3, 4]] * 3)
    assert assumptions.correlate_sources(point) == pytest.approx(1)
    assert assumptions.spread(point, covariance=True) == pytest.approx(0, abs=1e-7)
    # Both relative spreads are s / mean = 1.291 / 2.5.
    assert assumptions.spread(point, covariance=False) == pytest.approx(math.sqrt(2) * math.sqrt(5 / 3) / 2.5)


def test_what_lies_within_sigma_of_a_run_is_counted_for_sources_and_for_other_runs(assumptions):
    # Speedups of sources 1 and 3 lie far from 2 in both runs; the other run's is the same.
    point = made_up(assumptions, [[1, 2, 9]] * 2, [[1, 1, 1]] * 2)
    assert assumptions.count_covered(point) == (4, 6, 2, 2)  # σ is 4.36: 9 lies outside.


def test_normal_samples_are_covered_by_sigma_in_68_percent(assumptions):
    draw = np.random.default_rng(7)
    kla = 10 + draw.normal(0, 1, (20, 400))
    point = made_up(assumptions, kla, np.full((20, 400), 10.0))
    covered = assumptions.count_covered(point)
    assert covered.sources / covered.of_sources == pytest.approx(0.683, abs=0.02)


def test_runs_that_are_needed_follow_from_their_spread(assumptions):
    draw = np.random.default_rng(8)
    noise = draw.standard_normal(50)
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    point = made_up(assumptions, np.exp(0.1 * noise)[:, None] * [1.0, 1.0], np.ones((50, 2)))
    # By hand: t(17 df, .975) = 2.110, 2.110 * .1 / sqrt(18) = .0497 > log 1.05 = .0488; of 19 runs .0482.
    assert assumptions.count_needed_runs(point) == 19


def test_normality_is_rejected_of_series_with_a_run_far_away_and_not_of_normal_ones(assumptions):
    draw = np.random.default_rng(9)
    normal = 10 + draw.normal(0, 0.1, (10, 8))
    outlying = normal.copy()
    outlying[0] = 30
    points = [made_up(assumptions, normal, outlying)]
    assert assumptions.count_not_normal(points, logarithms=False) == (8, 16)
