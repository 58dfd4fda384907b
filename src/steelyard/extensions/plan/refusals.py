"""What interventions change on this machine, and what ``run`` would refuse, with nothing started."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from steelyard.core.errors import MachineError, SteelyardError, UsageError
from steelyard.core.sample import Treatment
from steelyard.core.units import Scalar
from steelyard.extensions.plan.results import Refusal
from steelyard.interventions import INTERVENTIONS, Intervention
from steelyard.lab.run.confinement import refuse_limits
from steelyard.lab.run.elsewhere import find_elsewhere
from steelyard.lab.run.preflight import levels_asked, refuse_level_commands, refuse_missing
from steelyard.run.launch.launch_plan import UNBUILT, LaunchPlan
from steelyard.spec.experiment import Experiment
from steelyard.spec.text.toml import toml_value

if TYPE_CHECKING:
    from steelyard.run.build import Recipe


def describe_interventions(experiment: Experiment) -> tuple[str, ...]:
    """Describe each intervention in a sentence: what it changes here, of the program or of the host."""
    return tuple(
        f"{name}: {INTERVENTIONS[name].about}; {'; '.join(_check_here(INTERVENTIONS[name], levels))}"
        for name, levels in levels_asked(experiment).items()
        if not INTERVENTIONS[name].is_place
    )


def _check_here(intervention: Intervention, levels: list[Scalar]) -> Iterator[str]:
    missing = {level: text for level in levels if (text := intervention.missing(level))}
    on_host = [level for level in levels if level not in missing and intervention.change(level).host]
    if intervention.placeholders:
        yield "another program for each level, built before it is needed"
    elif len(on_host) < len(levels) - len(missing):
        yield "of the program only" if not on_host else "otherwise of the program only"
    if on_host:
        yield f"{_list(on_host)}: of the host, put back at the end"
    if missing:
        yield f"{_list(list(missing))}: not available on this machine, {next(iter(missing.values()))}"


def _list(levels: list[Scalar]) -> str:
    return ", ".join(map(toml_value, levels[:3])) + (", …" if len(levels) > 3 else "")


def refusals(
    experiment: Experiment, drawn: Sequence[Treatment], programs: Sequence[Recipe], *, ask: bool = False
) -> tuple[Refusal, ...]:
    """Tell everything that ``run`` would refuse, each once and in its words; start, build and write nothing.

    Parameters
    ----------
    programs : sequence of Recipe
        What would be built.
    ask : bool
        Ask machines that only a command of the spec reaches, too.
    """
    texts = dict.fromkeys(
        (error.message, error.hint) for error in _list_errors(experiment, drawn, programs, ask=ask)
    )
    return tuple(Refusal(message, hint) for message, hint in texts)


def _list_errors(
    experiment: Experiment, drawn: Sequence[Treatment], programs: Sequence[Recipe], *, ask: bool
) -> Iterator[SteelyardError]:
    before: list[Callable[[], object]] = [
        lambda: _check_queue(experiment, ask=ask),
        *(recipe.check for recipe in programs),
    ]
    for question in before:
        try:
            question()
        except (UsageError, MachineError) as error:
            yield error
    unbuilt = {treatment.id: UNBUILT for treatment in drawn} if programs else {}
    try:
        # Where this machine lacks a level, the launches that it changes cannot be made either.
        refuse_missing(experiment)
        refuse_limits(experiment.program)
        launches = LaunchPlan(experiment, drawn, builds=unbuilt)
    except (UsageError, MachineError) as error:
        yield error
    else:
        yield from launches.foresee()


def _check_queue(experiment: Experiment, *, ask: bool) -> None:
    elsewhere = find_elsewhere(experiment)
    refuse_level_commands(experiment, elsewhere)
    if elsewhere is None:
        return
    if ask:
        elsewhere.check()
    else:
        elsewhere.foresee()


def list_unasked(experiment: Experiment) -> tuple[str, ...]:
    """List machines that only a command of the spec can ask; none where the queue cannot be made."""
    try:
        elsewhere = find_elsewhere(experiment)
    except UsageError:  # which is a refusal of its own
        return ()
    return () if elsewhere is None else elsewhere.list_unasked()
