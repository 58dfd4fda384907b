"""Preview of an experiment: what would run, without running any of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from msgspec.structs import replace

from steelyard.core.errors import MachineError
from steelyard.core.factorial.signs import sign_table
from steelyard.design import blocks_until, different, next_look, separability, treatments
from steelyard.extensions.plan.outlook import outlook_of
from steelyard.extensions.plan.refusals import describe_interventions, list_unasked, refusals
from steelyard.extensions.plan.results import PlannedTreatment, Preview, Refusal
from steelyard.extensions.plan.simulations import simulations
from steelyard.interventions import AFFINITY
from steelyard.interventions.node import Node
from steelyard.lab.answer.status import extent, most_blocks
from steelyard.lab.run.nodes import resolve_nodes
from steelyard.lab.run.programs import recipes
from steelyard.run.host.system import system_facts
from steelyard.run.launch.typed_command import format_command
from steelyard.spec.experiment import Experiment
from steelyard.spec.layout import layout_of
from steelyard.store import Record


def preview(experiment: Experiment, directory: Path, *, ask: bool = False) -> Preview:
    """Draw the treatments and the blocks until the first look; no command of the experiment is started.

    The record in ``directory``, where there is one, tells how long a block takes and how much values spread.

    Parameters
    ----------
    ask : bool
        Ask the machines of ``[launch]`` all the same, by its commands.
    """
    inseparable = separability(experiment)  # of nodes too that no queue here can list
    experiment, unknown = _resolve_or_drop_nodes(experiment, directory)
    design, stop = experiment.design, experiment.design.stop
    drawn = treatments(experiment)
    first_look = next_look(experiment, 0) or design.blocks
    blocks = blocks_until(experiment, drawn, (), first_look)
    counting = [block for block in blocks if not block.discard]
    # Where each run is a block, they are shown as one.
    first = counting if design.order == "nogueira-matias-2014" else counting[:1]
    labels = {treatment.id: treatment.label for treatment in drawn}
    affinity = next((factor.levels for factor in experiment.factors if factor.name == AFFINITY.name), ())
    text = AFFINITY.coincidence() if {"compact", "scatter"} <= set(affinity) else None
    block_s = _block_s(directory)
    programs = recipes(experiment, drawn)
    simulated = simulations(experiment, drawn, directory)
    return Preview(
        experiment=experiment.name,
        treatments=tuple(
            PlannedTreatment(
                treatment.id, treatment.label, format_command(experiment, treatment), treatment.levels
            )
            for treatment in drawn
        ),
        blocks=len(counting) // len(first),
        seed=design.seed,
        order="randomized-blocks" if design.order == "randomized" else "sequential",
        first_block=tuple(labels[number] for block in first for number in block.order),
        replicates=design.replicates,
        discard=design.discard,
        in_rows=len(first) > 1,
        contexts=different(block.context for block in counting if block.context),
        passes=experiment.contexts.passes if experiment.contexts else 1,
        builds=len(programs),
        most_blocks=most_blocks(experiment) if stop else None,
        target=stop.rel_halfwidth if stop else None,
        decided=bool(stop and stop.decided),
        until=stop.until if stop else "size",
        max_time_s=stop.max_time_s if stop else None,
        estimated_s=None if block_s is None else block_s * len(blocks),
        inseparable=(*inseparable, *([text] if text else [])),
        changes_here=describe_interventions(experiment),
        refused=(*unknown, *refusals(experiment, drawn, programs, ask=ask)),
        unasked=() if ask else list_unasked(experiment),
        nodes=Counter(
            str(block.context.settings[Node.name])
            for block in counting
            if block.context and Node.name in block.context.settings
        ),
        signs=None if design.exclude else sign_table(layout_of(experiment)),
        outlook=outlook_of(experiment, drawn, first_look, directory),
        simulations=simulated,
        memory_available_bytes=_compute_available_bytes() if simulated else None,
    )


def _resolve_or_drop_nodes(experiment: Experiment, directory: Path) -> tuple[Experiment, tuple[Refusal, ...]]:
    """Return the experiment with the nodes of the queue; without any, and why, where it cannot be asked."""
    try:
        return resolve_nodes(experiment, directory), ()
    except MachineError as error:
        assert experiment.contexts is not None  # noqa: S101 - without contexts, no queue is asked
        settings = {
            name: setting for name, setting in experiment.contexts.settings.items() if name != Node.name
        }
        contexts = replace(experiment.contexts, settings=settings) if settings else None
        return replace(experiment, contexts=contexts), (Refusal(error.message, error.hint),)


def _compute_available_bytes() -> int | None:
    available = dict(system_facts(Path("/"))).get("memory_available_bytes")
    return None if available is None else int(available)


def _block_s(directory: Path) -> float | None:
    if not (directory / "record.sqlite").exists():
        return None
    with Record.open(directory) as record:
        measured = extent(record)
    return measured.spent_s / measured.complete if measured.complete else None
