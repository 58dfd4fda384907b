"""nanobench's JSON template: a file that it made, and others by the same format."""

from __future__ import annotations

import json
import statistics

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers import read


def result(name="f", batch=1, unit="op", title="benchmark", elapsed=(1e-9, 2e-9)):
    measurements = [{"iterations": 1000, "elapsed": item, "cpucycles": 3.0} for item in elapsed]
    return {"title": title, "name": name, "unit": unit, "batch": batch, "measurements": measurements}


def test_epochs_are_repetitions_of_one_process(written):
    answer = read(written({"results": [result(), result("g")]}))
    assert (answer.tool, answer.repeats) == ("nanobench", "process")
    assert answer.series[0].values == ((1e-9, 2e-9),)
    assert [item.levels["benchmark"] for item in answer.series] == ["f", "g"]


def test_times_are_divided_by_the_batch_and_the_unit_is_told(written):
    answer = read(written({"results": [result(batch=4, unit="byte")]}))
    assert answer.series[0].values == ((0.25e-9, 0.5e-9),)
    assert answer.notes == ("Times are those of one byte, as the program set its units.",)


def test_a_batch_of_nothing_is_refused(written):
    with pytest.raises(UsageError, match="f has a batch of 0"):
        read(written({"results": [result(batch=0)]}))


def test_titles_tell_benchmarks_of_one_name_apart(written):
    answer = read(written({"results": [result(title="a"), result(title="b")]}))
    assert [item.levels["title"] for item in answer.series] == ["a", "b"]


def test_a_file_that_nanobench_made_is_read_whole(made_by_the_tool):
    result = read(made_by_the_tool("nanobench.json"))
    assert [element.levels["benchmark"] for element in result.series] == ["xor 100", "xor 1000"]
    assert [len(values) for element in result.series for values in element.values] == [5, 5]
    # The medians that nanobench itself states are of a batch of 100 and of 1,000.
    stated = [
        item["median(elapsed)"] / item["batch"]
        for item in json.loads(made_by_the_tool("nanobench.json").read_text())["results"]
    ]
    assert [statistics.median(element.values[0]) for element in result.series] == pytest.approx(stated)
    assert result.notes == ("Times are those of one number, as the program set its units.",)
