"""What the interventions of an experiment do on this machine, and which of them it cannot make."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from steelyard.errors import MachineError
from steelyard.interventions import INTERVENTIONS, Intervention
from steelyard.spec.experiment import Experiment, Range
from steelyard.spec.text.toml import toml_value
from steelyard.units import Scalar

_LOOKED_AT: Final = 64
"""Levels of a long list that are asked for one by one; they differ in a number of bytes only."""


def levels_asked(experiment: Experiment) -> dict[str, list[Scalar]]:
    """The levels of each intervention that may be run, by its name; of a long list, first and last."""
    asked: dict[str, list[Scalar]] = {f.name: list(f.levels) for f in experiment.factors if f.intervention}
    settings = experiment.contexts.settings if experiment.contexts else {}
    for name, setting in settings.items():
        levels: list[Scalar]
        if setting == "random":
            levels = list(INTERVENTIONS[name].population())
        elif isinstance(setting, Range):
            levels = list(range(*setting.range, setting.step))
        else:
            levels = list(setting) if isinstance(setting, tuple) else [setting]
        asked[name] = levels if len(levels) <= _LOOKED_AT else [levels[0], levels[-1]]
    return asked


def refuse_missing(experiment: Experiment) -> None:
    """Before anything runs: whether this machine can do what the factors and contexts ask.

    Raises
    ------
    MachineError
        It cannot; names the intervention, the level and what is missing.
    """
    for name, levels in levels_asked(experiment).items():
        for level in levels:
            if what := INTERVENTIONS[name].missing(level):
                raise MachineError(
                    f"{name} = {level!r} cannot be had here: {what}",
                    hint=f"leave {name} out, or choose another level",
                )


def in_words(experiment: Experiment) -> tuple[str, ...]:
    """A sentence for each intervention: what it changes here, of the program or of the host."""
    return tuple(
        f"{name}: {INTERVENTIONS[name].about}; {'; '.join(_here(INTERVENTIONS[name], levels))}"
        for name, levels in levels_asked(experiment).items()
    )


def _here(intervention: Intervention, levels: list[Scalar]) -> Iterator[str]:
    missing = {level: what for level in levels if (what := intervention.missing(level))}
    on_host = [level for level in levels if level not in missing and intervention.change(level).host]
    if intervention.placeholders:
        yield "another program for each level, built before it is needed"
    elif len(on_host) < len(levels) - len(missing):
        yield "of the program only" if not on_host else "otherwise of the program only"
    if on_host:
        yield f"{_listed(on_host)}: of the host, put back at the end"
    if missing:
        yield f"{_listed(list(missing))}: cannot be had here, {next(iter(missing.values()))}"


def _listed(levels: list[Scalar]) -> str:
    return ", ".join(map(toml_value, levels[:3])) + (", …" if len(levels) > 3 else "")
