"""What the contexts of an experiment are, as far as an answer must say it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from steelyard.design.plan import Context
from steelyard.interventions import INTERVENTIONS
from steelyard.interventions.aslr import Aslr
from steelyard.interventions.env_bytes import EnvBytes
from steelyard.interventions.stack_offset import StackOffset
from steelyard.interventions.transparent_huge_pages import TransparentHugePages
from steelyard.spec.experiment import Experiment
from steelyard.units import Scalar

UNCHANGED: Final[dict[str, Scalar]] = {
    EnvBytes.name: 0,
    StackOffset.name: 0,
    Aslr.name: "on",
    TransparentHugePages.name: "system",
}
"""The level of an intervention that leaves a launch as it is without it; others have none that is known."""


def layout_per_launch(experiment: Experiment) -> bool:
    """Whether address randomisation was left on, so that each launch of a context had a layout of its own."""
    if experiment.contexts is None:
        return False
    setting = experiment.contexts.settings.get(Aslr.name)
    factor = next((each.levels for each in experiment.factors if each.name == Aslr.name), ())
    return setting != "off" and set(factor) != {"off"}


def default_context(contexts: Sequence[Context]) -> int | None:
    """The context that changes nothing among those drawn: where every setting that varies has the level of a
    plain launch, and lengths of the environment its place on the stack.
    """
    varying = {
        name
        for context in contexts
        for name, level in context.settings.items()
        if level != contexts[0].settings[name]
    }
    if not varying or not varying <= UNCHANGED.keys():
        return None
    return next((c.id for c in contexts if all(_unchanged(name, c.settings[name]) for name in varying)), None)


def _unchanged(name: str, level: Scalar) -> bool:
    return INTERVENTIONS[name].place(level) == INTERVENTIONS[name].place(UNCHANGED[name])
