"""An experiment as the TOML that reads back to it; what has its default is left out."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from steelyard.analysis import Analysis
from steelyard.spec.check.factors import COMMAND
from steelyard.spec.check.program import HOOKS
from steelyard.spec.claims.claim import Claim
from steelyard.spec.experiment import (
    Build,
    Contexts,
    Design,
    Experiment,
    Launching,
    LevelCommands,
    Noise,
    Program,
    Queue,
    Range,
    UserMetric,
)
from steelyard.spec.tables.build import BuildTable
from steelyard.spec.text.toml import toml_key, toml_value

Table = dict[str, object]

_LAUNCH = (
    "kind",
    "ranks",
    "implementation",
    "mpirun",
    "binding",
    "arguments",
    "platform",
    "algorithms",
    "selector",
    "placement",
    "seed",
)


def dumps(experiment: Experiment) -> str:
    """The spec in TOML: ``loads(dumps(e), source=e.source) == e`` for every experiment that was read.

    ``source`` is not part of it: a spec lies in its directory.
    """
    sections: dict[str, Table] = {
        "program": _program(experiment.program),
        "build": _build(experiment.build) if experiment.build else {},
        "factors": _factors(experiment),
        "contexts": _contexts(experiment.contexts) if experiment.contexts else {},
        "design": _design(experiment.design),
        "metrics": {metric.name: _metric(metric) for metric in experiment.metrics},
        "analysis": _analysis(experiment.analysis),
        "launch": _launch(experiment.launch),
    }
    lines = [f"name = {toml_value(experiment.name)}"]
    for title, table in sections.items():
        if table:
            lines += [
                "",
                f"[{title}]",
                *(f"{toml_key(key)} = {toml_value(value)}" for key, value in table.items()),
            ]
    for level in experiment.levels:
        default = LevelCommands(level.factor, level.level)
        shown: Table = {"factor": level.factor, "level": level.level}
        shown |= _different(level, default, ("enter", "leave", "change"))
        lines += ["", "[[levels]]", *(f"{key} = {toml_value(value)}" for key, value in shown.items())]
    for claim in experiment.claims:
        lines += ["", "[[claims]]", *(f"{key} = {toml_value(value)}" for key, value in _claim(claim).items())]
    return "\n".join(lines) + "\n"


def _program(program: Program) -> Table:
    commands: dict[str, object] = {
        name: words[0] if program.shell else list(words) for name, words in program.commands.items()
    }
    single = list(commands) == [""]
    table: Table = {"command": commands[""]} if single else {"commands": commands}
    table |= _different(
        program,
        Program(commands=program.commands),
        ("shell", "env", "inherit", "cwd", "stdin", "inputs", "output"),
    )
    table |= {key: value for key in HOOKS if (value := getattr(program, key))}
    if program.timeout_s is not None:
        table["timeout"] = _duration(program.timeout_s)
    table |= _different(program, Program(commands=program.commands), ("nice", "counters"))
    verify = program.verify
    default = type(verify)()
    verified: Table = (
        {} if verify.exit == default.exit else {"exit": "any" if verify.exit is None else verify.exit}
    )
    verified |= _different(verify, default, ("stdout", "stderr"))
    return table | ({"verify": verified} if verified else {})


def _build(build: Build) -> Table:
    table = {"command": build.command} | _different(
        build, Build(command=build.command), ("inputs", "objects", "env")
    )
    default = BuildTable(command=[]).timeout
    return table if build.timeout_s == default else table | {"timeout": _duration(build.timeout_s)}


def _factors(experiment: Experiment) -> Table:
    linked = {name: link for link in experiment.zips for name in link.names}
    table: Table = {}
    for factor in experiment.factors:
        link = linked.get(factor.name)
        if link is not None:
            table[link.name] = {"zip": link.names, "levels": link.levels}
        elif factor.name != COMMAND:
            table[factor.name] = factor.levels
    return table


def _contexts(contexts: Contexts) -> Table:
    table: Table = {}
    for name, setting in contexts.settings.items():
        table[name] = (
            {"range": setting.range, "step": setting.step} if isinstance(setting, Range) else setting
        )
    return table if contexts.passes == 1 else table | {"passes": contexts.passes}


def _design(design: Design) -> Table:
    keys = ("kind", "ends", "generators", "exclude", "blocks", "replicates", "discard", "seed", "order")
    table = _different(design, Design(), keys)
    if design.stop is None:
        return table
    stop: Table = {
        key: value
        for key in ("rel_halfwidth", "max_blocks")
        if (value := getattr(design.stop, key)) is not None
    }
    if design.stop.max_time_s is not None:
        stop["max_time"] = _duration(design.stop.max_time_s)
    if design.stop.strict:
        stop["strict"] = True
    return table | {"stop": stop}


def _metric(metric: UserMetric) -> Table:
    keys = ("source", "pattern", "json", "derive", "event", "where", "unit", "better", "reduce")
    return _different(metric, UserMetric(metric.name), keys)


def _analysis(analysis: Analysis) -> Table:
    table = _plain(analysis)
    if analysis.protocol == "default":
        table.pop("family")  # Of which a protocol has another default.
    if analysis.baseline is None and not analysis.strata:
        table.pop("strata")  # Which a baseline makes of every other factor; none at all must then be said.
    return table


def _claim(claim: Claim) -> Table:
    # Keys and fields have the same names; strata are worked out again when it is read.
    required = {
        each.name: getattr(claim, each.name) for each in msgspec.structs.fields(claim) if each.required
    }
    plain = type(claim)(**required)
    keys = tuple(name for name in claim.__struct_fields__ if name not in (*required, "strata"))
    return required | _different(claim, plain, keys)


def _launch(launch: Launching) -> Table:
    queue = launch.queue
    if queue is None:
        noise = _different(launch.noise, Noise(), ("links", "hosts"))
        return _different(launch, Launching(), _LAUNCH) | ({"noise": noise} if noise else {})
    keys = ("script", "options", "submit", "cancel", "alive")
    table: Table = {"kind": launch.kind} | _different(queue, Queue(), keys)
    if launch.kind == "template":
        table["job"] = queue.job
    return table | {"hand_on": queue.hand_on, "poll": _duration(queue.poll_s)}


def _different(given: object, default: object, keys: tuple[str, ...]) -> Table:
    """The keys whose values are not those of ``default``; never ``None``, for which TOML has no form."""
    values = {key: getattr(given, key) for key in keys}
    return {
        key: value for key, value in values.items() if value is not None and value != getattr(default, key)
    }


def _plain(part: msgspec.Struct) -> Table:
    """Every key whose value is not its default; never ``None``, for which TOML has no form."""
    table: Table = {}
    for field in msgspec.structs.fields(part):
        value = getattr(part, field.name)
        factory = field.default_factory
        default = field.default if factory is msgspec.NODEFAULT else factory()
        if value is not None and value != default:
            table[field.encode_name] = _value(value)
    return table


def _value(value: object) -> object:
    if isinstance(value, msgspec.Struct):
        return _plain(value)
    if isinstance(value, (list, tuple)):
        return [_value(each) for each in value]
    return {key: _value(each) for key, each in value.items()} if isinstance(value, Mapping) else value


def _duration(seconds: float) -> str:
    return f"{seconds!r} s"
