"""Interventions applied to a launch.

They are the library that moves its heap, the command that warms or drops its files, and the longer name of
its directory.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.interventions import LaunchChange
from steelyard.interventions.launch_change import Load
from steelyard.run.launch.elf import read_elf
from steelyard.run.launch.launch import Launch
from steelyard.run.launch.preloading import preload
from steelyard.run.launch.provenance import interpreter_line
from steelyard.run.native import CACHE, HEAP, LOAD, RUNNER, native_file

_HEAP_BYTES: Final = "STEELYARD_HEAP="
_HEAP_DIGITS: Final = 8
"""Fixed, so that the offset of the heap moves nothing on the stack."""
_LONGEST_NAME: Final = 200
"""Longest name of one directory on the way to the shown one; file systems take 255."""


def apply_change(launch: Launch, change: LaunchChange, *, files: Sequence[str], place: Path | None) -> Launch:
    """Return the launch with all of ``change`` that is not a matter of lengths on the stack.

    Parameters
    ----------
    files : sequence of str
        That the program reads.
    place : Path or None
        In the record, where directories are made that the program's own is shown as, and where a load of the
        disk writes; ``None`` makes none, for a trial of whether a launch can be made at all.

    Raises
    ------
    UsageError
        A static program whose heap is to move, or a name shorter than its place.
    MachineError
        Steelyard was installed without what it takes.
    """
    result = replace(
        launch,
        affinity=change.affinity,
        aslr_off=change.aslr_off,
        nice=launch.nice if change.nice is None else change.nice,
        scheduling=change.scheduling,
        stack_mib=change.stack_mib,
        huge_pages_off=change.huge_pages_off,
        host=change.host,
    )
    if change.heap_bytes is not None:
        result = _count_heap(result, change.heap_bytes)
    if change.file_cache is not None:
        result = replace(
            result, prepare=(*result.prepare, _make_cache_command(result, change.file_cache, files))
        )
    if change.load is not None:
        result = replace(result, prepare=(*_load_commands(result, change.load, place), *result.prepare))
    if change.cwd_bytes is not None and place is not None:
        result = _set_shown_directory(result, change.cwd_bytes, place)
    return result


def _count_heap(launch: Launch, heap_bytes: int) -> Launch:
    _refuse_immovable(launch.path)
    env = preload(launch.env, native_file(HEAP).absolute())
    return replace(launch, env=(*env, f"{_HEAP_BYTES}{heap_bytes:0{_HEAP_DIGITS}d}"))


def _refuse_immovable(program: str) -> None:
    """Refuse programs that would start as ever and not be moved.

    They are static programs, and those of musl, which has no brk for others.
    """
    path = Path(program)
    try:
        line = interpreter_line(path)
        elf = read_elf(Path(line.split(" ", 1)[0]) if line else path)
    except OSError:
        return  # why it cannot be read, its start will tell
    if elf is not None and elf.loader is None:
        raise UsageError(
            f"{program} is linked statically and loads no library that could move its heap",
            hint="link it dynamically, or leave heap_offset out",
        )
    if elf is not None and Path(elf.loader or "").name.startswith("ld-musl"):
        raise UsageError(
            f"{program} uses the C library musl, whose heap cannot be moved from outside",
            hint="link it with glibc, or leave heap_offset out",
        )


def _make_cache_command(launch: Launch, state: str, files: Sequence[str]) -> Launch:
    program = str(native_file(RUNNER).absolute())
    # The last of the commands before the trial: whatever they read of the files is dropped again.
    return Launch(program, (CACHE, state, *files), launch.env, "/")


def _load_commands(launch: Launch, load: Load, place: Path | None) -> tuple[Launch, ...]:
    """Return the commands of the load, the first before the trial: it is there when others run.

    What they leave behind the runner ends after ``cleanup``.
    """
    program = str(native_file(RUNNER).absolute())
    directory = launch.cwd if place is None else str(place.parent.absolute())
    cpus = map(str, load.cpus or ())
    command = Launch(program, (LOAD, load.kind, str(load.percent), directory, *cpus), launch.env, "/")
    return (command,) * load.processes


def _set_shown_directory(launch: Launch, length: int, place: Path) -> Launch:
    text = _name_of_length(os.path.realpath(place), length)
    Path(text).mkdir(parents=True, exist_ok=True)
    # Where a shell or a program goes by PWD, it has to be the same name.
    env = tuple(f"PWD={text}" if entry.startswith("PWD=") else entry for entry in launch.env)
    return replace(launch, cwd=text, cwd_source=launch.cwd, env=env)


def _name_of_length(place: str, length: int) -> str:
    rest = length - len(os.fsencode(place)) - 1
    if rest < 1:
        raise UsageError(
            f"cwd_bytes = {length} is too short: the record, below which the directory is shown, leaves"
            f" {len(os.fsencode(place)) + 2} bytes or more",
            hint=f"write cwd_bytes = {len(os.fsencode(place)) + 2} or more,"
            " or keep the record under a shorter name: --output",
        )
    return f"{place}/{'/'.join(_list_names(rest))}"


def _list_names(length: int) -> Iterator[str]:
    """Names that with a slash between them take ``length`` bytes."""
    while length > _LONGEST_NAME + 1:
        yield "d" * _LONGEST_NAME
        length -= _LONGEST_NAME + 1
    if length == _LONGEST_NAME + 1:
        # A slash at the end would name nothing.
        yield from ("d", "d" * (length - 2))
    else:
        yield "d" * length


def existing(paths: Iterable[str]) -> list[str]:
    """Those that are regular files, each once."""
    return [path for path in dict.fromkeys(paths) if Path(path).is_file()]
