"""The columns of a page: every run once, and counts that lose none."""

from __future__ import annotations

import base64

import numpy as np
import pytest
from answers.made import make, noisy
from answers.pages import interleaved, many_runs, page_of, portrait, two_treatments

from steelyard.extensions.page.columns import RunColumns
from steelyard.report.answer.words import names

TYPES = {"Uint8Array": "<u1", "Uint16Array": "<u2", "Uint32Array": "<u4", "Float64Array": "<f8"}


def decoded(column):
    if "count" in column:
        return column["first"] + column["step"] * np.arange(column["count"])
    values = np.frombuffer(base64.b64decode(column["data"]), TYPES[column["type"]])
    return np.cumsum(values) if column.get("differences") else values


def columns_of(samples, **options):
    about = portrait(samples)
    return RunColumns(about, names(item.treatment.label for item in samples), **options)


def test_packed_columns_are_read_back_as_they_were():
    samples = interleaved([make(noisy(1), label="old"), make(noisy(2), 2, "new")])
    packed = columns_of(samples).pack()
    trial, value, sample = (decoded(packed[name]) for name in ("trial", "value", "sample"))
    assert trial.tolist() == list(range(1, 61))
    for place, item in enumerate(samples):
        assert value[sample == place].tolist() == item.values.tolist()
        assert decoded(packed["block"])[sample == place].tolist() == item.blocks.tolist()
    assert "context" not in packed
    assert packed["sample"]["type"] == "Uint8Array"
    assert packed["trial"] == {"first": 1, "step": 1, "count": 60}


def test_a_column_takes_the_smallest_type_that_holds_it():
    samples = [make(noisy(1, 4), blocks=[1, 300, 70_000, 70_001])]
    assert columns_of(samples).pack()["block"]["type"] == "Uint32Array"


def test_a_disturbed_run_is_marked_in_its_row():
    contents = two_treatments()
    rows = RunColumns(contents.portrait, names(["old", "new"])).rows()
    assert len(rows) == 60
    assert [(row["run"], row["waited"]) for row in rows if row["waited"]] == [(7, 0.31)]
    (first,) = [row for row in rows if row["run"] == 1]
    old = contents.portrait.samples[0].values
    assert first["deviation"] == pytest.approx(100 * (old[0] / np.median(old) - 1))


def test_of_many_runs_every_one_is_a_dot_or_in_a_count():
    columns = columns_of(many_runs(6, 800), most=1000)
    far = columns.select_far()
    assert 6 * 2 * 8 <= far.sum() <= 1000
    spread = columns.spread()
    beyond = np.quantile(columns.value, [0.0005, 0.9995])
    for number, name in enumerate(columns.names):
        counted = sum(row["count"] for row in spread if row["name"] == name)
        values = columns.value[(columns.sample == number) & ~far]
        outside = ((values < beyond[0]) | (values > beyond[1])).sum()
        assert counted + outside == values.size
    assert all(0 < row["share"] <= 1 for row in columns.course())


def test_of_more_runs_than_a_page_holds_it_has_those_that_are_dots(monkeypatch):
    monkeypatch.setattr("steelyard.extensions.page.columns.MOST_KEPT", 4000)
    columns = columns_of(many_runs(6, 800), most=1000)
    assert not columns.complete
    far, packed = np.flatnonzero(columns.select_far()), columns.pack()
    for name, column in (("value", columns.value), ("trial", columns.trial), ("sample", columns.sample)):
        assert decoded(packed[name]).tolist() == column[far].tolist()
    assert decoded(packed["far"]).tolist() == list(range(far.size))
    rows = columns.rows()
    assert [row["at"] for row in rows] == list(range(far.size))
    assert [row["run"] for row in rows] == decoded(packed["trial"]).tolist()
    # Nothing is lost to who looks: what is no dot is in a count.
    counted = sum(row["count"] for row in columns.course())
    assert counted + far.size == len(columns)


def test_a_page_that_holds_every_run_says_so_and_one_that_does_not_names_the_export(monkeypatch):
    from steelyard.extensions.page.runs import section

    contents = page_of(many_runs(6, 800))
    about = names(sample.treatment.label for sample in contents.portrait.samples)
    columns = RunColumns(contents.portrait, about)
    assert "The page holds every value" in section(contents.portrait, None, about, columns).sentences[0]
    monkeypatch.setattr("steelyard.extensions.page.columns.MOST_KEPT", 4000)
    (text,) = section(contents.portrait, None, about, columns).sentences
    assert "holds every value" not in text
    assert "steelyard export RECORD -o FILE.csv writes every run" in text


def test_few_runs_are_dots_and_no_counts():
    columns = columns_of([make(noisy(1))])
    assert (columns.spread(), columns.course(), len(columns.rows())) == ([], [], 30)


def test_runs_that_were_all_disturbed_are_thinned_to_the_farthest():
    samples = many_runs(2, 1500)
    about = portrait(samples)
    from msgspec.structs import replace

    from steelyard.results.portrait import Disturbed

    every = tuple(Disturbed(trial, 1, 1, 0.2) for trial in range(1, 3001))
    columns = RunColumns(replace(about, disturbed=every), names(["n=1", "n=2"]), most=200)
    far = columns.select_far()
    assert far.sum() == 200
    distance = np.abs(columns.deviation())
    assert distance[far].min() >= distance[~far].max()
