"""Commands of a queue, run and understood."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final, TextIO

from steelyard.core.errors import MachineError
from steelyard.files.plain import open_plain
from steelyard.spec.check.launch import PLACEHOLDER

_TIMEOUT_S: Final = 60.0

_MOST_LINES: Final = 3
"""Of what a command says when it refuses, from its end."""
_HINT: Final = "run where the commands of the queue are installed, or correct [launch]"


def refuse_absent(programs: Iterable[str]) -> None:
    """Raise MachineError where one of the commands of a queue is not here, in the words of ``ask``."""
    for program in programs:
        if shutil.which(program) is None:
            absent = f"{program}: {os.strerror(errno.ENOENT)}"
            raise MachineError(f"the queue cannot be asked: {absent}", hint=_HINT)


class UnreachableError(MachineError):
    """What is asked does not answer; it may answer later."""


def ask(
    words: Sequence[str],
    *,
    may_fail: bool = False,
    into: Path | None = None,
    payload: Path | None = None,
    label: str | None = None,
    timeout_s: float = _TIMEOUT_S,
) -> subprocess.CompletedProcess[str]:
    """Run a command of the queue to its end.

    With ``into``, what it prints is kept there, also where we die before it ends. Bytes that are not UTF-8
    are told as ``surrogateescape`` has them.

    Parameters
    ----------
    payload : Path, optional
        Its standard input.
    label : str, optional
        What errors call it; by default, its words.

    Raises
    ------
    UnreachableError
        It does not end.
    MachineError
        It is not there, or fails and may not.
    """
    label = " ".join(words) if label is None else label
    try:
        with (payload or Path(os.devnull)).open("rb") as stdin:
            done = _capture(words, stdin, timeout_s) if into is None else _keep(words, stdin, into, timeout_s)
    except OSError as error:
        raise MachineError(
            f"the queue cannot be asked: {words[0]}: {error.strerror}",
            hint=_HINT,
        ) from error
    except subprocess.TimeoutExpired as error:
        raise UnreachableError(
            f"the queue does not answer: {label} takes longer than {timeout_s:g} s",
            hint=f"give the same command again when `{label}` answers; jobs go on meanwhile",
        ) from error
    if done.returncode and not may_fail:
        lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        text = "; ".join(lines[-_MOST_LINES:])
        raise MachineError(
            f"the queue refuses: {label}: {text or f'exit code {done.returncode}'}",
            hint="correct options, partition or submit under [launch]",
        )
    return done


def _capture(words: Sequence[str], stdin: BinaryIO, timeout_s: float) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(words, stdin=stdin, capture_output=True, check=False, timeout=timeout_s)
    # Not as text, which would take a carriage return away.
    texts = (stream.decode("utf-8", "surrogateescape") for stream in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(words, done.returncode, *texts)


def _keep(
    words: Sequence[str], stdin: BinaryIO, into: Path, timeout_s: float
) -> subprocess.CompletedProcess[str]:
    # Both streams are files: a pipe that nobody reads any more would end the command.
    errors = into.with_suffix(".stderr")
    with (
        _open_emptied(into) as printed,
        _open_emptied(errors) as messages,
    ):
        # Away from the terminal, and waited for: whoever is interrupted learns first what the queue answers.
        process = subprocess.Popen(
            words, stdin=stdin, stdout=printed, stderr=messages, start_new_session=True
        )
        try:
            process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
        except KeyboardInterrupt:
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout_s)
            raise
        printed.seek(0)
        messages.seek(0)
        return subprocess.CompletedProcess(words, process.returncode, printed.read(), messages.read())


def _open_emptied(path: Path) -> TextIO:
    # In the folder of a job, whose record the user may reach through a link.
    descriptor = open_plain(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, within=path.parent.parent.parent)
    return os.fdopen(descriptor, "w+", encoding="utf-8", errors="surrogateescape")


def fill_words(words: Sequence[str], **values: str) -> list[str]:
    """Put values in place of ``{name}``, and braces in place of doubled ones; others stay as they are."""

    def value(match: re.Match[str]) -> str:
        return match[0][0] if match[1] is None else values.get(match[1], match[0])

    return [PLACEHOLDER.sub(value, word) for word in words]
