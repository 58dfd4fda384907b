from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.stats.hypothesis import pairwise
from steelyard.stats.hypothesis.pairwise import differences, sums


@given(
    st.lists(st.integers(-9, 9), min_size=1, max_size=9),
    st.lists(st.integers(-9, 9), min_size=1, max_size=9),
    st.data(),
)
def test_written_out_the_order_statistics_are_those_of_all_differences(a, b, data):
    every = sorted(y - x for x in a for y in b)
    result = data.draw(st.lists(st.integers(1, len(every)), min_size=1, max_size=4))
    answer = differences(np.array(a, float), np.sort(np.array(b, float))).kth(result)
    assert answer == [every[k - 1] for k in result]


@pytest.mark.parametrize("kind", ["normal", "few values", "one value", "two clusters"])
@settings(max_examples=40)
@given(share=st.floats(0, 1))
def test_selection_finds_the_same_as_writing_out(monkeypatch_module, kind, share):
    rng = np.random.default_rng(3)
    n = 400
    values = {
        "normal": rng.normal(size=n),
        "few values": rng.integers(0, 5, n).astype(float),
        "one value": np.full(n, 2.5),
        "two clusters": np.where(rng.random(n) < 0.5, 1e-9, 1e9) * (1 + rng.random(n)),
    }[kind]
    values.sort()
    for rows in (differences(values[::2], values), sums(values)):
        k = 1 + round(share * (rows.count - 1))
        written = rows._write_block(rows.first, np.full(rows.first.size, rows.ascending.size))
        written.sort()
        monkeypatch_module.setattr(pairwise, "WRITTEN_OUT", 2000)
        result = rows.kth([k])[0]
        monkeypatch_module.undo()
        assert result == pytest.approx(written[k - 1], rel=1e-12, abs=1e-12 * abs(values).max())


@pytest.fixture(scope="module")
def monkeypatch_module():
    with pytest.MonkeyPatch.context() as patch:
        yield patch


def test_twenty_thousand_values_need_no_table_of_all_their_sums():
    values = np.sort(np.random.default_rng(4).normal(size=20_000))
    rows = sums(values)
    middle = rows.kth([rows.count // 2])[0]
    below = np.searchsorted(values, middle - values, side="right")
    assert (below.sum() + np.count_nonzero(2 * values <= middle)) / 2 == pytest.approx(rows.count // 2, abs=2)
