"""An experiment as the TOML that reads back to it; what has its default is left out."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from steelyard.core.analysis import Analysis
from steelyard.spec.check.factors import COMMAND
from steelyard.spec.experiment import Contexts, Experiment, LaunchMethod, Program
from steelyard.spec.tables.launch import LocalLaunch
from steelyard.spec.tables.values import keys_of
from steelyard.spec.text.toml import toml_key, toml_value

Table = dict[str, object]


def dumps(experiment: Experiment) -> str:
    """Return the spec in TOML: ``loads(dumps(e), source=e.source) == e`` for every experiment that was read.

    ``source`` is not part of it: a spec lies in its directory.
    """
    sections: dict[str, Table] = {
        "program": _make_program(experiment.program),
        "build": _make_plain(experiment.build) if experiment.build else {},
        "factors": _make_factors(experiment),
        "contexts": _make_contexts(experiment.contexts) if experiment.contexts else {},
        "design": _make_plain(experiment.design),
        "metrics": {metric.name: _make_plain(metric) for metric in experiment.metrics},
        "analysis": _make_analysis(experiment.analysis),
        "launch": _make_launch(experiment.launch),
    }
    lines = [f"name = {toml_value(experiment.name)}"]
    for title, table in sections.items():
        if table:
            lines += ["", f"[{title}]", *_format_assigned(table)]
    for title, parts in (("levels", experiment.levels), ("claims", experiment.claims)):
        for part in parts:
            lines += ["", f"[[{title}]]", *_format_assigned(_make_plain(part))]
    return "\n".join(lines) + "\n"


def _format_assigned(table: Table) -> list[str]:
    return [f"{toml_key(key)} = {toml_value(value)}" for key, value in table.items()]


def _make_program(program: Program) -> Table:
    table = _make_plain(program)
    del table["commands"]
    commands = {name: words[0] if program.shell else words for name, words in program.commands.items()}
    return ({"command": commands[""]} if list(commands) == [""] else {"commands": commands}) | table


def _make_factors(experiment: Experiment) -> Table:
    linked = {name: link for link in experiment.zips for name in link.names}
    table: Table = {}
    for factor in experiment.factors:
        link = linked.get(factor.name)
        if link is not None:
            table[link.name] = {"zip": link.names, "levels": link.levels}
        elif factor.name != COMMAND:
            table[factor.name] = factor.levels
    return table


def _make_launch(launch: LaunchMethod) -> Table:
    return {} if isinstance(launch, LocalLaunch) else {"kind": launch.kind} | _make_plain(launch)


def _make_contexts(contexts: Contexts) -> Table:
    table = {name: _get_value(setting) for name, setting in contexts.settings.items()}
    return table if contexts.passes == 1 else table | {"passes": contexts.passes}


def _make_analysis(analysis: Analysis) -> Table:
    table = _make_plain(analysis)
    if analysis.protocol == "default":
        table.pop("family", None)  # Of which a protocol has another default.
    if analysis.baseline is None and not analysis.strata:
        # Which a baseline makes of every other factor; none at all must then be said.
        table.pop("strata", None)
    return table


def _make_plain(part: msgspec.Struct) -> Table:
    """Every key whose value is not its default; never ``None``, which TOML cannot express."""
    keys = keys_of(type(part))
    table: Table = {}
    for field in msgspec.structs.fields(part):
        value = getattr(part, field.name)
        factory = field.default_factory
        default = field.default if factory is msgspec.NODEFAULT else factory()
        if field.encode_name in keys and value is not None and value != default:
            table[field.encode_name] = _get_value(value)
    return table


def _get_value(value: object) -> object:
    if isinstance(value, msgspec.Struct):
        return _make_plain(value)
    if isinstance(value, (list, tuple)):
        return [_get_value(item) for item in value]
    return {key: _get_value(item) for key, item in value.items()} if isinstance(value, Mapping) else value
