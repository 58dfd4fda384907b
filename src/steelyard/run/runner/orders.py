"""Orders to the runner, as bytes. ``native/runner/README.md`` describes the layout."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from struct import Struct
from typing import Final

import msgspec

from steelyard.core.errors import UsageError
from steelyard.run.launch.launch import CAPTURE, MOST_COUNTERS, NULL, Launch
from steelyard.run.runner.counter_sources import CounterRequest, build_requests

_ORDER_HEAD: Final = Struct("<IB")
_DEFINE: Final = 1
_FORGET: Final = 2
_BATCH: Final = 3

_LAUNCH_HEAD: Final = Struct("<QQiBBBxIIIIII")
_ASLR_OFF: Final = 1
_NICE: Final = 2
_AFFINITY: Final = 4
_EXTENDED: Final = 8
_INHERIT: Final = 16
_QUEUE_WAIT: Final = 32
_DIGESTS: Final = 64
_CONFINED: Final = 128
_EXTENSION: Final = Struct("<iiBBHI")
_CONFINEMENT: Final = Struct("<QQQ")
_NO_POLICY: Final = -1
_COUNTER: Final = Struct("<QQQdIIII")
_LENGTH: Final = Struct("<I")

_ENTRY: Final = Struct("<BIQ")
_TRIAL_ENTRY: Final = 1
_HOOK_ENTRY: Final = 2
_BLOCK_END_ENTRY: Final = 3
_ENTER_ENTRY: Final = 4
_LEAVE_ENTRY: Final = 5
_NO_LAUNCH: Final = 0xFFFFFFFF
_BLOCK_END: Final = _ENTRY.pack(_BLOCK_END_ENTRY, 0, 0)


class TrialOrder(msgspec.Struct, frozen=True, gc=False):
    """An entry of a batch: run a launch and write down what it came to, under this number (below 10¹²)."""

    number: int
    launch: int


class Hook(msgspec.Struct, frozen=True):
    """Run an untimed command; if it fails, the batch ends. What it leaves running lives on."""

    launch: int


class Enter(msgspec.Struct, frozen=True):
    """Begin a level: note it and run a command, if there is one.

    Until ``Leave``, whatever ends the runner leaves it first, or the next run does.

    Attributes
    ----------
    level : int
        Its number in the experiment.
    launch, leave : int or None
        The commands that begin and end it.
    """

    level: int
    launch: int | None
    leave: int | None


class Leave(msgspec.Struct, frozen=True):
    """End a level that was entered."""

    level: int
    launch: int | None


class BlockEnd(msgspec.Struct, frozen=True):
    """An entry of a batch: make durable what was written, if that is a second ago."""


Entry = TrialOrder | Hook | BlockEnd | Enter | Leave


def encode_definition(number: int, launch: Launch, prepare: Sequence[int], cleanup: Sequence[int]) -> bytes:
    """Return the order that defines a launch under a number, with the numbers of its hooks."""
    cpus = launch.affinity or ()
    flags = (
        (_ASLR_OFF if launch.aslr_off else 0)
        | (_NICE if launch.nice is not None else 0)
        | (_AFFINITY if launch.affinity is not None else 0)
        | (_EXTENDED if _is_extended(launch) else 0)
        | (_INHERIT if launch.inherit else 0)
        | (_QUEUE_WAIT if launch.queue_wait else 0)
        | (_DIGESTS if launch.digests else 0)
        | (_CONFINED if _is_confined(launch) else 0)
    )
    counters = [(name, request) for name in launch.counters for request in build_requests(name)]
    if len(counters) > MOST_COUNTERS:
        raise UsageError(
            f"{len(counters)} counters, those of each package counted; a trial takes {MOST_COUNTERS}",
            hint="leave some out",
        )
    parts = [
        _LENGTH.pack(number),
        _LAUNCH_HEAD.pack(
            launch.timeout_ns or 0,
            launch.capture_limit_bytes,
            launch.nice or 0,
            flags,
            _compute_output_mode(launch.stdout),
            _compute_output_mode(launch.stderr),
            len(cpus),
            len(prepare),
            len(cleanup),
            len(counters),
            len(launch.argv),
            len(launch.env),
        ),
        *(_LENGTH.pack(value) for value in (*cpus, *prepare, *cleanup)),
    ]
    for name, request in counters:
        parts += (_pack_counter(request), _encode_text(name), _encode_text(request.path))
    files = (_get_output_file(launch.stdout), _get_output_file(launch.stderr), launch.metrics_path or "")
    parts += map(_encode_text, (launch.path, launch.cwd, launch.stdin, *files, *launch.argv, *launch.env))
    if flags & _EXTENDED:
        scheduling = launch.scheduling
        parts.append(
            _EXTENSION.pack(
                _NO_POLICY if scheduling is None else scheduling.policy,
                0 if scheduling is None else scheduling.priority,
                launch.huge_pages_off,
                len(launch.files),
                launch.stack_mib or 0,
                len(launch.host),
            )
        )
        settings = (text for setting in launch.host for text in (setting.path, setting.value))
        parts += map(_encode_text, (launch.cwd_source or "", *settings, *launch.files))
    if flags & _CONFINED:
        limits = launch.cpu_limit_ns or 0, launch.memory_limit_bytes or 0
        parts.append(_CONFINEMENT.pack(*limits, launch.network_off))
        parts += map(_encode_text, (launch.group_path or "", launch.root_path or ""))
    return _order(_DEFINE, b"".join(parts))


def define(launch: Launch, commands: list[tuple[str, ...]], send: Callable[[bytes], None]) -> int:
    """Send the orders that define a launch and, before it, its hooks; return its number.

    A number is a place in ``commands``, the words of all launches that are known so far; the new ones join.
    """
    prepare = [define(hook, commands, send) for hook in launch.prepare]
    cleanup = [define(hook, commands, send) for hook in launch.cleanup]
    number = len(commands)
    send(encode_definition(number, launch, prepare, cleanup))
    commands.append(launch.argv)
    return number


def encode_forget() -> bytes:
    """Return the order that forgets all definitions."""
    return _order(_FORGET, b"")


def encode_batch(entries: Sequence[Entry]) -> bytes:
    """Return the order that runs entries one after another."""
    return _order(_BATCH, b"".join(map(_encode_entry, entries)))


def _encode_entry(entry: Entry) -> bytes:
    # Most entries are of these two, and a pattern takes twice as long.
    if isinstance(entry, TrialOrder):
        return _ENTRY.pack(_TRIAL_ENTRY, entry.launch, entry.number)
    if isinstance(entry, BlockEnd):
        return _BLOCK_END
    match entry:
        case Hook(launch):
            return _ENTRY.pack(_HOOK_ENTRY, launch, 0)
        case Enter(level, launch, leave):
            both = level << 32 | (_NO_LAUNCH if leave is None else leave)
            return _ENTRY.pack(_ENTER_ENTRY, _NO_LAUNCH if launch is None else launch, both)
        case Leave(level, launch):
            return _ENTRY.pack(_LEAVE_ENTRY, _NO_LAUNCH if launch is None else launch, level)


def _is_extended(launch: Launch) -> bool:
    """Most launches are not, and their frames stay short."""
    return (
        launch.scheduling is not None
        or launch.huge_pages_off
        or launch.stack_mib is not None
        or launch.cwd_source is not None
        or bool(launch.host)
        or bool(launch.files)
    )


def _is_confined(launch: Launch) -> bool:
    has_limits = launch.cpu_limit_ns is not None or launch.memory_limit_bytes is not None
    return has_limits or launch.network_off or launch.root_path is not None


def _pack_counter(request: CounterRequest) -> bytes:
    return _COUNTER.pack(*request.configs, request.scale, request.type, request.source, request.cpu, 0)


def _order(kind: int, body: bytes) -> bytes:
    return _ORDER_HEAD.pack(len(body), kind) + body


def _encode_text(text: str) -> bytes:
    encoded = os.fsencode(text)
    return b"".join((_LENGTH.pack(len(encoded)), encoded, b"\0"))


def _compute_output_mode(output: str) -> int:
    return {CAPTURE: 0, NULL: 1}.get(output, 2)


def _get_output_file(output: str) -> str:
    return "" if output in (CAPTURE, NULL) else output
