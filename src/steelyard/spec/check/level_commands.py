"""``[[levels]]``: the user's own commands for a level, and the factors that are hard to change."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from steelyard.spec.check.levels import find_level
from steelyard.spec.check.program import read_command
from steelyard.spec.experiment import Factor, LevelCommands
from steelyard.spec.text.origin import Origin, Path


def read_level_commands(
    tables: Sequence[LevelCommands], factors: tuple[Factor, ...], origin: Origin
) -> tuple[LevelCommands, ...]:
    """The commands of levels, in the order of the spec.

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
        if any((each.factor, each.level) == (table.factor, level) for each in read):
            what = f"{table.factor} = {level!r} has commands already"
            raise origin.error((*path, "level"), what, "put them into one table")
        if table.enter is not None and table.leave is None:
            what = "enter changes something, and nothing says how it is put back"
            hint = 'write leave = ["command"], or leave = ["true"] where nothing has to be put back'
            raise origin.error((*path, "leave"), what, hint)
        for key, command in (("enter", table.enter), ("leave", table.leave)):
            if command is not None:
                read_command(command, (*path, key), origin)
        read.append(replace(table, level=level))
    return tuple(read)
