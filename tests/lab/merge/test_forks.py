"""Copies of a record that went on apart: what they have in common is there once, as is what each added."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_machines import _measurement, machine

from steelyard.core.errors import RecordError
from steelyard.design import stream_until, treatments
from steelyard.lab.merge.merging import merge
from steelyard.lab.merge.progress import sum_statuses
from steelyard.store import Record


def go_on(directory, blocks, clock, *, trials_first=0):
    """Measure further blocks; ``clock`` makes other trials of the same numbers.

    ``trials_first`` is how many trials of the next block a run before measured, which then died.
    """
    with Record.open(directory, write=True) as record:
        run = record.begin_run({"hostname": "a"}, "boot of a")
        before = record.outcomes()
        planned = [outcome.block for outcome in before if outcome.state == "planned"]
        last = before[-1].block.id
        drawn = treatments(record.experiment)
        every = stream_until(record.experiment, drawn, (), last + blocks)
        new = [block for block in every if block.id > last][:blocks]
        record.add_blocks(new)
        done = {block.id: record.finished_trials(block.id) for block in planned}
        measured = [
            _measurement(block, place, treatment, 1_000_000 + clock * 1000 + block.id)
            for block in (*planned, *(new if not trials_first else new[:1]))
            for place, treatment in enumerate(block.order, 1)
            if block.first_trial + place - 1 not in done.get(block.id, ())
        ]
        if trials_first:
            measured = measured[:trials_first]
        moved = [
            type(item)(
                **{name: getattr(item, name) for name in item.__struct_fields__}
                | {"start_ns": item.start_ns + clock * 10**9}
            )
            for item in measured
        ]
        record.take(run, moved, record.journal_path(run).name, 0)
        if not trials_first:
            record.end_run(run, "complete")


def starts(directory):
    with Record.open(directory) as record:
        return [(item.start_ns, item.place, item.wall_ns) for _, item in record.stream_measurements()]


def complete(directory):
    with Record.open(directory) as record:
        return record.progress().blocks["complete"]


@settings(max_examples=5, deadline=None)
@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 3))
def test_a_merge_of_forks_has_the_common_blocks_once_and_both_tails(tmp_path_factory, first, second, common):
    place = tmp_path_factory.mktemp("forks")
    a = machine(place / "a.lab", "a", blocks=3)
    if common:
        go_on(a, common, clock=1)
    shutil.copytree(a, place / "b.lab")
    go_on(a, first, clock=2)
    go_on(place / "b.lab", second, clock=3)
    copies = [a, place / "b.lab"]
    merge(copies, place / "all.lab")
    expected = set(starts(a)) | set(starts(place / "b.lab"))
    assert sorted(starts(place / "all.lab")) == sorted(expected)
    shared = complete(a) - first
    assert complete(place / "all.lab") == shared + first + second
    together = sum_statuses(copies)
    assert together.blocks_done == shared + first + second
    assert together.trials_done == len(expected)
    # However often they are merged.
    merge([place / "all.lab", *copies], place / "again.lab")
    assert sorted(starts(place / "again.lab")) == sorted(expected)
    with Record.open(place / "all.lab") as record:
        assert record.prove().state == "measured"
        notes = [warning.text for warning in record.warnings() if warning.kind == "merged"]
    assert notes[0] == "b.lab has trials of a.lab: each counts once"
    (note,) = notes[1:]
    assert f"from block {shared + 2} on" in note


def test_a_block_that_began_before_copies_parted_counts_in_one_of_them(tmp_path):
    a = machine(tmp_path / "a.lab", "a", blocks=3)
    go_on(a, 2, clock=1, trials_first=1)
    shutil.copytree(a, tmp_path / "b.lab")
    go_on(a, 2, clock=2)
    go_on(tmp_path / "b.lab", 1, clock=3)
    merge([a, tmp_path / "b.lab"], tmp_path / "all.lab")
    every = starts(tmp_path / "all.lab")
    assert len(every) == len(set(every))
    with Record.open(a) as item, Record.open(tmp_path / "all.lab") as merged:
        (_, begun, *_) = [run.id for run in item.runs()]
        assert begun == 2
        # a has the block that both began, and b adds those that it began alone.
        assert merged.progress().blocks["complete"] == complete(a) + 2


def test_a_record_that_was_edited_is_not_merged_and_the_block_is_named(tmp_path):
    a, b = (machine(tmp_path / f"{name}.lab", name) for name in "ab")
    with closing(sqlite3.connect(a / "record.sqlite")) as connection, connection:
        connection.execute("UPDATE trial SET wall_ns = wall_ns * 8 / 10 WHERE block = 17")
    with pytest.raises(RecordError, match=r"a\.lab was edited in block 17, which is not as it was stored"):
        merge([a, b], tmp_path / "all.lab")
    assert not (tmp_path / "all.lab").exists()


def test_a_merged_record_is_unproven_where_a_part_of_it_had_no_digests(tmp_path):
    a, b = (machine(tmp_path / f"{name}.lab", name) for name in "ab")
    with closing(sqlite3.connect(a / "record.sqlite")) as connection, connection:
        connection.execute("DROP TABLE link")
        connection.execute("PRAGMA user_version = 2")
    merge([a, b], tmp_path / "all.lab")
    with Record.open(a) as record:
        part = record.id
    with Record.open(tmp_path / "all.lab") as record:
        proof = record.prove()
        assert (proof.state, proof.reason) == ("unproven", f"its part {part} had no digests")
