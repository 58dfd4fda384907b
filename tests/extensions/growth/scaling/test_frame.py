"""Series from frames: an Arrow table and a plain mapping say the same."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.growth.scaling.frame import series_of_frame

COLUMNS = {
    "op": ["bcast", "bcast", "bcast", "scan"],
    "p": [4, 4, 8, 4],
    "t": [1.0, 1.5, 2.0, 7.0],
}


def arrow():
    return pytest.importorskip("pyarrow").table(COLUMNS)


@pytest.mark.parametrize("make", [lambda: COLUMNS, arrow], ids=["mapping", "arrow"])
def test_rows_become_launches_of_their_point(make):
    series = series_of_frame(make(), "t", ["p"], ["op"], unit="s")
    assert {s.name: [(p.at, p.values) for p in s.points] for s in series} == {
        "bcast": [((4.0,), (1.0, 1.5)), ((8.0,), (2.0,))],
        "scan": [((4.0,), (7.0,))],
    }
    assert [s.labels for s in series] == [{"op": "bcast"}, {"op": "scan"}]


def test_a_missing_column_and_a_cell_that_is_no_number_are_errors():
    with pytest.raises(UsageError, match="no column 'tt'") as caught:
        series_of_frame(COLUMNS, "tt", ["p"])
    assert "'t'" in caught.value.hint
    with pytest.raises(UsageError, match="'bcast', which is not a number"):
        series_of_frame(COLUMNS, "t", ["op"])
