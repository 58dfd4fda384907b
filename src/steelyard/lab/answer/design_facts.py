"""Facts of the design that an answer states: blocks, contexts, looks, how the run ended."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal

from steelyard.core.units import Scalar
from steelyard.design import different, drawn_before
from steelyard.design.plan import Context
from steelyard.interventions import INTERVENTIONS
from steelyard.interventions.aslr import Aslr
from steelyard.interventions.built import CODE_PARTS, Code
from steelyard.interventions.env_bytes import EnvBytes
from steelyard.interventions.stack_offset import StackOffset
from steelyard.interventions.transparent_huge_pages import TransparentHugePages
from steelyard.lab.answer.status import Extent, find_target, most_blocks
from steelyard.results.analysis import DesignFacts, Order, Pace, State
from steelyard.spec.experiment import Experiment
from steelyard.store import Reading, RunState

UNCHANGED: Final[dict[str, Scalar]] = {
    EnvBytes.name: 0,
    StackOffset.name: 0,
    Aslr.name: "on",
    TransparentHugePages.name: "system",
}
"""The level of an intervention that leaves a launch as it is without it; others have none that is known."""


def design_facts(record: Reading, so_far: Extent) -> DesignFacts:
    """Collect what an answer says of how its record was made."""
    experiment, runs, looks = record.experiment, record.runs(), record.looks()
    complete = so_far.complete
    contexts = [
        outcome.block.context
        for outcome in (record.stream_outcomes() if experiment.contexts else ())
        if outcome.state == "complete" and outcome.block.context is not None
    ]
    stop = experiment.design.stop
    machines = record.name_machines() if experiment.contexts else {}
    last: RunState = runs[-1].state if runs else "interrupted"
    capped = last == "precision_not_reached"
    return DesignFacts(
        order=order_of(experiment),
        blocks=complete,
        seed=record.experiment.design.seed,
        contexts=len(machines) or different(contexts),
        passes=experiment.contexts.passes if experiment.contexts else 1,
        state=_state(record, last),
        looks=tuple(look.blocks for look in looks),
        extended_from=tuple(extension.from_blocks for extension in record.extensions()),
        strict=bool(stop and stop.strict),
        decided=bool(stop and stop.decided),
        until=stop.until if stop else "size",
        closed=closed_at(record),
        idle=idle_looks(record),
        target=find_target(stop, looks),
        reached=looks[-1].rel_halfwidth if looks else None,
        cap=_find_cap(experiment, complete) if capped else None,
        layout_per_launch=layout_per_launch(experiment),
        code_varied=_code_varied(experiment),
        default_context=default_context(contexts),
        drawn_before={} if machines else drawn_before(contexts),
        machines=machines,
        pace=_make_pace(record, so_far),
        unknown_contexts=record.imported,
    )


def idle_looks(record: Reading) -> tuple[int, ...]:
    """Complete blocks at the looks that could not have ended the run, whatever the verdicts.

    The half-width of the run was then wider than it was to be. None is where a verdict alone ends a run.
    """
    if record.experiment.design.stop and record.experiment.design.stop.ends_at_verdict:
        return ()
    return tuple(
        look.blocks
        for look in record.looks()
        if look.decision == "continue"
        and look.target is not None
        and (look.rel_halfwidth is None or look.rel_halfwidth > look.target)
    )


def closed_at(record: Reading) -> int | None:
    """Complete blocks at the look that a limit of time or blocks made the last.

    ``None`` where none did. A run that ends because more blocks would not help ends by what its looks showed,
    and so does an extension.
    """
    if any(warning.kind == "out_of_reach" for warning in record.warnings()):
        return None
    extensions = record.extensions()
    most = extensions[0].from_blocks if extensions else math.inf
    capped = (look.blocks for look in record.looks() if look.decision == "capped")
    return next((blocks for blocks in capped if blocks <= most), None)


def _code_varied(experiment: Experiment) -> bool:
    """Whether contexts or treatments differ in the layout of the code."""
    drawn = experiment.contexts.drawn if experiment.contexts else ()
    varied = [factor.name for factor in experiment.factors if factor.intervention]
    return not {Code.name, *CODE_PARTS}.isdisjoint([*drawn, *varied])


def order_of(experiment: Experiment) -> Order:
    """Name the order of runs, as answers do."""
    return "sequential" if experiment.design.in_rows else "randomized-blocks"


def _state(record: Reading, last: RunState) -> State:
    match last:
        case "complete" | "precision_not_reached":
            return last
        case "running" if record.holder() is not None:
            return "running"
        case _:
            return "interrupted"


def _find_cap(experiment: Experiment, complete: int) -> Literal["max_blocks", "max_time"]:
    stop = experiment.design.stop
    most = most_blocks(experiment)
    timed = stop is not None and stop.max_time_s is not None
    return "max_time" if timed and (most is None or complete < most) else "max_blocks"


def layout_per_launch(experiment: Experiment) -> bool:
    """Whether address randomisation was left on, so that each launch of a context had a layout of its own."""
    if experiment.contexts is None:
        return False
    setting = experiment.contexts.settings.get(Aslr.name)
    factor = next((item.levels for item in experiment.factors if item.name == Aslr.name), ())
    return setting != "off" and set(factor) != {"off"}


def default_context(contexts: Sequence[Context]) -> int | None:
    """Find the drawn context that changes nothing.

    In it, every setting that varies has the level of a plain launch, and lengths of the environment have its
    place on the stack.
    """
    varying = {
        name
        for context in contexts
        for name, level in context.settings.items()
        if level != contexts[0].settings[name]
    }
    if not varying or not varying <= UNCHANGED.keys():
        return None
    return next(
        (c.id for c in contexts if all(_is_unchanged(name, c.settings[name]) for name in varying)), None
    )


def _is_unchanged(name: str, level: Scalar) -> bool:
    return INTERVENTIONS[name].place(level) == INTERVENTIONS[name].place(UNCHANGED[name])


def _make_pace(record: Reading, so_far: Extent) -> Pace | None:
    """Time of a block and of a context.

    ``None`` before the first complete block, and in a sequential order, whose only block is all there is.

    A context is set up between two blocks, so that it costs what passes there beyond what passes between two
    trials of one block; where blocks have one trial, nothing tells that apart.
    """
    experiment = record.experiment
    design = experiment.design
    if not so_far.complete or not so_far.spent_s or design.in_rows:
        return None
    block_s, context_s = so_far.spent_s / so_far.complete, 0.0
    if experiment.contexts is not None:  # to look at 10,000 trials takes 8 ms
        gaps = record.gaps()
        if gaps.within_s is not None and gaps.between_s is not None:
            context_s = max(0.0, gaps.between_s - gaps.within_s)
    return Pace(block_s, min(context_s, block_s), design.replicates)
