"""Simulated machine of a treatment: placement of ranks, noise, and the seed of both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar, parse_float
from steelyard.spec.tables.launch import SimulatedLaunch
from steelyard.spec.text.placeholders import expand, names
from steelyard.spec.text.toml import format_value

PLACEMENTS: Final = ("packed", "scattered")
_MOST: Final = 1 << 63
_TRIAL_DIGITS: Final = 12
"""Of the number of a trial, as ``run.launch.launch_plan`` writes it."""


class Shares(msgspec.Struct, frozen=True):
    """Fractions of links and cores, from 0 to below 1, that a treatment's ranks do not get."""

    links: float
    hosts: float

    def __bool__(self) -> bool:
        return self.links > 0 or self.hosts > 0


def shares_of(launching: SimulatedLaunch, levels: Mapping[str, Scalar]) -> Shares:
    """Return the noise of a treatment.

    Raises
    ------
    UsageError
        A fraction that is not a number from 0 to below 1.
    """
    return Shares(
        _compute_share(launching.noise.links, levels), _compute_share(launching.noise.hosts, levels)
    )


def scatter_seed(launching: SimulatedLaunch, levels: Mapping[str, Scalar]) -> int | None:
    """Seed of the order of hosts; ``None`` where ranks are packed.

    Raises
    ------
    UsageError
        Unknown placement, or a seed that is not a number or is known only when a trial starts.
    """
    placement = expand(launching.placement, levels)
    if placement not in PLACEMENTS:
        raise UsageError(f"unknown placement {placement!r}", hint=f"one of {', '.join(PLACEMENTS)}")
    if placement == "packed":
        return None
    if "trial" in names(launching.seed):
        raise UsageError(
            "hosts are scattered for a treatment, and {trial} is another number in each of its trials",
            hint='draw them by a factor: seed = "{day}" with day = [1, 2, 3]',
        )
    return int(seed_text(launching, levels))


def seed_text(launching: SimulatedLaunch, levels: Mapping[str, Scalar]) -> str:
    """Seed as it is passed on; the number of a trial is filled in when it starts.

    Raises
    ------
    UsageError
        Not an integer from 0 to 2^63 - 1.
    """
    text = expand(launching.seed, levels)
    # The number of a trial is known later, and has as many digits.
    largest = expand(launching.seed, {**levels, "trial": "9" * _TRIAL_DIGITS})
    digits = largest.isascii() and largest.isdecimal() and len(largest) <= len(str(_MOST))
    if digits and int(largest) < _MOST:
        return text
    raise UsageError(f"{format_value(text)} is not a seed", hint="give an integer from 0 to 2^63 - 1")


def _compute_share(text: str, levels: Mapping[str, Scalar]) -> float:
    value = parse_float(expand(text, levels))
    if not 0 <= value < 1:
        raise UsageError(
            f"{format_value(expand(text, levels))} is not a fraction of time",
            hint="give a number from 0 to below 1, as in 0.1",
        )
    return value
