from __future__ import annotations

import numpy as np
import pydoe
import pytest

from steelyard.core.factorial.hadamard import LARGEST, hadamard


@pytest.mark.parametrize("n", range(4, LARGEST + 1, 4))
def test_columns_are_orthogonal_and_one_treatment_has_every_axis_low(n):
    result = np.array(hadamard(n))
    assert set(result.ravel()) == {1, -1}
    assert (result.T @ result == n * np.eye(n)).all()
    assert (result[:, 0] == 1).all()
    assert [tuple(row[1:]) for row in result].count((-1,) * (n - 1)) == 1


@pytest.mark.parametrize("k", [*range(4, 24), 39, 47])
def test_designs_have_as_many_treatments_as_those_of_pydoe_where_it_has_any(k):
    try:
        theirs = len(pydoe.pbdesign(k))
    except ValueError:
        theirs = 4 * (k // 4 + 1)
    assert len(hadamard(theirs)) == theirs == 4 * (k // 4 + 1)


@pytest.mark.parametrize("n", [0, 2, 6, 52])
def test_other_sizes_are_refused(n):
    with pytest.raises(ValueError, match="no Hadamard matrix"):
        hadamard(n)
