"""The exception tree: what a user can cause or cure is a ``SteelyardError``, anything else is a bug.

::

    SteelyardError                    exit code
    ├── UsageError                    2    the command line cannot be understood
    │   └── SpecError                 2    a spec is wrong; says file, key path and value
    ├── RecordError                   2    a record cannot be read, written or continued
    │   └── RecordBusyError           2    somebody else is running it; says who
    ├── MachineError                  4    this machine lacks something (compiler, counter, permission)
    ├── ProgramError                  5    a program under test, a hook or a build failed
    ├── NoReportError                 7    a harness of benchmarks reported nothing that can be judged
    └── InterruptedRunError           130  stopped by the user; the record can be continued
"""

from __future__ import annotations

from typing import Final

UPGRADE: Final = "install a newer Steelyard from its checkout: git pull && pip install ."
"""Hint where a file is newer than this version."""


class SteelyardError(Exception):
    """What went wrong, with value and place, and what cures it.

    Parameters
    ----------
    message : str
        One sentence without a final full stop; names the value and where it stands.
    hint : str, optional
        The command or the edit that cures it; a traceback ends with it, as a note.
    """

    exit_code = 2

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if hint:
            self.add_note(_format_hint(hint))
        self.further: tuple[SteelyardError, ...] = ()
        """What else is wrong, where several parts of a spec are."""

    def explain(self) -> str:
        """Return the message and the hint, as a program prints them to its user."""
        return f"error: {self.message}\n" + (f"\n{_format_hint(self.hint)}\n" if self.hint else "")


def _format_hint(hint: str) -> str:
    return f"hint: {hint}"


class UsageError(SteelyardError):
    """The command line, or a call of the Python API, cannot be understood."""


class SpecError(UsageError):
    """A spec that cannot be used; the message starts with ``file: key.path:``."""


class RecordError(SteelyardError):
    """A record that cannot be read, written or continued."""


class RecordBusyError(RecordError):
    """A record that another process is running at the moment."""


class MachineError(SteelyardError):
    """This machine lacks what the experiment needs."""

    exit_code = 4


class ProgramError(SteelyardError):
    """A program under test, a hook or a build failed."""

    exit_code = 5


class NoReportError(SteelyardError):
    """A harness of benchmarks ended well and reported nothing that can be judged."""

    exit_code = 7


class InterruptedRunError(SteelyardError):
    """The user stopped the run; what was measured is kept."""

    exit_code = 130
