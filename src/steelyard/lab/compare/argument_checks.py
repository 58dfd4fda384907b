"""Checks of the arguments of Python calls, for mistakes that a command line would have refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from steelyard.core.errors import UsageError
from steelyard.spec.experiment import Experiment


def refuse_one_text(name: str, values: Iterable[object]) -> None:
    """Refuse a text where several are expected: Python would take each of its letters for one.

    Raises
    ------
    UsageError
    """
    if isinstance(values, str):
        raise UsageError(
            f"{name} must be a list of strings, got the string {values!r}", hint=f"{name}=[{values!r}]"
        )
    for value in values:
        if not isinstance(value, str):
            words = " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            raise UsageError(f"{name} must be strings, got {value!r}", hint=f"write {words!r}")


def refuse_no_count(name: str, value: object) -> None:
    """Refuse anything but an integer.

    Raises
    ------
    UsageError
    """
    if not isinstance(value, int) or isinstance(value, bool):
        raise UsageError(f"{name} must be an integer, got {value!r}", hint=f"{name}=10")


def refuse_no_laboratory(argument: object) -> None:
    """Refuse what is neither a path nor an experiment.

    Raises
    ------
    UsageError
    """
    if isinstance(argument, str | Path | Experiment) or hasattr(argument, "__fspath__"):
        return
    if isinstance(argument, Mapping):
        hint = "Laboratory(steelyard.spec.experiment(program={…}, factors={…}))"
    else:
        hint = 'Laboratory("NAME.toml"), Laboratory("NAME.lab"), or an experiment made by steelyard.spec'
    raise UsageError(f"a laboratory is made of a path or an experiment, not of {argument!r}", hint=hint)
