"""Public scaling series by recipe: ``library.toml`` names repositories, commits, files and columns.

A directory has a clone of each repository, named after the code. What git has is read, nothing is checked
out, and nothing of it is part of this project.
"""

from __future__ import annotations

import fnmatch
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec

from steelyard.core.series import Series
from steelyard.core.units import Better
from steelyard.extensions.growth.scaling import series_of

RECIPE = Path(__file__).with_name("library.toml")
LEAST_POINTS = 4
"""Of a series: three to model, and one to hold out."""


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Files of one shape in one repository.

    Attributes
    ----------
    by : list of str
        Columns that tell series of a file apart; of ``format = "gptl"`` a pattern with two groups, the series
        and the number of nodes, of the path.
    scale : str
        The column with the scale; names of files that differ in it are separated by ``|``.
    values : list of str
        Columns, or timers; what a file lacks is left out.
    only : dict
        Columns that have one value.
    """

    code: str
    set: str
    repository: str
    commit: str
    files: list[str]
    values: list[str]
    scale: str = ""
    format: str = "table"
    delimiter: str = ""
    names: list[str] = []
    by: list[str] = []
    only: dict[str, str] = {}
    better: Better = "lower"


class _Recipe(msgspec.Struct, frozen=True):
    source: list[Source]


def sources() -> list[Source]:
    """Return the sources of the recipe."""
    return msgspec.toml.decode(RECIPE.read_bytes(), type=_Recipe).source


def read(directory: Path, chosen: str) -> dict[str, list[Series]]:
    """Return the series of one set by code; a code whose clone is missing is left out."""
    series: dict[str, list[Series]] = {}
    for source in sources():
        clone = directory / source.code
        if source.set == chosen and clone.exists():
            series.setdefault(source.code, []).extend(_series(clone, source))
    return {code: _distinct(group) for code, group in series.items()}


def _distinct(series: list[Series]) -> list[Series]:
    """Drop what is a copy: repositories keep a table under several names."""
    return list({tuple((point.at, point.values) for point in item.points): item for item in series}.values())


def _series(clone: Path, source: Source) -> Iterator[Series]:
    listing = _git(clone, "ls-tree", "-r", "--name-only", source.commit).splitlines()
    paths = [path for path in listing if any(fnmatch.fnmatch(path, glob) for glob in source.files)]
    rows: dict[tuple[str, ...], dict[float, list[float]]] = {}
    for path in paths:
        text = _git(clone, "show", f"{source.commit}:{path}")
        cells = _timers(text, path, source) if source.format == "gptl" else _cells(text, path, source)
        for key, scale, value in cells:
            rows.setdefault(key, {}).setdefault(scale, []).append(value)
    for key, points in rows.items():
        if len(points) >= LEAST_POINTS:
            scales = sorted(points)
            item = series_of(" ".join(key), ["p"], [[scale] for scale in scales], [points[p] for p in scales])
            yield msgspec.structs.replace(item, better=source.better)


Cell = tuple[tuple[str, ...], float, float]


def _cells(text: str, path: str, source: Source) -> Iterator[Cell]:
    """Yield the cells of a table: series, scale, value."""
    names = source.names
    for line in text.lstrip("\ufeff").splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        fields = [field.strip().strip('"') for field in line.split(source.delimiter or None)]
        if not names:
            names = fields
            continue
        row = dict(zip(names, fields, strict=False))
        scale = next((row[name] for name in source.scale.split("|") if name in row), None)
        if any(row.get(name) != value for name, value in source.only.items()):
            continue
        key = (path, *(row.get(name, "") for name in source.by))
        for name in source.values:
            if name in row and _positive(scale) and _positive(row[name]):
                yield (*key, name), float(scale or 0), float(row[name])


def _timers(text: str, path: str, source: Source) -> Iterator[Cell]:
    """Yield the largest wall time of each timer of GPTL, by the number of nodes in the name of the file."""
    matched = re.search(source.by[0], path)
    if matched is None:
        return
    for name in source.values:
        timed = re.search(rf'^"{re.escape(name)}"\s+\S+(?:\s+\S+){{4}}\s+(\S+)', text, re.MULTILINE)
        if timed is not None and _positive(timed[1]):
            yield (path.split("/", 1)[0], matched[1], name), float(matched[2]), float(timed[1])


def _positive(text: str | None) -> bool:
    try:
        return text is not None and 0 < float(text) < float("inf")
    except ValueError:
        return False


def _git(clone: Path, *words: str) -> str:
    """Return what git prints; nothing of a file that the clone lacks."""
    done = subprocess.run(["git", "-C", str(clone), *words], capture_output=True, check=words[0] != "show")
    return done.stdout.decode(errors="replace")
