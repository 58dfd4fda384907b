"""Full disks, read-only media, foreign and damaged files: a clear error, and the files as they were."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import made_up
import pytest

from steelyard.core.errors import RecordError, SteelyardError
from steelyard.store import Record

MADE = made_up.blocks(30)
TAKEN = made_up.measurements(MADE)
JOURNAL = "000001.journal"


def contents(directory):
    return {str(path): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def refused(directory, says, hint, *, write):
    """Opening says so, and touches nothing."""
    before = contents(directory) if directory.is_dir() else None
    with pytest.raises(RecordError, match=says) as error:
        Record.open(directory, write=write)
    assert hint in (error.value.hint or "")
    assert error.value.exit_code == 2
    if before is not None:
        assert contents(directory) == before


either_way = pytest.mark.parametrize("write", [False, True], ids=["reading", "writing"])


@pytest.fixture
def record_directory(tmp_path):
    directory = tmp_path / "a.lab"
    made_up.filled(directory, MADE).close()
    return directory


@either_way
def test_a_record_that_does_not_exist(tmp_path, write):
    refused(tmp_path / "none.lab", "none.lab does not exist", "steelyard run SPEC", write=write)
    assert list(tmp_path.iterdir()) == []


@either_way
def test_a_directory_that_is_no_record(tmp_path, write):
    (tmp_path / "notes.txt").write_text("mine")
    refused(tmp_path, "is not a record: it has no record.sqlite", "it ends in .lab", write=write)


@either_way
def test_a_file_where_a_directory_should_be(tmp_path, write):
    (tmp_path / "a.lab").write_text("mine")
    refused(tmp_path / "a.lab", "is not a record", "it ends in .lab", write=write)


@either_way
@pytest.mark.parametrize(
    "text", [b"", b"SQLite format 3\0", b"garbage " * 1000], ids=["empty", "short", "garbage"]
)
def test_a_file_that_is_no_database(tmp_path, write, text):
    (tmp_path / "record.sqlite").write_bytes(text)
    refused(tmp_path, "does not begin as an SQLite file does", f"steelyard recover {tmp_path} ", write=write)


@either_way
def test_a_database_of_another_program(tmp_path, write):
    with closing(sqlite3.connect(tmp_path / "record.sqlite")) as connection:
        connection.execute("CREATE TABLE photo (id INTEGER)")
    refused(tmp_path, "is a database of another program", "it ends in .lab", write=write)


@either_way
def test_a_record_of_a_newer_version(record_directory, write):
    with closing(sqlite3.connect(record_directory / "record.sqlite")) as connection:
        connection.execute("PRAGMA user_version = 4")
    refused(
        record_directory,
        "has format 4, and this Steelyard reads formats up to 3",
        "install a newer Steelyard",
        write=write,
    )


def test_a_record_whose_spec_is_of_another_version_can_still_be_read(record_directory):
    with closing(sqlite3.connect(record_directory / "record.sqlite")) as connection, connection:
        connection.execute("UPDATE record SET experiment = json_set(experiment, '$.color', 'red')")
    with Record.open(record_directory) as record:
        assert len(record.samples("wall_s")) == 3
        with pytest.raises(RecordError, match=r"does not understand: .*color"):
            _ = record.experiment
        assert 'color: "red" → not set' in record.list_changes(made_up.experiment())


def test_truncated_at_any_place_it_is_refused_or_says_where_it_ends(record_directory):
    file = record_directory / "record.sqlite"
    content = file.read_bytes()
    draw = random.Random(5)
    for size in [100, 4096, len(content) - 1, *(draw.randrange(100, len(content)) for _ in range(30))]:
        file.write_bytes(content[:size])
        for write in (False, True):
            with pytest.raises(RecordError, match=r"is damaged: its last [0-9,]+ bytes are missing"):
                Record.open(record_directory, write=write)
            assert file.read_bytes() == content[:size]


def test_garbage_anywhere_gives_a_record_or_an_error_that_says_so_never_a_traceback(record_directory):
    file = record_directory / "record.sqlite"
    content = file.read_bytes()
    draw = random.Random(6)
    errors = []
    for _ in range(150):
        at = draw.randrange(100, len(content) - 512)
        damaged = content[:at] + draw.randbytes(512) + content[at + 512 :]
        file.write_bytes(damaged)
        try:
            with Record.open(record_directory) as record:
                record.damage()
                record.progress()
                record.outcomes()
                record.samples("wall_s")
                record.samples("latency_s")
                record.runs()
                _ = record.experiment
        except SteelyardError as error:
            errors.append(error)
        assert file.read_bytes() == damaged
    assert errors
    assert all(error.hint for error in errors)


@pytest.mark.parametrize(
    ("damage", "ask"),
    [
        ("UPDATE treatment SET levels = '{\"opt\":'", lambda record: record.treatments),
        ("UPDATE run SET host = 'x'", Record.runs),
        ("UPDATE block SET drawn = '[1,'", Record.outcomes),
        ("UPDATE labels SET labels = '{' || id", lambda record: record.samples("latency_s")),
        ("UPDATE trial SET treatment = 99 WHERE id = 7", lambda record: record.samples("wall_s")),
        ("UPDATE trial SET block = 10000 WHERE id = 7", lambda record: record.samples("wall_s")),
    ],
)
def test_damage_that_sqlite_takes_for_data_is_told_as_damage(record_directory, damage, ask):
    with closing(sqlite3.connect(record_directory / "record.sqlite")) as connection, connection:
        connection.execute(damage)
    with (
        pytest.raises(RecordError, match=r"record\.sqlite is damaged: ") as error,
        Record.open(record_directory) as record,
    ):
        ask(record)
    assert "steelyard recover " in (error.value.hint or "")


def test_a_bug_stays_a_traceback(record_directory):
    with Record.open(record_directory) as record:
        record.treatments = ()
        with pytest.raises(KeyError):
            record.samples("wall_s")


def test_read_only_media_can_be_read_and_say_so_when_written(small_disk):
    directory = small_disk.path / "a.lab"
    made_up.filled(directory, MADE).close()
    small_disk.mount("ro")
    with Record.open(directory) as record:
        assert record.progress().trials == 90
    with pytest.raises(RecordError, match=r"a\.lab cannot be written: Read-only file system") as error:
        Record.open(directory, write=True)
    assert error.value.hint == f"make it writable, or work on a copy: cp -r {directory} COPY"
    with pytest.raises(RecordError, match="Read-only file system"):
        made_up.create(small_disk.path / "b.lab")


def test_a_record_whose_writer_was_killed_is_not_misread_on_read_only_media(small_disk):
    directory = small_disk.path / "a.lab"
    writer = made_up.filled(directory, MADE)
    for path in directory.glob("record.sqlite-shm"):
        saved = path
    assert (directory / "record.sqlite-wal").stat().st_size > 0
    copy = small_disk.path / "b.lab"
    copy.mkdir()
    for name in ("record.sqlite", "record.sqlite-wal", "lock"):
        (copy / name).write_bytes((directory / name).read_bytes())
    assert saved.exists()
    writer.close()
    small_disk.mount("ro")
    with pytest.raises(RecordError, match="left in the middle of a write") as error:
        Record.open(copy)
    assert error.value.hint == f"read a copy: cp -r {copy} COPY"


def test_a_change_that_was_not_taken_back_is_not_read_past_on_read_only_media(small_disk):
    directory = small_disk.path / "a.lab"
    made_up.filled(directory, MADE).close()
    # A rollback journal as a kill leaves it: the first bytes make it a hot one.
    magic = bytes.fromhex("d9d505f920a163d7")
    (directory / "record.sqlite-journal").write_bytes(magic + b"\0" * 504)
    small_disk.mount("ro")
    with pytest.raises(RecordError, match="left in the middle of a write"):
        Record.open(directory)


READ_AND_TRY_TO_WRITE = """
import os, sys
from steelyard.core.errors import RecordError
from steelyard.store import Record
if os.geteuid() == 0:  # which may do anything
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
with Record.open(sys.argv[1]) as record:
    print(record.progress().trials)
try:
    Record.open(sys.argv[1], write=True)
except RecordError as error:
    print(error)
"""


def test_a_record_that_one_may_only_read_can_be_read():
    # Not in pytest's directory, into which nobody else may look.
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place, "a.lab")
        made_up.filled(directory, MADE).close()
        Path(place).chmod(0o755)
        for path in (*directory.iterdir(), directory):
            path.chmod(0o555 if path.is_dir() else 0o444)
        process = subprocess.run(
            [sys.executable, "-c", READ_AND_TRY_TO_WRITE, str(directory)],
            capture_output=True,
            text=True,
            check=True,
        )
        directory.chmod(0o755)
    assert process.stdout.splitlines() == ["90", f"{directory} cannot be written: Permission denied"]


def test_on_a_full_disk_a_batch_is_refused_whole_and_can_be_taken_when_there_is_room(small_disk):
    directory = small_disk.path / "a.lab"
    with made_up.create(directory) as record:
        record.begin_run({}, "boot")
        record.add_blocks(MADE)
        record.take(1, TAKEN[:9], JOURNAL, 9)
        small_disk.fill()
        with pytest.raises(RecordError, match=r"a\.lab: the disk is full") as error:
            record.take(1, TAKEN[9:], JOURNAL, 90)
        assert "free space" in (error.value.hint or "")
        assert record.journal_offset(JOURNAL) == 9
        assert record.progress().trials == 9
        small_disk.free()
        record.take(1, TAKEN[9:], JOURNAL, 90)
    with Record.open(directory) as record:
        assert record.progress().trials == 90
        assert record.damage() == []


def test_on_a_full_disk_a_record_closes_with_an_error_and_without_a_loss(small_disk):
    directory = small_disk.path / "a.lab"
    record = made_up.filled(directory, MADE)
    small_disk.fill()
    with pytest.raises(RecordError, match="the disk is full"):
        record.close()
    with Record.open(directory) as reader:
        assert reader.progress().trials == 90
    small_disk.free()
    Record.open(directory, write=True).close()
    assert not list(directory.glob("record.sqlite-*"))
    with Record.open(directory) as reader:
        assert reader.progress().trials == 90


@pytest.mark.parametrize("leave_bytes", [0, 4096, 16384])
def test_on_a_full_disk_no_half_of_a_new_record_is_left(small_disk, leave_bytes):
    small_disk.fill(leave_bytes=leave_bytes)
    with pytest.raises(RecordError, match=r"a\.lab: the disk is full"):
        made_up.create(small_disk.path / "a.lab")
    assert [path.name for path in small_disk.path.iterdir()] == ["filler"]


def test_a_full_disk_for_the_output_of_a_failed_trial_keeps_the_trial_out_too(small_disk):
    with made_up.create(small_disk.path / "a.lab") as record:
        record.begin_run({}, "boot")
        record.add_blocks(MADE[:1])
        small_disk.fill()
        with pytest.raises(RecordError, match="the disk is full"):
            record.take(1, [made_up.measurement(MADE[0], 1, status="failed")], JOURNAL, 10)
        assert record.progress().trials == 0
        small_disk.free()


def test_the_environment_of_the_host_is_nowhere_in_a_record(tmp_path, monkeypatch):
    secret = "tell-nobody-4711"  # noqa: S105 -- planted
    monkeypatch.setenv("STEELYARD_TEST_TOKEN", secret)
    with made_up.filled(tmp_path / "a.lab", MADE) as record:
        record.add_warning("kind", "text")
        assert all(secret.encode() not in text for text in contents(tmp_path).values())
    assert all(secret.encode() not in text for text in contents(tmp_path).values())


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("UPDATE record SET id = '../../../pwn/evil'", "an id is 16 hexadecimal digits"),
        ("UPDATE record SET id = hex(zeroblob(8)) || '0'", "an id is 16 hexadecimal digits"),
        ("UPDATE record SET program = printf('%.*c', 100000, '[')", "nested too deeply"),
    ],
    ids=["path", "long", "depth"],
)
def test_a_record_of_a_stranger_opens_no_path_and_no_depth(record_directory, change, says):
    with closing(sqlite3.connect(record_directory / "record.sqlite")) as connection, connection:
        connection.execute(change)
    with pytest.raises(RecordError, match=says):
        Record.open(record_directory)


@pytest.mark.parametrize("name", ["../../victim", "/victim", "a/b"])
def test_a_journal_elsewhere_is_damage_and_not_a_path(record_directory, name):
    victim = record_directory.parent / "victim"
    victim.write_text("precious")
    with closing(sqlite3.connect(record_directory / "record.sqlite")) as connection, connection:
        connection.execute("INSERT INTO journal SELECT ?, min(id), 0 FROM run", (name,))
    with Record.open(record_directory) as record, pytest.raises(RecordError, match=r"a journal .* elsewhere"):
        record.journals()
    assert victim.read_text() == "precious"
