"""What decides a statement: real runs, virtual time, SimGrid, or counts, which are those of any machine.

A file of values says by its column ``implementation`` what ran; ``compared.py`` says it of others
(``EVIDENCE``), which statements are decided by counts (``BY_COUNTS``), and which effects of options those of
virtual time hang on: some that are measured (``EFFECTS``), one that is not (``NOT_MEASURED``), or none, where
the program has a rate of its own (``OWN_RATE``). An effect in virtual time that is more than a quarter away
from the one of a machine (``effects.csv``, which ``./dev bench virtual --rows effects`` measures) is written
with its factor.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from declarations import Data, Declaration

EFFECTS: Final = Path(__file__).resolve().parent / "effects.csv"
LIMIT: Final = 0.25
"""How far an effect in virtual time may be from the real one without its factor."""
LEGEND: Final = (
    "*Evidence* is real runs, the authors' data, virtual time, SimGrid, or counts, which are those of any"
    " machine. Where an effect of an option in virtual time is not within 25 % of the same effect on a real"
    " machine, its factor stands beside it: virtual over real (`studies/effects.csv`, on one rank). *Effect"
    " not measured*: one rank cannot have it. *The program's own rate*: no option varies."
)


class Effect(NamedTuple):
    """The ratio of two levels of an option, on so many ranks of a real machine and in virtual time.

    Virtual time is by the rates that the kept runs of the studies have.
    """

    name: str
    ranks: int
    real: float
    virtual: float

    @property
    def factor(self) -> float:
        """The ratio in virtual time over the real one."""
        return self.virtual / self.real

    @property
    def is_held(self) -> bool:
        """Whether virtual time has the effect, within the limit either way."""
        return max(self.factor, 1 / self.factor) <= 1 + LIMIT


@cache
def read_effects(file: Path = EFFECTS) -> tuple[Effect, ...]:
    """Effects of options that were measured on a machine."""
    with file.open(newline="", encoding="utf-8") as lines:
        return tuple(
            Effect(row["effect"], int(row["p"]), float(row["real"]), float(row["virtual"]))
            for row in csv.DictReader(lines)
        )


def write_effect(name: str, effects: Iterable[Effect]) -> str:
    """An effect with the factors of those numbers of ranks where virtual time does not have it.

    Raises
    ------
    LookupError
        It was not measured.
    """
    chosen = [effect for effect in effects if effect.name == name]
    if not chosen:
        raise LookupError(f"{EFFECTS.name} has no effect {name!r}: ./dev bench virtual --rows effects")
    missed = [f"{effect.factor:.2g} × at p = {effect.ranks}" for effect in chosen if not effect.is_held]
    return f"{name}: {', '.join(missed) if missed else 'within 25 %'}"


def kinds_of(declaration: Declaration, module: ModuleType, data: Data) -> Iterator[str]:
    """The kinds of evidence that a statement rests on, each once."""
    if declaration.origin == "the authors' data":
        yield "the authors' data"
        return
    named: Mapping[str, str] = getattr(module, "EVIDENCE", {})
    yield from dict.fromkeys(named.get(file) or kind_of_file(file, data) for file in declaration.data)
    if declaration.id in getattr(module, "BY_COUNTS", ()):
        yield "count"


def kind_of_file(name: str, data: Data) -> str:
    """What ran for the values of a file; one that does not say so has real runs."""
    if not name.endswith(".csv"):
        return "real"
    ran = {row.get("implementation", "") for row in data.table(name)}
    return "virtual" if ran == {"virtual"} else "SimGrid" if ran == {"smpi"} else "real"


def write_evidence(declaration: Declaration, module: ModuleType, data: Data) -> str:
    """The cell of a statement; empty where it rests on nothing: a method, a definition, a drawing."""
    if declaration.kind == "set-up":
        return ""
    kinds = ", ".join(kinds_of(declaration, module, data))
    names: Iterable[str] = getattr(module, "EFFECTS", {}).get(declaration.id, ())
    effects = "; ".join(write_effect(name, read_effects()) for name in names)
    if declaration.id in getattr(module, "OWN_RATE", ()):
        effects = "the program's own rate"
    if declaration.id in getattr(module, "NOT_MEASURED", ()):
        effects = "effect not measured"
    return f"{kinds} ({effects})" if effects else kinds
