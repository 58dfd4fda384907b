"""Which benchmarks of a file are one: those that the harness itself takes for one, and no others.

Benchmarks of one name are often told apart by what a harness writes beside the name: package, file, class,
mode, runtime. These qualifiers become levels where a name is not enough, in all files alike, and names stay
short elsewhere. Where nothing tells two apart they are refused: as repetitions of one, they would hide each
other's changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.core.units import Better, Scalar
from steelyard.extensions.exchange.importers.contents import ImportedSeries, identifier

_Key = tuple[tuple[tuple[str, Scalar], ...], str]


def tell_apart(files: Mapping[str, Sequence[ImportedSeries]]) -> dict[str, list[ImportedSeries]]:
    """Make qualifiers levels where names are not enough in one of the files, or that are levels in one.

    Parameters
    ----------
    files : Mapping[str, sequence of ImportedSeries]
        By the name of the file.

    Raises
    ------
    UsageError
        Two benchmarks of a file have one name, and nothing tells them apart.
    """
    needed: dict[str, None] = {}
    for series in files.values():
        for group in _list_namesakes(series):
            needed |= dict.fromkeys(_list_differing(group))
    entries = [entry for series in files.values() for entry in series]
    # A fact that is the same in all of one file, and differs in another; a parameter may have its name.
    facts = {name for entry in entries for name in entry.levels}
    parameters = {name for entry in entries for name in entry.levels if name in entry.qualifiers}
    needed |= {name: None for entry in entries for name in entry.qualifiers if name in facts - parameters}
    qualified = _spell_levels(
        {place: [_qualify(entry, needed) for entry in series] for place, series in files.items()}
    )
    for place, series in qualified.items():
        for group in _list_namesakes(series):
            raise UsageError(
                f"{place}: {len(group)} benchmarks are called {group[0].title!r},"
                " and nothing tells them apart",
                hint="give each a name of its own; as one, each would hide what becomes of the others",
            )
    return _name_units(qualified)


def _spell_levels(files: Mapping[str, list[ImportedSeries]]) -> dict[str, list[ImportedSeries]]:
    """Add the names as the harness spells them where levels are one number in two spellings.

    ``n=10`` and ``n=1e1`` are two benchmarks, and the same level.
    """
    spellings: set[str] = set()
    for series in files.values():
        for group in _list_namesakes(series):
            names = [entry.name for entry in group]
            if "" not in names and len({*names}) == len(group):
                spellings |= {*names}
    return {
        place: [
            replace(entry, levels={**entry.levels, "spelled": entry.name})
            if entry.name in spellings
            else entry
            for entry in series
        ]
        for place, series in files.items()
    }


def choose_sides(
    files: Mapping[str, Sequence[ImportedSeries]], sides: Mapping[str, Better], columns: Sequence[str] = ()
) -> dict[str, list[ImportedSeries]]:
    """Give metrics the side that is chosen for them, whatever their unit says.

    Parameters
    ----------
    columns : sequence of str
        Those of a table, whose readers know the sides of columns by any name.

    Raises
    ------
    UsageError
        A side is of a metric that no file has.
    """
    chosen = {identifier(name): side for name, side in sides.items() if name not in columns}
    metrics = dict.fromkeys(entry.metric for series in files.values() for entry in series)
    for name in chosen:
        if name not in metrics:
            raise UsageError(f"--better {name}=…: no report has it", hint=f"metrics: {', '.join(metrics)}")
    return {
        place: [replace(entry, better=chosen.get(entry.metric, entry.better)) for entry in series]
        for place, series in files.items()
    }


def _name_units(files: Mapping[str, Sequence[ImportedSeries]]) -> dict[str, list[ImportedSeries]]:
    """Name metrics that have several units after them: the ``rate`` of one test in B/s, of another in 1/s.

    Where one benchmark has a metric in two units, its files are of two kinds, and names stay as they are.
    """
    units: dict[str, set[str]] = {}
    of_benchmark: dict[_Key, set[str]] = {}
    for entry in (entry for series in files.values() for entry in series):
        units.setdefault(entry.metric, set()).add(entry.unit)
        of_benchmark.setdefault((tuple(entry.levels.items()), entry.metric), set()).add(entry.unit)
    changing = {metric for (_, metric), names in of_benchmark.items() if len(names) > 1}
    mixed = {metric for metric, names in units.items() if len(names) > 1} - changing
    return {
        place: [
            replace(entry, metric=name_with_unit(entry.metric, entry.unit))
            if entry.metric in mixed
            else entry
            for entry in series
        ]
        for place, series in files.items()
    }


def name_with_unit(metric: str, unit: str) -> str:
    """Return the name of a metric and its unit: ``rate_GFLOP_s``."""
    return identifier(f"{metric}_{unit}") if unit else metric


def find_namesakes(series: Sequence[ImportedSeries]) -> dict[str, str]:
    """Return the titles that several benchmarks of one metric have, each with the reason to leave it out."""
    titles: dict[tuple[str, str], int] = {}
    for entry in series:
        titles[entry.title, entry.metric] = titles.get((entry.title, entry.metric), 0) + 1
    return {
        title: f"{count} benchmarks have this name: give each a name of its own"
        for (title, _), count in titles.items()
        if count > 1
    }


def qualify(series: Sequence[ImportedSeries]) -> list[ImportedSeries]:
    """Make qualifiers levels where names of one file are not enough, as far as they go."""
    needed: dict[str, None] = {}
    for group in _list_namesakes(series):
        needed |= dict.fromkeys(_list_differing(group))
    return [_qualify(entry, needed) for entry in series]


def _list_namesakes(series: Sequence[ImportedSeries]) -> list[list[ImportedSeries]]:
    groups: dict[_Key, list[ImportedSeries]] = {}
    for entry in series:
        groups.setdefault((tuple(entry.levels.items()), entry.metric), []).append(entry)
    return [group for group in groups.values() if len(group) > 1]


def _list_differing(group: Sequence[ImportedSeries]) -> list[str]:
    """Qualifiers in which namesakes differ; one that only some of them have differs, too."""
    names = dict.fromkeys(name for entry in group for name in entry.qualifiers)
    return [name for name in names if len({entry.qualifiers.get(name) for entry in group}) > 1]


def _qualify(entry: ImportedSeries, needed: Mapping[str, None]) -> ImportedSeries:
    facts = {**entry.levels, **entry.qualifiers}
    last = {name: facts[name] for name in needed if name in facts}
    # In one order in all files: benchmarks are the same by their levels in words.
    rest = {name: level for name, level in entry.levels.items() if name not in last}
    return replace(entry, levels={**rest, **last}) if last else entry
