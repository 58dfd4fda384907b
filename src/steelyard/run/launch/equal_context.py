"""Equal contexts: the launches of a block put the same number of bytes on the stack of the program.

The kernel copies the path of the program, its arguments and its environment to the top of the new stack, so
their total
length decides where every local variable lies. Two arms whose paths differ by one character are measured in
different
contexts: identical bytes under two directory names took 2.6 and 10.4 ms. Mytkowicz et al. 2008, section 3
(DOI 10.1109/IPDPS.2008.4536408), is about exactly this.

Three things are made equal: the length of the path handed to ``execve`` (by leading slashes, which change
nothing on Linux, so
that ``argv[0]``, ``$ORIGIN`` and multi-call programs keep working), the number of strings (each costs a
pointer), and their
total length (by one padding variable). Only what the experiment varies on purpose then differs.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.run.launch.launch import Launch

PAD: Final = "STEELYARD_PAD="
_LONGEST_STRING: Final = 32 * 4096
"""MAX_ARG_STRLEN of the kernel: one string of argv or the environment, its NUL included."""
_LONGEST_PATH: Final = 4096
"""PATH_MAX of the kernel, its NUL included."""


class AddedBytes(msgspec.Struct, frozen=True):
    """Bytes that an experiment adds on purpose to the stack of one launch.

    Attributes
    ----------
    env_bytes : int
        To the environment.
    argv0_bytes : int or None
        To the path of the program as the first argument; ``None`` leaves the first argument as it is.
    path_bytes : int
        To the path given to ``execve``.
    """

    env_bytes: int = 0
    argv0_bytes: int | None = None
    path_bytes: int = 0


_NONE: Final = AddedBytes()


def equalize(
    launches: Mapping[int, Launch], growth: Mapping[int, AddedBytes], *, named_by_path: bool = False
) -> dict[int, Launch]:
    """Return the launches, by treatment, with equal paths, string counts and string bytes.

    ``growth`` comes on top.

    Parameters
    ----------
    named_by_path : bool
        Whether ``argv[0]`` will be the path, as a program that starts others makes it.

    Raises
    ------
    UsageError
        The padding would be longer than the kernel takes in one string, or a path longer than it takes.
    """
    launches = {
        key: _start_by_path(launch) if growth.get(key, _NONE).argv0_bytes is not None else launch
        for key, launch in launches.items()
    }
    path_bytes = max(len(os.fsencode(launch.path)) for launch in launches.values())
    longer = {
        key: _set_path(launch, path_bytes, named_by_path=named_by_path) for key, launch in launches.items()
    }
    strings = max(_compute_strings(launch) for launch in longer.values())
    filled = {
        key: replace(launch, env=(*launch.env, *_get_fillers(strings - _compute_strings(launch)), PAD))
        for key, launch in longer.items()
    }
    most = max(_count_bytes(launch) for launch in filled.values())
    return {
        key: _extrapolate(
            launch, most - _count_bytes(launch), growth.get(key, _NONE), named_by_path=named_by_path
        )
        for key, launch in filled.items()
    }


def _start_by_path(launch: Launch) -> Launch:
    return replace(launch, argv=(launch.path, *launch.argv[1:]))


def _extrapolate(launch: Launch, padding: int, growth: AddedBytes, *, named_by_path: bool) -> Launch:
    launch = _pad(launch, padding + growth.env_bytes)
    path = "/" * growth.path_bytes + launch.path
    argv0 = "/" * (growth.argv0_bytes or 0) + launch.argv[0]
    if named_by_path or is_script(launch.path):
        # One path stands for both: the kernel, or the tool, hands it on in place of argv[0].
        path = argv0 = "/" * (growth.path_bytes + (growth.argv0_bytes or 0)) + launch.path
    if len(os.fsencode(path)) >= _LONGEST_PATH:
        raise UsageError(
            f"the path {launch.path} would be {len(os.fsencode(path)):,} bytes long;"
            f" Linux takes {_LONGEST_PATH - 1:,}",
            hint="choose a smaller stack_offset or argv0_bytes",
        )
    return replace(launch, path=path, argv=(argv0, *launch.argv[1:]))


def _set_path(launch: Launch, length: int, *, named_by_path: bool) -> Launch:
    path = "/" * (length - len(os.fsencode(launch.path))) + launch.path
    if named_by_path or is_script(launch.path):
        # The kernel replaces argv[0] of a script by its path, so only the path may count.
        return replace(launch, path=path, argv=(path, *launch.argv[1:]))
    return replace(launch, path=path)


def _get_fillers(count: int) -> tuple[str, ...]:
    # Names of their own: shells drop all but one of several variables of one name.
    return tuple(f"STEELYARD_FILL_{index:03d}=" for index in range(count))


def _pad(launch: Launch, length: int) -> Launch:
    if len(PAD) + length >= _LONGEST_STRING:
        raise UsageError(
            f"{launch.argv[0]} would need {length:,} bytes of padding in one environment variable;"
            f" Linux takes {_LONGEST_STRING:,}",
            hint="pass long arguments in a file, or choose a smaller env_bytes",
        )
    return replace(launch, env=(*launch.env[:-1], PAD + "x" * length))


def _compute_strings(launch: Launch) -> int:
    return len(launch.argv) + len(launch.env)


def _count_bytes(launch: Launch) -> int:
    return sum(len(os.fsencode(text)) + 1 for text in (*launch.argv, *launch.env))


def is_script(path: str) -> bool:
    """Whether the kernel hands the file to an interpreter."""
    try:
        with Path(path).open("rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return False
