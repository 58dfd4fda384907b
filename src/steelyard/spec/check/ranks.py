"""``[launch]`` of programs that have ranks: by ``mpirun`` or ``srun``, or on a simulated machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Final, TypeVar

from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.spec.experiment import Factor, LaunchMethod, Noise
from steelyard.spec.names import check_text
from steelyard.spec.ranks import ranks_of
from steelyard.spec.simgrid import ALGORITHMS, SELECTORS
from steelyard.spec.simulated import scatter_seed, seed_text, shares_of
from steelyard.spec.tables.launch import MpiLaunch, SimulatedLaunch, SlurmLaunch
from steelyard.spec.text.origin import Origin, suggest
from steelyard.spec.text.placeholders import format_level, names

IMPLEMENTATIONS: Final = ("openmpi", "mpich", "impi")

Ranked = TypeVar("Ranked", bound=MpiLaunch | SimulatedLaunch | SlurmLaunch)
"""Kinds that start ranks; of Slurm where ``ranks`` is given."""


def read_ranks(table: Ranked, factors: tuple[Factor, ...], origin: Origin) -> Ranked:
    """Return the table; its placeholders are judged with all others, later.

    Raises
    ------
    SpecError
    """
    texts_of: dict[str, object] = {"ranks": str(table.ranks)}
    if isinstance(table, SimulatedLaunch):
        noise = Noise(links=format_level(table.noise.links), hosts=format_level(table.noise.hosts))
        texts_of |= {"noise": noise, "seed": str(table.seed)}
    launching = replace(table, **texts_of)
    for key, text in texts(launching):
        check_text(text, f"the text of {key}", origin, ("launch", key))
    _check_ranks(str(launching.ranks), factors, origin)
    if isinstance(launching, MpiLaunch):
        _check_choice(launching.implementation, IMPLEMENTATIONS, "implementation", factors, origin)
    if isinstance(launching, SimulatedLaunch):
        _check_choice(launching.selector, SELECTORS, "selector", factors, origin)
        _check_algorithms(launching.algorithms, factors, origin)
        _check_simulated(launching, factors, origin)
    return launching


def texts(launching: LaunchMethod) -> list[tuple[str, str]]:
    """Key and text of everything that takes placeholders of a trial."""
    pairs: list[tuple[str, str | None]] = []
    match launching:
        case MpiLaunch():
            pairs = [("implementation", launching.implementation), ("mpirun", launching.mpirun)]
        case SimulatedLaunch():
            pairs = [(key, getattr(launching, key)) for key in ("platform", "selector", "placement", "seed")]
            pairs += [("noise", text) for text in (launching.noise.links, launching.noise.hosts)]
            pairs += [("algorithms", name) for name in launching.algorithms.values()]
        case SlurmLaunch():
            pass
        case _:
            return []
    pairs = [("ranks", launching.ranks), *pairs, *(("arguments", word) for word in launching.arguments)]
    return [(key, text) for key, text in pairs if text is not None]


def _check_ranks(text: str, factors: tuple[Factor, ...], origin: Origin) -> None:
    names_of = _read_names(text, "ranks", origin)
    levels_of = {factor.name: factor.levels for factor in factors}
    if len(names_of) > 1 or not names_of <= set(levels_of):
        return  # Unknown names are told with all other placeholders.
    for level in levels_of[next(iter(names_of))] if names_of else (0,):
        levels: dict[str, Scalar] = dict.fromkeys(names_of, level)
        try:
            ranks_of(text, levels)
        except UsageError as error:
            raise origin.place_error(("launch", "ranks"), error) from None


def _check_choice(
    text: str | None, choices: tuple[str, ...], key: str, factors: tuple[Factor, ...], origin: Origin
) -> None:
    if text is None:
        return
    for name in _list_values(text, key, factors, origin):
        if name not in choices:
            raise origin.error(("launch", key), f"unknown {key} {name!r}", suggest(name, choices, f"{key}s"))


def _check_algorithms(algorithms: Mapping[str, str], factors: tuple[Factor, ...], origin: Origin) -> None:
    for operation, text in algorithms.items():
        place = ("launch", "algorithms", operation)
        if operation not in ALGORITHMS:
            problem = f"unknown operation {operation!r}"
            raise origin.error(place, problem, suggest(operation, ALGORITHMS, "operations"))
        for name in _list_values(text, "algorithms", factors, origin):
            if name not in ALGORITHMS[operation]:
                problem = f"{operation} has no algorithm {name!r}"
                raise origin.error(place, problem, suggest(name, ALGORITHMS[operation], "algorithms"))


def _list_values(text: str, key: str, factors: tuple[Factor, ...], origin: Origin) -> list[str]:
    """Values that the text can take; none where it is more than one placeholder."""
    names_of = _read_names(text, key, origin)
    if not names_of:
        return [text]
    levels = {factor.name: factor.levels for factor in factors}
    if len(names_of) == 1 and text == f"{{{next(iter(names_of))}}}":
        return [str(level) for level in levels.get(next(iter(names_of)), ())]
    return []


def _read_names(text: str, key: str, origin: Origin) -> set[str]:
    try:
        return names(text)
    except UsageError as error:
        raise origin.place_error(("launch", key), error) from None


def _check_simulated(launching: SimulatedLaunch, factors: tuple[Factor, ...], origin: Origin) -> None:
    """Refuse what no treatment, or not every one, could be started with."""
    noise = launching.noise
    judges: tuple[tuple[str, tuple[str, ...], Callable[[Mapping[str, Scalar]], object]], ...] = (
        ("noise", (noise.links, noise.hosts), lambda levels: shares_of(launching, levels)),
        ("seed", (launching.seed,), lambda levels: seed_text(launching, levels)),
        ("placement", (launching.placement, launching.seed), lambda levels: scatter_seed(launching, levels)),
    )
    for key, texts, judge in judges:
        _check_texts(key, texts, judge, factors, origin)
    packed = SimulatedLaunch(ranks=launching.ranks, platform=launching.platform)
    if launching.seed != packed.seed and (launching.noise, launching.placement) == (
        packed.noise,
        packed.placement,
    ):
        text = "has no effect: ranks are packed, and noise is 0"
        raise origin.error(
            ("launch", "seed"), text, 'write placement = "scattered" or noise = { hosts = 0.1 }'
        )


def _check_texts(
    key: str,
    texts: tuple[str, ...],
    judge: Callable[[Mapping[str, Scalar]], object],
    factors: tuple[Factor, ...],
    origin: Origin,
) -> None:
    """Judge every combination of the levels that the texts name."""
    levels_of = {factor.name: factor.levels for factor in factors}
    try:
        names_of = sorted(set().union(*map(names, texts)))
        if not set(names_of) <= {*levels_of, "trial"}:
            return  # Unknown names are told with all other placeholders.
        for levels in product(*(levels_of.get(name, (0,)) for name in names_of)):
            judge(dict(zip(names_of, levels, strict=True)))
    except UsageError as error:
        raise origin.place_error(("launch", key), error) from None
