"""Selectors: levels that must mean exactly one treatment in every stratum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from steelyard.core.units import Scalar
from steelyard.spec.cells import Cell, matches
from steelyard.spec.tables.factors import Factor, Zip
from steelyard.spec.text.origin import Origin, Path
from steelyard.spec.text.toml import toml_value


def free_factors(factors: Sequence[Factor], zips: Sequence[Zip], named: AbstractSet[str]) -> tuple[str, ...]:
    """Return the factors that make strata: all but those named, and those that change together with them."""
    linked = {name for link in zips if not named.isdisjoint(link.names) for name in link.names}
    return tuple(factor.name for factor in factors if factor.name not in named | linked)


def check_pair(
    treatments: Sequence[Cell],
    new: Mapping[str, Scalar],
    old: Mapping[str, Scalar],
    levels: Mapping[str, Scalar],
    strata: Sequence[str],
    origin: Origin,
    new_path: Path,
    old_path: Path,
) -> None:
    """Refuse two selectors that do not mean one treatment each in some stratum, or more than one anywhere.

    Raises
    ------
    SpecError
    """
    groups = _get_groups(treatments, levels, strata)
    for selector, path in ((new, new_path), (old, old_path)):
        for stratum, members in groups:
            _check_single(
                [cell for cell in members if matches(cell, selector)], selector, stratum, origin, path
            )
        if not any(matches(cell, selector) for _, members in groups for cell in members):
            text = f"no treatment has {toml_value({**levels, **selector})}"
            raise origin.error(path, text, "choose other levels, or let [design] run more combinations")
    pairs = [
        (a, b)
        for _, members in groups
        for a in members
        for b in members
        if matches(a, new) and matches(b, old)
    ]
    if not pairs:
        text = f"{toml_value(new)} and {toml_value(old)} are in no stratum together"
        raise origin.error(new_path, text, "choose other levels, or let [design] run more combinations")
    if all(a == b for a, b in pairs):
        raise origin.error(new_path, "compares a treatment with itself", "choose another level")


def check_strata(
    treatments: Sequence[Cell],
    factor: str,
    levels: Mapping[str, Scalar],
    strata: Sequence[str],
    origin: Origin,
    path: Path,
) -> None:
    """Refuse a factor of which no stratum has two levels, or one whose levels are several treatments.

    Raises
    ------
    SpecError
    """
    groups = _get_groups(treatments, levels, strata)
    for stratum, members in groups:
        for level in dict.fromkeys(cell[factor] for cell in members):
            _check_single(
                [cell for cell in members if cell[factor] == level], {factor: level}, stratum, origin, path
            )
    if not any(len(members) > 1 for _, members in groups):
        text = f"no stratum has two levels of {factor}"
        raise origin.error(path, text, "give it more levels, or remove an exclusion")


def _get_groups(
    treatments: Sequence[Cell], levels: Mapping[str, Scalar], strata: Sequence[str]
) -> list[tuple[Cell, list[Cell]]]:
    groups: dict[tuple[Scalar, ...], list[Cell]] = {}
    for cell in treatments:
        if all(cell.get(name, level) == level for name, level in levels.items()):
            groups.setdefault(tuple(cell[name] for name in strata), []).append(cell)
    return [(dict(zip(strata, key, strict=True)), members) for key, members in groups.items()]


def _check_single(
    cells: Sequence[Cell], selector: Mapping[str, Scalar], stratum: Cell, origin: Origin, path: Path
) -> None:
    if len(cells) < 2:
        return
    free = [name for name in cells[0] if len({cell[name] for cell in cells}) > 1]
    inside = f" where {toml_value(stratum)}" if stratum else ""
    text = f"{toml_value(selector)} is {len(cells)} treatments{inside}: {', '.join(free)} differ"
    raise origin.error(path, text, f"name a level of {free[0]} as well")
