"""Q_n; statsmodels is the witness, and normal values show that few are corrected for."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.robust.scale import qn_scale as witness

from steelyard.extensions.ratchet.qn_scale import qn_scale


@pytest.mark.parametrize("n", [10, 11, 30, 101])
def test_it_is_that_of_statsmodels_with_the_correction_for_few_values(n):
    values = np.random.default_rng(n).standard_t(3, n)
    correction = n / (n + 1.4) if n % 2 else n / (n + 3.8)
    assert qn_scale(values) == pytest.approx(correction * witness(values), rel=1e-4)


@pytest.mark.parametrize("n", [5, 6, 9, 12, 25])
def test_of_normal_values_it_is_the_standard_deviation_on_average(n):
    rng = np.random.default_rng(401)
    mean = np.mean([qn_scale(rng.normal(0, 2, n)) for _ in range(3000)])
    assert mean == pytest.approx(2, rel=0.05)


def test_far_values_do_not_move_it():
    values = np.random.default_rng(1).normal(0, 1, 40)
    far = np.where(np.arange(40) < 12, 1e6, values)
    assert qn_scale(far) < 3 * qn_scale(values)


def test_one_value_has_no_scale():
    with pytest.raises(ValueError, match="needs two values"):
        qn_scale(np.ones(1))
