"""Reading journals: what the runner wrote, what a kill or a power cut left of it, and what is none at all."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from struct import pack, unpack_from

import pytest

from steelyard.core.errors import RecordError
from steelyard.run.launch.launch import Launch
from steelyard.run.runner.journal import JournalError, read_journal
from steelyard.run.runner.runner import BlockEnd, Runner, TrialOrder

HEAD_BYTES = 16


@pytest.fixture
def written(runner: Runner, journal: Path, sh) -> Path:
    """A journal of three trials with outputs, whose runner has ended."""
    launch = runner.define(sh("echo out; echo err >&2", counters=("page_faults",)))
    runner.run([*(TrialOrder(number, launch) for number in (1, 2, 3)), BlockEnd()])
    runner.close()
    return journal


def frame_ends(journal: Path) -> list[int]:
    data = journal.read_bytes()
    ends = []
    at = HEAD_BYTES
    while at < len(data):
        magic, length = unpack_from("<4sI", data, at)
        assert magic == b"YTRL"
        at += 8 + length + 4
        ends.append(at)
    return ends


def test_a_journal_is_read_whole_or_from_where_it_was_read_to(written):
    trials, end = read_journal(written)
    assert [trial.trial for trial in trials] == [1, 2, 3]
    assert end == written.stat().st_size
    assert read_journal(written, end) == ([], end)
    middle = frame_ends(written)[0]
    assert [trial.trial for trial in read_journal(written, middle)[0]] == [2, 3]


def test_an_empty_file_is_a_journal_without_trials(journal):
    journal.touch()
    assert read_journal(journal) == ([], 0)


def test_a_frame_that_was_torn_anywhere_is_left_out(written):
    content = written.read_bytes()
    _, second, third = frame_ends(written)
    for size in range(second, third):
        written.write_bytes(content[:size])
        trials, end = read_journal(written)
        assert ([trial.trial for trial in trials], end) == ([1, 2], second), size


def test_a_head_that_was_torn_anywhere_is_a_journal_without_trials(written):
    content = written.read_bytes()
    for size in range(HEAD_BYTES):
        written.write_bytes(content[:size])
        assert read_journal(written) == ([], 0)


def test_zeros_at_the_end_are_what_a_power_cut_leaves(written):
    end = written.stat().st_size
    with written.open("ab") as file:
        file.write(bytes(5_000))
    trials, offset = read_journal(written)
    assert ([trial.trial for trial in trials], offset) == ([1, 2, 3], end)


def test_damage_in_the_middle_is_an_error_that_offers_what_can_be_read(written):
    damaged = bytearray(written.read_bytes())
    first, _, _ = frame_ends(written)
    damaged[first + 20] ^= 1
    written.write_bytes(damaged)
    with pytest.raises(JournalError, match=f"damaged at byte {first}") as error:
        read_journal(written)
    assert [trial.trial for trial in error.value.trials] == [1]
    assert error.value.offset == first
    assert error.value.hint


@pytest.mark.parametrize("content", [b"#!/bin/sh\necho precious\n", b"SLYDJRNX and more to come", b"x"])
def test_another_file_is_no_journal(journal, content):
    journal.write_bytes(content)
    with pytest.raises(JournalError, match="is not a journal"):
        read_journal(journal)
    assert journal.read_bytes() == content


def test_a_journal_of_a_newer_version_is_refused_by_reader_and_runner(written):
    newer = bytearray(written.read_bytes())
    newer[8:12] = pack("<I", 2)
    written.write_bytes(newer)
    with pytest.raises(JournalError, match="version 2"):
        read_journal(written)
    with pytest.raises(RecordError, match="version 2"):
        Runner(written)
    assert written.read_bytes() == newer


def test_a_runner_refuses_a_damaged_journal_and_leaves_it(written):
    damaged = bytearray(written.read_bytes())
    damaged[frame_ends(written)[0] + 20] ^= 1
    written.write_bytes(damaged)
    with pytest.raises(RecordError, match="is damaged at byte"):
        Runner(written)
    assert written.read_bytes() == damaged


def test_a_new_runner_cuts_off_a_torn_frame_and_goes_on(written, sh):
    _, second, third = frame_ends(written)
    os.truncate(written, third - 5)
    with Runner(written) as runner:
        assert runner.cut_bytes == third - 5 - second
        runner.run([TrialOrder(4, runner.define(sh("exit 0")))])
    trials, _ = read_journal(written, second)
    assert [trial.trial for trial in trials] == [4]
    assert [trial.trial for trial in read_journal(written)[0]] == [1, 2, 4]


def test_an_offset_beyond_a_journal_shortened_by_a_power_cut_is_set_to_its_end(written):
    _, second, third = frame_ends(written)
    os.truncate(written, second + 7)
    assert read_journal(written, third) == ([], second)


def test_values_that_were_not_observed_are_none(run_one):
    trial = run_one(Launch("/nowhere", ("x",), (), "/"))
    assert (trial.exit_code, trial.signal, trial.cpu, trial.queue_wait_ns) == (None, None, None, None)
    assert trial.counters == {}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    directory = tmp_path / "small"
    directory.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=128k", "none", directory], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("mounting a small file system needs root")
    yield directory
    subprocess.run(["umount", directory], check=True)


def test_a_full_disk_ends_the_batch_and_loses_no_finished_trial(small_disk, sh, runner_program):
    journal = small_disk / "journal"
    with Runner(journal) as runner:
        loud = runner.define(sh("head -c 20000 /dev/zero"))
        with pytest.raises(
            RecordError, match=r"could not be written to .*: No space left on device"
        ) as error:
            runner.run([TrialOrder(number, loud) for number in range(1, 11)])
        assert error.value.hint
        trials, end = read_journal(journal)
        lost = len(trials) + 1
        assert [trial.trial for trial in trials] == list(range(1, lost))
        assert f"trial {lost} " in str(error.value)
        assert end == journal.stat().st_size, "nothing of the lost one is left in the file"

        quiet = runner.define(sh("exit 0"))
        assert runner.run([TrialOrder(lost, quiet)]) == 1, "what fits goes on"
    assert [trial.trial for trial in read_journal(journal, end)[0]] == [lost]


def test_a_journal_on_a_read_only_file_system_cannot_be_opened(small_disk, runner_program):
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    with pytest.raises(RecordError, match="Read-only file system"):
        Runner(small_disk / "journal")
