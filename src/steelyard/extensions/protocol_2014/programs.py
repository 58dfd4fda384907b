"""The tables of the paper, of many programs.

They say how many show a difference between two treatments, before and after Holm, and by which test that was
found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from steelyard.core.sample import Treatment
from steelyard.core.units import Scalar
from steelyard.extensions.protocol_2014.results import (
    Cell,
    ProgramRow,
    ProgramTables,
    ProtocolPair,
    StratumTable,
    Test,
)

PROGRAMS = ("command", "program")
"""Strata that name programs; without any of these, the first stratum does."""

Stratum = tuple[tuple[str, Scalar], ...]


class Found(msgspec.Struct, frozen=True):
    """Outcome of one pair of treatments for one program."""

    program: str
    stratum: Stratum
    first: str
    second: str
    test: Test | None
    before: bool
    after: bool


def tables_of(pairs: Sequence[ProtocolPair], strata: Sequence[str]) -> ProgramTables:
    """Return the tables of an experiment with at least one stratum."""
    program = next((name for name in PROGRAMS if name in strata), strata[0])
    shared = {
        *strata,
        *_list_constant_factors(
            [treatment for pair in pairs for treatment in (pair.baseline, pair.treatment)]
        ),
    }
    factors = tuple(name for name in pairs[0].treatment.levels if name not in shared)
    return replace(tabulate([_make_found(pair, program, shared) for pair in pairs], program), factors=factors)


def _list_constant_factors(treatments: Iterable[Treatment]) -> set[str]:
    """Factors with one level, which tell nothing apart."""
    levels: dict[str, set[Scalar]] = {}
    for treatment in treatments:
        for name, level in treatment.levels.items():
            levels.setdefault(name, set()).add(level)
    return {name for name, levels in levels.items() if len(levels) == 1}


def tabulate(founds: Sequence[Found], program: str = "program") -> ProgramTables:
    """Count what was found, pair by pair and program by program."""
    by_stratum: dict[Stratum, list[Found]] = {}
    by_program: dict[tuple[str, Stratum], list[Found]] = {}
    for row in founds:
        by_stratum.setdefault(row.stratum, []).append(row)
        by_program.setdefault((row.program, row.stratum), []).append(row)
    rows = [
        ProgramRow(
            name,
            dict(stratum),
            len(members),
            sum(member.before for member in members),
            sum(member.after for member in members),
            _count(member.test for member in members),
        )
        for (name, stratum), members in by_program.items()
    ]
    return ProgramTables(
        program, tuple(_make_table(stratum, members) for stratum, members in by_stratum.items()), tuple(rows)
    )


def _make_table(stratum: Stratum, founds: Sequence[Found]) -> StratumTable:
    pairs: dict[tuple[str, str], list[Found]] = {}
    for row in founds:
        pairs.setdefault((row.first, row.second), []).append(row)
    cells = [
        Cell(
            first,
            second,
            len(members),
            sum(member.before for member in members),
            sum(member.after for member in members),
            _count(member.test for member in members),
        )
        for (first, second), members in pairs.items()
    ]
    # The last treatment is in no pair as the first of it.
    treatments = dict.fromkeys([row.first for row in founds] + [row.second for row in founds])
    return StratumTable(dict(stratum), tuple(treatments), tuple(cells))


def _make_found(pair: ProtocolPair, program: str, shared: Iterable[str]) -> Found:
    # A label may have the name of a factor, and say the same or something else.
    labels = {
        f"label.{name}" if name in pair.stratum else name: level
        for name, level in pair.labels.items()
        if pair.stratum.get(name) != level
    }
    rest = {name: level for name, level in pair.stratum.items() if name != program}
    return Found(
        program=str(pair.stratum[program]),
        stratum=tuple({**rest, **labels}.items()),
        first=format_levels_within(pair.baseline, shared),
        second=format_levels_within(pair.treatment, shared),
        test=pair.test,
        before=pair.before,
        after=pair.after,
    )


def format_levels_within(treatment: Treatment, shared: Iterable[str]) -> str:
    """Levels that tell a treatment from the others of its stratum: all levels but ``shared``."""
    left_out = set(shared)
    levels = [str(level) or "''" for name, level in treatment.levels.items() if name not in left_out]
    return ",".join(levels) if levels else treatment.label


def _count(tests: Iterable[Test | None]) -> Mapping[Test, int]:
    return dict(sorted(Counter(test for test in tests if test is not None).items()))
