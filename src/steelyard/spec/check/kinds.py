"""``[design]``: which combinations of levels are run, where that is not all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steelyard.core.factorial import Axis, Fraction, Generator
from steelyard.core.factorial.aberration import MOST_AXES, minimum_aberration, sizes, smallest
from steelyard.core.factorial.hadamard import LARGEST
from steelyard.core.factorial.layout import TWO_STEPS
from steelyard.core.units import Scalar
from steelyard.spec.experiment import Design, Factor, Zip
from steelyard.spec.layout import named_axes, read_generator, write_generator
from steelyard.spec.levels import find_level
from steelyard.spec.text.origin import Origin, Path
from steelyard.spec.text.toml import toml_value

_PATH: Path = ("design",)
_OF_FRACTIONS = ("generators", "resolution", "treatments")


def check_kind(table: Design, factors: Sequence[Factor], zips: Sequence[Zip], origin: Origin) -> None:
    """Refuse keys that belong to other kinds, and too few or too many factors for this one.

    Raises
    ------
    SpecError
    """
    if table.exclude and table.kind != "full":
        text = f'kind = "{table.kind}" runs chosen combinations, and without one it has no balance'
        hint = 'remove exclude, take levels out of [factors], or write kind = "full"'
        raise origin.error((*_PATH, "exclude"), text, hint)
    if table.ends and table.kind not in TWO_STEPS:
        text = f'kind = "{table.kind}" runs every level, not two of each factor'
        raise origin.error((*_PATH, "ends"), text, 'remove ends, or write kind = "two-level"')
    texts = [key for key in _OF_FRACTIONS if getattr(table, key)]
    if texts and table.kind != "fraction":
        text = f'kind = "{table.kind}" is not a fraction'
        raise origin.error((*_PATH, texts[0]), text, f'remove {texts[0]}, or write kind = "fraction"')
    if table.kind in ("full", "one-at-a-time"):
        return
    varying = [axis for axis in named_axes(factors, zips) if axis.varies]
    fewest = 3 if table.kind == "fraction" else 2
    if len(varying) < fewest:
        text = f'kind = "{table.kind}" needs {fewest} factors that vary, and there are {len(varying)}'
        raise origin.error((*_PATH, "kind"), text, 'add factors, or write kind = "full"')
    if table.kind == "plackett-burman" and len(varying) >= LARGEST:
        text = f"{len(varying)} factors vary, and Plackett-Burman designs here have room for {LARGEST - 1}"
        raise origin.error((*_PATH, "kind"), text, "vary fewer factors")
    if table.kind == "fraction" and len(texts) != 1:
        text = f"{' and '.join(texts)} are given together" if texts else "nothing says which fraction"
        hint = 'give one of: resolution = 4, treatments = 8, generators = ["d = a b c"]'
        raise origin.error((*_PATH, texts[1] if texts else "kind"), text, hint)


def read_ends(
    table: Mapping[str, Sequence[Scalar]], factors: Sequence[Factor], zips: Sequence[Zip], origin: Origin
) -> dict[str, tuple[Scalar, Scalar]]:
    """Return the two levels of each factor that names them.

    Raises
    ------
    SpecError
    """
    levels = {factor.name: factor.levels for factor in factors}
    linked = {name: link.name for link in zips for name in link.names}
    ends: dict[str, tuple[Scalar, Scalar]] = {}
    for name, two in table.items():
        path: Path = (*_PATH, "ends", name)
        if name in linked or any(link.name == name for link in zips):
            text = f"{name} is linked, and the ends of a link are its first and its last row"
            raise origin.error(path, text, f"order the rows of {linked.get(name, name)} in [factors]")
        if name not in levels:
            raise origin.unknown(path, "factor", name, levels)
        low, high = (find_level(name, levels[name], level, origin, (*path, i)) for i, level in enumerate(two))
        if low == high:
            raise origin.error(path, f"both ends are {toml_value(low)}", "name two levels")
        ends[name] = (low, high)
    return ends


def read_generators(
    table: Design, factors: Sequence[Factor], zips: Sequence[Zip], origin: Origin
) -> tuple[str, ...]:
    """Return the generators of a fraction: those given, or those of the fraction that was asked for.

    Raises
    ------
    SpecError
    """
    if table.kind != "fraction":
        return ()
    names = [axis.name for axis in named_axes(factors, zips) if axis.varies]
    if table.generators:
        _check_generators(table.generators, names, _get_steps_of(factors, zips), origin)
        generators = tuple(read_generator(text, names) for text in table.generators)
    elif table.treatments is not None:
        generators = _read_size(table.treatments, names, origin).generators
    else:
        generators = _read_resolution(table.resolution or 3, names, origin).generators
    return tuple(write_generator(generator, names) for generator in generators)


def _get_steps_of(factors: Sequence[Factor], zips: Sequence[Zip]) -> dict[str, Axis]:
    return {name: axis for axis in named_axes(factors, zips) for name in (axis.name, *axis.factors)}


def _check_generators(
    texts: Sequence[str], names: Sequence[str], axes: Mapping[str, Axis], origin: Origin
) -> None:
    generators: list[Generator] = []
    for i, text in enumerate(texts):
        path: Path = (*_PATH, "generators", i)
        try:
            generators.append(read_generator(text, names))
        except ValueError as error:
            words = text.replace("=", " ").replace("-", " ").split()
            member = next((w for w in words if w in axes and w not in names), None)
            hint = (
                f'write, with three of these or more: generators = ["{names[-1]} = {" ".join(names[:-1])}"]'
            )
            if member is not None and axes[member].varies:
                hint = f"{member} is linked: write {axes[member].name}"
            raise origin.error(path, f"{text!r}: {error}", hint) from None
        fixed = [generator.axis for generator in generators]
        name = names[fixed[-1]]
        if fixed.count(fixed[-1]) > 1:
            raise origin.error(path, f"{name} has two generators", "leave one out")
    every = {generator.axis for generator in generators}
    for i, generator in enumerate(generators):
        if inner := [j for j in every if generator.word >> j & 1]:
            problem = f"{names[generator.axis]} rests on {names[inner[0]]}, which a generator fixes itself"
            hint = "put the names of that generator in its place; a name that comes twice drops out"
            raise origin.error((*_PATH, "generators", i), problem, hint)


def _read_size(treatments: int, names: Sequence[str], origin: Origin) -> Fraction:
    k = len(names)
    path: Path = (*_PATH, "treatments")
    if treatments == 2**k:
        text = f"{treatments} treatments are all combinations of {k} factors at two levels"
        raise origin.error(path, text, 'write kind = "two-level", and remove treatments')
    _check_room(k, path, origin)
    if treatments not in sizes(k):
        text = f"{k} factors have no fraction of {treatments} treatments"
        raise origin.error(path, text, f"write one of: {', '.join(map(str, sizes(k)))}")
    return minimum_aberration(k, treatments)


def _read_resolution(resolution: int, names: Sequence[str], origin: Origin) -> Fraction:
    path: Path = (*_PATH, "resolution")
    _check_room(len(names), path, origin)
    fraction = smallest(len(names), resolution)
    if fraction is None:
        best = max(minimum_aberration(len(names), n).resolution or 0 for n in sizes(len(names)))
        text = f"no fraction of {len(names)} factors has resolution {resolution}"
        raise origin.error(
            path, text, f'write resolution = {best}, or kind = "two-level" for all combinations'
        )
    return fraction


def _check_room(k: int, path: Path, origin: Origin) -> None:
    if k > MOST_AXES:
        text = f"{k} factors vary, and fractions are known here for up to {MOST_AXES}"
        hint = 'give generators, or write kind = "plackett-burman" for main effects'
        raise origin.error(path, text, hint)
