"""Frames that speak the interchange protocol and nothing else; pandas and Arrow are the witnesses."""

from __future__ import annotations

import pytest

from steelyard.errors import UsageError
from steelyard.scaling.frame import series_of_frame
from steelyard.scaling.interchange import column, names

# pandas 3.1 says that it will leave the protocol some day; others keep it.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

COLUMNS = {
    "op": ["bcast", "bcast", "bcást", "scan"],
    "p": [4, 4, 8, 4],
    "t": [1.0, 1.5, 2.0, 7.0],
    "ok": [True, False, True, True],
}


class Only:
    """A frame of which nothing is known but the protocol."""

    def __init__(self, frame) -> None:
        self.frame = frame

    def __dataframe__(self, *, nan_as_null=False, allow_copy=True):
        return self.frame.__dataframe__(allow_copy=allow_copy)


def pandas(columns):
    return pytest.importorskip("pandas").DataFrame(columns)


def arrow(columns):
    return pytest.importorskip("pyarrow").table(columns)


# polars has left the protocol (2.1.0); its columns are read by their own to_list.
LIBRARIES = pytest.mark.parametrize("make", [pandas, arrow])


@LIBRARIES
def test_every_kind_of_column_is_read_as_it_is(make):
    frame = Only(make(COLUMNS))
    assert names(frame) == list(COLUMNS)
    for name, cells in COLUMNS.items():
        assert column(frame, name) == cells


@LIBRARIES
def test_a_slice_starts_where_it_starts(make):
    frame = Only(make(COLUMNS)[1:3])
    assert {name: column(frame, name) for name in COLUMNS} == {name: v[1:3] for name, v in COLUMNS.items()}


@LIBRARIES
def test_missing_cells_are_none(make):
    frame = Only(make({"t": [1.0, None, 3.0], "op": ["a", None, "c"]}))
    assert column(frame, "t") == [1.0, None, 3.0]
    assert column(frame, "op") == ["a", None, "c"]


@LIBRARIES
def test_rows_become_launches_of_their_point(make):
    series = series_of_frame(Only(make(COLUMNS)), "t", ["p"], ["op"], unit="s")
    assert {s.name: [(p.at, p.values) for p in s.points] for s in series} == {
        "bcast": [((4.0,), (1.0, 1.5))],
        "bcást": [((8.0,), (2.0,))],
        "scan": [((4.0,), (7.0,))],
    }


def test_categories_and_chunks_are_read_as_what_they_stand_for():
    pa = pytest.importorskip("pyarrow")
    chunked = pa.chunked_array(
        [pa.array(["a", "b"]).dictionary_encode(), pa.array(["b", None]).dictionary_encode()]
    )
    table = pa.table({"op": chunked, "t": pa.chunked_array([[1.5], [2.5, 3.5, 4.5]])})
    assert column(Only(table), "op") == ["a", "b", "b", None]
    assert column(Only(table), "t") == [1.5, 2.5, 3.5, 4.5]
    frame = pandas({"op": pytest.importorskip("pandas").Categorical(["x", "y", None, "x"])})
    assert column(Only(frame), "op") == ["x", "y", None, "x"]


@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "uint8", "uint64", "float32"])
def test_numbers_of_every_width_are_read(kind):
    np = pytest.importorskip("numpy")
    assert column(Only(pandas({"n": np.array([1, 2, 3], dtype=kind)})), "n") == [1, 2, 3]


def test_a_column_that_is_missing_or_of_no_use_is_an_error():
    with pytest.raises(UsageError, match="no column 'tt'") as caught:
        series_of_frame(Only(pandas(COLUMNS)), "tt", ["p"])
    assert "'t'" in caught.value.hint
    pd = pytest.importorskip("pandas")
    dates = Only(pd.DataFrame({"when": pd.to_datetime(["2026-01-01"])}))
    with pytest.raises(UsageError, match="neither numbers nor texts"):
        column(dates, "when")
