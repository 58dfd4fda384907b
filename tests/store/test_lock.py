from __future__ import annotations

import os
import subprocess
from pathlib import Path

from steelyard.store.lock import LockHolder, busy

HOST = os.uname().nodename


def test_a_process_of_this_host_can_be_killed_and_one_of_another_host_only_there():
    result = busy(Path("a.lab"), LockHolder(os.getpid(), HOST, "10:00"))
    assert result.hint == f"wait for it, or stop it: kill {os.getpid()}"
    error = busy(Path("a.lab"), LockHolder(os.getpid(), "elsewhere", "10:00"))
    assert error.hint == "wait for it, or stop it there"
    assert error.message == f"a.lab is being run by process {os.getpid()} on elsewhere since 10:00"


def test_dead_process_of_this_host_is_named_and_one_of_another_host_is_not():
    ended = subprocess.Popen(["true"])
    ended.wait()
    assert "it has died" in (busy(Path("a.lab"), LockHolder(ended.pid, HOST, "10:00")).hint or "")
    assert "it has died" not in (busy(Path("a.lab"), LockHolder(ended.pid, "elsewhere", "10:00")).hint or "")


def test_a_holder_that_is_not_known_yet_is_another_process():
    assert busy(Path("a.lab"), LockHolder()).message == "a.lab is being run by another process"
