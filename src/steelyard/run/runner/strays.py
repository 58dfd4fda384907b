"""Processes of a record that nothing watches any more, because Python, runner and guard were all killed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.errors import RecordBusyError
from steelyard.run.host.files import text
from steelyard.run.runner.journal import open_journal

_TIMEOUT_S: Final = 5.0
_PAUSE_S: Final = 0.005
_END_TIMEOUT_S: Final = 1.0
"""A server that was told to end needs a moment."""
_WRITER_TIMEOUT_S: Final = 10.0
"""Its guard gives a runner 3 s."""


class Stray(msgspec.Struct, frozen=True):
    """A process that carries the mark of a record in its environment."""

    pid: int
    trial: str
    command: str


def find_strays(record_id: str) -> list[Stray]:
    """Find processes with ``STEELYARD_TRIAL=<record_id>-…`` in an environment that we may read.

    This process is never among them.
    """
    return [
        stray
        for pid in _compute_pids()
        if pid != os.getpid() and (stray := _make_stray(pid, _mark(record_id)))
    ]


def end_strays(record_id: str) -> list[Stray]:
    """End them with SIGKILL, until none is found, and return them."""
    ended: dict[int, Stray] = {}
    deadline = time.monotonic() + _TIMEOUT_S
    while strays := find_strays(record_id):
        for stray in strays:
            _end(stray, _mark(record_id))
            ended[stray.pid] = stray
        if time.monotonic() > deadline:
            break
        time.sleep(_PAUSE_S)
    return list(ended.values())


def await_end_below(pid: int) -> list[str]:
    """Give the processes below one a moment to end, and describe those that did not by name and number."""
    deadline = time.monotonic() + _END_TIMEOUT_S
    while (survivors := list(_describe_below(pid))) and time.monotonic() < deadline:
        time.sleep(_PAUSE_S)
    return survivors


def _describe_below(pid: int) -> Iterator[str]:
    for child in (text(Path(f"/proc/{pid}/task/{pid}/children")) or "").split():
        name, _, rest = (text(Path(f"/proc/{child}/stat")) or "").rpartition(")")
        if rest.split()[:1] not in ([], ["Z"]):
            yield f"{name.partition('(')[2]} ({child})"
        yield from _describe_below(int(child))


def await_writer(journal: Path) -> None:
    """Wait until no runner appends to a journal.

    A runner whose Python was killed first ends what it runs, and cleans up.

    Raises
    ------
    RecordBusyError
        It takes longer than a runner may.
    """
    import fcntl  # which Windows lacks, where records are read

    deadline = time.monotonic() + _WRITER_TIMEOUT_S
    with open_journal(journal) as file:
        while True:
            try:
                # The runner's own lock; it goes when this file is closed.
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise RecordBusyError(
                        f"the runner of an earlier run still writes to {journal}",
                        hint="end the process steelyard-run, then run again",
                    ) from None
                time.sleep(_PAUSE_S)
            else:
                return


def _mark(record_id: str) -> bytes:
    return b"STEELYARD_TRIAL=" + os.fsencode(record_id) + b"-"


def _compute_pids() -> list[int]:
    return [int(entry.name) for entry in os.scandir("/proc") if entry.name.isdigit()]


def _make_stray(pid: int, mark: bytes) -> Stray | None:
    try:
        for variable in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
            if variable.startswith(mark):
                command = Path(f"/proc/{pid}/comm").read_text(errors="replace").strip()
                return Stray(pid, os.fsdecode(variable[len(mark) :]), command)
    except OSError:
        return None
    return None


def _end(stray: Stray, mark: bytes) -> None:
    try:
        handle = os.pidfd_open(stray.pid)
    except ProcessLookupError:
        return
    try:
        # The number may have gone to another process before the handle was taken: look again through it.
        if _make_stray(stray.pid, mark) is not None:
            signal.pidfd_send_signal(handle, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    finally:
        os.close(handle)
