"""Commands of a queue, run and understood."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from typing import Final

from steelyard.errors import MachineError

_PATIENCE_S: Final = 60.0


def ask(words: Sequence[str], *, may_fail: bool = False) -> subprocess.CompletedProcess[str]:
    """Run a command of the queue to its end.

    Raises
    ------
    MachineError
        It is not there, does not end, or fails and may not.
    """
    shown = " ".join(words)
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=_PATIENCE_S)
    except OSError as error:
        raise MachineError(
            f"the queue cannot be asked: {words[0]}: {error.strerror}",
            hint="run where the commands of the queue are installed, or correct [launch]",
        ) from error
    except subprocess.TimeoutExpired as error:
        raise MachineError(
            f"the queue does not answer: {shown} takes longer than {_PATIENCE_S:g} s",
            hint="run again when it does; jobs go on meanwhile",
        ) from error
    if done.returncode and not may_fail:
        said = (done.stderr or done.stdout).strip()
        raise MachineError(
            f"the queue refuses: {shown}: {said or f'exit code {done.returncode}'}",
            hint="correct options, partition or submit under [launch]",
        )
    return done
