"""``Profiles``: the time of each call chain in each sampled run, and where it is kept beside the record.

The document is ``steelyard/profiles``. History: version 1, the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.errors import RecordError
from steelyard.files.plain import read_plain, write_plain

FILE: Final = "profiles.json"


class Function(msgspec.Struct, frozen=True):
    """A function of a program.

    Attributes
    ----------
    name : str
        Demangled, without what compilers add to clones.
    place : str
        Library in which it lies, ``kernel``, or a source file of an interpreted language; empty: the program.
    file, line : str and int
        Where its source begins; empty and 0 where that is not known.
    """

    name: str
    place: str = ""
    file: str = ""
    line: int = 0


Chain = tuple[Function, ...]
"""Functions from the outermost to the one that ran."""


class Profile(msgspec.Struct, frozen=True):
    """One sampled run.

    Attributes
    ----------
    weights : Mapping[Chain, float]
        In nanoseconds, or samples where a profiler counts these.
    samples : int
        Of all chains.
    lost : int
        Samples that were lost.
    """

    weights: Mapping[Chain, float]
    samples: int = 0
    lost: int = 0


class Profiles(msgspec.Struct, frozen=True):
    """All sampled runs of a record.

    Attributes
    ----------
    unit : {"ns", "samples"}
        Of weights.
    trials : Mapping[int, Profile]
        By number.
    benchmark : str
        Whose values are explained, where programs report those of several.
    """

    unit: str
    trials: Mapping[int, Profile]
    benchmark: str = ""


class _StoredTrial(msgspec.Struct, frozen=True):
    trial: int
    samples: int
    lost: int
    chains: list[tuple[int, float]]


class _Stored(msgspec.Struct, frozen=True):
    """The document: functions and chains are written once."""

    format: str
    version: int
    unit: str
    functions: list[Function]
    chains: list[list[int]]
    trials: list[_StoredTrial]
    benchmark: str = ""


_FORMAT: Final = "steelyard/profiles"
_VERSION: Final = 1


def write_profiles(directory: Path, profiles: Profiles) -> None:
    """Write them into a record."""
    functions: dict[Function, int] = {}
    chains: dict[Chain, int] = {}
    trials = []
    for number, profile in profiles.trials.items():
        for chain in profile.weights:
            chains.setdefault(chain, len(chains))
            for function in chain:
                functions.setdefault(function, len(functions))
        weights = [(chains[chain], weight) for chain, weight in profile.weights.items()]
        trials.append(_StoredTrial(number, profile.samples, profile.lost, weights))
    numbers = [[functions[function] for function in chain] for chain in chains]
    stored = _Stored(_FORMAT, _VERSION, profiles.unit, [*functions], numbers, trials, profiles.benchmark)
    write_plain(directory / FILE, msgspec.json.encode(stored))


def read_profiles(directory: Path) -> Profiles | None:
    """Read them; ``None`` where a record has none.

    Raises
    ------
    RecordError
        The file is damaged, or of a later version.
    """
    content = read_plain(directory / FILE)
    if content is None:
        return None
    try:
        stored = msgspec.json.decode(content, type=_Stored)
        if (stored.format, stored.version) != (_FORMAT, _VERSION):
            raise RecordError(
                f"{directory / FILE} is {stored.format} {stored.version}, not {_FORMAT} {_VERSION}",
                hint="read it with the version of Steelyard that wrote it",
            )
        chains = [tuple(stored.functions[number] for number in chain) for chain in stored.chains]
        trials = {
            trial.trial: Profile(
                {chains[chain]: weight for chain, weight in trial.chains}, trial.samples, trial.lost
            )
            for trial in stored.trials
        }
    except (msgspec.MsgspecError, IndexError) as error:
        raise RecordError(
            f"{directory / FILE} is damaged: {error}", hint="measure again: steelyard explain OLD NEW"
        ) from None
    return Profiles(stored.unit, trials, stored.benchmark)
