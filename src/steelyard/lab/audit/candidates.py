"""Which kinds of context an audit can vary here, and which levels of each it visits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from steelyard.design.randomness import generator, permutation
from steelyard.errors import MachineError, UsageError
from steelyard.interventions import AFFINITY, INTERVENTIONS
from steelyard.lab.audit.request import AuditRequest
from steelyard.spec.text.origin import suggest
from steelyard.units import Scalar

USUAL: Final = (
    "env_bytes",
    "argv0_bytes",
    "cwd_bytes",
    "aslr",
    "affinity",
    "transparent_huge_pages",
    "omp_wait_policy",
)
"""Contexts that differ between people who run the same program, and are hardly ever reported. The others can
be asked for: that a dropped file cache or another priority moves the time of most programs is well known."""

KINDS: Final = (*USUAL, *(name for name in INTERVENTIONS if name not in USUAL))
"""Everything that can be asked for by name."""

_BASES: Final[dict[str, Scalar]] = {"aslr": "off", "nice": 0, "omp_wait_policy": "passive"}
"""Levels that the others are compared with where that is not the first one."""

MOVE_THE_STACK: Final = frozenset({"env_bytes", "argv0_bytes", "stack_offset", "heap_offset"})
"""Kinds that say nothing where every run draws its own addresses, and that come on top of what is equal."""


class Candidate(msgspec.Struct, frozen=True):
    """One kind of context.

    Attributes
    ----------
    population : tuple of Scalar
        Every level that can be visited.
    numeric : bool
        A position among many, of which the typical one is what others are compared with; otherwise a choice
        between a few names, of which ``base`` is.
    """

    name: str
    base: Scalar
    population: tuple[Scalar, ...]
    numeric: bool

    def draw(self, count: int, seed: int) -> tuple[Scalar, ...]:
        """Draw ``count`` levels without replacement, in their order; all if the population is smaller."""
        drawn = permutation(self.population, generator(seed, "audit", self.name))[:count]
        return tuple(level for level in self.population if level in set(drawn))


def candidates(request: AuditRequest) -> tuple[tuple[Candidate, ...], Mapping[str, str]]:
    """List the kinds to audit, and those left out because this machine lacks something for them.

    Raises
    ------
    UsageError
        Unknown kind of context.
    MachineError
        One that was asked for by name is not available here, or none is.
    """
    names: Sequence[str] = request.only or [name for name in USUAL if name in INTERVENTIONS]
    found: list[Candidate] = []
    left_out: dict[str, str] = {}
    for name in dict.fromkeys(names):
        if name not in INTERVENTIONS:
            hint = suggest(name, INTERVENTIONS, "kinds of context")
            raise UsageError(f"unknown kind of context {name!r}", hint=hint)
        levels = INTERVENTIONS[name].population()
        if lacks := _lacks(name, levels):
            if request.only:
                raise MachineError(f"{name} cannot be varied here: {lacks}", hint=f"leave {name} out")
            left_out[name] = lacks
            continue
        numeric = isinstance(levels, range)
        usable = _different(name, [level for level in levels if INTERVENTIONS[name].missing(level) is None])
        found.append(Candidate(name, _BASES.get(name, usable[0]), usable, numeric))
    if not found:
        raise MachineError(
            f"no context can be varied here: {'; '.join(f'{n}: {w}' for n, w in left_out.items())}",
            hint="steelyard doctor shows what this machine allows",
        )
    return tuple(found), left_out


def addresses_can_be_fixed() -> bool:
    """Whether address randomisation can be switched off; otherwise every run has a layout of its own."""
    return INTERVENTIONS["aslr"].missing("off") is None


def _lacks(name: str, levels: Sequence[Scalar]) -> str | None:
    if name in MOVE_THE_STACK and not addresses_can_be_fixed():
        return f"every run has a layout of its own, since {INTERVENTIONS['aslr'].missing('off')}"
    reasons = [INTERVENTIONS[name].missing(level) for level in levels]
    usable = _different(name, [level for level, why in zip(levels, reasons, strict=True) if why is None])
    if len(usable) > 1:
        return None
    why = next((reason for reason in reasons if reason is not None), None)
    return why or "it has one level only on this machine"


def _different(name: str, levels: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """The levels that are not the same here: on some machines, compact and scatter are."""
    same = name == AFFINITY.name and AFFINITY.coincidence() is not None
    return tuple(level for level in levels if not (same and level == "scatter"))
