"""``[program]`` and ``[build]``: commands, their environment, and what runs around them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from steelyard.core.counters import EVENTS, FORMER_NAMES, find_event, is_counter
from steelyard.core.errors import SpecError, UsageError
from steelyard.core.units import BUILTIN, Scalar, parse_duration, parse_size
from steelyard.spec.check.patterns import check_pattern
from steelyard.spec.names import check_text
from steelyard.spec.tables.build import Build
from steelyard.spec.tables.launch import LaunchMethod, LocalLaunch, QueueLaunch
from steelyard.spec.tables.program import Program, Verify
from steelyard.spec.text.gathered import ErrorCollector
from steelyard.spec.text.origin import Origin, Path
from steelyard.spec.text.placeholders import format_level
from steelyard.spec.text.toml import format_value, toml_value

COUNTERS: Final = tuple(name for name in EVENTS if name not in BUILTIN)
"""Names of the events that no trial has anyway; whether this machine has them is seen when they are read."""

MOST_FILES: Final = 64
"""Files by whose contents a run can be verified."""

USER_MODE: Final = ":u"
"""Behind a name: count in user mode only, which needs no rights on most machines."""


def check_counters(names: Sequence[str], origin: Origin, path: Path) -> None:
    """Refuse unknown events, those that every trial has, and repeated ones.

    Raises
    ------
    SpecError
    """
    for i, name in enumerate(names):
        base = name.removesuffix(USER_MODE)
        if base in BUILTIN:
            raise origin.error((*path, i), f"{base} is measured in every trial", "leave it out here")
        if base in FORMER_NAMES:
            problem = f"{base} is called {FORMER_NAMES[base]} now"
            raise origin.error((*path, i), problem, f"write {FORMER_NAMES[base]}")
        if not is_counter(base):
            raise origin.unknown((*path, i), "counter", base, COUNTERS)
        if name in names[:i]:
            raise origin.error((*path, i), f"{name} is asked for twice", "leave one out")


def check_counters_of_jobs(program: Program, launch: LaunchMethod, origin: Origin) -> None:
    """Refuse counters that are looked up here where jobs run on other machines.

    Numbers of devices differ from machine to machine, and so do ranges of energy.

    Raises
    ------
    SpecError
        A counter of a tree, of energy or of a device.
    """
    if not isinstance(launch, QueueLaunch):
        return
    for i, name in enumerate(program.counters):
        if find_event(name)[0].source != "kernel":
            problem = f"{name} is found on this machine, and kind = {launch.kind!r} runs trials on others"
            raise origin.error(("program", "counters", i), problem, "leave it out, or leave out [launch]")


def check_confinement(program: Program, launch: LaunchMethod, origin: Origin) -> None:
    """Refuse limits, and what sets a trial apart from this machine, where its processes start elsewhere.

    Raises
    ------
    SpecError
    """
    if isinstance(launch, LocalLaunch):
        return
    keys = {
        "cpu_limit": program.cpu_limit_s is not None,
        "memory_limit": program.memory_limit_bytes is not None,
        "isolate": program.isolate,
        "network": not program.network,
    }
    for key, is_set in keys.items():
        if is_set:
            problem = f"{key} holds for programs that this machine starts itself, and kind = {launch.kind!r}"
            hint = (
                "leave it out, or set it in the job script"
                if isinstance(launch, QueueLaunch)
                else "leave it out"
            )
            raise origin.error(("program", key), problem, hint)


_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SHORTEST_S, _LONGEST_S = 1e-3, 366 * 86400.0
_SMALLEST_BYTES, _LARGEST_BYTES = 1 << 16, 1 << 60
RESTARTS = ("between_blocks", "between_treatments")
HOOKS = ("prepare", "cleanup", "setup_once", "cleanup_once", "before_block", "after_block", *RESTARTS)
_SHELL_MARKS = frozenset("|&;<>()$`*?[]#~\n")


def read_program(table: Program, origin: Origin) -> Program:
    """Return the program; its placeholders are judged later, when the factors are known.

    Raises
    ------
    SpecError
    """
    path: Path = ("program",)
    gathered = ErrorCollector()
    commands = gathered(_read_commands, table, path, origin)
    for key in ("cwd", "stdin"):
        gathered(_check_file, getattr(table, key), (*path, key), origin)
    for i, pattern in enumerate(table.inputs):
        gathered(_check_file, pattern, (*path, "inputs", i), origin)
    gathered(check_counters, table.counters, origin, (*path, "counters"))
    hooks = {key: gathered(_read_hooks, getattr(table, key), (*path, key), origin) for key in HOOKS}
    env = gathered(_read_environment, table.env, (*path, "env"), origin)
    timeout_s = gathered(read_limit, table.timeout_s, (*path, "timeout"), origin)
    hook_timeout_s = gathered(read_duration, table.hook_timeout_s, (*path, "hook_timeout"), origin)
    cpu_limit_s = gathered(read_limit, table.cpu_limit_s, (*path, "cpu_limit"), origin)
    memory_limit_bytes = gathered(_read_size, table.memory_limit_bytes, (*path, "memory_limit"), origin)
    gathered(_check_output, table.output, (*path, "output"), origin)
    verify = gathered(_verify, table.verify, table.output, (*path, "verify"), origin)
    gathered.refuse()
    return replace(
        table,
        command=None,
        commands=commands,
        env=env,
        timeout_s=timeout_s,
        hook_timeout_s=hook_timeout_s,
        cpu_limit_s=cpu_limit_s,
        memory_limit_bytes=memory_limit_bytes,
        verify=verify,
        **hooks,
    )


def _read_commands(table: Program, path: Path, origin: Origin) -> dict[str, tuple[str, ...]]:
    """Return the words of each command, by its name; of a single one, by no name."""
    if (table.command is None) == (not table.commands):
        text = "neither command nor commands is" if table.command is None else "both command and commands are"
        raise origin.error(path, f"{text} given", 'write command = ["program", "argument"]')
    if not table.commands:
        return {"": _read_one_command(table.command or [], (*path, "command"), origin, shell=table.shell)}
    if "" in table.commands:
        hint = 'give it a name: commands = { old = ["program"] }'
        raise origin.error((*path, "commands"), "a command has an empty name", hint)
    return {
        name: _read_one_command(words, (*path, "commands", name), origin, shell=table.shell)
        for name, words in table.commands.items()
    }


def read_build(table: Build, origin: Origin) -> Build:
    """Return the build.

    Raises
    ------
    SpecError
    """
    path: Path = ("build",)
    for i, pattern in enumerate(table.inputs):
        _check_file(pattern, (*path, "inputs", i), origin)
        if {"{", "}"} & set(pattern.removeprefix("{source}/")):
            text = (
                f"{format_value(pattern)}: names of input files take no placeholder but {{source}} in front"
            )
            raise origin.error(
                (*path, "inputs", i), text, "write a name or a pattern with * or ** that holds for all levels"
            )
    for i, name in enumerate(table.objects):
        _check_file(name, (*path, "objects", i), origin)
    return replace(
        table,
        command=_read_one_command(table.command, (*path, "command"), origin, shell=False),
        env=_read_environment(table.env, (*path, "env"), origin),
        timeout_s=read_duration(table.timeout_s, (*path, "timeout"), origin),
    )


def read_limit(value: str | float | None, path: Path, origin: Origin) -> float | None:
    """Seconds, where a limit is given; as ``read_duration``."""
    return None if value is None else read_duration(value, path, origin)


def _read_size(value: str | float | None, path: Path, origin: Origin) -> int | None:
    """Bytes, where a limit is given.

    Raises
    ------
    SpecError
        No size, or one in which no program starts.
    """
    if value is None:
        return None
    try:
        size_bytes = parse_size(value)
    except UsageError as error:
        raise origin.place_error(path, error) from None
    if not _SMALLEST_BYTES <= size_bytes <= _LARGEST_BYTES:
        raise origin.error(
            path, f"{format_value(value)} is not between 64 KiB and 1 EiB", 'write a size such as "512 MB"'
        )
    return size_bytes


def read_duration(value: str | float, path: Path, origin: Origin) -> float:
    """Seconds.

    Raises
    ------
    SpecError
        No time, or one below a millisecond or above a year.
    """
    try:
        seconds = parse_duration(value)
    except UsageError as error:
        raise origin.place_error(path, error) from None
    if not _SHORTEST_S <= seconds <= _LONGEST_S:
        raise origin.error(
            path, f"{format_value(value)} is not between 1 ms and 366 days", 'write a time such as "60 s"'
        )
    return seconds


def read_command(command: Sequence[str], path: Path, origin: Origin) -> tuple[str, ...]:
    """Return the words of one command without a shell.

    Raises
    ------
    SpecError
    """
    return _read_one_command(command, path, origin, shell=False)


def _read_one_command(
    command: str | Sequence[str], path: Path, origin: Origin, *, shell: bool
) -> tuple[str, ...]:
    if isinstance(command, str):
        if not shell:
            raise _make_needs_list(command, path, origin)
        words: tuple[str, ...] = (command,)
    elif shell:
        joined = toml_value(shlex.join(command))
        raise origin.error(
            path, "is a list of words, but shell = true takes one text", f"write {joined}, or shell = false"
        )
    else:
        words = tuple(command)
    if not words or not words[0].strip():
        raise origin.error(path, "is empty", 'write ["program", "argument"]')
    for i, word in enumerate(words):
        check_text(word, f"word {i + 1} of the command", origin, path)
    return words


def _make_needs_list(command: str, path: Path, origin: Origin) -> SpecError:
    text = f"{format_value(command)} is a single string, and no shell splits it"
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    if not words:
        return origin.error(path, text, 'write a list of words: ["program", "argument"]')
    if not _SHELL_MARKS & set(command):
        return origin.error(path, text, f"write {toml_value(words)}")
    shell = "add shell = true" if path[0] == "program" else f"write {toml_value(['sh', '-c', command])}"
    return origin.error(path, text, f"{shell}, or without a shell {toml_value(words)}")


def _read_hooks(
    commands: Sequence[str | Sequence[str]], path: Path, origin: Origin
) -> tuple[tuple[str, ...], ...]:
    texts = [command for command in commands if isinstance(command, str)]
    if texts and len(texts) < len(commands):
        text = "mixes words and lists of words"
        raise origin.error(
            path, text, 'write one command as ["sync"], or several as [["sync"], ["rm", "-f", "out"]]'
        )
    if texts:
        return (_read_one_command(texts, path, origin, shell=False),)
    return tuple(
        _read_one_command(words, (*path, i), origin, shell=False) for i, words in enumerate(commands)
    )


def _read_environment(env: Mapping[str, Scalar], path: Path, origin: Origin) -> dict[str, str]:
    for name, value in env.items():
        place = (*path, name)
        if not _VARIABLE.fullmatch(name):
            raise origin.error(
                place, f"{format_value(name)} cannot name a variable", "use letters a to z, digits and _"
            )
        if name.startswith("STEELYARD_"):
            raise origin.error(
                place, "variables that start with STEELYARD_ are Steelyard's own", "choose another name"
            )
        check_text(format_level(value), f"the variable {name}", origin, place)
    return {name: format_level(value) for name, value in env.items()}


def _check_file(name: str | None, path: Path, origin: Origin) -> None:
    if name is None:
        return
    check_text(name, "the name of a file", origin, path)
    if not name:
        raise origin.error(path, "is empty", "write the name of a file, or leave the key out")


def _check_sha256(digest: str, origin: Origin, path: Path) -> None:
    if not re.fullmatch("[0-9a-f]{64}", digest):
        text = f"{format_value(digest)} is no SHA-256: 64 hexadecimal digits in lower case"
        raise origin.error(path, text, "sha256sum FILE prints that of a file")


def _check_output(output: str, path: Path, origin: Origin) -> None:
    check_text(output, "the output", origin, path)
    if output not in ("capture", "null") and "/" not in output:
        text = f'must be "capture", "null" or a path, got {format_value(output)}'
        raise origin.error(path, text, f'a file of the directory of the spec is "./{output}"')


def _verify(table: Verify, output: str, path: Path, origin: Origin) -> Verify:
    for key in ("stdout", "stderr", "stdout_sha256", "stderr_sha256"):
        text: str | None = getattr(table, key)
        if text is None:
            continue
        check = _check_sha256 if key.endswith("_sha256") else check_pattern
        check(text, origin, (*path, key))
        if output == "null" or (output != "capture" and key.startswith("stdout")):
            problem = f"nothing is captured under output = {format_value(output)}"
            raise origin.error((*path, key), problem, 'write output = "capture" in [program]')
    for name, digest in table.files.items():
        _check_file(name, (*path, "files", name), origin)
        _check_sha256(digest, origin, (*path, "files", name))
    if len(table.files) > MOST_FILES:
        problem = f"{len(table.files)} files; a run can be verified by {MOST_FILES}"
        raise origin.error((*path, "files"), problem, "verify the most important ones")
    return table
