"""``[launch]`` of programs that have ranks: by ``mpirun`` or ``srun``, or on a simulated machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.spec.experiment import Factor, LaunchMethod, Noise
from steelyard.spec.names import check_text
from steelyard.spec.ranks import ranks_of
from steelyard.spec.simgrid import ALGORITHMS, SELECTORS
from steelyard.spec.simulated import scatter_seed, seed_text, shares_of
from steelyard.spec.text.origin import Origin, suggest
from steelyard.spec.text.placeholders import format_level, names
from steelyard.spec.text.toml import format_value

IMPLEMENTATIONS: Final = ("openmpi", "mpich", "impi")

_OF_KIND: Final[Mapping[str, frozenset[str]]] = {
    "mpi": frozenset({"ranks", "implementation", "mpirun", "binding", "arguments"}),
    "slurm": frozenset({"ranks", "binding", "arguments"}),
    "hosts": frozenset({"hosts", "ssh", "stage", "files"}),
    "smpi": frozenset(
        {"ranks", "arguments", "platform", "algorithms", "selector", "placement", "noise", "seed"}
    ),
}
_OWN: Final = frozenset().union(*_OF_KIND.values())


def read_ranks(table: LaunchMethod, factors: tuple[Factor, ...], origin: Origin) -> LaunchMethod:
    """Return the table; its placeholders are judged with all others, later.

    Raises
    ------
    SpecError
    """
    launching = replace(
        table,
        ranks=None if table.ranks is None else str(table.ranks),
        noise=Noise(links=format_level(table.noise.links), hosts=format_level(table.noise.hosts)),
        seed=str(table.seed),
    )
    for key, text in texts(launching):
        check_text(text, f"the text of {key}", origin, ("launch", key))
    _check_ranks(launching, factors, origin)
    _check_choice(launching.implementation, IMPLEMENTATIONS, "implementation", factors, origin)
    _check_choice(launching.selector, SELECTORS, "selector", factors, origin)
    _check_algorithms(launching.algorithms, factors, origin)
    if table.kind == "smpi":
        if table.platform is None:
            hint = 'write platform = "machine.xml", a platform of SimGrid'
            raise origin.error(("launch",), "a simulation needs a platform", hint)
        _check_simulated(launching, factors, origin)
    return launching


def texts(launching: LaunchMethod) -> list[tuple[str, str]]:
    """Key and text of everything that takes placeholders."""
    keys = ("ranks", "implementation", "mpirun", "platform", "selector", "placement", "seed")
    pairs = [(key, text) for key in keys if (text := getattr(launching, key)) is not None]
    pairs += [("noise", text) for text in (launching.noise.links, launching.noise.hosts)]
    pairs += [("arguments", word) for word in launching.arguments]
    return pairs + [("algorithms", name) for name in launching.algorithms.values()]


def check_keys(table: LaunchMethod, origin: Origin) -> None:
    """Refuse keys about ranks where there are none, and any other kind's where there are.

    Raises
    ------
    SpecError
    """
    default = LaunchMethod()
    allowed = _OF_KIND.get(table.kind, frozenset())
    queued = table.kind not in ("mpi", "smpi")
    for field in msgspec.structs.fields(table):
        key = field.encode_name
        if key == "kind" or key in allowed or (queued and key not in _OWN):
            continue
        if getattr(table, field.name) != getattr(default, field.name):
            text = f"has no meaning for kind = {format_value(table.kind)}"
            kinds = " or ".join(f'"{kind}"' for kind, keys in _OF_KIND.items() if key in keys)
            hint = f"write kind = {kinds}, or leave {key} out" if kinds else f"leave {key} out"
            raise origin.error(("launch", key), text, hint)


def _check_ranks(launching: LaunchMethod, factors: tuple[Factor, ...], origin: Origin) -> None:
    if launching.ranks is None:
        raise origin.error(("launch",), "ranks is missing", 'write ranks = 4, or ranks = "{p}"')
    names_of = _get_names(launching.ranks, "ranks", origin)
    levels_of = {factor.name: factor.levels for factor in factors}
    if len(names_of) > 1 or not names_of <= set(levels_of):
        return  # Unknown names are told with all other placeholders.
    for level in levels_of[next(iter(names_of))] if names_of else (0,):
        levels: dict[str, Scalar] = dict.fromkeys(names_of, level)
        try:
            ranks_of(launching, levels)
        except UsageError as error:
            raise origin.place_error(("launch", "ranks"), error) from None


def _check_choice(
    text: str | None, choices: tuple[str, ...], key: str, factors: tuple[Factor, ...], origin: Origin
) -> None:
    if text is None:
        return
    for name in _get_values(text, key, factors, origin):
        if name not in choices:
            raise origin.error(("launch", key), f"unknown {key} {name!r}", suggest(name, choices, f"{key}s"))


def _check_algorithms(algorithms: Mapping[str, str], factors: tuple[Factor, ...], origin: Origin) -> None:
    for operation, text in algorithms.items():
        place = ("launch", "algorithms", operation)
        if operation not in ALGORITHMS:
            problem = f"unknown operation {operation!r}"
            raise origin.error(place, problem, suggest(operation, ALGORITHMS, "operations"))
        for name in _get_values(text, "algorithms", factors, origin):
            if name not in ALGORITHMS[operation]:
                problem = f"{operation} has no algorithm {name!r}"
                raise origin.error(place, problem, suggest(name, ALGORITHMS[operation], "algorithms"))


def _get_values(text: str, key: str, factors: tuple[Factor, ...], origin: Origin) -> list[str]:
    """Values that the text can take; none where it is more than one placeholder."""
    names_of = _get_names(text, key, origin)
    if not names_of:
        return [text]
    levels = {factor.name: factor.levels for factor in factors}
    if len(names_of) == 1 and text == f"{{{next(iter(names_of))}}}":
        return [str(level) for level in levels.get(next(iter(names_of)), ())]
    return []


def _get_names(text: str, key: str, origin: Origin) -> set[str]:
    try:
        return names(text)
    except UsageError as error:
        raise origin.place_error(("launch", key), error) from None


def _check_simulated(launching: LaunchMethod, factors: tuple[Factor, ...], origin: Origin) -> None:
    """Refuse what no treatment, or not every one, could be started with."""
    noise = launching.noise
    judges: tuple[tuple[str, tuple[str, ...], Callable[[Mapping[str, Scalar]], object]], ...] = (
        ("noise", (noise.links, noise.hosts), lambda levels: shares_of(launching, levels)),
        ("seed", (launching.seed,), lambda levels: seed_text(launching, levels)),
        ("placement", (launching.placement, launching.seed), lambda levels: scatter_seed(launching, levels)),
    )
    for key, texts, judge in judges:
        _check_texts(key, texts, judge, factors, origin)
    default = LaunchMethod()
    if launching.seed != default.seed and (launching.noise, launching.placement) == (
        default.noise,
        default.placement,
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
