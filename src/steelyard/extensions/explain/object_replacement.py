"""Objects of the old program in the new one, linked anew for each block (``linking``)."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from steelyard.core.errors import MachineError, ProgramError
from steelyard.extensions.explain.linking import (
    FILE,
    SIDE,
    Linking,
    copy_objects,
    discard_programs,
    name_program,
)
from steelyard.extensions.explain.names import clean_symbol, shorten_signature
from steelyard.extensions.explain.request import NEW, OLD, ExplainRequest
from steelyard.extensions.explain.results import Contribution
from steelyard.extensions.explain.validation import NAME, Replacement, Trial, find_difference, name_arm
from steelyard.run.build import Builder
from steelyard.spec.experiment import Experiment

_DEFINED: Final = frozenset("tTwWVuiD")


def refuse_untestable() -> None:
    """Refuse ``--validate`` before the first run, where no symbols can be read."""
    if shutil.which("nm") is None:
        raise MachineError(
            "--validate reads symbols with nm, which is not found", hint="apt-get install binutils"
        )


class ObjectReplacement(Replacement):
    """Objects of OLD in NEW; all programs are laid out anew for each block.

    Parameters
    ----------
    objects : Path
        Directory of the copies of both programs' objects.
    """

    def __init__(self, request: ExplainRequest, linking: Linking, objects: Path) -> None:
        self._request, self._linking, self._objects = request, linking, objects

    @cached_property
    def _defined(self) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
        """Functions by object, of both programs."""
        return _list_defined(self._linking.old), _list_defined(self._linking.new)

    def find_part(self, entry: Contribution) -> tuple[str, str]:
        """Return the object that defines a function, and why it cannot be tested."""
        place, reason = _find_object(entry, *self._defined)
        return place, reason or _find_obstacle(place, self._linking)

    def prepare(self, trial: Trial) -> Trial:
        """Link NEW with the object, and try it once."""
        request, linking = self._request, self._linking
        arm = name_arm(trial.object)
        mixed = {**linking.new, trial.object: linking.old[trial.object]}
        copy_objects(linking, {arm: mixed}, self._objects)
        builder = Builder(linking.make_build(self._objects), Path.cwd())
        old, new = (name_program(words[0]) for words in (request.old, request.new))
        try:
            programs = [
                builder.build({SIDE: side, FILE: file, "code": 0}).directory / file
                for side, file in ((OLD, old), (NEW, new), (arm, new))
            ]
        except ProgramError as error:
            return replace(trial, reason=f"the new program does not link with it: {error.message}")
        rests = (request.old[1:], request.new[1:], request.new[1:])
        words = [(str(program), *rest) for program, rest in zip(programs, rests, strict=True)]
        reason = find_difference(words, request.stdin)
        return replace(trial, reason=reason) if reason else replace(trial, arm=arm)

    def make_experiment(self, arms: Sequence[str]) -> Experiment:
        """Return the experiment, which links all of them for each block."""
        sides = {name: name for name in (OLD, NEW, *arms)}
        commands = {name: self._request.list_escaped_words(OLD if name == OLD else NEW) for name in sides}
        return self._request.make_experiment(NAME, commands, sides, self._objects)

    def discard(self, directory: Path) -> None:
        """Remove the programs from the cache of builds: each was for one block."""
        discard_programs(directory)


def _find_object(
    entry: Contribution, old: Mapping[str, frozenset[str]], new: Mapping[str, frozenset[str]]
) -> tuple[str, str]:
    """Return the object that defines a function, and why it cannot be told."""
    if entry.place:
        return entry.place, f"it is in {entry.place}, which is not linked from --objects"
    keys = {shorten_signature(name) for name in (entry.name, entry.old_name or entry.name)}
    places = sorted({name for side in (old, new) for name, defined in side.items() if keys & defined})
    if len(places) > 1:
        stem = Path(entry.file).stem
        places = [name for name in places if Path(name).stem.partition(".")[0] == stem] or places
    if not places:
        return entry.name, "no object defines it: it is inlined, or made by the linker"
    if len(places) > 1:
        return entry.name, f"{len(places)} objects define it ({', '.join(places[:3])})"
    return places[0], ""


def _find_obstacle(name: str, linking: Linking) -> str:
    if name not in linking.new:
        return "only the old program has this object"
    if name not in linking.old:
        return "only the new program has this object"
    if Path(linking.old[name]).read_bytes() == Path(linking.new[name]).read_bytes():
        return "both programs have the same object: look at its callers and its data"
    return ""


def _list_defined(files: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Return the functions that each object defines, without parameters and clones."""
    defined = {}
    for name, file in files.items():
        done = subprocess.run(
            ["nm", "-C", "-P", "--defined-only", file],  # noqa: S607 -- that of PATH
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        rows = (line.rsplit(" ", 3) for line in done.stdout.splitlines())
        symbols = (row[0].strip() for row in rows if len(row) == 4 and row[1] in _DEFINED)
        defined[name] = frozenset(shorten_signature(clean_symbol(symbol)) for symbol in symbols)
    return defined
