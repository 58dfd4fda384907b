"""``[contexts]``: the settings that are drawn for each context."""

from __future__ import annotations

import msgspec

from steelyard.core.units import Scalar
from steelyard.interventions import INTERVENTIONS
from steelyard.spec.experiment import Contexts, Factor, Range
from steelyard.spec.levels import check_distinct, check_level
from steelyard.spec.tables.contexts import ContextsTable, Setting
from steelyard.spec.text.origin import Origin, Path

RANDOM = "random"
LARGEST_RANGE = 100_000
"""Values."""


def read_contexts(table: ContextsTable, factors: tuple[Factor, ...], origin: Origin) -> Contexts:
    """Return the settings; ``"random"`` stays, since what it draws from depends on the machine.

    Raises
    ------
    SpecError
    """
    path: Path = ("contexts",)
    keys = {key: value for key, value in msgspec.structs.asdict(table).items() if value is not None}
    passes: int = keys.pop("passes")
    if not keys:
        raise origin.error(
            path, "sets nothing", f'write env_bytes = "random" (settings: {", ".join(INTERVENTIONS)})'
        )
    for name in keys:
        if any(factor.name == name for factor in factors):
            text = f"{name} is a factor as well: it cannot be compared and averaged over at once"
            raise origin.error((*path, name), text, "leave it out here, or in [factors]")
    settings = {name: _read_setting(name, value, origin, (*path, name)) for name, value in keys.items()}
    if passes > 1 and all(
        isinstance(setting, (str, int)) and setting != RANDOM for setting in settings.values()
    ):
        text = f"{passes} passes over contexts, of which there is only one: nothing is drawn"
        raise origin.error(
            (*path, "passes"), text, 'draw something: env_bytes = "random", or leave passes out'
        )
    return Contexts(settings, passes)


def _read_setting(
    name: str, value: Setting, origin: Origin, path: Path
) -> Scalar | tuple[Scalar, ...] | Range:
    if value == RANDOM:
        return RANDOM
    if isinstance(value, tuple):
        if len(value) < 2:
            text = f"a list of {len(value)} leaves nothing to draw"
            raise origin.error(path, text, "write two levels or more, or one level without brackets")
        levels = tuple(check_level(name, level, origin, (*path, i)) for i, level in enumerate(value))
        check_distinct(levels, name, origin, path)
        return levels
    if isinstance(value, Range):
        low, high = value.range
        values = range(low, high, value.step)
        if not 2 <= len(values) <= LARGEST_RANGE:
            text = f"{len(values):,} values from {low} to below {high} in steps of {value.step}"
            raise origin.error(
                (*path, "range"),
                text,
                f"2 to {LARGEST_RANGE:,} are needed, as in range = [0, 4096], step = 16",
            )
        for number in values:
            check_level(name, number, origin, (*path, "range"))
        return value
    return check_level(name, value, origin, path)
