"""A record is made, opened, continued and closed."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
import traceback
from contextlib import closing
from pathlib import Path
from typing import get_args

import made_up
import pytest

from steelyard.core.errors import RecordBusyError, RecordError
from steelyard.core.sample import Treatment
from steelyard.design.plan import Block, BlockState, Context
from steelyard.run.measure.measurement import Status
from steelyard.spec.experiment import Contexts
from steelyard.store import Record
from steelyard.store.creation import refuse_existing
from steelyard.store.lock import WriterLock


def test_what_a_record_was_made_with_is_there_when_it_is_opened(tmp_path):
    directory = tmp_path / "a.lab"
    with made_up.create(directory) as new_record:
        id_ = new_record.id
    with Record.open(directory) as record:
        assert record.id == id_
        assert len(record.id) == 16
        assert record.experiment == made_up.experiment()
        assert record.treatments == tuple(made_up.treatments())
        assert record.program == {"path": "/bin/true", "sha256": "0" * 64}
        assert [metric for metric in record.metrics if metric.kind != "builtin"] == list(made_up.METRICS)
        assert record.metrics[0].name == "wall_s"
    assert (directory / "spec.toml").read_text() == 'name = "made up"\n'


def test_factors_and_settings_keep_their_order(tmp_path):
    levels = {"z": 1, "a": 2, "m": 3}
    experiment = made_up.experiment(contexts=Contexts({"env_bytes": 16, "aslr": "off"}))
    with Record.create(tmp_path / "a.lab", experiment, treatments=[Treatment(1, "z", levels)]) as record:
        record.add_blocks([Block(1, 1, Context(1, {"env_bytes": 16, "aslr": "off"}), (1,))])
    with Record.open(tmp_path / "a.lab") as record:
        assert list(record.treatments[0].levels) == ["z", "a", "m"]
        assert list(record.experiment.contexts.settings) == ["env_bytes", "aslr"]
        assert list(record.outcomes()[0].block.context.settings) == ["env_bytes", "aslr"]


@pytest.mark.parametrize(
    ("change", "known"),
    [("UPDATE trial SET status = ?", Status), ("UPDATE block SET state = ?", BlockState)],
)
def test_the_file_itself_takes_every_state_that_there_is_and_no_other(tmp_path, change, known):
    made_up.filled(tmp_path / "a.lab", made_up.blocks(3)).close()
    with closing(sqlite3.connect(tmp_path / "a.lab" / "record.sqlite")) as connection:
        for state in get_args(known):
            connection.execute(change, (state,))
        for state in ("done", "", "OK", None):
            with pytest.raises(sqlite3.IntegrityError):
                connection.execute(change, (state,))


def test_an_existing_record_is_not_made_again(tmp_path):
    directory = tmp_path / "a.lab"
    made_up.create(directory).close()
    before = (directory / "record.sqlite").read_bytes()
    with pytest.raises(RecordError, match="exists already") as error:
        made_up.create(directory)
    assert "rm -r" in (error.value.hint or "")
    assert (directory / "record.sqlite").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.lab"]


def test_nobody_is_told_to_remove_a_record_that_is_being_run(tmp_path):
    directory = tmp_path / "a.lab"
    with made_up.create(directory), pytest.raises(RecordBusyError, match="is being run by process") as error:
        made_up.create(directory)
    assert "rm -r" not in (error.value.hint or "")
    assert [path.name for path in tmp_path.iterdir()] == ["a.lab"]


def test_of_two_that_make_a_record_at_once_the_slower_one_is_told(tmp_path, monkeypatch):
    directory = tmp_path / "a.lab"
    with made_up.create(directory):
        # It was not there yet when the slower one looked.
        looks = iter([False, False])
        monkeypatch.setattr(
            "steelyard.store.record.refuse_existing",
            lambda path: refuse_existing(path) if next(looks, True) else None,
        )
        with pytest.raises(RecordBusyError, match="is being run by process"):
            made_up.create(directory)
    assert [path.name for path in tmp_path.iterdir()] == ["a.lab"]


def test_an_empty_directory_may_become_a_record(tmp_path):
    (tmp_path / "a.lab").mkdir()
    made_up.create(tmp_path / "a.lab").close()
    assert (tmp_path / "a.lab" / "record.sqlite").exists()


def test_what_a_process_left_that_died_while_making_a_record_is_removed(tmp_path):
    locked, half_removed = tmp_path / ".a.lab.1.unfinished", tmp_path / ".a.lab.2.unfinished"
    for directory in (locked, half_removed):
        (directory / "journal").mkdir(parents=True)
    (locked / "lock").touch()
    made_up.create(tmp_path / "a.lab").close()
    assert [path.name for path in tmp_path.iterdir()] == ["a.lab"]


def test_what_a_process_makes_at_this_moment_stays(tmp_path):
    directory = tmp_path / ".a.lab.1.unfinished"
    directory.mkdir()
    lock = WriterLock(directory / "lock")
    made_up.create(tmp_path / "a.lab").close()
    lock.release()
    assert directory.exists()


def test_somebody_else_s_directory_of_nearly_that_name_stays(tmp_path):
    directory = tmp_path / "a.lab.old.new"
    made_up.create(directory).close()
    made_up.create(tmp_path / "a.lab").close()
    assert (directory / "record.sqlite").exists()


def test_nobody_is_told_to_remove_what_is_no_record(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "thesis.tex").touch()
    with pytest.raises(RecordError, match="is not a record") as error:
        made_up.create(home)
    assert "rm" not in (error.value.hint or "")


def test_the_command_that_removes_a_record_names_only_that_record(tmp_path):
    directory = tmp_path / "my results.lab"
    made_up.create(directory).close()
    with pytest.raises(RecordError) as error:
        made_up.create(directory)
    assert (error.value.hint or "").endswith(f"rm -r '{directory}'")


def test_a_new_record_is_on_the_disk_before_it_gets_its_name(tmp_path, monkeypatch):
    done = []
    fsync, rename = os.fsync, Path.rename
    monkeypatch.setattr(
        os, "fsync", lambda fd: (fsync(fd), done.append(Path(f"/proc/self/fd/{fd}").readlink()))[0]
    )
    monkeypatch.setattr(Path, "rename", lambda old, new: (done.append("renamed"), rename(old, new))[1])
    made_up.create(tmp_path / "a.lab").close()
    file, directory, renamed, parent = done
    assert (file.name, file.parent, renamed, parent) == ("record.sqlite", directory, "renamed", tmp_path)
    assert directory.name.endswith(".unfinished")


def test_names_that_a_uri_or_a_shell_would_read_otherwise_are_only_names(tmp_path):
    directory = tmp_path / "a?mode=memory&b#c% 'd\n\u20ac.lab"
    with made_up.create(directory):
        pass
    with Record.open(directory) as record:
        assert record.treatments


def test_levels_that_are_not_text_are_refused_and_nothing_is_left(tmp_path):
    odd = made_up.experiment(name="\udcff")
    with pytest.raises(RecordError, match="not valid text"):
        Record.create(tmp_path / "a.lab", odd, treatments=made_up.treatments())
    assert list(tmp_path.iterdir()) == []


def test_a_closed_record_is_one_plain_file_without_a_log(tmp_path):
    directory = tmp_path / "a.lab"
    made_up.filled(directory, made_up.blocks(2)).close()
    assert not list(directory.glob("record.sqlite-*"))
    with closing(sqlite3.connect(directory / "record.sqlite")) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_second_writer_is_refused_by_the_name_of_the_first(tmp_path):
    directory = tmp_path / "a.lab"
    with made_up.create(directory):
        code = (
            "import sys\nfrom steelyard.store import Record\nfrom steelyard.core.errors import"
            " RecordBusyError\n"
            "try: Record.open(sys.argv[1], write=True)\n"
            "except RecordBusyError as error: print(error, '|', error.hint)"
        )
        process = subprocess.run(
            [sys.executable, "-c", code, str(directory)], capture_output=True, text=True, check=True
        )
    assert f"is being run by process {os.getpid()} on {os.uname().nodename} since 20" in process.stdout
    assert f"kill {os.getpid()}" in process.stdout


def test_a_second_writer_in_the_same_process_is_refused_too(tmp_path):
    with made_up.create(tmp_path / "a.lab"), pytest.raises(RecordBusyError):
        Record.open(tmp_path / "a.lab", write=True)


@pytest.fixture
def died_after_a_fork(tmp_path, request):
    """A record whose writer was killed when what it had forked was no other program yet: the record, the
    writer's pid, and what ends the other one.
    """
    directory = tmp_path / "a.lab"
    made_up.create(directory).close()
    wait_for, end = os.pipe()
    writer = os.fork()
    if writer == 0:
        record = Record.open(directory, write=True)
        if os.fork() == 0:
            os.close(end)
            os.read(wait_for, 1)
            os._exit(0)
        os.kill(os.getpid(), signal.SIGKILL)
        record.close()
    if reaped := getattr(request, "param", True):
        os.waitpid(writer, 0)
    else:
        os.waitid(os.P_PID, writer, os.WEXITED | os.WNOWAIT)
    os.close(wait_for)
    with os.fdopen(end, "wb") as ending:
        yield directory, writer, ending.close
    if not reaped:
        os.waitpid(writer, 0)


@pytest.mark.parametrize("died_after_a_fork", [True, False], ids=["reaped", "zombie"], indirect=True)
def test_a_lock_that_a_killed_writer_left_to_what_it_had_just_forked_is_waited_for(
    died_after_a_fork, monkeypatch
):
    directory, _, end = died_after_a_fork
    pauses, pause = [], time.sleep

    def watched(seconds: float) -> None:
        pauses.append(seconds)
        end()
        pause(seconds)

    monkeypatch.setattr("time.sleep", watched)
    Record.open(directory, write=True).close()
    assert pauses


def test_a_lock_that_a_killed_writer_left_for_long_is_refused_by_its_name(died_after_a_fork, monkeypatch):
    directory, writer, _ = died_after_a_fork
    monkeypatch.setattr("steelyard.store.lock._TIMEOUT_S", 0.0)
    with pytest.raises(RecordBusyError, match=f"is being run by process {writer}") as refused:
        Record.open(directory, write=True)
    assert refused.value.hint == (
        f"it has died, but a process that it started still holds the record: fuser {directory}/lock names it"
    )


def test_the_lock_of_a_closed_record_is_free_and_nameless(tmp_path):
    directory = tmp_path / "a.lab"
    with made_up.create(directory) as record:
        assert record.holder().pid == os.getpid()
    with Record.open(directory) as record:
        assert record.holder() is None
    Record.open(directory, write=True).close()
    assert (directory / "lock").read_text() == ""


def test_a_record_opened_for_reading_refuses_every_change(tmp_path):
    directory = tmp_path / "a.lab"
    made_up.create(directory).close()
    with Record.open(directory) as record, pytest.raises(ValueError, match="not open for writing"):
        record.add_warning("kind", "text")


def test_reading_changes_no_byte(tmp_path):
    directory = tmp_path / "a.lab"
    made_up.filled(directory, made_up.blocks(3)).close()
    before = {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}
    with Record.open(directory) as record:
        record.samples("wall_s")
        record.samples("latency_s")
        assert record.damage() == []
    assert {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()} == before


def test_a_reader_sees_what_was_taken_while_the_writer_goes_on(tmp_path):
    directory = tmp_path / "a.lab"
    result = made_up.blocks(4)
    with made_up.filled(directory, result[:2]) as writer, Record.open(directory) as reader:
        assert reader.progress().trials == 6
        with reader.snapshot():
            assert reader.progress().trials == 6
            writer.add_blocks(result[2:])
            writer.take(1, made_up.measurements(result[2:]), "000001.journal", 8192)
            assert reader.progress().trials == 6
        assert reader.progress().trials == 12
    with Record.open(directory) as reader:
        assert reader.progress().trials == 12


def test_a_writer_may_close_while_a_reader_reads(tmp_path):
    directory = tmp_path / "a.lab"
    writer = made_up.filled(directory, made_up.blocks(2))
    with Record.open(directory) as reader, reader.snapshot():
        assert reader.progress().trials == 6
        writer.close()
        assert reader.progress().trials == 6
    with Record.open(directory) as reader:
        assert reader.progress().trials == 6


def test_readers_who_come_and_go_see_whole_blocks_while_another_process_writes(tmp_path):
    directory = tmp_path / "a.lab"
    result = made_up.blocks(300)
    made_up.filled(directory, result[:1]).close()
    pid = os.fork()
    if pid == 0:
        try:
            for first in range(1, 300, 10):
                # Opened and closed each time: readers meet every state that the file can be in.
                with Record.open(directory, write=True) as record:
                    record.add_blocks(result[first : first + 10])
                    for block in result[first : first + 10]:
                        record.take(1, made_up.measurements([block]), "000001.journal", 4096 + block.id)
        except BaseException:  # noqa: BLE001 -- nothing may reach pytest in this copy of it
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    calls = []
    try:
        while os.waitpid(pid, os.WNOHANG)[0] == 0:
            with Record.open(directory) as reader, reader.snapshot():
                progress = reader.progress()
                blocks = {block for sample in reader.samples("wall_s") for block in sample.blocks}
                assert progress.blocks.get("complete", 0) == len(blocks)
                assert progress.trials == 3 * (len(blocks) + 1)
                calls.append(progress.trials)
    finally:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)
    assert calls == sorted(calls)
    with Record.open(directory) as reader:
        assert reader.progress().trials == 900


def test_a_changed_spec_is_told_key_by_key(tmp_path):
    with made_up.create(tmp_path / "a.lab") as record:
        assert record.list_changes(made_up.experiment()) == []
        assert record.list_changes(made_up.experiment(name="other")) == ['name: "made up" → "other"']
