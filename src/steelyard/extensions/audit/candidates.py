"""Which kinds of context an audit can vary here, and which levels of each it visits."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import MachineError, UsageError
from steelyard.core.units import Scalar
from steelyard.design.randomness import generator, permutation
from steelyard.extensions.audit.request import AuditRequest
from steelyard.extensions.audit.screening import unseen
from steelyard.interventions import AFFINITY, INTERVENTIONS
from steelyard.spec.text.origin import suggest
from steelyard.stats.planning.unseen import unseen_share

USUAL: Final = (
    "env_bytes",
    "argv0_bytes",
    "cwd_bytes",
    "aslr",
    "affinity",
    "transparent_huge_pages",
    "omp_wait_policy",
    "omp_num_threads",
    "lc_all",
    "stack_limit",
)
"""Contexts that differ between people who run the same program, and are hardly ever reported. The others can
be asked for: that a dropped file cache or another priority moves the time of most programs is well known."""

KINDS: Final = (
    *USUAL,
    *(
        name
        for name, kind in INTERVENTIONS.items()
        if name not in USUAL and not kind.placeholders and not kind.is_place
    ),
)
"""Everything that can be asked for by name: all that a start changes, where others change a build."""

_BASES: Final[dict[str, Scalar]] = {"aslr": "off", "lc_all": "C", "nice": 0, "omp_wait_policy": "passive"}
"""Levels that the others are compared with where that is not the first one."""

_AS_STARTED: Final[dict[str, Scalar]] = {"aslr": "on", "cwd_bytes": 0, "omp_wait_policy": "inherited"}
"""Levels of a start from the user's own shell where that is not the first one."""

OMP_THREADS: Final = "omp_num_threads"
_NO_OPENMP: Final = "the program was not seen to use OpenMP"

MOVE_THE_STACK: Final = frozenset({"env_bytes", "argv0_bytes", "stack_offset", "heap_offset"})
"""Kinds that say nothing where every run draws its own addresses, and that come on top of what is equal."""


UNDISTURBED: Final[dict[str, Scalar]] = {"background_load": "none", "scheduling": "other", "nice": 0}
"""Levels of the kinds that make a program wait for a CPU at which they do not."""

WAITING: Final = frozenset({*UNDISTURBED, "file_cache"})
"""Kinds that act by making a program wait, which its CPU time does not show."""

Threads = Literal["one", "openmp", "own"]
"""How a program uses CPUs: one at a time, several by OpenMP, or several by means of its own."""

_MOST_MASKS: Final = 4
"""CPUs on which a program of one thread is tried alone."""


class AuditCandidate(msgspec.Struct, frozen=True):
    """One kind of context.

    Attributes
    ----------
    population : tuple of Scalar
        Every level that can be visited; of positions, one in each step of the stack.
    numeric : bool
        A position among many, of which the typical one is what others are compared with; otherwise a choice
        between a few names, of which ``base`` is.
    """

    name: str
    base: Scalar
    population: tuple[Scalar, ...]
    numeric: bool

    @property
    def levels(self) -> int:
        """Levels that there are: of what moves strings, one for each byte."""
        return len(self.population) * self._finer

    @property
    def _finer(self) -> int:
        return INTERVENTIONS[self.name].finer if self.numeric else 1

    def draw(self, count: int, seed: int) -> tuple[Scalar, ...]:
        """Draw ``count`` levels without replacement, in their order.

        All are drawn if there are fewer. No step of the stack has a second one before each has one, at a byte
        of its own.
        """
        order = permutation(self.population, generator(seed, "audit", self.name))
        if self._finer == 1:
            drawn = set(order[:count])
            return tuple(level for level in self.population if level in drawn)
        bytes_ = {
            level: permutation(range(self._finer), generator(seed, "audit", self.name, str(level)))
            for level in order
        }
        rounds = (int(level) + bytes_[level][at] for at in range(self._finer) for level in order)
        return tuple(sorted(itertools.islice(rounds, count)))

    def unseen(self, visited: int) -> float:
        """Return the largest share of the levels that could be of a kind of which none was visited (95 %).

        Of levels drawn step by step, the bound of independent draws, which is not below theirs: the mean of
        products over distinct steps is at most the power of the mean (Maclaurin's inequality).
        """
        if visited >= self.levels:
            return 0.0
        return unseen(self.levels, visited) if self._finer == 1 else unseen_share(visited)


def candidates(request: AuditRequest) -> tuple[tuple[AuditCandidate, ...], Mapping[str, str]]:
    """List the kinds to audit, and those left out because this machine lacks something for them.

    Raises
    ------
    UsageError
        Unknown kind of context.
    MachineError
        One that was asked for by name is not available here, or none is.
    """
    names: Sequence[str] = request.only or [name for name in USUAL if name in INTERVENTIONS]
    audit_candidates: list[AuditCandidate] = []
    left_out: dict[str, str] = {}
    for name in dict.fromkeys(names):
        if name not in INTERVENTIONS:
            hint = suggest(name, INTERVENTIONS, "kinds of context")
            raise UsageError(f"unknown kind of context {name!r}", hint=hint)
        if INTERVENTIONS[name].is_place:
            raise UsageError(
                f"{name} is where trials run, and an audit is of one machine",
                hint=f'{name} = "random" in the [contexts] of a spec draws machines of a queue',
            )
        if name not in KINDS:
            raise UsageError(
                f"{name} changes how a program is built, and a command is built already",
                hint=f'{name} = "random" in the [contexts] of a spec that has a [build]',
            )
        levels = INTERVENTIONS[name].population()
        if lacks := _get_lacks(name, levels):
            if request.only:
                raise MachineError(f"{name} cannot be varied here: {lacks}", hint=f"leave {name} out")
            left_out[name] = lacks
            continue
        numeric = isinstance(levels, range)
        usable = _get_different(
            name, [level for level in levels if INTERVENTIONS[name].missing(level) is None]
        )
        audit_candidates.append(AuditCandidate(name, _BASES.get(name, usable[0]), usable, numeric))
    for name in KINDS:
        if name not in names and (lacks := _get_lacks(name, INTERVENTIONS[name].population())):
            left_out[name] = lacks
    if not audit_candidates:
        raise MachineError(
            f"no context can be varied here: {'; '.join(f'{n}: {w}' for n, w in left_out.items())}",
            hint="steelyard doctor shows what this machine allows",
        )
    return tuple(audit_candidates), left_out


def place_threads(
    among: Sequence[AuditCandidate], threads: Threads, *, requested: bool
) -> tuple[tuple[AuditCandidate, ...], Mapping[str, str]]:
    """Return the kinds for a program with such threads, and those left out.

    Of ``affinity``, levels that do something to such a program are kept; a number of threads is for OpenMP.

    Raises
    ------
    MachineError
        No kind is left, or one is left out that was asked for by name.
    """
    if threads != "openmp" and OMP_THREADS in [kind.name for kind in among]:
        if requested:
            raise MachineError(
                f"{OMP_THREADS} cannot be varied here: {_NO_OPENMP}", hint=f"leave {OMP_THREADS} out"
            )
        rest = tuple(kind for kind in among if kind.name != OMP_THREADS)
        remaining, left_out = place_threads(rest, threads, requested=requested)
        return remaining, {OMP_THREADS: _NO_OPENMP, **left_out}
    reason = None
    levels: tuple[Scalar, ...] = ()
    if threads == "one":
        levels = ("none", *AFFINITY.masks(_MOST_MASKS))
        if len(levels) == 2:
            reason = "this process may use one CPU only"
    elif threads == "openmp":
        levels = _get_different(AFFINITY.name, AFFINITY.population())
    else:
        reason = "the program uses several CPUs at once, without OpenMP; as a factor, affinity takes CPUs"
    if AFFINITY.name not in [candidate.name for candidate in among]:
        return tuple(among), {}
    audit_candidates = tuple(
        replace(candidate, population=levels) if candidate.name == AFFINITY.name else candidate
        for candidate in among
        if reason is None or candidate.name != AFFINITY.name
    )
    if reason is not None and (requested or not audit_candidates):
        raise MachineError(f"affinity cannot be varied here: {reason}", hint="leave affinity out")
    return audit_candidates, {} if reason is None else {AFFINITY.name: reason}


def get_start_setting(among: Sequence[AuditCandidate]) -> Mapping[str, Scalar]:
    """Return the setting in which a user's own shell starts the program, as far as kinds are varied."""
    return {kind.name: _AS_STARTED.get(kind.name, kind.population[0]) for kind in among}


def list_unvaried(names: Collection[str]) -> tuple[str, ...]:
    """Further kinds of context."""
    return tuple(name for name in KINDS if name not in names)


def addresses_can_be_fixed() -> bool:
    """Whether address randomisation can be switched off; otherwise every run has a layout of its own."""
    return INTERVENTIONS["aslr"].missing("off") is None


def _get_lacks(name: str, levels: Sequence[Scalar]) -> str | None:
    if name in MOVE_THE_STACK and not addresses_can_be_fixed():
        return f"every run has a layout of its own, since {INTERVENTIONS['aslr'].missing('off')}"
    reasons = [INTERVENTIONS[name].missing(level) for level in levels]
    usable = _get_different(name, [level for level, why in zip(levels, reasons, strict=True) if why is None])
    if len(usable) > 1:
        return None
    why = next((reason for reason in reasons if reason is not None), None)
    return why or "it has one level only on this machine"


def _get_different(name: str, levels: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """Return the levels that are not the same here: on some machines, compact and scatter are."""
    coincides = name == AFFINITY.name and AFFINITY.coincidence() is not None
    return tuple(level for level in levels if not (coincides and level == "scatter"))
