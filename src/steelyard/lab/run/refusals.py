"""What ``run`` would refuse of an experiment on this machine, told without starting, building or writing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from steelyard.errors import MachineError, SteelyardError, UsageError
from steelyard.lab.run.preflight import refuse_missing
from steelyard.run.launch.preparation import UNBUILT, Launches
from steelyard.run.queue import submission
from steelyard.sample import Treatment
from steelyard.spec.experiment import Experiment

if TYPE_CHECKING:
    from steelyard.run.build import Recipe
    from steelyard.run.queue.queued_runner import Submission
    from steelyard.stats.planning.preview import Refusal


def refuse_level_commands(experiment: Experiment, submitted: Submission | None) -> None:
    """Refuse commands of levels where they would change a machine on which no trial runs.

    Raises
    ------
    UsageError
    """
    if submitted is not None and any(each.enter or each.leave for each in experiment.levels):
        raise UsageError(
            f"[[levels]] have commands, and launch.kind = {experiment.launch.kind!r} runs trials where they"
            " change nothing",
            hint="let prepare and cleanup do it, which run where the trial does",
        )


def refusals(
    experiment: Experiment, drawn: Sequence[Treatment], programs: Sequence[Recipe]
) -> tuple[Refusal, ...]:
    """All that can be told, each once, in the words that ``run`` has for it.

    Parameters
    ----------
    programs : sequence of Recipe
        What would be built.
    """
    # A plan's, which a run, where only the first of them counts, does without.
    from steelyard.stats.planning.preview import Refusal

    found = dict.fromkeys((error.message, error.hint) for error in _errors(experiment, drawn, programs))
    return tuple(Refusal(message, hint) for message, hint in found)


def _errors(
    experiment: Experiment, drawn: Sequence[Treatment], programs: Sequence[Recipe]
) -> Iterator[SteelyardError]:
    before: list[Callable[[], object]] = [
        lambda: _check_queue(experiment),
        *(recipe.check for recipe in programs),
    ]
    for question in before:
        try:
            question()
        except (UsageError, MachineError) as error:
            yield error
    unbuilt = {treatment.id: UNBUILT for treatment in drawn} if programs else {}
    try:
        # Where a level cannot be had here, the launches that it changes cannot be made either.
        refuse_missing(experiment)
        launches = Launches(experiment, drawn, builds=unbuilt)
    except (UsageError, MachineError) as error:
        yield error
    else:
        yield from launches.foresee()


def _check_queue(experiment: Experiment) -> None:
    submitted = submission(experiment)
    refuse_level_commands(experiment, submitted)
    if submitted is not None:
        submitted.scheduler.check()
