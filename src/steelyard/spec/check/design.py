"""``[design]``: how many trials in which order, and which cells are left out."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from steelyard.core.units import Scalar
from steelyard.interventions import INTERVENTIONS
from steelyard.spec.cells import cells, matches
from steelyard.spec.check.contexts import RANDOM
from steelyard.spec.check.kinds import check_kind, read_ends, read_generators
from steelyard.spec.check.program import read_limit
from steelyard.spec.experiment import Contexts, Design, Factor, Program, Range, Stop, Zip
from steelyard.spec.layout import lay_out
from steelyard.spec.levels import find_level
from steelyard.spec.text.gathered import ErrorCollector
from steelyard.spec.text.origin import Origin, Path
from steelyard.spec.text.toml import toml_value

FIRST_STRICT_LOOK: Final = 40
"""The same where stopping must cost next to no coverage: 94.5 to 95 % whatever the spread
(docs/decisions/stopping/027-stopping.md)."""
FIRST_LOOK: Final = 10
"""Blocks before a stop rule may look: a 95 % interval covers 90 % where it may look at 3, and 94 % at 10."""
MANY: Final = 10_000
"""Treatments that are hardly planned by accident."""
MOST: Final = 1_000_000
"""Treatments and trials in a block that can be planned at all."""


def read_design(
    table: Design,
    factors: tuple[Factor, ...],
    zips: tuple[Zip, ...],
    contexts: Contexts | None,
    origin: Origin,
    *,
    allow_many: bool,
) -> Design:
    """Return the design.

    Raises
    ------
    SpecError
    """
    path: Path = ("design",)
    gathered = ErrorCollector()
    gathered(check_kind, table, factors, zips, origin)
    ends = gathered(read_ends, table.ends, factors, zips, origin)
    generators = gathered(read_generators, table, factors, zips, origin)
    exclude = gathered(_read_exclusions, table.exclude, factors, origin)
    stop = None if table.stop is None else gathered(_stop, table.stop, table, origin)
    if ends is None or generators is None or exclude is None:
        return gathered.raise_refused()
    gathered.refuse()
    layout = lay_out(factors, zips, Design(kind=table.kind, ends=ends, generators=generators))
    _check_count(layout.count, "combinations of levels", origin, ("factors",))
    treatments = _check_exclusions(exclude, factors, zips, origin) if exclude else layout.count
    if treatments > MANY and not allow_many:
        text = f"{treatments:,} treatments are more than {MANY:,}, each measured in every block"
        raise origin.error(
            ("factors",),
            text,
            "give fewer levels, or confirm them with --yes (allow_many=True in Python)",
        )
    rounds = table.blocks if table.order == "sequential" else 1
    trials = treatments * table.replicates * rounds
    _check_count(trials, "trials in a block", origin, (*path, "replicates"))
    if contexts is not None:
        _check_contexts(contexts, table, stop, origin)
    return replace(
        table, ends=ends, generators=generators, resolution=None, treatments=None, exclude=exclude, stop=stop
    )


def check_restarts(program: Program, design: Design, origin: Origin) -> None:
    """Refuse commands between what the order does not have.

    Raises
    ------
    SpecError
    """
    if program.between_treatments and design.order != "nogueira-matias-2014":
        text = f'in the order "{design.order}" the runs of a treatment are interleaved with those of others'
        hint = 'write order = "nogueira-matias-2014" in [design], or between_blocks'
        raise origin.error(("program", "between_treatments"), text, hint)
    if program.between_blocks and design.in_rows:
        text = f'the order "{design.order}" has no blocks of all treatments'
        hint = 'write order = "randomized" in [design]'
        if design.order != "sequential":
            hint += ", or between_treatments"
        raise origin.error(("program", "between_blocks"), text, hint)


def _check_count(count: int, noun: str, origin: Origin, path: Path) -> None:
    if count > MOST:
        noun = f"{count:,} {noun} are more than can be planned ({MOST:,})"
        raise origin.error(path, noun, f"give fewer levels{' or replicates' if 'replicates' in path else ''}")


def _read_exclusions(
    tables: Sequence[Mapping[str, Scalar]], factors: tuple[Factor, ...], origin: Origin
) -> tuple[dict[str, Scalar], ...]:
    by_name = {factor.name: factor for factor in factors}
    exclude: list[dict[str, Scalar]] = []
    for i, table in enumerate(tables):
        path: Path = ("design", "exclude", i)
        if not table:
            raise origin.error(
                path, "an empty exclusion excludes everything", "name the levels to leave out, or remove it"
            )
        for name in table:
            if name not in by_name:
                raise origin.unknown((*path, name), "factor", name, by_name)
        exclude.append(
            {
                name: find_level(name, by_name[name].levels, level, origin, (*path, name))
                for name, level in table.items()
            }
        )
    return tuple(exclude)


def _check_exclusions(
    exclude: tuple[dict[str, Scalar], ...], factors: tuple[Factor, ...], zips: tuple[Zip, ...], origin: Origin
) -> int:
    """Return the number of cells that are left."""
    path: Path = ("design", "exclude")
    hits, rest, levels_of = _count(exclude, factors, zips)
    for i, count in enumerate(hits):
        if not count:
            text = f"{toml_value(exclude[i])} excludes nothing: no treatment has these levels together"
            raise origin.error((*path, i), text, "remove it, or correct its levels")
    if not rest:
        raise origin.error(path, "the exclusions leave no treatment", "remove one of them")
    for factor in factors:
        if len(factor.levels) > 1 and len(levels_of[factor.name]) == 1:
            (only,) = levels_of[factor.name]
            text = (
                f"the exclusions leave {factor.name} with one level, {toml_value(only)}: nothing to compare"
            )
            raise origin.error(path, text, f"remove an exclusion, or {factor.name} from [factors]")
    return rest


def _count(
    exclude: tuple[dict[str, Scalar], ...], factors: tuple[Factor, ...], zips: tuple[Zip, ...]
) -> tuple[list[int], int, dict[str, set[Scalar]]]:
    """Count the cells that each exclusion takes, how many are left, and which levels of each factor are."""
    hits = [0] * len(exclude)
    rest = 0
    levels_of: dict[str, set[Scalar]] = {factor.name: set() for factor in factors}
    for cell in cells(factors, zips):
        excluded = [matches(cell, levels) for levels in exclude]
        hits = [count + is_hit for count, is_hit in zip(hits, excluded, strict=True)]
        if not any(excluded):
            rest += 1
            for name, level in cell.items():
                levels_of[name].add(level)
    return hits, rest, levels_of


def _stop(table: Stop, design: Design, origin: Origin) -> Stop:
    path: Path = ("design", "stop")
    if table.decided and table.rel_halfwidth is not None:
        text = "decided implies a precision: a tenth of the effect or 1 %"
        raise origin.error((*path, "rel_halfwidth"), text, "leave out decided, or rel_halfwidth")
    if table.until != "size" and not table.decided:
        text = "until says what ends a run that is to be decided, and decided is not set"
        raise origin.error((*path, "until"), text, "write decided = true as well, or leave until out")
    if table.rel_effect is not None and table.rel_halfwidth is None:
        error = "rel_effect widens a target precision, and none is set"
        raise origin.error((*path, "rel_effect"), error, "write rel_halfwidth = 0.02 as well")
    if table.strict and not table.looks:
        text = "strict needs a target precision, and none is set"
        raise origin.error((*path, "strict"), text, "write rel_halfwidth = 0.02 as well, or leave strict out")
    if not table.looks and (table.max_blocks is not None or table.max_time_s is None):
        text = "max_blocks stops nothing without a precision" if table.max_blocks else "says nothing"
        raise origin.error(path, text, "write rel_halfwidth = 0.02 as well, or only give blocks")
    if table.looks and design.order != "randomized":
        key = "decided" if table.decided else "rel_halfwidth"
        text = "a sequential order ends one treatment before the next, so it cannot look at a precision"
        raise origin.error((*path, key), text, f'write order = "randomized", or leave {key} out')
    first = FIRST_STRICT_LOOK if table.strict else FIRST_LOOK
    least = max(design.blocks, first)
    if table.max_blocks is not None and table.max_blocks < least:
        rule = "strict stop rule" if table.strict else "stop rule"
        reason = "blocks" if least == design.blocks else f"the first look of a {rule}"
        text = f"{table.max_blocks} is below {least}, which is {reason}"
        raise origin.error((*path, "max_blocks"), text, f"write max_blocks = {least} or more")
    return replace(table, max_time_s=read_limit(table.max_time_s, (*path, "max_time"), origin))


def _check_contexts(contexts: Contexts, design: Design, stop: Stop | None, origin: Origin) -> None:
    passes = contexts.passes
    if passes == 1:
        return
    if design.order != "randomized":
        text = f"{passes} passes over contexts need blocks, which a sequential order does not have"
        raise origin.error(("contexts", "passes"), text, 'write order = "randomized", or leave passes out')
    counts: list[tuple[Path, int]] = [(("design", "blocks"), design.blocks)]
    if stop and stop.max_blocks is not None:
        counts.append((("design", "stop", "max_blocks"), stop.max_blocks))
    for path, blocks in counts:
        if blocks % passes:
            down, up = blocks // passes * passes, -(-blocks // passes) * passes
            choices = f"{down} or {up}" if down else f"{up}"
            text = f"must be a multiple of the {passes} passes, to visit contexts equally often, got {blocks}"
            raise origin.error(path, text, f"write {choices}")
    distinct = _compute_distinct(contexts)
    for path, blocks in counts:
        if blocks // passes > distinct:
            need = blocks // passes
            text = f"{blocks} blocks in {passes} passes need {need} contexts, but only {distinct} differ"
            hint = f"write {distinct * passes} at most, or let contexts draw from more"
            raise origin.error(path, text, hint)


def _compute_distinct(contexts: Contexts) -> int:
    """Return the number of certainly different contexts: draws within a setting are without replacement."""
    sizes = [1]
    for name, setting in contexts.settings.items():
        if isinstance(setting, Range):
            sizes.append(len(range(*setting.range, setting.step)))
        elif isinstance(setting, tuple):
            sizes.append(len(setting))
        elif setting == RANDOM and INTERVENTIONS[name].is_place:
            return sys.maxsize  # The queue knows; its nodes come again.
        elif setting == RANDOM:
            sizes.append(len(INTERVENTIONS[name].population()))
    return max(sizes)
