"""Options of ``steelyard compare`` as arguments of Python calls, and errors in their words."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, Final

from steelyard.core.errors import UsageError
from steelyard.core.units import parse_duration, parse_size
from steelyard.spec.text.origin import suggest

if TYPE_CHECKING:
    from steelyard.lab.compare.compare import CompareRequest
    from steelyard.spec.experiment import Experiment

FIELDS: Final = {
    "command_name": "names",
    "cpu_limit": "cpu_limit_s",
    "input": "stdin",
    "max_runs": "max_blocks",
    "memory_limit": "memory_limit_bytes",
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
    "program.cpu_limit": "cpu_limit",
    "program.memory_limit": "memory_limit",
    "program.timeout": "timeout",
}
"""Key of a spec to the argument of ``steelyard.compare`` that sets it."""
_READERS: Final[Mapping[str, Callable[[str], float]]] = {
    "cpu_limit_s": parse_duration,
    "max_time_s": parse_duration,
    "memory_limit_bytes": parse_size,
    "timeout_s": parse_duration,
}


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
        fields[field] = _READERS[field](value) if field in _READERS and isinstance(value, str) else value
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
