"""Checks before anything runs: what interventions change on this machine, and what ``run`` would refuse."""

from __future__ import annotations

from typing import Final

from steelyard.core.errors import MachineError, UsageError
from steelyard.core.units import Scalar
from steelyard.interventions import INTERVENTIONS
from steelyard.lab.run.elsewhere import Elsewhere
from steelyard.spec.experiment import Experiment, Range

_LOOKED_AT: Final = 64
"""Levels of a long list that are asked for one by one; they differ in a number of bytes only."""


def levels_asked(experiment: Experiment) -> dict[str, list[Scalar]]:
    """List the levels of each intervention that may be run, by its name; of a long list, first and last."""
    by_factor: dict[str, list[Scalar]] = {
        f.name: list(f.levels) for f in experiment.factors if f.intervention
    }
    settings = experiment.contexts.settings if experiment.contexts else {}
    for name, setting in settings.items():
        levels: list[Scalar]
        if setting == "random":
            levels = list(INTERVENTIONS[name].population())
        elif isinstance(setting, Range):
            levels = list(range(*setting.range, setting.step))
        else:
            levels = list(setting) if isinstance(setting, tuple) else [setting]
        by_factor[name] = levels if len(levels) <= _LOOKED_AT else [levels[0], levels[-1]]
    return by_factor


def refuse_missing(experiment: Experiment) -> None:
    """Refuse factors and contexts that this machine cannot set.

    Raises
    ------
    MachineError
        Names the intervention, the level and what is missing.
    """
    for name, levels in levels_asked(experiment).items():
        for level in levels:
            if text := INTERVENTIONS[name].missing(level):
                raise MachineError(
                    f"{name} = {level!r} is not available on this machine: {text}",
                    hint=f"leave {name} out, or choose another level",
                )


def can_draw_contexts() -> bool:
    """Whether this machine can do what ``--contexts`` needs: hold the addresses of a program."""
    return INTERVENTIONS["aslr"].missing("off") is None


def refuse_level_commands(experiment: Experiment, elsewhere: Elsewhere | None) -> None:
    """Refuse commands of levels where they would change a machine on which no trial runs.

    Raises
    ------
    UsageError
    """
    if elsewhere is not None and any(level.enter or level.leave for level in experiment.levels):
        raise UsageError(
            f"[[levels]] have commands, and launch.kind = {experiment.launch.kind!r} runs trials where they"
            " change nothing",
            hint="let prepare and cleanup do it, which run where the trial does",
        )
