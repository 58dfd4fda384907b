"""Samples of long lists; the witness of a sample is the list that it is drawn of."""

from __future__ import annotations

import json
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers import read, repetitions
from steelyard.extensions.exchange.importers.contents import FileContents, ImportedSeries
from steelyard.extensions.exchange.importers.repetitions import draw, limit_repetitions


@given(st.lists(st.integers(), max_size=60), st.integers(1, 20))
def test_a_sample_keeps_the_order_and_takes_one_value_of_each_stretch(values, most):
    places = draw(range(len(values)), most)
    assert len(places) == min(most, len(values))
    assert [values[place] for place in places] == draw(values, most)
    # The k-th of m values comes from the k-th of m equal stretches.
    assert all(
        at * len(values) // most <= place < (at + 1) * len(values) // most or len(values) <= most
        for at, place in enumerate(places)
    )


def test_a_sample_of_ascending_values_has_their_median_and_mean():
    values = [1.001**place for place in range(20_000)]
    sample = draw(values, 1_000)
    assert statistics.median(sample) == pytest.approx(statistics.median(values), rel=0.03)
    assert statistics.fmean(sample) == pytest.approx(statistics.fmean(values), rel=0.01)


def series(*lengths):
    return tuple(
        ImportedSeries({"benchmark": f"f{at}"}, "time_s", "s", (tuple(map(float, range(length))),))
        for at, length in enumerate(lengths)
    )


def test_long_lists_are_cut_to_one_length_and_short_ones_stay_whole(monkeypatch):
    monkeypatch.setattr(repetitions, "KEPT", 100)
    (contents,) = limit_repetitions([FileContents("x", series(10, 500, 900))], 1_000)
    assert [len(entry.values[0]) for entry in contents.series] == [10, 45, 45]
    assert contents.notes == ("Of 1,410 repetitions at most 45 of each benchmark were drawn at random.",)


def test_files_that_a_record_holds_stay_as_they_are():
    contents = FileContents("x", series(10, 500))
    assert limit_repetitions([contents], 510) == [contents]


def test_launches_are_observations_and_are_never_drawn(monkeypatch):
    monkeypatch.setattr(repetitions, "KEPT", 10)
    contents = FileContents("x", series(500), "launch")
    assert limit_repetitions([contents], 100) == [contents]


def pytest_benchmark(*lengths):
    rows = [
        {"name": f"test_{at}", "stats": {"mean": 1.0, "data": [1.0 + place for place in range(length)]}}
        for at, length in enumerate(lengths)
    ]
    return json.dumps(
        {"machine_info": {"node": 'a "data": [1, 2, 3, 4, 5, 6] b'}, "benchmarks": rows}, indent=4
    )


@pytest.mark.parametrize("chunk", [7, 64, 1 << 20])
def test_a_file_too_large_to_be_read_whole_is_read_with_samples_of_its_lists(written, monkeypatch, chunk):
    monkeypatch.setattr(repetitions, "LARGEST_BYTES", 3_000)
    monkeypatch.setattr(repetitions, "KEPT_OF_LIST", 5)
    monkeypatch.setattr(repetitions, "_CHUNK", chunk)
    result = read(written(pytest_benchmark(3, 60, 5, 80)))
    assert [len(entry.values[0]) for entry in result.series] == [3, 5, 5, 5]
    assert result.series[1].values[0] == tuple(draw([1.0 + place for place in range(60)], 5))
    assert result.host["host"] == 'a "data": [1, 2, 3, 4, 5, 6] b'
    assert result.notes == ("Of each list of more than 5 repetitions 5 were drawn at random.",)


@pytest.mark.parametrize(
    "text",
    [pytest_benchmark(*[4] * 60), '{"data": [' + "1, " * 2_000, '{"data": [[' + "1, " * 900 + "1], 2]}"],
)
def test_a_file_that_is_too_large_beside_its_lists_is_refused(written, monkeypatch, text):
    monkeypatch.setattr(repetitions, "LARGEST_BYTES", 2_000)
    monkeypatch.setattr(repetitions, "KEPT_OF_LIST", 5)
    with pytest.raises(UsageError, match="is larger than 0 MiB, the most that is read, beside lists"):
        read(written(text))
