"""One descriptor has the lock of a file at a time, by whichever lock a system has."""

from __future__ import annotations

import fcntl
import os
from types import SimpleNamespace

import pytest

from steelyard.store import file_lock


def lock_byte(descriptor, mode, count):
    """The lock of Windows, by one of Linux that a second descriptor of this process meets."""
    assert os.lseek(descriptor, 0, os.SEEK_CUR) == 2**30
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB if mode else fcntl.LOCK_UN)
    except BlockingIOError as error:
        raise PermissionError(13, "Permission denied") from error


FLOCK = SimpleNamespace(**{name: getattr(fcntl, name) for name in ("flock", "LOCK_EX", "LOCK_NB", "LOCK_UN")})
MSVCRT = SimpleNamespace(locking=lock_byte, LK_UNLCK=0, LK_NBLCK=2)


@pytest.fixture(params=["linux", "darwin", "win32"])
def descriptors(request, monkeypatch, tmp_path):
    if request.param != "linux":
        monkeypatch.setattr(file_lock, "_fcntl", FLOCK if request.param == "darwin" else None)
        monkeypatch.setattr(file_lock, "_msvcrt", MSVCRT)
    opened = [os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT) for _ in range(2)]
    yield opened
    for item in opened:
        os.close(item)


def test_a_lock_that_is_held_is_seen_and_not_given_twice(descriptors):
    first, second = descriptors
    file_lock.lock_file(first)
    assert file_lock.is_locked(second)
    with pytest.raises(BlockingIOError):
        file_lock.lock_file(second)


def test_looking_at_a_free_lock_leaves_it_free(descriptors):
    first, second = descriptors
    assert not file_lock.is_locked(first)
    file_lock.lock_file(second)
    assert file_lock.is_locked(first)
