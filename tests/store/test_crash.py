"""Whatever dies when: nothing that was journalled is lost, nothing is doubled."""

from __future__ import annotations

import os
import random
import signal
import time
import traceback

import continuing
import made_up
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.store import Record

MADE = made_up.blocks(12, contexts=True)


def without_runs(tables):
    """A resumed record differs in one thing: which run a trial belongs to."""
    return tables | {"trial": [row[:1] + row[2:] for row in tables["trial"]]}


def is_as_measured(directory):
    """A crash never makes an honest record an edited one."""
    with Record.open(directory) as record:
        return record.prove().state == "measured"


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    directory = tmp_path_factory.mktemp("uninterrupted") / "a.lab"
    made_up.filled(directory, MADE).close()
    return without_runs(made_up.tables(directory))


def killed(directory, draw, *, after_s=None, at_statement=None):
    """Work on the record in a process of its own; True where it was killed before it was done."""
    pid = os.fork()
    if pid == 0:
        try:
            continuing.work_on(directory, MADE, draw, die_at_statement=at_statement)
        except BaseException:  # noqa: BLE001 -- nothing may reach pytest in this copy of it
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    if after_s is not None:
        time.sleep(after_s)
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    assert status in (0, signal.SIGKILL), "the writer failed; its traceback is above"
    return status != 0


@pytest.mark.parametrize(
    "moment",
    [
        pytest.param(lambda draw, _: {"at_statement": draw.randint(1, 600)}, id="before-a-statement"),
        # Longer each time: where the disk is busy, 30 ms get a writer no further, however often.
        pytest.param(lambda draw, kill: {"after_s": draw.uniform(0, 0.03 * 1.2**kill)}, id="any-time"),
    ],
)
def test_50_random_kills_leave_the_record_of_an_uninterrupted_run(tmp_path, uninterrupted, moment):
    draw = random.Random(1)
    kills = rounds = 0
    while kills < 50:
        directory = tmp_path / f"{(rounds := rounds + 1)}.lab"
        made_up.create(directory).close()
        before = kills
        while killed(directory, draw, **moment(draw, kills - before)):
            kills += 1
            assert is_as_measured(directory)
        assert is_as_measured(directory)
        assert without_runs(made_up.tables(directory)) == uninterrupted
        assert list((directory / "journal").iterdir()) == []


def test_a_killed_run_is_remembered_as_died_and_can_be_read_meanwhile(tmp_path):
    directory = tmp_path / "a.lab"
    made_up.create(directory).close()
    assert killed(directory, random.Random(3), at_statement=80)
    with Record.open(directory) as record:
        assert [run.state for run in record.runs()] == ["running"]
        assert record.holder() is None
        assert record.progress().trials == sum(len(sample) for sample in record.samples("wall_s")) + 3
        (journal,) = record.journals()
        assert journal.run == 1
        assert journal.unmoved_bytes > 0
    continuing.work_on(directory, MADE, random.Random(3))
    with Record.open(directory) as record:
        assert [run.state for run in record.runs()] == ["died", "complete"]
        assert record.journals() == []


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 12), st.booleans()), max_size=12))
def test_any_split_into_batches_with_any_number_of_crashes_gives_the_same_tables(
    tmp_path_factory, uninterrupted, steps
):
    directory = tmp_path_factory.mktemp("split") / "a.lab"
    result = made_up.measurements(MADE)
    record = made_up.create(directory)
    run = record.begin_run({}, "boot")
    name = record.journal_path(run).name
    record.add_blocks(MADE)
    for step, crash in [*steps, (len(result), False)]:
        if crash:
            # Dies in a transaction: the connection goes, the lock goes, nothing is tidied.
            record._connection.execute("BEGIN IMMEDIATE")
            record._connection.execute("UPDATE journal SET moved_bytes = moved_bytes + 1")
            record._connection.close()
            record._lock.release()
            record = Record.open(directory, write=True)
        # The journal of this test has trials for bytes.
        done = record.journal_offset(name)
        record.take(run, result[done : done + step], name, min(done + step, len(result)))
    record.close()
    assert is_as_measured(directory)
    assert without_runs(made_up.tables(directory)) == uninterrupted
