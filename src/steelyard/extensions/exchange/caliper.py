"""Caliper's profiles, as Benchpark's experiments write them: a directory with a ``.cali`` file for each run.

A file is a tree of nodes and the records that refer to it; a node of an attribute with the property *nested*
is a region, and the path of regions is the function. What Adiak collected of the run (ranks, hosts, problem
size) stands in the globals of the file: they are parameters where they vary, and tell runs apart. Each file
is a launch.

D. Boehme et al., Caliper: Performance Introspection for HPC Software Stacks, SC 2016, DOI 10.1109/SC.2016.46.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Final

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.series import Series
from steelyard.extensions.exchange.collect import Observations
from steelyard.files.reading import read_text

PROFILE: Final = "*.cali"
SCALES: Final = ("mpi.world.size", "jobsize", "numhosts", "threads", "omp_max_threads", "omp.num.threads")
"""Globals that say how much machine a run had, the one that is a parameter first."""
RESULTS: Final = ("elapsed_time", "figure_of_merit", "walltime")
"""Globals that are results of a run."""
OF_ONE_RUN: Final = frozenset(
    """cali.channel cali.caliper.version cmdline cputime executable executablepath hostlist hostname jobid
    launchdate launchday libraries starttime systime uid user""".split()  # noqa: SIM905
)
"""Globals that may differ between runs of one configuration."""
_OF_TOOLS: Final = ("spot.", "adiak.", "cali.", "opts:", "mpi.rank")
_NAME, _PROPERTIES = 8, 10
"""Attributes that every file has: the name of an attribute, and its properties."""
_NUMBERS: Final = frozenset({1, 2, 5})
"""Nodes that every file has: the types of attributes that are numbers (int, uint, double)."""
_NESTED: Final = 256
_UNITS: Final = {"sec": "s", "bytes": "B"}
_HINT: Final = "Caliper writes it: CALI_CONFIG=spot, or runtime-profile(output=FILE.cali)"


class _Node(msgspec.Struct, frozen=True):
    attribute: int
    value: str
    parent: int | None


class CaliperRun(msgspec.Struct, frozen=True):
    """One profile.

    Attributes
    ----------
    about : Mapping[str, str]
        The globals of the file.
    values : Mapping
        By path of regions and metric, the mean over ranks.
    units : Mapping[str, str]
        Of the metrics.
    """

    file: Path
    about: Mapping[str, str]
    values: Mapping[tuple[str, str], float]
    units: Mapping[str, str]


def holds_caliper(directory: Path) -> bool:
    """Whether there is a profile of Caliper in a directory, or further below; a record holds none."""
    if directory.suffix == ".lab":
        return False
    return directory.is_dir() and next(directory.rglob(PROFILE), None) is not None


def read(
    directory: Path, parameters: Sequence[str] = (), by: Sequence[str] = (), pool: Sequence[str] = ()
) -> tuple[Series, ...]:
    """Return the series of every path of regions and metric.

    Parameters
    ----------
    parameters : sequence of str
        Globals that are numbers; by default the first of ``SCALES`` that varies.
    by, pool : sequence of str
        Globals that tell functions apart, and globals that may differ between runs of one.

    Raises
    ------
    UsageError
        A file that is cut off, a parameter that a run does not have, or runs of one point that differ.
    """
    runs = [read_run(file) for file in sorted(directory.rglob(PROFILE))]
    if not runs:
        raise UsageError(f"{directory}: no {PROFILE} in it", hint=_HINT)
    names = tuple(parameters) or _choose_parameter(runs, directory)
    points = [tuple(_read_number(run, name) for name in names) for run in runs]
    labels = [" ".join(f"{name}={run.about.get(name, '')}" for name in by) for run in runs]
    _refuse_mixture(runs, [(*point, label) for point, label in zip(points, labels, strict=True)], names, pool)
    collected = Observations(names)
    units: dict[str, str] = {}
    for run, point, label in zip(runs, points, labels, strict=True):
        units.update(run.units)
        for (path, metric), value in run.values.items():
            collected.add(" ".join(filter(None, (path, label))), metric, point, [value])
    return collected.series(units)


def read_run(file: Path) -> CaliperRun:
    """Read one profile.

    Raises
    ------
    UsageError
        It is none, or is cut off.
    """
    text = read_text(file, hint=_HINT)
    tree = _Tree(file)
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            tree.add(line, number)
    about = tree.about
    values: dict[tuple[str, str], list[float]] = defaultdict(list)
    for name in RESULTS:
        if (value := _to_number(about.get(name, ""))) is not None:
            values["", name].append(value)
    for path, metric, value in tree.list_values():
        values[path, metric].append(value)
    if not values:
        raise UsageError(f"{file}: no region with a number in it", hint=_HINT)
    return CaliperRun(file, about, {key: fmean(list_) for key, list_ in values.items()}, tree.units)


class _Tree:
    """The nodes and records of a file, as its lines come."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.nodes: dict[int, _Node] = {}
        self._parents: set[int] = set()
        self.about: dict[str, str] = {}
        self.units = dict.fromkeys(("elapsed_time", "walltime"), "s")
        self.records: list[dict[str, list[str]]] = []

    def add(self, line: str, number: int) -> None:
        """Take one line of the file."""
        fields = _split_fields(line)
        kind = fields.get("__rec", [""])[0]
        try:
            if kind == "node":
                self._add_node(fields)
            elif kind == "globals":
                self.about.update(self._read_globals(fields))
            elif kind == "ctx":
                _ = [int(number) for key in ("ref", "attr") for number in fields.get(key, [])]
                self.records.append(fields)
            else:
                raise ValueError
        except (KeyError, ValueError, IndexError):
            raise UsageError(
                f"{self.file}, line {number}: not a record of Caliper",
                hint="the file was cut off, or something else was printed into it",
            ) from None

    def _add_node(self, fields: Mapping[str, list[str]]) -> None:
        """Take a node; one that would be below itself has no path.

        Raises
        ------
        ValueError
        """
        number, parents = int(fields["id"][0]), fields.get("parent")
        node = _Node(int(fields["attr"][0]), fields["data"][0], int(parents[0]) if parents else None)
        if node.attribute == _PROPERTIES:
            int(node.value)
        above = node.parent
        if above is not None:
            self._parents.add(above)
        if number in self._parents:
            while above is not None:
                if above == number:
                    raise ValueError
                above = self.nodes[above].parent if above in self.nodes else None
        self.nodes[number] = node

    def list_values(self) -> Iterator[tuple[str, str, float]]:
        """Yield path, metric and value of every record with a path."""
        for record in self.records:
            path, extras = self._find_path(record.get("ref", []))
            pairs = zip(map(int, record.get("attr", [])), record.get("data", []), strict=False)
            numbers = []
            for attribute, text in pairs:
                name, unit, is_number = self._describe(attribute)
                value = _to_number(text) if is_number else None
                if name.startswith(_OF_TOOLS):
                    continue
                if value is None or name.startswith("iteration#"):
                    extras.append(f"{name}={text}")
                else:
                    numbers.append((name, unit, value))
            for name, unit, value in numbers if path else ():
                self.units[name] = unit
                yield " ".join(("->".join(path), *extras)), name, value

    def _find_path(self, refs: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return the regions from the outermost on, and what else a record refers to."""
        path: list[str] = []
        extras: list[str] = []
        for ref in refs:
            part: list[str] = []
            for node in self._ascend(int(ref)):
                name = self._name(node.attribute)
                if self._is_nested(node.attribute):
                    part.append(node.value)
                elif name and not name.startswith(_OF_TOOLS):
                    extras.append(f"{name}={node.value}")
            path += reversed(part)
        return path, extras

    def _read_globals(self, fields: Mapping[str, list[str]]) -> Iterator[tuple[str, str]]:
        for ref in fields.get("ref", []):
            for node in self._ascend(int(ref)):
                yield self._name(node.attribute), node.value
        attributes = map(int, fields.get("attr", []))
        for attribute, value in zip(attributes, fields.get("data", []), strict=True):
            yield self._name(attribute), value

    def _ascend(self, number: int | None) -> Iterator[_Node]:
        while number is not None and (node := self.nodes.get(number)) is not None:
            yield node
            number = node.parent

    def _name(self, attribute: int) -> str:
        node = self.nodes.get(attribute)
        return node.value if node is not None and node.attribute == _NAME else ""

    def _is_nested(self, attribute: int) -> bool:
        properties = [node.value for node in self._ascend(attribute) if node.attribute == _PROPERTIES]
        return any(int(value) & _NESTED for value in properties)

    def _describe(self, attribute: int) -> tuple[str, str, bool]:
        """Return the name of a metric (its alias, where it has one), its unit, and whether it is a number."""
        alias = unit = ""
        number = attribute
        while (node := self.nodes.get(number)) is not None:
            title = self._name(node.attribute)
            if title == "attribute.alias":
                alias = node.value
            elif title == "attribute.unit":
                unit = _UNITS.get(node.value, node.value)
            if node.parent is None:
                break
            number = node.parent
        return alias or self._name(attribute), unit, number in _NUMBERS


def _split_fields(line: str) -> dict[str, list[str]]:
    """Split ``key=a=b,key=c``; a backslash keeps the sign after it."""
    fields: dict[str, list[str]] = {}
    key, cells, cell, signs = "", [], "", iter(line)
    for sign in signs:
        if sign == "\\":
            following = next(signs, "")
            cell += "\n" if following == "n" else following
        elif sign == "=":
            if key:
                cells.append(cell)
            else:
                key = cell
            cell = ""
        elif sign == ",":
            fields[key] = [*cells, cell]
            key, cells, cell = "", [], ""
        else:
            cell += sign
    fields[key] = [*cells, cell]
    return fields


def _choose_parameter(runs: Sequence[CaliperRun], directory: Path) -> tuple[str, ...]:
    for name in SCALES:
        if len({run.about.get(name) for run in runs}) > 1 and all(name in run.about for run in runs):
            return (name,)
    names = sorted(set.intersection(*(set(run.about) for run in runs)))
    varying = [
        name
        for name in names
        if len({run.about[name] for run in runs}) > 1
        and all(_to_number(run.about[name]) is not None for run in runs)
        and name not in RESULTS
        and name not in OF_ONE_RUN
    ]
    raise UsageError(
        f"{directory}: none of {', '.join(SCALES)} varies over {len(runs)} profiles",
        hint=f"--parameter NAME, one of: {', '.join(varying) or 'none varies; profile other scales'}",
    )


def _read_number(run: CaliperRun, name: str) -> float:
    value = _to_number(run.about.get(name, ""))
    if value is None:
        text = repr(run.about[name]) if name in run.about else "not in its globals"
        raise UsageError(
            f"{run.file}: the parameter {name} is {text}, and no number",
            hint=f"--parameter NAME, one of: {', '.join(n for n in SCALES if n in run.about) or 'none'}",
        )
    return value


def _refuse_mixture(
    runs: Sequence[CaliperRun],
    places: Sequence[tuple[float | str, ...]],
    names: Sequence[str],
    pool: Sequence[str],
) -> None:
    """Refuse runs of one point that differ in a text, and runs of another problem size.

    Raises
    ------
    UsageError
    """
    ignored = {*pool, *names, *RESULTS, *OF_ONE_RUN}
    keys = [key for key in dict.fromkeys(key for run in runs for key in run.about) if key not in ignored]
    for key in keys:
        if key.startswith(_OF_TOOLS):
            continue
        of_size = "size" in key.lower() and key not in SCALES
        texts: dict[object, dict[str, Path]] = defaultdict(dict)
        for run, place in zip(runs, places, strict=True):
            value = run.about.get(key, "")
            if of_size or key in SCALES or _to_number(value) is None:
                texts[place[-1] if of_size else place].setdefault(value, run.file)
        for values in texts.values():
            if len(values) > 1:
                (value, first), (second_value, second), *_ = values.items()
                raise UsageError(
                    f"{second}: {key} is {second_value!r}, and {value!r} in {first} of the same function",
                    hint=f"--by {key} makes them two functions, --pool {key} keeps them together"
                    + (f", --parameter {key} models it" if of_size or key in SCALES else ""),
                )


def _to_number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
