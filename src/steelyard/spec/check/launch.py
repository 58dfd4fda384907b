"""``[launch]``: where trials run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product

from msgspec.structs import replace

from steelyard.interventions.node import Node
from steelyard.spec.check.hosts import check_hosts
from steelyard.spec.check.patterns import check_pattern
from steelyard.spec.check.program import read_duration
from steelyard.spec.check.ranks import read_ranks
from steelyard.spec.experiment import Contexts, Design, Factor, LaunchMethod
from steelyard.spec.tables.launch import (
    HostsLaunch,
    LocalLaunch,
    MpiLaunch,
    SimulatedLaunch,
    SlurmLaunch,
    SubmittedLaunch,
    TemplateLaunch,
)
from steelyard.spec.text.origin import Origin
from steelyard.spec.text.placeholders import format_level

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_EXAMPLES = {
    "script": '"job.sh"',
    "submit": '["qsub", "-o", "{log}", "{script}"]',
    "cancel": '["qdel", "{job}"]',
}
_KNOWN = {
    "options": ("source",),
    "submit": ("source", "script", "log", "name", "node"),
    "cancel": ("source", "job"),
    "alive": ("source", "job"),
    "ssh": ("source",),
}
"""Key to the placeholders that its words may hold."""
_OF_A_JOB = ("options", "submit")
"""Keys whose words may name factors as well."""

PLACEHOLDER = re.compile(r"\{\{|\}\}|(?<!\$)\{(\w+)\}")
"""In words of a queue's commands, where other braces are text: ``{print $2}``, ``${HOME}``."""


def read_launch(table: LaunchMethod, factors: tuple[Factor, ...], origin: Origin) -> LaunchMethod:
    """Return the table, with what its kind needs.

    Raises
    ------
    SpecError
    """
    match table:
        case LocalLaunch():
            return table
        case MpiLaunch() | SimulatedLaunch():
            return read_ranks(table, factors, origin)
        case SlurmLaunch():
            table = _check_slurm(table, factors, origin)
        case HostsLaunch():
            check_hosts(table, origin)
        case TemplateLaunch():
            _check_template(table, origin)
    for key in _KNOWN:
        _check_words(key, getattr(table, key, ()), factors, origin)
    for i, prefix in enumerate(table.hand_on):
        if not _VARIABLE.fullmatch(prefix):
            text = f"{prefix!r} is not the beginning of a variable's name"
            raise origin.error(("launch", "hand_on", i), text, "write letters, digits and _ only")
    return replace(table, poll_s=read_duration(table.poll_s, ("launch", "poll"), origin))


def check_jobs(
    table: LaunchMethod,
    factors: Sequence[Factor],
    contexts: Contexts | None,
    design: Design,
    origin: Origin,
) -> None:
    """Refuse several jobs at once where trials cannot be dealt out to them.

    Raises
    ------
    SpecError
    """
    draws_nodes = contexts is not None and Node.name in contexts.settings
    if not isinstance(table, SubmittedLaunch) or table.jobs == 1:
        return
    if draws_nodes or find_queue_factors(table, factors):
        return
    if design.order != "randomized":
        problem = (
            f"jobs = {table.jobs} deals out blocks of all treatments, and order = {design.order!r} has none"
        )
        raise origin.error(("launch", "jobs"), problem, 'write order = "randomized", or leave jobs out')


def find_queue_factors(table: LaunchMethod, factors: Sequence[Factor]) -> tuple[str, ...]:
    """Factors of which each combination of levels has jobs of its own."""
    if not isinstance(table, SubmittedLaunch):
        return ()
    key, words = ("options", table.options) if isinstance(table, SlurmLaunch) else ("submit", table.submit)
    names = {match[1] for word in words for match in PLACEHOLDER.finditer(word)}.difference(_KNOWN[key])
    return tuple(factor.name for factor in factors if factor.name in names)


def _check_words(key: str, words: Sequence[str], factors: tuple[Factor, ...], origin: Origin) -> None:
    """Refuse placeholders that would reach the queue as they are."""
    for i, word in enumerate(words):
        for name in filter(None, (match[1] for match in PLACEHOLDER.finditer(word))):
            if name in _KNOWN[key]:
                continue
            if name in [factor.name for factor in factors]:
                if key in _OF_A_JOB:
                    continue
                text = f"{{{name}}} has several levels, and {{job}} alone says which job is meant"
                hint = f"write {{{name}}} in submit"
            else:
                text = f"unknown placeholder {{{name}}}"
                listed = ", ".join(f"{{{name}}}" for name in _KNOWN[key])
                hint = f"known here: {listed}; for the text itself, write {{{{{name}}}}}"
            raise origin.error(("launch", key, i), text, hint)


def _check_slurm(table: SlurmLaunch, factors: tuple[Factor, ...], origin: Origin) -> SlurmLaunch:
    """Return the table, with ranks as ``srun`` starts them where there are some."""
    levels = {factor.name: factor.levels for factor in factors}
    for i, word in enumerate(table.options):
        named = [match[1] for match in PLACEHOLDER.finditer(word) if match[1] in levels]
        filled = (
            PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), word)  # noqa: B023 -- used at once
            for chosen in product(*(map(format_level, levels[name]) for name in named))
            for values in [dict(zip(named, chosen, strict=True))]
        )
        if any(text.startswith(("--clusters", "-M")) for text in filled):
            problem = f"{word!r}: jobs are looked for on the cluster that they are submitted to only"
            hint = "run on that cluster, or write the commands of one with kind = template"
            raise origin.error(("launch", "options", i), problem, hint)
    if table.ranks is not None:
        return read_ranks(table, factors, origin)
    default = SlurmLaunch()
    for key in ("binding", "arguments"):
        if getattr(table, key) != getattr(default, key):
            problem = "is about ranks that srun starts, and ranks is missing"
            raise origin.error(("launch", key), problem, 'write ranks = 4, or ranks = "{p}"')
    return table


def _check_template(table: TemplateLaunch, origin: Origin) -> None:
    for key, example in _EXAMPLES.items():
        if not getattr(table, key):
            raise origin.error(("launch", key), "is needed with kind = template", f"write {key} = {example}")
    check_pattern(table.job, origin, ("launch", "job"), group=True)
    for key, name in (("submit", "{script}"), ("cancel", "{job}"), ("alive", "{job}")):
        words = getattr(table, key)
        if words and not any(name in word for word in words):
            raise origin.error(
                ("launch", key), f"names no {name}", f"write {name} where the command takes it"
            )
