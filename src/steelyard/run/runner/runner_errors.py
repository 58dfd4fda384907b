"""Replies of the runner, and the errors that its failures become; layout: ``native/runner/README.md``."""

from __future__ import annotations

import os
import shlex
import signal
from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path
from struct import Struct
from typing import Final

import msgspec

from steelyard.core.errors import MachineError, ProgramError, RecordBusyError, RecordError, SteelyardError
from steelyard.files.plain import describe_kind
from steelyard.run.runner.journal import JOURNAL_VERSION, RawTrial, decode_record

HEAD: Final = Struct("<IB")
READY: Final = Struct("<IIQQQ")
TRIALS: Final = Struct("<Q")
VERSION: Final = 2
"""Of the frames that are exchanged with the runner; raised with every change of their layout."""
_FAILED: Final = Struct("<BIiQQ")


class ReplyKind(IntEnum):
    """Kinds of replies."""

    READY = 1
    DONE = 2
    STOPPED = 3
    FAILED = 4


class Failure(IntEnum):
    """The step at which a runner failed."""

    PROTOCOL = 1
    START = 2
    JOURNAL_OPEN = 3
    JOURNAL_WRITE = 4
    HOOK = 5
    CANNOT_END = 6


class JournalState(IntEnum):
    """State in which the runner found the journal."""

    GOOD = 0
    CANNOT_OPEN = 1
    LOCKED = 2
    NOT_A_JOURNAL = 3
    OTHER_VERSION = 4
    CORRUPT = 5


ANY_HOOK: Final = "a command around a block, or of a level,"
"""What the runner can say of an untimed command: not which key of the spec it is of."""


class HookError(ProgramError):
    """An untimed command of a block failed.

    Attributes
    ----------
    hook : RawTrial
        What it came to; its ``hook`` is the launch.
    done : int
        Trials of the batch that were finished before.
    """

    def __init__(self, message: str, *, hint: str, hook: RawTrial, done: int) -> None:
        super().__init__(message, hint=hint)
        self.hook = hook
        self.done = done


class RunnerDiedError(SteelyardError):
    """The runner was ended from outside; what it had finished is in the journal."""

    exit_code = 5


class Failed(msgspec.Struct, frozen=True):
    """A reply of the kind ``failed``; what its fields mean depends on ``failure``."""

    failure: Failure
    detail: int
    error: int
    done: int
    place: int
    body: bytes


def explain_failure(failed: Failed, journal: Path, commands: Sequence[Sequence[str]] = ()) -> SteelyardError:
    """Return the error that tells a user what the runner could not do.

    ``commands`` are the launches it knows.
    """
    reason = os.strerror(failed.error) if failed.error else failed.body.decode(errors="replace")
    match failed.failure:
        case Failure.START:
            return MachineError(
                f"the runner cannot start: {failed.body.decode()}: {reason}",
                hint="steelyard doctor lists what this machine offers",
            )
        case Failure.JOURNAL_OPEN:
            return _explain_opening(failed, journal, reason)
        case Failure.JOURNAL_WRITE:
            return _explain_writing(failed, journal, reason)
        case Failure.HOOK:
            hook = decode_record(failed.body)
            return HookError(
                f"{ANY_HOOK} failed: {_name(hook, commands)}{_describe_end(hook)}",
                hint="give it more time: hook_timeout under [program]"
                if hook.hook_status == "timed_out"
                else "run the command by itself to see why",
                hook=hook,
                done=failed.done,
            )
        case Failure.CANNOT_END:
            return MachineError(
                f"processes that trial {failed.place} left behind could not be ended",
                hint="end them by hand; programs that change their user id need root",
            )
        case Failure.PROTOCOL:
            return RunnerDiedError(
                f"the runner does not understand its orders: {reason}",
                hint="report this as a bug of Steelyard",
            )


def _explain_writing(failed: Failed, journal: Path, reason: str) -> SteelyardError:
    kind = describe_kind(failed.error)
    if kind is not None:  # of the file that is opened last, when a level is entered
        return RecordError(
            f"{journal}.levels is {kind}, not a plain file, and was left as it is",
            hint="a measured program or a command of a level may have put it there: remove it",
        )
    return RecordError(
        f"trial {failed.place} could not be written to {journal}: {reason}",
        hint=f"make room on the file system of {journal.parent}; the same command then goes on",
    )


def _explain_opening(failed: Failed, journal: Path, reason: str) -> SteelyardError:
    match JournalState(failed.detail):
        case JournalState.LOCKED:
            return RecordBusyError(f"another runner writes to {journal}", hint="wait for it, or end it")
        case JournalState.NOT_A_JOURNAL:
            return RecordError(
                f"{journal} is not a journal of Steelyard and is left as it is",
                hint="move it away, or choose another record",
            )
        case JournalState.OTHER_VERSION:
            return RecordError(
                f"{journal} is a journal of version {failed.place}, not {JOURNAL_VERSION}",
                hint="use the Steelyard that wrote it, or a newer one",
            )
        case JournalState.CORRUPT:
            return RecordError(
                f"{journal} is damaged at byte {failed.place:,} and is left as it is",
                hint="restore the file from a copy",
            )
        case _ if (kind := describe_kind(failed.error)) is not None:
            return RecordError(
                f"the journal {journal} is {kind}, not a plain file, and was left as it is",
                hint="a measured program may have put it there; measure into another directory: --output"
                " NAME.lab",
            )
        case _:
            return RecordError(
                f"the journal {journal} cannot be opened: {reason}",
                hint=f"check the permissions: ls -ld {journal.parent}",
            )


def decode_failed(body: bytes) -> Failed:
    """Decode the body of a reply of the kind ``failed``."""
    failure, detail, error, done, detail_at = _FAILED.unpack_from(body)
    return Failed(Failure(failure), detail, error, done, detail_at, body[_FAILED.size :])


def _name(hook: RawTrial, commands: Sequence[Sequence[str]]) -> str:
    """Return the command; nothing where the frame does not say which it was."""
    return "" if hook.hook is None else f"{shlex.join(commands[hook.hook])}: "


def _describe_end(hook: RawTrial) -> str:
    if hook.errno is not None:
        return f"{hook.step}: {os.strerror(hook.errno)}"
    if hook.hook_status == "timed_out":
        return "it had not ended at its time limit, hook_timeout"
    how = signal_name(hook.signal) if hook.signal else f"exit code {hook.exit_code}"
    text = (hook.stderr or hook.stdout).decode(errors="replace").strip()
    return f"{how}, and it said {text[-200:]!r}" if text else how


def signal_name(number: int) -> str:
    """``SIGSEGV``; ``SIGRTMIN+3`` for a real-time signal, the number for one without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        first = int(signal.SIGRTMIN)
        return f"SIGRTMIN+{number - first}" if first <= number <= int(signal.SIGRTMAX) else f"signal {number}"
