"""Markers as claims: what a test says of its time, in the words of ``[[claims]]``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pytest

from steelyard.core.units import Scalar

ABSENT: Final = "none"
"""Level of a parameter that a test does not have, where others do."""

METRIC: Final = "time_s"
"""Seconds of one call."""

MARKERS: Final = {
    "faster_than": "faster_than(test, by=1.0): faster than another test of the file or group by this factor",
    "equivalent": "equivalent(test, within=0.05): as fast as another test of it, to this fraction",
    "within": 'within("5 ms"): the mean time of a call is at most this',
    "scales": 'scales(at_most="n log n", parameter=...): over its parameters, time grows no faster than this;'
    ' scales("n log n"): just so',
}

TURNS: Final = "turns(name): take turns with the tests of this name in other files, and be compared with them"
"""The marker that makes a group."""

NOTHING_TIMED: Final = "it makes a claim about its time, and times nothing"

Levels = Mapping[str, Scalar]


def group_of(item: pytest.Item) -> str:
    """Return the file of a test, whose timed tests take turns.

    It is the name of its group, where that has tests of several files. A marker ``turns`` that cannot be
    understood makes no group: ``claims_of`` refuses it.
    """
    return _group_name(item) or item.nodeid.partition("::")[0]


def _group_name(item: pytest.Item) -> str | None:
    marker = item.get_closest_marker("turns")
    if marker is None or marker.kwargs or len(marker.args) != 1 or not isinstance(marker.args[0], str):
        return None
    return marker.args[0]


def makes_claims(item: pytest.Item) -> bool:
    """Whether markers of a test claim something about its time."""
    return any(item.get_closest_marker(name) for name in MARKERS)


def claims_of(item: pytest.Item, levels: Levels, tests: Mapping[str, Levels]) -> list[dict[str, Any]]:
    """Return the claims that a test's markers make.

    Parameters
    ----------
    levels : Mapping
        Of the test: ``test``, and its parameters.
    tests : Mapping
        Levels of each timed test of the file or group, by the name of its function.

    Raises
    ------
    pytest.UsageError
        A marker that cannot be understood, ``turns`` included.
    """
    if item.get_closest_marker("turns") and _group_name(item) is None:
        raise pytest.UsageError(f"{item.nodeid}: turns takes the name of a group: {TURNS}")
    return [
        _find_claim(marker, levels, tests, item.nodeid)
        for name in MARKERS
        for marker in item.iter_markers(name)
    ]


def _find_claim(
    marker: pytest.Mark, levels: Levels, tests: Mapping[str, Levels], place: str
) -> dict[str, Any]:
    if marker.name == "scales":
        return _find_scales(marker, levels, place)
    if len(marker.args) != 1:
        raise pytest.UsageError(f"{place}: {marker.name} takes one argument: {MARKERS[marker.name]}")
    (argument,) = marker.args
    match marker.name:
        case "faster_than":
            claim: dict[str, Any] = {
                "faster": dict(levels),
                "than": _choose_other(argument, levels, tests, place),
            }
            return claim | _read_options(marker, {"by": float}, place)
        case "equivalent":
            claim = {
                "equivalent": dict(levels),
                "to": _choose_other(argument, levels, tests, place),
                "within": 0.05,
            }
            return claim | _read_options(marker, {"within": float}, place)
        case _:
            return {"limit": METRIC, "at": dict(levels), "max": argument} | _read_options(marker, {}, place)


def _find_scales(marker: pytest.Mark, levels: Levels, place: str) -> dict[str, Any]:
    bound = marker.kwargs.get("at_most")
    if len(marker.args) + (bound is not None) != 1:
        raise pytest.UsageError(f"{place}: scales takes one growth: {MARKERS['scales']}")
    growth = (
        {"expect": _format_growth(str(marker.args[0]))}
        if bound is None
        else {"at_most": _format_growth(str(bound))}
    )
    options = _read_options(marker, {"at_most": str, "parameter": str, "deviation": str}, place)
    return {"scales": METRIC, "where": {"test": levels["test"]}, **options, **growth}


def _read_options(marker: pytest.Mark, types: Mapping[str, type], place: str) -> dict[str, Any]:
    unknown = set(marker.kwargs) - set(types)
    if unknown:
        raise pytest.UsageError(
            f"{place}: {marker.name} has no {', '.join(sorted(unknown))}: {MARKERS[marker.name]}"
        )
    try:
        return {name: types[name](value) for name, value in marker.kwargs.items()}
    except (TypeError, ValueError) as error:
        raise pytest.UsageError(f"{place}: {marker.name}: {error}: {MARKERS[marker.name]}") from None


def _format_growth(text: str) -> str:
    return text if text.lstrip().startswith("O(") else f"O({text})"


def _choose_other(test: object, levels: Levels, tests: Mapping[str, Levels], place: str) -> dict[str, Scalar]:
    """Levels of the other test at the same parameters, as far as it has them."""
    own_file = f"{levels['test']}".rpartition("::")[0]
    name = f"{test}" if f"{test}" in tests else f"{own_file}::{test}"
    if name not in tests:
        name = name.removeprefix("::")
        candidates = ", ".join(text for text in tests if text != levels["test"]) or "none"
        raise pytest.UsageError(
            f"{place}: {name!r} is not a timed test that takes turns with it (the marker turns puts tests of"
            f" several files into one group); there are: {candidates}"
        )
    levels_of = tests[name]
    return {key: levels.get(key, levels_of[key]) if key != "test" else name for key in levels_of}


def levels_of_tests(items: Sequence[pytest.Item]) -> list[dict[str, Scalar]]:
    """Return the levels of each of these tests.

    They are its function, with its file where tests of other files may take turns with it, and parameters
    that are numbers or text; others by their id.
    """
    several = any(_group_name(item) for item in items)
    return [
        _get_levels_of_test(item, f"{item.nodeid.partition('::')[0]}::" if several else "") for item in items
    ]


def _get_levels_of_test(item: pytest.Item, file: str) -> dict[str, Scalar]:
    name = getattr(item, "originalname", None) or item.name
    cls = getattr(item, "cls", None)
    levels: dict[str, Scalar] = {"test": f"{file}{cls.__name__}.{name}" if cls else f"{file}{name}"}
    call = getattr(item, "callspec", None)
    if call is None:
        return levels
    if all(isinstance(value, str | int | float | bool) for value in call.params.values()):
        return levels | _get_free(call.params)
    return levels | {"parameters": call.id}


def _get_free(parameters: Mapping[str, Scalar]) -> dict[str, Scalar]:
    from steelyard.extensions.exchange.recording import free_name

    return {free_name(name): value for name, value in parameters.items()}


def full(levels: Sequence[Levels]) -> list[dict[str, Scalar]]:
    """Levels with all factors that any of them has."""
    names = dict.fromkeys(name for level in levels for name in level)
    return [{name: level.get(name, ABSENT) for name in names} for level in levels]
