from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from steelyard.stats.effects.estimate import estimate_cells, estimate_units, interval_of


def test_units_are_judged_by_the_t_test_of_one_sample():
    values = np.random.default_rng(1).normal(0.02, 0.05, 17)
    witness = stats.ttest_1samp(values, 0)
    result = estimate_units(values, by="block")
    assert (result.log, result.p) == pytest.approx((values.mean(), witness.pvalue), rel=1e-10)
    low, high = witness.confidence_interval(0.9)
    assert (interval_of(result, 0.1).low, interval_of(result, 0.1).high) == pytest.approx(
        (np.exp(low), np.exp(high)), rel=1e-10
    )


def test_two_treatments_without_blocks_are_judged_by_welch():
    rng = np.random.default_rng(2)
    first, second = rng.normal(0, 1, 9), rng.normal(0.4, 3, 14)
    witness = stats.ttest_ind(second, first, equal_var=False)
    result = estimate_cells([first, second], np.array([-1.0, 1.0]))
    assert (result.log / result.se, result.nu, result.p) == pytest.approx(
        (witness.statistic, witness.df, witness.pvalue), rel=1e-10
    )


def test_treatments_without_weight_lend_no_degrees_of_freedom():
    rng = np.random.default_rng(3)
    logs = [rng.normal(0, 1, 6) for _ in range(3)]
    with_third = estimate_cells(logs, np.array([-1.0, 1.0, 0.0]))
    assert with_third == estimate_cells(logs[:2], np.array([-1.0, 1.0]))
    assert estimate_cells([*logs[:2], np.array([1.0])], np.array([-1.0, 1.0, 0.0])).p == with_third.p


def test_units_that_do_not_differ_claim_what_equal_signs_can():
    result = estimate_units(np.full(6, 0.5), by="block")
    assert (result.p, result.se, interval_of(result), result.method) == (
        2**-5,
        None,
        None,
        "block-contrast-sign",
    )
    nothing = estimate_units(np.full(6, 1e-17), by="context")
    assert (nothing.log, nothing.p, nothing.method) == (0.0, 1.0, "context-contrast-sign")


def test_rounding_is_judged_by_the_logarithms_it_came_from():
    assert estimate_units(np.array([1e-13, 0, -1e-13]), by="block", scale=100.0).p == 1.0


@pytest.mark.parametrize("logs", [[np.array([1.0]), np.array([1.0, 2.0])], [np.ones(3), np.ones(4)]])
def test_without_replicates_or_spread_there_is_no_error_term(logs):
    result = estimate_cells(logs, np.array([-1.0, 1.0]))
    assert (result.se, result.nu, result.p, result.method) == (None, None, None, "no-error-term")
    assert estimate_units(np.array([0.3]), by="block").method == "no-error-term"


def test_what_leaves_the_range_of_double_has_no_value():
    result = estimate_units(np.array([800.0, 801, 802]), by="block")
    assert (result.value, interval_of(result)) == (None, None)


def test_two_units_have_the_t_test_with_one_degree_of_freedom():
    result = estimate_units(np.array([0.3, 0.1]), by="context")
    assert (result.log, result.nu, result.method) == (pytest.approx(0.2), 1, "context-contrast-t")
    assert result.p == pytest.approx(stats.ttest_1samp([0.3, 0.1], 0).pvalue)


def test_every_treatment_has_a_weight():
    logs = [np.array([1.0, 2.0])] * 3
    with pytest.raises(ValueError, match="zip"):
        estimate_cells(logs, np.array([-1.0, 1.0]))
