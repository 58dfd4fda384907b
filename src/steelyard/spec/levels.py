"""Levels: which values can be one, and which of them are the same."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from steelyard.core.errors import SpecError, UsageError
from steelyard.core.units import Scalar
from steelyard.interventions import INTERVENTIONS
from steelyard.spec.names import check_text
from steelyard.spec.text.origin import Origin, Path, nearest
from steelyard.spec.text.placeholders import format_level
from steelyard.spec.text.toml import format_value

_MOST = 2**63


def check_level(factor: str, level: Scalar, origin: Origin, path: Path) -> Scalar:
    """Return the level as records keep it.

    Raises
    ------
    SpecError
        Not finite, beyond 64 bits, with NUL, or no level of the intervention that ``factor`` is.
    """
    if isinstance(level, str):
        check_text(level, f"a level of {factor}", origin, path)
    elif isinstance(level, float) and not math.isfinite(level):
        raise origin.error(path, f"{level} cannot be a level", "write a finite number, or text in quotes")
    elif isinstance(level, int) and not -_MOST <= level < _MOST:
        raise origin.error(path, f"{format_value(level)} is beyond 64 bits", "write it as text in quotes")
    if factor not in INTERVENTIONS:
        return level
    try:
        return INTERVENTIONS[factor].check(level)
    except UsageError as error:
        raise origin.place_error(path, error) from None


def check_distinct(levels: Iterable[Scalar], factor: str, origin: Origin, path: Path) -> None:
    """Refuse levels of which two give the same text (1 and "1") or are equal (1 and 1.0).

    One could not tell them apart.

    Raises
    ------
    SpecError
    """
    texts: dict[str, Scalar] = {}
    numbers: dict[Scalar, Scalar] = {}
    for i, level in enumerate(levels):
        twin = texts.get(format_level(level))
        if twin is None and not isinstance(level, str):
            twin = numbers.get(level)
            numbers[level] = level
        if twin is not None:
            looks_same = format_value(twin) == format_value(level)
            pair = (
                f"{format_value(level)} is a level"
                if looks_same
                else f"{format_value(twin)} and {format_value(level)} are one level"
            )
            text = f"{pair} of {factor}{' twice' if looks_same else ''}"
            raise origin.error((*path, i), text, "leave one out; replicates in [design] repeats treatments")
        texts[format_level(level)] = level


def unique(levels: Iterable[Scalar]) -> tuple[Scalar, ...]:
    """Return the levels, each once, in the order in which they first come.

    1, 1.0 and true are different here.
    """
    return tuple({(type(level), level): level for level in levels}.values())


def find_level(factor: str, levels: Sequence[Scalar], written: Scalar, origin: Origin, path: Path) -> Scalar:
    """Return the level that equals ``written``.

    Raises
    ------
    SpecError
        Unknown level; names the nearest.
    """
    if factor in INTERVENTIONS:
        written = check_level(factor, written, origin, path)
    for level in levels:
        if level == written and isinstance(level, bool) == isinstance(written, bool):
            return level
    raise _make_level_error(factor, levels, written, origin, path)


def _make_level_error(
    factor: str, levels: Sequence[Scalar], written: Scalar, origin: Origin, path: Path
) -> SpecError:
    text = f"{factor} has no level {format_value(written)}"
    for level in levels:
        if format_level(level) == format_level(written):
            return origin.error(path, text, f"write {format_value(level)}, as in [factors]")
    close = nearest(format_level(written), map(format_level, levels))
    listed = ", ".join(map(format_value, levels[:10])) + (", …" if len(levels) > 10 else "")
    match = next((level for level in levels if format_level(level) == close), None)
    return origin.error(
        path,
        text,
        f"did you mean {format_value(match)}?" if match is not None else f"its levels are {listed}",
    )
