"""Changes are whole or not there at all, and wrong ones are refused."""

from __future__ import annotations

import gc
import itertools
import math
import sqlite3
import sys
from contextlib import closing

import made_up
import pytest
from msgspec.structs import replace

from steelyard import __version__
from steelyard.core.errors import RecordError
from steelyard.design import Extension
from steelyard.run.measure.measurement import Value
from steelyard.store import LoadOfBatch, Look, Record
from steelyard.store.failed_output import BYTES_MAX, TRIALS_MAX

MADE = made_up.blocks(3)
TAKEN = made_up.measurements(MADE)
JOURNAL = "000001.journal"


@pytest.fixture
def record(tmp_path):
    """A run has begun and three blocks of three trials are drawn."""
    with made_up.create(tmp_path / "a.lab") as record:
        assert record.begin_run({"cpu": "made up"}, "boot-1") == 1
        record.add_blocks(MADE)
        yield record


def nothing_was_kept(record):
    assert record.progress().trials == 0
    assert record.journal_offset(JOURNAL) == 0
    assert made_up.tables(record.directory)["value"] == []


def test_a_trial_is_taken_once(record):
    record.take(1, TAKEN[:4], JOURNAL, 100)
    with pytest.raises(RecordError, match="one of these trials already"):
        record.take(1, TAKEN[3:6], JOURNAL, 200)
    assert record.progress().trials == 4
    assert record.journal_offset(JOURNAL) == 100


def test_processes_that_trials_left_are_told_once_for_each_treatment(record):
    measurements = [replace(m, left_processes=2) if m.treatment == 1 else m for m in TAKEN]
    measurements[-1] = replace(measurements[-1], left_processes=1)
    wrong = replace(measurements[3], block=9)
    with pytest.raises(ValueError, match="is not at place"):
        record.take(1, [*measurements[:3], wrong], JOURNAL, 100)
    record.take(1, measurements, JOURNAL, 100)
    record.end_run(1, "complete")
    message = [warning.text for warning in record.warnings() if warning.kind == "left_processes"]
    by_treatment = {m.treatment: 0 for m in measurements}
    for m in measurements:
        by_treatment[m.treatment] += m.left_processes
    labels = {treatment.id: treatment.label for treatment in record.treatments}
    assert len(message) == sum(count > 0 for count in by_treatment.values())
    assert message[0].startswith(
        f"{labels[1]}: 3 runs ended before {by_treatment[1]} processes that they started."
    )


@pytest.mark.parametrize("known", [0, 60, 149])
def test_nothing_of_many_trials_is_kept_where_the_record_has_one_of_them(tmp_path, known):
    """They take several statements each, and the one that is refused may be the last."""
    blocks = made_up.blocks(50)
    many = [made_up.measurement(block, place) for block in blocks for place in (1, 2, 3)]
    with made_up.create(tmp_path / "a.lab") as record:
        record.begin_run({"cpu": "made up"}, "boot-1")
        record.add_blocks(blocks)
        record.take(1, [many[known]], JOURNAL, 100)
        before = made_up.tables(record.directory)
        with pytest.raises(RecordError, match="one of these trials already"):
            record.take(1, many, JOURNAL, 200)
        assert made_up.tables(record.directory) == before
        record.take(1, many[:known] + many[known + 1 :], JOURNAL, 200)
        states = [outcome.state for outcome in record.outcomes()]
    assert states == ["discarded"] + ["complete"] * 49


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (replace(TAKEN[2], place=2), "trial 3 .* is not at place 2 of block 1"),
        (replace(TAKEN[2], block=2), "is not at place 3 of block 2"),
        (replace(TAKEN[2], block=9), "of block 9"),
        (replace(TAKEN[2], treatment=TAKEN[1].treatment), "is not at place 3 of block 1"),
        (replace(TAKEN[2], values=(Value("rate", math.nan),)), "a value of rate is nan"),
        (replace(TAKEN[2], values=(Value("rate", math.inf),)), "a value of rate is inf"),
        (replace(TAKEN[2], values=(Value("rates", 1.0),)), "not made for a metric 'rates'"),
        (replace(TAKEN[2], values=(Value("wall_s", 1.0),)), "not made for a metric 'wall_s'"),
    ],
)
def test_a_wrong_measurement_is_refused_and_nothing_of_its_batch_is_kept(record, wrong, says):
    with pytest.raises(ValueError, match=says):
        record.take(1, [*TAKEN[:2], wrong], JOURNAL, 100)
    nothing_was_kept(record)
    record.take(1, TAKEN, JOURNAL, 900)
    assert {op["op"] for op in record.labels_of("latency_s")} == {"bcast", "reduce"}


def test_trials_belong_to_a_run_that_has_begun(record):
    with pytest.raises(ValueError, match="has no run 2"):
        record.take(2, TAKEN[:2], JOURNAL, 100)
    nothing_was_kept(record)


def test_an_offset_goes_forward_only_in_a_journal_that_exists(record):
    record.take(1, TAKEN[:2], JOURNAL, 100)
    for journal, offset in ((JOURNAL, 99), ("000002.journal", 200)):
        with pytest.raises(ValueError, match="is unknown, or is moved beyond"):
            record.take(1, TAKEN[2:3], journal, offset)
    assert record.progress().trials == 2
    with pytest.raises(ValueError, match="no run has a journal"):
        record.journal_offset("000002.journal")


def test_a_block_is_finished_by_its_last_trial_in_whatever_order_they_come(record):
    states = lambda: [outcome.state for outcome in record.outcomes()]  # noqa: E731
    record.take(1, [TAKEN[8], TAKEN[3], TAKEN[4]], JOURNAL, 100)
    assert states() == ["planned", "planned", "planned"]
    record.take(1, [TAKEN[5], TAKEN[0]], JOURNAL, 200)
    assert states() == ["planned", "complete", "planned"]
    record.take(1, [made_up.measurement(MADE[2], 1, status="spawn_failed"), TAKEN[7]], JOURNAL, 300)
    assert states() == ["planned", "complete", "incomplete"]
    record.take(1, [made_up.measurement(MADE[0], 2, status="failed"), TAKEN[2]], JOURNAL, 400)
    assert states() == ["discarded", "complete", "incomplete"]


def test_a_block_that_was_given_up_stays_incomplete(record):
    record.take(1, TAKEN[:4], JOURNAL, 100)
    record.set_block_states({2: "incomplete"})
    record.take(1, TAKEN[4:6], JOURNAL, 200)
    assert record.outcomes()[1].state == "incomplete"
    assert all(len(sample) == 0 for sample in record.samples("wall_s"))


def test_a_block_cannot_be_called_complete_that_is_not(record):
    record.take(1, [*TAKEN[:5], made_up.measurement(MADE[1], 3, status="failed")], JOURNAL, 100)
    for block in (2, 3):
        with pytest.raises(ValueError, match=f"block {block} is not complete"):
            record.set_block_states({block: "complete"})
    assert [outcome.state for outcome in record.outcomes()] == ["discarded", "incomplete", "planned"]


def test_output_of_failed_trials_is_kept_under_their_numbers_and_capped(record):
    loud = replace(
        made_up.measurement(MADE[1], 1, status="failed"), stdout=b"\xff" * (BYTES_MAX + 1), stderr=b"oh"
    )
    silent = replace(made_up.measurement(MADE[1], 2, status="failed"), stdout=b"", stderr=None)
    record.take(1, [TAKEN[0], loud, silent], JOURNAL, 100)
    files = {path.name: path.read_bytes() for path in (record.directory / "failed").iterdir()}
    assert {path.stat().st_mode & 0o077 for path in (record.directory / "failed").iterdir()} == {0}
    assert (record.directory / "failed").stat().st_mode & 0o077 == 0
    assert files == {"4.stdout": b"\xff" * BYTES_MAX, "4.stderr": b"oh"}


def test_output_of_only_so_many_failed_trials_is_kept_in_continued_records_too(tmp_path):
    result = made_up.blocks(TRIALS_MAX + 30, treatments=1)
    failed = made_up.measurements(result, status="failed")
    with made_up.filled(tmp_path / "a.lab", result, failed[:100]):
        pass
    with Record.open(tmp_path / "a.lab", write=True) as record:
        record.take(1, failed[100:], JOURNAL, 8192)
        assert len(list((record.directory / "failed").iterdir())) == TRIALS_MAX
        assert record.progress().failed == TRIALS_MAX + 30


def test_output_that_a_crash_cut_short_is_written_again_even_without_room(tmp_path):
    result = made_up.blocks(TRIALS_MAX, treatments=1)
    failed = made_up.measurements(result, status="failed")
    with made_up.create(tmp_path / "a.lab", count=1) as record:
        record.begin_run({}, "boot")
        record.add_blocks(result)
        (record.directory / "failed").mkdir()
        for trial in range(1, TRIALS_MAX + 1):
            (record.directory / "failed" / f"{trial}.stdout").write_bytes(b"out")
    with Record.open(tmp_path / "a.lab", write=True) as record:
        record.take(1, failed[:1], JOURNAL, 1)
        assert (record.directory / "failed" / "1.stdout").read_bytes() == b"output of 1\n"


def test_runs_are_remembered_with_their_hosts_and_ends(tmp_path):
    with made_up.create(tmp_path / "a.lab") as record:
        first = record.begin_run({"cpu": "A", "cpus": 2, "aslr": True}, "boot-1")
        record.end_run(first, "interrupted")
        record.begin_run({"cpu": "B"}, "boot-2")
        record.end_run(record.begin_run({"cpu": "B"}, "boot-2"), "complete")
        runs = record.runs()
    assert [(run.id, run.boot, run.state) for run in runs] == [
        (1, "boot-1", "interrupted"),
        (2, "boot-2", "died"),
        (3, "boot-2", "complete"),
    ]
    assert runs[0].host == {"cpu": "A", "cpus": 2, "aslr": True, "steelyard": __version__}
    assert runs[1].ended_ns is None
    assert runs[0].ended_ns is not None
    assert runs[0].started_ns <= runs[0].ended_ns


def test_what_is_found_of_a_host_later_joins_what_was_known(tmp_path):
    with made_up.create(tmp_path / "a.lab") as record:
        run = record.begin_run({"cpu": "A", "load_1m": 0.1, "aslr": True}, "boot-1")
        record.note_host(run, {"counters_available": "", "load_1m": 0.2})
        (noted,) = record.runs()
    assert noted.host == {
        "cpu": "A",
        "load_1m": 0.2,
        "aslr": True,
        "counters_available": "",
        "steelyard": __version__,
    }


def test_tidying_leaves_little_in_the_log_whether_somebody_reads_or_not(tmp_path):
    with made_up.create(tmp_path / "a.lab") as record:
        run = record.begin_run({"cpu": "A"}, "boot-1")
        file = tmp_path / "a.lab" / "record.sqlite"
        before = file.stat().st_mtime_ns
        record.tidy()
        assert file.stat().st_mtime_ns > before
        with Record.open(tmp_path / "a.lab") as reader, reader.snapshot():
            assert reader.runs()[0].state == "running"
            record.end_run(run, "complete")
            record.tidy()
            assert reader.runs()[0].state == "running"
        assert record.runs()[0].state == "complete"


def test_a_journal_is_deleted_when_all_of_it_was_moved_and_not_before(record):
    path = record.journal_path(1)
    path.write_bytes(b"x" * 100)
    record.take(1, TAKEN[:3], JOURNAL, 60)
    record.end_run(1, "interrupted")
    (journal,) = record.journals()
    assert (journal.name, journal.path, journal.run, journal.moved_bytes, journal.unmoved_bytes) == (
        JOURNAL,
        path,
        1,
        60,
        40,
    )
    record.take(1, TAKEN[3:6], JOURNAL, 100)
    record.end_run(1, "interrupted")
    assert not path.exists()
    assert record.journals() == []


def test_the_rest_of_a_journal_can_be_dropped(record):
    path = record.journal_path(1)
    path.write_bytes(b"torn")
    record.drop_journal(JOURNAL)
    assert not path.exists()
    record.drop_journal(JOURNAL)


def test_looks_load_and_warnings_come_back(record):
    looks = [
        Look(2, "wall_s", 5, 1, None, 0.02, "continue"),
        Look(3, "wall_s", 6, 2, 0.012, 0.02, "reached"),
    ]
    for look in looks:
        record.add_look(look)
    record.take(1, TAKEN, JOURNAL, 900)
    batches = [LoadOfBatch(1, 1, 4, 0.25, 0.5, None, 0.125, 1.5), LoadOfBatch(1, 5, 9)]
    for batch in batches:
        record.add_batch(batch)
    for text in ("busy", "busy", "host changed"):
        record.add_warning("load", text, 1)
    record.add_warning("load", "busy")
    record.add_warning("load", "busy")
    with Record.open(record.directory) as reader:
        assert reader.looks() == looks
        assert reader.batches() == batches
        assert [(w.kind, w.text, w.run) for w in reader.warnings()] == [
            ("load", "busy", 1),
            ("load", "host changed", 1),
            ("load", "busy", None),
        ]


def test_labels_of_equal_text_and_other_type_are_other_labels(record):
    kinds = ({"p": 1}, {"p": 1.0}, {"p": "1"}, {"p": True}, {"p": 1, "q": 2}, {"q": 2, "p": 1})
    values = tuple(Value("latency_s", float(i), i, labels) for i, labels in enumerate(kinds))
    record.take(1, [replace(TAKEN[0], values=values)], JOURNAL, 100)
    assert len(record.labels_of("latency_s")) == 5


def test_taking_nothing_moves_the_offset(record):
    record.take(1, [], JOURNAL, 16)
    assert record.journal_offset(JOURNAL) == 16


def as_version_1(directory):
    """The record as an earlier Steelyard made it."""
    with closing(sqlite3.connect(directory / "record.sqlite")) as connection, connection:
        connection.execute("DROP TABLE extension")
        connection.execute("DROP TABLE link")
        connection.execute("UPDATE record SET version = 1")
        connection.execute("PRAGMA user_version = 1")


def test_a_record_of_version_1_is_read_as_it_is_and_extended_as_version_2(tmp_path):
    made_up.filled(tmp_path / "a.lab", made_up.blocks(3)).close()
    as_version_1(tmp_path / "a.lab")
    with Record.open(tmp_path / "a.lab") as record:
        assert record.extensions() == ()
        assert len(record.outcomes()) == 3
    extensions = (Extension(1, 2, 5), Extension(1, 5, 9))
    with Record.open(tmp_path / "a.lab", write=True) as record:
        for extension in extensions:
            record.add_extension(extension)
    with Record.open(tmp_path / "a.lab") as record:
        assert record.extensions() == extensions
    with closing(sqlite3.connect(tmp_path / "a.lab" / "record.sqlite")) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)
        assert connection.execute("SELECT version FROM record").fetchone() == (2,)


def interrupted(calls, act):
    """Whether ``act`` was still at work when Ctrl-C came, after so many calls and returns of functions."""
    countdown, test_frame = iter(range(calls)), sys._getframe()

    def look(frame, _event, _argument):
        if frame is not test_frame and next(countdown, None) is None:
            sys.setprofile(None)
            raise KeyboardInterrupt

    # A collection calls functions of others, in which an exception is lost.
    gc.disable()
    try:
        sys.setprofile(look)
        act()
    except KeyboardInterrupt:
        return True
    finally:
        sys.setprofile(None)
        gc.enable()
    return False


def test_after_ctrl_c_at_any_moment_of_a_change_the_next_one_is_made(record):
    # Also between the beginning of a transaction and what would take it back.
    moments = itertools.takewhile(
        lambda calls: interrupted(calls, lambda: record.set_block_states({2: "incomplete"})),
        itertools.count(1),
    )
    for calls in moments:
        record.add_warning("host_changed", f"after {calls}")
    assert len(record.warnings()) > 20
    assert [outcome.state for outcome in record.outcomes()][1] == "incomplete"
