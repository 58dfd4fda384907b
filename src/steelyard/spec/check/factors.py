"""``[factors]``: what varies, level by level, and which factors are linked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from steelyard.core.units import BUILTIN, Scalar
from steelyard.interventions import INTERVENTIONS
from steelyard.spec.check.program import read_command
from steelyard.spec.experiment import Factor, LevelCommands, Zip
from steelyard.spec.levels import check_distinct, check_level, find_level, unique
from steelyard.spec.names import check_identifier
from steelyard.spec.text.gathered import ErrorCollector
from steelyard.spec.text.origin import Origin, Path
from steelyard.spec.text.placeholders import RESERVED
from steelyard.spec.text.toml import format_value

COMMAND = "command"
"""The factor that ``commands`` makes."""


def read_factors(
    tables: Mapping[str, Sequence[Scalar] | Zip], commands: Sequence[str], origin: Origin
) -> tuple[tuple[Factor, ...], tuple[Zip, ...]]:
    """Return the factors, that of ``commands`` first, and the links between them.

    Raises
    ------
    SpecError
    """
    factors: list[Factor] = []
    zips: list[Zip] = []
    if commands:
        factors.append(_make_factor(COMMAND, commands, origin, ("program", "commands")))

    def read(name: str, table: Sequence[Scalar] | Zip) -> None:
        path: Path = ("factors", name)
        if isinstance(table, Zip):
            link = _make_zip(name, table, origin, path)
            zips.append(link)
            columns = zip(link.names, zip(*link.levels, strict=True), strict=True)
            # A member may repeat a level, as long as no row is repeated.
            members = [Factor(name, unique(column), name in INTERVENTIONS) for name, column in columns]
        else:
            check_factor_name(name, origin, path)
            members = [_make_factor(name, table, origin, path)]
        for member in members:
            if any(member.name == factor.name for factor in factors):
                problem = f"{member.name} is a factor twice"
                raise origin.error(path, problem, "a factor can be in one zip at most")
        factors.extend(members)

    gathered = ErrorCollector()
    for name, table in tables.items():
        gathered(read, name, table)
    gathered.refuse()
    for link in zips:
        if any(link.name == factor.name for factor in factors):
            text = f"{link.name} names a factor and a zip"
            raise origin.error(("factors", link.name), text, f"rename the zip: {link.name}_link")
    return tuple(factors), tuple(zips)


def check_factor_name(name: str, origin: Origin, path: Path) -> None:
    """Refuse names that are not identifiers, are reserved placeholders, or are metrics of every trial.

    Raises
    ------
    SpecError
    """
    check_identifier(name, "factor", origin, path)
    if name in RESERVED:
        raise origin.error(path, f"{{{name}}} has a meaning of its own", f"rename the factor: {name}_")
    if name == COMMAND:
        hint = 'name the commands in [program]: commands = { old = ["…"], new = ["…"] }'
        raise origin.error(path, "the factor command is made by commands in [program]", hint)
    if name in BUILTIN:
        raise origin.error(
            path, f"{name} is a metric that every trial has", f"rename the factor: {name}_level"
        )


def _make_factor(name: str, levels: Sequence[Scalar], origin: Origin, path: Path) -> Factor:
    if not levels:
        raise origin.error(path, "has no levels", f"write {name} = [1, 2]")
    if name in INTERVENTIONS and INTERVENTIONS[name].is_place:
        problem = "all treatments of a block run on one machine, so blocks cannot compare machines"
        raise origin.error(path, problem, f'draw it: {name} = "random" in [contexts]; or rename the factor')
    checked = tuple(check_level(name, level, origin, (*path, i)) for i, level in enumerate(levels))
    check_distinct(checked, name, origin, path)
    return Factor(name, checked, intervention=name in INTERVENTIONS)


def _make_zip(name: str, table: Zip, origin: Origin, path: Path) -> Zip:
    check_identifier(name, "zip", origin, path)
    for i, part in enumerate(table.names):
        check_factor_name(part, origin, (*path, "zip", i))
        if part in table.names[:i]:
            raise origin.error((*path, "zip", i), f"{part} is linked twice", "leave one out")
    if len(table.names) < 2:
        text = f"links {len(table.names)} factors"
        raise origin.error((*path, "zip"), text, 'write two names or more: zip = ["nodes", "scale"]')
    if not table.levels:
        raise origin.error(
            (*path, "levels"), "is empty", "write one row for each step: levels = [[1, 14], [2, 15]]"
        )
    rows: list[tuple[Scalar, ...]] = []
    for i, row in enumerate(table.levels):
        place = (*path, "levels", i)
        if len(row) != len(table.names):
            linked = ", ".join(table.names)
            text = f"row {i + 1} has {len(row)} levels for {len(table.names)} factors ({linked})"
            raise origin.error(place, text, "give each factor of the zip one level in every row")
        pairs = zip(table.names, row, strict=True)
        checked = tuple(
            check_level(factor, level, origin, (*place, j)) for j, (factor, level) in enumerate(pairs)
        )
        if checked in rows:
            listed = ", ".join(map(format_value, checked))
            raise origin.error(place, f"the row {listed} is given twice", "leave one out")
        rows.append(checked)
    for i, factor in enumerate(table.names):
        check_distinct(unique(row[i] for row in rows), factor, origin, (*path, "levels"))
    return Zip(table.names, tuple(rows), name)


def read_level_commands(
    tables: Sequence[LevelCommands], factors: tuple[Factor, ...], origin: Origin
) -> tuple[LevelCommands, ...]:
    """Return the commands of levels, in the order of the spec.

    Raises
    ------
    SpecError
    """
    by_name = {factor.name: factor for factor in factors}
    read: list[LevelCommands] = []
    for i, table in enumerate(tables):
        path: Path = ("levels", i)
        if table.factor not in by_name:
            raise origin.unknown((*path, "factor"), "factor", table.factor, by_name)
        levels = by_name[table.factor].levels
        level = find_level(table.factor, levels, table.level, origin, (*path, "level"))
        if any((commands.factor, commands.level) == (table.factor, level) for commands in read):
            text = f"{table.factor} = {level!r} has commands already"
            raise origin.error((*path, "level"), text, "put them into one table")
        if table.enter is not None and table.leave is None:
            text = "enter changes something, and nothing says how it is put back"
            hint = 'write leave = ["command"], or leave = ["true"] where nothing has to be put back'
            raise origin.error((*path, "leave"), text, hint)
        for key, command in (("enter", table.enter), ("leave", table.leave)):
            if command is not None:
                read_command(command, (*path, key), origin)
        read.append(replace(table, level=level))
    return tuple(read)
