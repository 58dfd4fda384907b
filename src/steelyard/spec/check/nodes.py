"""``node`` in ``[contexts]``: what it needs of the queue and of the design."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from steelyard.interventions.node import Node
from steelyard.spec.check.contexts import RANDOM
from steelyard.spec.check.launch import PLACEHOLDER
from steelyard.spec.experiment import Contexts, Design, LaunchMethod
from steelyard.spec.tables.launch import HostsLaunch, SlurmLaunch, SubmittedLaunch, TemplateLaunch
from steelyard.spec.text.origin import Origin

_PLACING: Final = ("--nodelist", "-w", "--nodefile", "-F")
_CHOOSING: Final = ("--constraint", "-C", "--exclude", "-x", "--reservation")
_COUNTING: Final = ("--nodes", "-N")


def check_nodes(contexts: Contexts | None, launch: LaunchMethod, design: Design, origin: Origin) -> None:
    """Refuse nodes that no queue gives out, or that are chosen twice.

    Raises
    ------
    SpecError
    """
    setting = contexts.settings.get(Node.name) if contexts else None
    if isinstance(launch, HostsLaunch):
        return
    if setting is None:
        for i, word in enumerate(launch.submit if isinstance(launch, TemplateLaunch) else ()):
            if _is_naming_node(word):
                problem = "{node} is drawn nowhere"
                raise origin.error(
                    ("launch", "submit", i), problem, 'name them: [contexts] node = ["n1", "n2"]'
                )
        return
    path = ("contexts", Node.name)
    if not isinstance(launch, SubmittedLaunch):
        problem = f"trials run only on this machine with launch.kind = {launch.kind}"
        raise origin.error(path, problem, 'write [launch] kind = "slurm" or "template", or leave node out')
    if design.order != "randomized":
        problem = f"a block lies on one node, and order = {design.order!r} has no blocks of all treatments"
        raise origin.error(path, problem, 'write order = "randomized", or leave node out')
    is_random = setting == RANDOM
    if isinstance(launch, TemplateLaunch):
        _check_template(launch, origin, is_random=is_random)
    else:
        _check_options(launch, origin, is_random=is_random)


def _is_naming_node(word: str) -> bool:
    return any(match[1] == Node.name for match in PLACEHOLDER.finditer(word))


def _check_template(launch: TemplateLaunch, origin: Origin, *, is_random: bool) -> None:
    if is_random:
        problem = "only Slurm is asked for its nodes"
        raise origin.error(("contexts", Node.name), problem, 'name them: node = ["n1", "n2"]')
    if not any(map(_is_naming_node, launch.submit)):
        problem = "names no {node}, and [contexts] draws nodes"
        hint = 'write it where the command takes a node: submit = ["qsub", "-l", "nodes={node}", "{script}"]'
        raise origin.error(("launch", "submit"), problem, hint)


def _check_options(launch: SlurmLaunch, origin: Origin, *, is_random: bool) -> None:
    refused = (*_PLACING, *_CHOOSING) if is_random else _PLACING
    for i, (option, value) in _list_options(launch.options):
        if option in refused:
            problem = f"{option} chooses nodes too, and [contexts] draws them"
            hint = "leave it out" if option in _PLACING else 'leave it out, or write node = ["n1", "n2"]'
            raise origin.error(("launch", "options", i), problem, hint)
        if option in _COUNTING and value not in ("1", "1-1"):
            problem = f"{option} asks for {value or 'several'} nodes, but a block runs on one drawn node"
            hint = "write --nodes=1, or leave node out of [contexts]"
            raise origin.error(("launch", "options", i), problem, hint)


def _list_options(words: Sequence[str]) -> Iterator[tuple[int, tuple[str, str]]]:
    """Options of ``sbatch`` with their values, in each of the ways to write them."""
    for i, word in enumerate(words):
        if word.startswith("--"):
            name, _, value = word.partition("=")
        else:
            name, value = word[:2], word[2:]
        yield i, (name, value or (words[i + 1] if i + 1 < len(words) else ""))


def find_partition(words: Sequence[str]) -> str | None:
    """Return the partition that options of ``sbatch`` name."""
    return next((value for _, (name, value) in _list_options(words) if name in ("--partition", "-p")), None)
