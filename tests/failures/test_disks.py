"""``steelyard run`` on disks that are full or read-only, and on records that are none: an error with its
cure, and nothing is harmed.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3

import killing
import pytest

from steelyard.store import Record

# Each trial writes more than a page to the journal, so that a disk of 2 MB is soon full.
SPEC = """
[program]
commands = { a = ["/bin/sh", "-c", "head -c 50000 /dev/zero"], b = ["/bin/true"] }
[design]
blocks = 20
discard = 0
"""


@pytest.fixture
def spec(tmp_path):
    (tmp_path / "a.toml").write_text(SPEC)
    return "a.toml"


def test_a_full_disk_stops_the_run_and_with_room_it_completes_the_same_plan(
    tmp_path, spec, small_disk, steelyard_cli
):
    record = str(small_disk.path / "a.lab")
    small_disk.fill(leave_bytes=700_000)
    stopped = steelyard_cli("run", spec, "-o", record)
    assert stopped.returncode == 2, stopped.stderr
    assert stopped.stderr.startswith("error: ")
    assert "make room on the file system of" in stopped.stderr or "free space" in stopped.stderr
    before = killing.finished(small_disk.path / "a.lab", tmp_path / "no log")
    assert before.trials, "some trials had finished"
    small_disk.free()
    assert steelyard_cli("run", spec, "-o", record).returncode == 0
    assert steelyard_cli("run", spec, "-o", str(tmp_path / "b.lab")).returncode == 0
    assert killing.tables(small_disk.path / "a.lab") == killing.tables(tmp_path / "b.lab")
    after = killing.finished(small_disk.path / "a.lab", tmp_path / "no log")
    assert before.trials.items() <= after.trials.items()


def test_on_read_only_media_a_finished_record_answers_and_an_unfinished_is_refused(
    spec, small_disk, steelyard_cli
):
    record = small_disk.path / "a.lab"
    assert steelyard_cli("run", spec, "-o", str(record)).returncode == 0
    answered = steelyard_cli("analyze", str(record)).stdout
    small_disk.mount("ro")
    assert steelyard_cli("analyze", str(record)).stdout == answered
    assert steelyard_cli("run", spec, "-o", str(record)).returncode == 0, (
        "it is finished: nothing is to be done"
    )
    new = steelyard_cli("run", spec, "-o", str(small_disk.path / "new.lab"))
    assert new.returncode == 2
    assert new.stderr.startswith("error: ")
    assert "\nhint: " in new.stderr
    small_disk.mount("rw")
    with Record.open(record, write=True) as unfinished:
        unfinished._connection.execute("UPDATE run SET state = 'interrupted'")
    small_disk.mount("ro")
    content = (record / "record.sqlite").read_bytes()
    refused = steelyard_cli("run", spec, "-o", str(record))
    assert refused.returncode == 2
    assert "writ" in refused.stderr
    assert "\nhint: " in refused.stderr
    assert (record / "record.sqlite").read_bytes() == content


def spoil_nothing_but_the_version(file):
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA user_version = 999")
    connection.close()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda file: file.write_bytes(file.read_bytes()[:5000]), "is damaged"),
        (lambda file: file.write_bytes(b"no database at all"), "is not a record"),
        (lambda file: file.write_bytes(b""), "is not a record"),
        (spoil_nothing_but_the_version, "has format 999"),
        (
            lambda file: file.write_bytes(file.read_bytes()[:4096] + b"\xff" * (file.stat().st_size - 4096)),
            "is damaged",
        ),
    ],
    ids=["truncated", "other file", "empty", "newer version", "garbage"],
)
@pytest.mark.parametrize("command", ["run", "analyze", "status"])
def test_a_record_that_cannot_be_used_is_refused_with_a_cure_and_left_as_it_is(
    tmp_path, finished_record, steelyard_cli, spoil, message, command
):
    record = tmp_path / "a.lab"
    shutil.copytree(finished_record, record)
    (tmp_path / "a.toml").write_text(SPEC)
    spoil(record / "record.sqlite")
    content = (record / "record.sqlite").read_bytes()
    words = ["run", "a.toml"] if command == "run" else [command, "a.lab"]
    refused = steelyard_cli(*words)
    assert refused.returncode == 2
    assert message in refused.stderr
    assert "\nhint: " in refused.stderr
    assert "Traceback" not in refused.stderr
    assert (record / "record.sqlite").read_bytes() == content


def die_in_the_middle_of_a_write(file):
    """With a part of the change in the file, and what was there before in SQLite's journal beside it."""
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA cache_size = 1")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("UPDATE trial SET wall_ns = 0, reason = hex(randomblob(2000))")
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("command", ["run", "analyze", "status", "export"])
def test_a_record_whose_writer_died_in_mid_write_is_what_it_was_before(
    tmp_path, finished_record, steelyard_cli, command
):
    record = tmp_path / "a.lab"
    shutil.copytree(finished_record, record)
    before = killing.finished(record, tmp_path / "no log").trials
    content = (record / "record.sqlite").read_bytes()
    assert killing.end_of(killing.start(lambda: die_in_the_middle_of_a_write(record / "record.sqlite"))) == -9
    assert (record / "record.sqlite-journal").exists()
    assert (record / "record.sqlite").read_bytes() != content
    done = steelyard_cli(command, str(record))
    assert done.returncode == 0, done.stderr
    assert killing.finished(record, tmp_path / "no log").trials == before


@pytest.fixture(scope="module")
def finished_record(tmp_path_factory):
    """A record of SPEC, whose source is elsewhere."""
    from steelyard.lab.run.run import run
    from steelyard.spec import load

    directory = tmp_path_factory.mktemp("finished")
    (directory / "a.toml").write_text(SPEC)
    run(load(directory / "a.toml"), directory / "a.lab")
    return directory / "a.lab"
