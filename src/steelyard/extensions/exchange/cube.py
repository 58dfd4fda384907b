"""Score-P's CUBE profiles: a directory for each run, and in it a ``profile.cubex``.

The directory is named ``PREFIX.p64.n1000.r1`` or ``PREFIX.p64n1000.r1``.

Letters are a parameter, digits its value, ``r`` the repetition: each is a launch of its own; a parameter that
is the same in all runs is none. A call path is ``main->solve->MPI_Allreduce``; its value is what it itself
cost (exclusive) or also what it called (inclusive), in the mean over the processes and threads. Reading the
files needs pycubexr (``pip install pycubexr``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, SupportsFloat

import msgspec

from steelyard.core.errors import MachineError, UsageError
from steelyard.core.series import Series
from steelyard.extensions.exchange.collect import Observations

PROFILE: Final = "[!.]*.cubex"
_PART: Final = re.compile(r"(?:[A-Za-z_]+[0-9]+(?:,[0-9]+)?)+")
_PAIR: Final = re.compile(r"([A-Za-z_]+)([0-9]+(?:,[0-9]+)?)")
"""A parameter and its value; Score-P's directories separate parts by dots, so that decimals have a comma."""
_UNITS: Final = {"sec": "s", "bytes": "B", "occ": "", "": ""}
_HINT: Final = "name the directories of the runs as in app.p64.n1000.r1, each with a profile.cubex"


class CubeRun(msgspec.Struct, frozen=True):
    """One profile: where it lies, and at which point of the parameters it was taken."""

    file: Path
    parameters: tuple[str, ...]
    at: tuple[float, ...]


def holds_profiles(directory: Path) -> bool:
    """Whether this is a directory of CUBE profiles."""
    return any(directory.glob(f"*/{PROFILE}"))


def read(directory: Path, *, inclusive: bool = False) -> tuple[Series, ...]:
    """Return the series of every call path and metric.

    Raises
    ------
    MachineError
        pycubexr is not installed.
    UsageError
        A directory's name says no parameters or others than the rest, or a profile cannot be read.
    """
    runs = [run_of(file) for file in sorted(directory.glob(f"*/{PROFILE}"))]
    if not runs:
        raise UsageError(f"{directory}: no */{PROFILE} in it", hint=_HINT)
    names = runs[0].parameters
    for run in runs:
        if run.parameters != names:
            text = ", ".join(run.parameters) or "none"
            raise UsageError(
                f"{run.file.parent}: its parameters are {text}, those of {runs[0].file.parent.name} are"
                f" {', '.join(names)}",
                hint=_HINT,
            )
    varying = [place for place in range(len(names)) if len({run.at[place] for run in runs}) > 1]
    numbers = varying or list(range(len(names)))
    collected, units = Observations(tuple(names[place] for place in numbers)), {}
    for run in runs:
        at = [run.at[place] for place in numbers]
        for path, metric, unit, value in _list_values(run.file, inclusive=inclusive):
            units[metric] = unit
            collected.add(path, metric, at, [value])
    return collected.series(units)


def run_of(file: Path) -> CubeRun:
    """Return the point that the name of a run's directory says.

    Raises
    ------
    UsageError
        The name of the directory says no parameter, or one twice.
    """
    words = file.parent.name.split(".")
    parts = [part for part in words[1:] or words if _PART.fullmatch(part)]
    matches = [match for part in parts for match in _PAIR.finditer(part)]
    point = [(match[1], float(match[2].replace(",", "."))) for match in matches if match[1] != "r"]
    names = tuple(name for name, _ in point)
    if not point or len(set(names)) != len(names):
        text = "says no parameter" if not point else "says a parameter twice"
        raise UsageError(f"{file.parent}: its name {text}", hint=_HINT)
    return CubeRun(file, names, tuple(value for _, value in point))


def _list_values(file: Path, *, inclusive: bool) -> Iterator[tuple[str, str, str, float]]:
    """Call path, metric, unit and value of everything in a profile."""
    try:
        from pycubexr import CubexParser
        from pycubexr.utils.exceptions import MissingMetricError, UnsupportedMetricFormatError
    except ImportError:
        raise MachineError(
            f"{file}: reading CUBE profiles needs pycubexr", hint="pip install pycubexr"
        ) from None
    try:
        with CubexParser(str(file)) as profile:
            nodes = [(node, _find_path(profile, node)) for node in profile.all_cnodes()]
            for metric in profile.all_metrics():
                try:
                    values = profile.get_metric_values(metric)
                except (MissingMetricError, UnsupportedMetricFormatError):
                    # Not measured in this run, or no number: what is, goes on.
                    continue
                unit = _UNITS.get(metric.units or "", metric.units or "")
                for node, path in nodes:
                    value = _make_mean(values, node, inclusive=inclusive)
                    if isinstance(value, SupportsFloat):  # and no tuple of several numbers
                        yield path, metric.name, unit, float(value)
    except UsageError:
        raise
    except Exception as error:  # noqa: BLE001 -- the parser asserts, and four libraries are behind it
        text = str(error) or type(error).__name__
        raise UsageError(
            f"{file}: not a CUBE profile that can be read: {text}", hint="cube_info opens it, if it is whole"
        ) from None


def _make_mean(values: Any, node: Any, *, inclusive: bool) -> Any:
    """Return the mean over processes and threads; profiles hold some metrics exclusive, some inclusive."""
    way = "convert_to_inclusive" if inclusive else "convert_to_exclusive"
    return values.mean(node, **{way: True})


def _find_path(profile: Any, node: Any) -> str:
    names: list[str] = []
    while node is not None:
        names.append(str(profile.get_region(node).name))
        node = node.parent
    return "->".join(reversed(names))
