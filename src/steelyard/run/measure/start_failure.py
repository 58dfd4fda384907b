"""Explanations of failed starts, from the failed step, the kernel's error and the file."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from steelyard.files.plain import describe_kind
from steelyard.run.launch.elf import read_elf
from steelyard.run.launch.provenance import interpreter_line

if TYPE_CHECKING:
    from steelyard.run.runner.journal import RawTrial

_STEPS: Final = {
    "cwd": "its working directory could not be entered",
    "stdin": "the file of its stdin could not be opened",
    "stdout": "the file of its stdout could not be opened",
    "stderr": "the file of its stderr could not be opened",
    "metrics": "the file of its metrics could not be opened",
    "aslr": "address randomisation could not be switched off (containers often refuse it)",
    "affinity": "it could not be bound to the CPUs that it was to run on",
    "nice": "its nice value could not be set",
    "mount": "its working directory could not be shown under another name (that needs CAP_SYS_ADMIN)",
    "scheduling": "its scheduling class could not be set",
    "stack_limit": "the limit of its stack could not be set",
    "huge_pages": "huge pages could not be switched off for it",
    "host": "a setting of the host could not be changed, or another experiment holds it",
    "group": "no control group with its limits could be made, or the kernel did not count in it",
    "network": "it could not be given a network of its own (that needs CAP_SYS_ADMIN)",
    "root": "it could not be given a file system of its own (that needs CAP_SYS_ADMIN and overlayfs)",
    "start": "no process could be made for it",
}

_FILES: Final = {
    "stdout": "the file of its stdout",
    "stderr": "the file of its stderr",
    "metrics": "the file of its metrics ($STEELYARD_METRICS)",
}
"""Files that are opened only where they are plain."""
_FAILED: Final = ("was not started", "ran in vain")

_ERRORS: Final = {
    errno.E2BIG: "its arguments and environment are longer than the kernel allows",
    errno.ENOEXEC: "it is not an executable for this machine, and has no #! line",
    errno.ETXTBSY: "it is open for writing: it is still being built or copied",
    errno.ENOMEM: "the kernel is out of memory",
    errno.EAGAIN: "the limit on processes is reached",
    errno.ELOOP: "its path or its chain of interpreters is a loop",
    errno.EISDIR: "its interpreter is a directory",
    errno.ENOTDIR: "a part of its path is a file, not a directory",
}


def start_failure(raw: RawTrial, path: str | None = None) -> str:
    """Explain why a program never ran, as in "could not be started: it does not exist (ENOENT)".

    Parameters
    ----------
    path : str, optional
        Of the program, so that the file itself can be asked what is wrong with it.
    """
    number = raw.errno or 0
    step = _STEPS.get(raw.step or "")
    file, kind = _FILES.get(raw.step or ""), describe_kind(number)
    if file is not None and kind is not None:
        return f"{_FAILED[raw.wall_ns > 0]}: {file} is {kind}, not a plain file, and was left as it is"
    if step is not None:
        return f"was not started: {step}: {_describe_error(number)}"
    why = (_explain_file(number, Path(path)) if path else None) or _ERRORS.get(number)
    return "could not be started: " + (f"{why} ({_name(number)})" if why else _describe_error(number))


def _explain_file(number: int, path: Path) -> str | None:
    if number == errno.ENOENT:
        return _describe_missing(path)
    if number == errno.EACCES:
        if path.is_dir():
            return "it is a directory"
        if path.exists():
            return "it may not be executed: it lacks the permission, or its file system is mounted noexec"
        return "a directory of its path may not be entered"
    return None


def _describe_missing(path: Path) -> str:
    """Say what is missing: the kernel says "no such file" of a missing interpreter too."""
    try:
        script, elf = interpreter_line(path), read_elf(path)
    except OSError:
        return "it does not exist"
    if script is not None:
        interpreter = script.split(" ", 1)[0]
        cause = ": its first line ends with a carriage return" if script.endswith("\r") else ""
        return f"its interpreter {interpreter!r} does not exist{cause}"
    if elf is not None and elf.loader is not None:
        return f"its dynamic loader {elf.loader} does not exist"
    return "a file that it needs does not exist"


def _describe_error(number: int) -> str:
    return f"{os.strerror(number)} ({_name(number)})" if number else "the kernel gave no reason"


def _name(number: int) -> str:
    return errno.errorcode.get(number, f"error {number}")
