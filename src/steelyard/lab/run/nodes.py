"""Nodes of a queue from which contexts are drawn: asked for once, before a record is made."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from steelyard.core.errors import MachineError
from steelyard.interventions.node import Node
from steelyard.lab.run.elsewhere import find_elsewhere
from steelyard.spec.check.contexts import RANDOM
from steelyard.spec.experiment import Contexts, Experiment
from steelyard.store import Record
from steelyard.store.facts import FILE


def resolve_nodes(experiment: Experiment, directory: Path) -> Experiment:
    """Return the experiment with names in place of ``node = "random"``.

    The names are those of its record, so that what goes on draws what was begun, whatever nodes are down now;
    without a record, those that the queue has.

    Raises
    ------
    MachineError
        The queue cannot be asked, or has fewer than two nodes.
    """
    contexts = experiment.contexts
    if contexts is None or contexts.settings.get(Node.name) != RANDOM:
        return experiment
    if (directory / FILE).exists():
        with Record.open(directory) as record:
            recorded = record.experiment.contexts
        if recorded is not None and Node.name in recorded.settings:
            return _replace_nodes(experiment, contexts, {Node.name: recorded.settings[Node.name]})
    elsewhere = find_elsewhere(experiment)
    names = () if elsewhere is None else elsewhere.list_nodes()
    if len(names) < 2:
        present = names[0] if names else "none"
        raise MachineError(
            f"contexts.node: the queue has no two nodes to draw from (found: {present})",
            hint="sinfo shows their states; leave node out to run on whichever the queue gives",
        )
    return _replace_nodes(experiment, contexts, {Node.name: names})


def _replace_nodes(experiment: Experiment, contexts: Contexts, nodes: Mapping[str, object]) -> Experiment:
    settings = {**contexts.settings, **nodes}
    return replace(experiment, contexts=replace(contexts, settings=settings))
