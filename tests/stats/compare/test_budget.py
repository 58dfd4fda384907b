from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from steelyard.core.analysis import Analysis, TypeB
from steelyard.stats.compare.comparison import compare
from steelyard.stats.describe.dependence import allowance

ERRORS = (TypeB("step", 0.01), TypeB("clock", 0.02, shared=True, nu=4), TypeB("rate", 0.001, relative=True))
pairs = st.lists(st.tuples(st.floats(0.5, 2), st.floats(0.5, 2)), min_size=3, max_size=12)


@pytest.mark.parametrize("estimand", ["geomean_ratio", "ratio_of_means"])
@pytest.mark.parametrize("order", ["randomized-blocks", "sequential"])
@given(values=pairs, better=st.sampled_from(["lower", "higher"]))
def test_the_variances_of_the_components_add_up_to_that_of_the_speedup(
    sample, estimand, order, values, better
):
    old, new = zip(*values, strict=True)
    description = {"metric": "m", "unit": "1", "better": better}
    declared = Analysis(metric="m", estimand=estimand, type_b=ERRORS)
    (c,) = compare(
        [sample(old, **description), sample(new, treatment=2, **description)], declared, order=order
    )
    assert (c.budget is None) == (c.speedup.nu is None)
    assume(c.budget is not None)
    assert sum(component.variance for component in c.budget.components) == pytest.approx(
        c.speedup.se**2, rel=1e-9, abs=1e-18
    )
    assert c.budget.total.u == c.speedup.se
    for item in c.budget.components:
        if item.side != "both":
            assert (item.sensitivity * item.u) ** 2 == pytest.approx(item.variance, rel=1e-9, abs=1e-18)


def test_what_neighbours_in_common_widen_is_a_line_of_its_own(sample):
    """Old runs that wander."""
    rng = np.random.default_rng(6)
    old, new = np.exp(0.05 * rng.normal(size=30).cumsum()), np.exp(0.05 * rng.normal(size=30))
    pair = [sample(old), sample(new, treatment=2)]
    (c,) = compare(pair, Analysis(), order="sequential")
    assert c.autocorrelation.significant
    *means, likeness = c.budget.components
    assert (likeness.name, likeness.side, len(means)) == ("likeness of neighbours", "both", 2)
    alone = sum(mean.variance for mean in means)
    factor = allowance(c.autocorrelation).factor
    assert likeness.variance == pytest.approx((factor**2 - 1) * alone)
    assert (c.budget.total.u, c.budget.total.nu) == (c.speedup.se, c.speedup.nu)


def test_table_1_has_the_uncertainties_and_the_covariance_of_its_runs(sample, run_2, run_5):
    (c,) = compare([sample(run_2), sample(run_5, treatment=2)], Analysis(estimand="ratio_of_means"))
    old, new, both = c.budget.components
    assert (old.value, old.u, new.value, new.u) == pytest.approx(
        (88.080239, 15.965292, 85.783856, 8.270737), abs=5e-7
    )
    assert (old.nu, new.nu, old.kind, both.side) == (7, 7, "A", "both")
    assert [(component.side, component.relative) for component in c.budget.components] == [
        ("baseline", False), ("treatment", False), ("both", True),
    ]  # fmt: skip
    assert [item.name for item in c.budget.components] == [
        "mean of baseline", "mean of treatment", "covariance of pairs",
    ]  # fmt: skip
    covariance = -both.variance / 2 * old.value * new.value
    assert covariance == pytest.approx(94.962656, abs=5e-6)
    assert c.budget.total.u * c.speedup.value == pytest.approx(0.133930, abs=5e-7)
    assert (c.budget.total.k, c.budget.total.nu) == (pytest.approx(2.364624, abs=5e-7), 7)


def test_of_logarithms_the_mean_is_told_as_a_geometric_one(sample, run_2, run_5):
    (c,) = compare([sample(run_2), sample(run_5, treatment=2)], Analysis())
    old, new, _ = c.budget.components
    assert (old.value, new.value) == pytest.approx((81.430132, 83.248580), abs=5e-7)
    assert old.u / old.value == pytest.approx(0.384834 / math.sqrt(8), abs=5e-7)


@pytest.mark.parametrize("interval", ["fieller", "gum-s1", "bootstrap-t"])
def test_what_was_not_propagated_has_no_budget(sample, interval):
    rng = np.random.default_rng(4)
    pair = [sample(v, treatment=t) for t, v in enumerate(np.exp(rng.normal(0, 0.1, (2, 10))), 1)]
    (c,) = compare(pair, Analysis(estimand="ratio_of_means", interval=interval))
    assert c.budget is None
