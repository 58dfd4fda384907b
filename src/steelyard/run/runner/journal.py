"""Reading the journal: what the runner wrote about each trial, before it started the next one.

The layout is described once, in ``native/runner/README.md``.
"""

from __future__ import annotations

import mmap
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from struct import Struct
from typing import BinaryIO, Final, Literal

import msgspec

from steelyard.core.counters import find_event
from steelyard.core.errors import RecordError
from steelyard.files.plain import describe_kind, open_plain

RawStatus = Literal["ok", "timed_out", "spawn_failed", "setup_failed", "hook_failed", "lost"]
"""``ok``: the program ran to its end, whatever its exit code; ``lost``: nobody knows, as the machine that it
ran on was taken away. The last one is in no journal.
"""

DigestState = Literal["missing", "whole", "too_long", "unwritten", "not_plain"]
"""``missing``: no such file, or a stream that is not captured; ``too_long``: more than 256 MiB;
``unwritten``: the file is there, and this run did not write it; ``not_plain``: something else has its name, a
link or a directory, and was not read.
"""

JOURNAL_VERSION: Final = 1

_STATUSES: Final[tuple[RawStatus, ...]] = ("ok", "timed_out", "spawn_failed", "setup_failed", "hook_failed")
_STEPS: Final = (
    None,
    "cwd",
    "stdin",
    "stdout",
    "stderr",
    "metrics",
    "aslr",
    "affinity",
    "nice",
    "start",
    "exec",
    "mount",
    "scheduling",
    "huge_pages",
    "host",
    "stack_limit",
    "stopped",
    "group",
    "network",
    "root",
    "cpu_limit",
    "memory_limit",
)
_FILE_HEAD: Final = Struct("<8sII")
_MAGIC: Final = b"SLYDJRNL"
_FRAME_HEAD: Final = Struct("<4sI")
_FRAME_MAGIC: Final = b"YTRL"
_CHECKSUM: Final = Struct("<I")
_RECORD: Final = Struct("<QIBBBBIIqQQQQQQQQQQiiiiIIQQQIIII")
_COUNTER: Final = Struct("<dBB")
_DIGEST: Final = Struct("<B32s")
_DIGEST_STATES: Final[tuple[DigestState, ...]] = ("missing", "whole", "too_long", "unwritten", "not_plain")
_NO_HOOK: Final = 0xFFFFFFFF
_NO_QUEUE_WAIT: Final = 0xFFFFFFFFFFFFFFFF


class FileDigest(msgspec.Struct, frozen=True, gc=False):
    """The contents of a stream or of a file after a run.

    Attributes
    ----------
    state : str
        See ``DigestState``.
    sha256 : str
        Empty unless all of it was read.
    kind : str
        The words of what was not read: "a symbolic link".
    """

    state: DigestState
    sha256: str = ""
    kind: str = ""


class RawTrial(msgspec.Struct, frozen=True, gc=False):
    """One trial as the runner saw it. ``None`` is "not observed", never zero.

    Attributes
    ----------
    trial, launch : int
        The number of the trial, and what ``Runner.define`` returned.
    status : str
        See ``RawStatus``. With ``hook_failed`` everything below is about the hook.
    step : str or None
        What failed, where nothing could be started: ``cwd``, ``stdin``, ``stdout``, ``stderr``, ``metrics``,
        ``aslr``, ``affinity``, ``nice``, ``group``, ``network``, ``root``, ``start`` or ``exec``. ``stopped``
        where a run timed out and a signal had stopped a process of it; ``cpu_limit`` or ``memory_limit``
        where a run that ended had exceeded one.
    hook : int or None
        The launch of the prepare or cleanup command that failed.
    hook_status : str or None
        How that command ended; ``ok`` means that it exited with a code other than 0 or by a signal.
    start_ns : int
        Unix time.
    wall_ns : int
        From before the start to after the end; 0 where nothing was started.
    user_us, system_us : int
        Of the program and the children it waited for; their sum is exact, each alone is sampled at ticks.
    rss_bytes : int
        Peak resident memory of the largest process among them. Not below ``rss_floor_bytes``.
    rss_floor_bytes : int
        The runner's own peak, which every child inherits: a value equal to it means "at most this".
    minor_faults, major_faults, voluntary_switches, involuntary_switches : int
        Of the program and the children it waited for.
    queue_wait_ns : int or None
        What its main thread waited on a run queue.
    exit_code, signal : int or None
        How it ended; both ``None`` where it never ran.
    errno : int or None
        Of the failed step.
    cpu : int or None
        The CPU it ended on.
    argv_bytes, env_bytes : int
        As ``Launch`` counts them.
    left_processes : int
        Descendants that were still running after its end and were ended.
    counters : mapping of str to float or None
        By name, in SI units, scaled up where hardware was shared; ``None`` where it refused the event.
    stdout, stderr, metrics : bytes
        The captured bytes, from the head.
    stdout_bytes, stderr_bytes, metrics_bytes : int
        Bytes written, kept or not.
    digests : tuple of FileDigest
        Of stdout, stderr and the launch's ``files``, in this order; empty unless the launch wants them.
    """

    trial: int
    launch: int
    status: RawStatus
    start_ns: int
    wall_ns: int
    user_us: int
    system_us: int
    rss_bytes: int
    rss_floor_bytes: int
    minor_faults: int
    major_faults: int
    voluntary_switches: int
    involuntary_switches: int
    queue_wait_ns: int | None
    exit_code: int | None
    signal: int | None
    errno: int | None
    cpu: int | None
    argv_bytes: int
    env_bytes: int
    left_processes: int
    counters: Mapping[str, float | None]
    stdout: bytes
    stdout_bytes: int
    stderr: bytes
    stderr_bytes: int
    metrics: bytes
    metrics_bytes: int
    step: str | None = None
    hook: int | None = None
    hook_status: RawStatus | None = None
    digests: tuple[FileDigest, ...] = ()


class JournalError(RecordError):
    """A journal that is damaged before its end, or a file that is not a journal.

    Attributes
    ----------
    trials : list of RawTrial
        What could be read before the damage.
    offset : int
        Where the damage begins.
    """

    def __init__(self, message: str, *, hint: str, trials: list[RawTrial], offset: int) -> None:
        super().__init__(message, hint=hint)
        self.trials = trials
        self.offset = offset


def read_journal(path: Path, offset: int = 0) -> tuple[list[RawTrial], int]:
    """Return the trials from ``offset`` on, and the offset of what comes next.

    ``offset`` is 0, or what an earlier call returned.

    A last frame that is not whole, because its writer died, is left out: it stays behind the returned offset.

    Raises
    ------
    JournalError
        It is not a journal, of another version, damaged before its end, or gone.
    """
    with _open(path) as file:
        size = file.seek(0, 2)
        if size == 0:
            return [], 0
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            _check_head(path, data)
            if size < _FILE_HEAD.size:
                return [], 0
            if offset > size:
                # A power cut took frames that are in the record already: new ones follow the last whole one.
                return [], _read_frames(path, data, _FILE_HEAD.size)[1]
            return _read_frames(path, data, max(offset, _FILE_HEAD.size))


def _open(path: Path) -> BinaryIO:
    try:
        return open_journal(path)
    except FileNotFoundError:
        raise JournalError(
            f"{path} is gone, and with it the last trials",
            hint="something deleted it while the experiment ran, perhaps the program itself; measure into"
            " another directory: --output NAME.lab",
            trials=[],
            offset=0,
        ) from None


def open_journal(path: Path) -> BinaryIO:
    """Open the journal of a runner, which a program may have replaced.

    Raises
    ------
    NotPlainError, OSError
        As ``open_plain``.
    """
    if path.is_relative_to("/proc"):  # of a runner whose journal is in memory; programs create nothing there
        return path.open("rb")
    # Its directory is in the record or is that of a job.
    return os.fdopen(open_plain(path, os.O_RDONLY, within=path.parent.parent), "rb")


def _make_digest(state: DigestState, content: bytes) -> FileDigest:
    match state:
        case "whole":
            return FileDigest(state, content.hex())
        case "not_plain":
            return FileDigest(state, kind=describe_kind(content[0]) or "")
        case _:
            return FileDigest(state)


def decode_record(body: bytes) -> RawTrial:
    """Return the trial of one frame's body, which is also how the runner tells of a hook that failed."""
    # fmt: off
    (trial, launch, status, step, hook_status, digest_count, hook, left_processes, start_ns, wall_ns, user_us,
     system_us, rss_bytes, rss_floor_bytes, minor_faults, major_faults, voluntary_switches,
     involuntary_switches, queue_wait_ns, exit_code, signal, errno, cpu, argv_bytes, env_bytes,
     stdout_bytes, stderr_bytes, metrics_bytes, stdout_kept, stderr_kept, metrics_kept,
     counter_count) = _RECORD.unpack_from(body)
    # fmt: on
    counters: dict[str, float | None] = {}
    stdout = stderr = metrics = b""
    digests: tuple[FileDigest, ...] = ()
    if len(body) > _RECORD.size:  # a program that is silent ends there
        at = _RECORD.size
        for _ in range(counter_count):
            value, available, length = _COUNTER.unpack_from(body, at)
            at += _COUNTER.size
            name = str(body[at : at + length], "ascii")
            # Of a machine with several packages, one value each: all of them or none.
            before = counters.get(name, 0.0)
            complete = available and before is not None
            counters[name] = before + value * find_event(name)[0].scale if complete else None
            at += length
        stderr_at = at + stdout_kept
        metrics_at = stderr_at + stderr_kept
        stdout, stderr = body[at:stderr_at], body[stderr_at:metrics_at]
        digests_at = metrics_at + metrics_kept
        metrics = body[metrics_at:digests_at]
        if digest_count:
            end = digests_at + digest_count * _DIGEST.size
            digests = tuple(
                _make_digest(_DIGEST_STATES[state], sha256)
                for state, sha256 in _DIGEST.iter_unpack(body[digests_at:end])
            )
    is_hook = hook != _NO_HOOK
    return RawTrial(
        trial,
        launch,
        _STATUSES[status],
        start_ns,
        wall_ns,
        user_us,
        system_us,
        rss_bytes,
        rss_floor_bytes,
        minor_faults,
        major_faults,
        voluntary_switches,
        involuntary_switches,
        None if queue_wait_ns == _NO_QUEUE_WAIT else queue_wait_ns,
        None if exit_code < 0 else exit_code,
        signal or None,
        errno or None,
        None if cpu < 0 else cpu,
        argv_bytes,
        env_bytes,
        left_processes,
        counters,
        stdout,
        stdout_bytes,
        stderr,
        stderr_bytes,
        metrics,
        metrics_bytes,
        _STEPS[step],
        hook if is_hook else None,
        _STATUSES[hook_status] if is_hook else None,
        digests,
    )


def lost_trial(trial: int, launch: int, why: str) -> RawTrial:
    """Return a trial of which nothing is known but why, which stands where a program's last words do."""
    return RawTrial(
        trial, launch, "lost", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, None, None, None, None, None, 0, 0, 0, {},
        b"", 0, why.encode(), len(why.encode()), b"", 0,
    )  # fmt: skip


def _check_head(path: Path, data: mmap.mmap) -> None:
    magic = data[: len(_MAGIC)]
    if not _MAGIC.startswith(magic) and any(magic):
        raise JournalError(
            f"{path} is not a journal of Steelyard: it begins with {magic!r}",
            hint="give the journal.bin of a record",
            trials=[],
            offset=0,
        )
    if len(data) >= _FILE_HEAD.size:
        version = _FILE_HEAD.unpack_from(data)[1]
        if version not in (0, JOURNAL_VERSION):
            raise JournalError(
                f"{path} is a journal of version {version}; this Steelyard reads version {JOURNAL_VERSION}",
                hint="use the Steelyard that wrote it, or a newer one",
                trials=[],
                offset=0,
            )


def _read_frames(path: Path, data: mmap.mmap, offset: int) -> tuple[list[RawTrial], int]:
    trials: list[RawTrial] = []
    size = len(data)
    around = _FRAME_HEAD.size + _CHECKSUM.size
    while offset + _FRAME_HEAD.size <= size:
        magic, length = _FRAME_HEAD.unpack_from(data, offset)
        end = offset + around + length
        if magic == _FRAME_MAGIC and end <= size:
            body = data[offset + _FRAME_HEAD.size : end - _CHECKSUM.size]
            if zlib.crc32(body) == _CHECKSUM.unpack_from(data, end - _CHECKSUM.size)[0]:
                trials.append(decode_record(body))
                offset = end
                continue
        torn = (magic == _FRAME_MAGIC and end >= size) or not any(data[offset:])
        if torn:
            break
        raise JournalError(
            f"{path} is damaged at byte {offset:,} of {size:,}; {len(trials):,} trials before that are whole",
            hint="restore the file from a copy",
            trials=trials,
            offset=offset,
        )
    return trials, offset
