"""``Runner``: the program that starts trials and reads clocks, seen from Python, which sleeps meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from steelyard.core.errors import MachineError
from steelyard.run.launch.launch import Launch
from steelyard.run.native import RUNNER, native_file
from steelyard.run.runner.journal import RawTrial, read_journal
from steelyard.run.runner.orders import (
    BlockEnd,
    Entry,
    Hook,
    TrialOrder,
    define,
    encode_batch,
    encode_forget,
)
from steelyard.run.runner.runner_errors import (
    HEAD,
    READY,
    TRIALS,
    VERSION,
    HookError,
    ReplyKind,
    RunnerDiedError,
    decode_failed,
    explain_failure,
    signal_name,
)

__all__ = [
    "BlockEnd",
    "Entry",
    "Hook",
    "HookError",
    "Runner",
    "RunnerDiedError",
    "TrialOrder",
    "find_runner",
    "probe_launches",
]

CLOSE_TIMEOUT_S: Final = 15.0
"""The guard gives the runner 3 s and its processes 5 s; later than that it is stuck."""


def _undo_journal() -> tuple[str, ...]:
    """Arguments that name the journal of the host's changes if ``$STEELYARD_UNDO`` does; default: in /run."""
    named = os.environ.get("STEELYARD_UNDO")
    return ("--undo", named) if named else ()


def find_runner() -> Path:
    """Return the runner's program.

    It is ``$STEELYARD_RUNNER`` for developers, else the one installed with the package.

    Raises
    ------
    MachineError
        The runner is not installed, or this is not Linux.
    """
    return native_file(RUNNER)


class Runner:
    """Starts the runner and its guard, and gives them work. A context manager; leaving it leaves no process.

    Parameters
    ----------
    journal : Path
        Grows by a frame for each trial; a torn last frame, from a runner that was killed, is cut off first.
    close_timeout_s : float
        How long it may take to end before it is killed.

    Attributes
    ----------
    stopped : bool
        Whether a batch was cut short by ``stop``; no further batch runs.
    pid : int
        Of the runner; the guard above it is ``guard_pid``.
    rss_floor_bytes : int
        The runner's peak resident memory at its start, which no child can be reported below.

    Raises
    ------
    MachineError, RecordError, RecordBusyError
        It cannot start here; the journal cannot be opened or is another file; another runner appends to it.
    """

    def __init__(self, journal: Path, *, close_timeout_s: float = CLOSE_TIMEOUT_S) -> None:
        self._journal = journal
        self._commands: list[tuple[str, ...]] = []
        self._close_timeout_s = close_timeout_s
        self.stopped = False
        self._process = subprocess.Popen(  # closed by close()
            [find_runner(), "--journal", journal.absolute(), *_undo_journal()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env={name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")},
            # Away from the terminal: Ctrl-C reaches only Python, and a program that asks for a password fails
            # instead of being stopped for ever.
            start_new_session=True,
        )
        self.guard_pid = self._process.pid
        try:
            version, self.pid, self.rss_floor_bytes, _, self.cut_bytes = self._greet()
            if version != VERSION:
                raise MachineError(
                    f"the runner {find_runner()} speaks version {version}, this Steelyard version {VERSION}",
                    hint="install both together: pip install .",
                )
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def accepts_work(self) -> bool:
        """Whether a batch can be given to it: it was neither stopped nor closed, and lives."""
        pipe = self._process.stdin
        return not self.stopped and pipe is not None and not pipe.closed and self._process.poll() is None

    def define(self, launch: Launch) -> int:
        """Make a launch known, with its prepare and cleanup commands. Returns its number."""
        return define(launch, self._commands, self._send)

    def forget(self) -> None:
        """Forget all launches; numbers start from 0 again. For experiments with new ones in every block."""
        self._send(encode_forget())
        self._commands.clear()

    def run(self, entries: Sequence[Entry]) -> int:
        """Run a batch and return how many trials of it are in the journal; sleeps in one read meanwhile.

        That is all of them, or fewer after ``stop``.

        Raises
        ------
        HookError
            A ``Hook`` of the batch failed.
        RecordError
            A trial could not be written to the journal, so the batch ended.
        RunnerDiedError
            The runner was killed.
        MachineError
            Processes of a trial could not be ended.
        """
        if self.stopped:
            raise RunnerDiedError("the runner was stopped and accepts no more work", hint="start a new one")
        self._send(encode_batch(entries))
        kind, body = self._receive()
        if kind == ReplyKind.FAILED:
            raise explain_failure(decode_failed(body), self._journal, self._commands)
        if kind == ReplyKind.STOPPED:
            self.stopped = True
        return int(TRIALS.unpack(body)[0])

    def stop(self) -> None:
        """End the batch; the running trial is not written down. From any thread or signal handler."""
        if self._process.returncode is None:
            os.kill(self._process.pid, signal.SIGTERM)

    def close(self) -> None:
        """End the runner and all that it started; a batch that runs is stopped. May be called twice."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self._process.wait(self._close_timeout_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _greet(self) -> tuple[int, int, int, int, int]:
        kind, body = self._receive()
        if kind == ReplyKind.FAILED:
            raise explain_failure(decode_failed(body), self._journal)
        version, pid, rss_floor_bytes, journal_bytes, cut_bytes = READY.unpack(body)
        return version, pid, rss_floor_bytes, journal_bytes, cut_bytes

    def _send(self, order: bytes) -> None:
        pipe = self._process.stdin
        assert pipe is not None  # noqa: S101 - it was asked for
        rest = memoryview(order)
        try:
            while rest:
                rest = rest[pipe.write(rest) or 0 :]
        except BrokenPipeError:
            # The runner is gone. Its last words, which `run` reads, tell more than the pipe does.
            return

    def _receive(self) -> tuple[ReplyKind, bytes]:
        length, kind = HEAD.unpack(self._read(HEAD.size))
        return ReplyKind(kind), self._read(length - 1)

    def _read(self, size: int) -> bytes:
        pipe = self._process.stdout
        assert pipe is not None  # noqa: S101 - it was asked for
        data = bytearray()
        while len(data) < size:
            piece = pipe.read(size - len(data))
            if not piece:
                raise self._describe_death()
            data += piece
        return bytes(data)

    def _describe_death(self) -> RunnerDiedError:
        self.close()
        code = self._process.returncode
        how = signal_name(code - 128) if code > 128 else f"code {code}"
        if code < 0:
            how = f"{signal_name(-code)} to its guard"
        return RunnerDiedError(
            f"the runner was killed ({how}); finished trials are in {self._journal}",
            hint="give the same command again: it goes on where this ended",
        )


def probe_launches(launches: Sequence[Launch]) -> list[RawTrial]:
    """Try each launch once, apart from any record, and return how each ended, in their order."""
    # In memory, so that a process that is killed meanwhile leaves nothing on the disk.
    memory = os.memfd_create("probe")
    try:
        journal = Path(f"/proc/{os.getpid()}/fd/{memory}")
        with Runner(journal) as runner:
            runner.run([TrialOrder(i, runner.define(launch)) for i, launch in enumerate(launches, 1)])
        return read_journal(journal)[0]
    finally:
        os.close(memory)
