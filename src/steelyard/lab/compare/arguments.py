"""Checks of Python calls, for mistakes that a command line would have refused."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from steelyard.core.errors import UsageError
from steelyard.core.units import parse_duration
from steelyard.spec.experiment import Experiment
from steelyard.spec.text.origin import suggest

if TYPE_CHECKING:
    from steelyard.lab.compare.compare import CompareRequest

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
"""Argument of ``steelyard.compare`` to the field of a request that it sets."""

NAMES: Final = {
    "analysis.metric": "metric",
    "analysis.margin": "margin",
    "design.stop.max_blocks": "max_runs",
    "design.stop.max_time": "max_time",
    "design.stop.rel_halfwidth": "precision",
    "design.blocks": "min_runs",
    "design.discard": "warmup",
    "factors": "parameter_list",
    "program.timeout": "timeout",
}
"""Key of a spec to the argument of ``steelyard.compare`` that sets it."""
_TIMES: Final = ("max_time_s", "timeout_s")


def fields_of(options: Mapping[str, object], names: Collection[str], call: str) -> dict[str, Any]:
    """Translate arguments of ``steelyard.compare`` into fields of a request; fields stay what they are.

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
    spoken = {name: options.get(name, value) for name, value in fields.items() if name not in names}
    refuse_unknown(spoken, sorted({"runs", *FIELDS, *names} - set(FIELDS.values())), call)
    return fields


def make_experiment(request: CompareRequest, options: Mapping[str, object]) -> Experiment:
    """Make the experiment of a call; errors name its arguments as the caller wrote them.

    Raises
    ------
    UsageError
        The commands or a value cannot be used.
    """
    try:
        return request.experiment()
    except UsageError as error:
        message = error.message.removeprefix("experiment(): ").replace(", which is blocks", ", the least")
        hint = error.hint
        for key, name in NAMES.items():
            if key == "design.blocks" and "runs" in options:
                name = "runs"  # noqa: PLW2901 -- the one word for both numbers
            spelling = next((word for word in (name, FIELDS.get(name, name)) if word in options), name)
            rest = message.removeprefix(key)
            message = message if rest == message else f"{spelling}{rest}"
            hint = hint and re.sub(rf"\b{key.rpartition('.')[2]} = ", f"{spelling}=", hint)
        if hint is not None:
            hint = hint.replace("in [program] or [build]", "in a command")
        if not request.commands:
            message, hint = "no command is given", 'steelyard.compare("./old", "./new")'
        raise UsageError(message, hint=hint) from None


def refuse_unknown(options: Mapping[str, object], names: Collection[str], call: str) -> None:
    """Refuse keyword arguments that a call does not have.

    Raises
    ------
    UsageError
        Names the argument, its value, and the one that was probably meant.
    """
    for name, value in options.items():
        if name not in names:
            hint = suggest(name, names, "arguments")
            raise UsageError(f"{call} has no argument {name}={value!r}", hint=hint)


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
