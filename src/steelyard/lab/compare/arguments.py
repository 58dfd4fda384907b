"""Checks of Python calls, for mistakes that a command line would have refused."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from steelyard.errors import UsageError
from steelyard.spec.experiment import Experiment
from steelyard.spec.text.origin import suggest
from steelyard.units import parse_duration

FIELDS: Final = {
    "command_name": "names",
    "input": "stdin",
    "max_runs": "max_blocks",
    "max_time": "max_time_s",
    "min_runs": "blocks",
    "name": "names",
    "parameter_list": "parameters",
    "precision": "rel_halfwidth",
    "timeout": "timeout_s",
    "warmup": "discard",
}
"""Option of ``steelyard compare`` to the field of a request that it sets."""

_TIMES: Final = ("max_time_s", "timeout_s")


def fields_of(options: Mapping[str, object], known: Collection[str], call: str) -> dict[str, Any]:
    """Translate options of ``steelyard compare`` into fields of a request; fields stay what they are.

    Raises
    ------
    UsageError
        Unknown option, or a time that is none.
    """
    fields: dict[str, Any] = {}
    for name, value in options.items():
        if name == "runs":
            fields |= {"blocks": value, "rel_halfwidth": None}
            continue
        field = FIELDS.get(name, name)
        fields[field] = parse_duration(value) if field in _TIMES and isinstance(value, str) else value
    refuse_unknown(fields, known, call)
    return fields


def refuse_unknown(given: Mapping[str, object], known: Collection[str], call: str) -> None:
    """Refuse keyword arguments that a call does not have.

    Raises
    ------
    UsageError
        Names the argument, its value, and the one that was probably meant.
    """
    for name, value in given.items():
        if name not in known:
            hint = suggest(name, known, "arguments")
            raise UsageError(f"{call} has no argument {name}={value!r}", hint=hint)


def refuse_one_text(name: str, given: Iterable[object]) -> None:
    """Refuse a text where several are expected: Python would take each of its letters for one.

    Raises
    ------
    UsageError
    """
    if isinstance(given, str):
        raise UsageError(
            f"{name} must be a list of texts, got the text {given!r}", hint=f"{name}=[{given!r}]"
        )
    for each in given:
        if not isinstance(each, str):
            words = " ".join(map(str, each)) if isinstance(each, list | tuple) else str(each)
            raise UsageError(f"{name} must be texts, got {each!r}", hint=f"write {words!r}")


def refuse_no_count(name: str, given: object) -> None:
    """Refuse anything but an integer.

    Raises
    ------
    UsageError
    """
    if not isinstance(given, int) or isinstance(given, bool):
        raise UsageError(f"{name} must be an integer, got {given!r}", hint=f"{name}=10")


def refuse_no_laboratory(what: object) -> None:
    """Refuse what is neither a path nor an experiment.

    Raises
    ------
    UsageError
    """
    if isinstance(what, str | Path | Experiment) or hasattr(what, "__fspath__"):
        return
    if isinstance(what, Mapping):
        hint = "Laboratory(steelyard.spec.experiment(program={…}, factors={…}))"
    else:
        hint = 'Laboratory("NAME.toml"), Laboratory("NAME.lab"), or an experiment made by steelyard.spec'
    raise UsageError(f"a laboratory is made of a path or an experiment, not of {what!r}", hint=hint)
