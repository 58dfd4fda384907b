"""``compare --null=layout``: two layouts of one program, drawn at random.

That is the least that two builds of one source differ in (Mytkowicz et al. 2009, DOI
10.1145/1508244.1508275).

The program is copied under two paths. A path lies on the stack, twice, so its length moves every local
variable. Steelyard's way makes both arms' contexts equal and draws a new one for each
block. The other way leaves the paths as they are: the difference in bytes is put back as ``env_bytes``, all
blocks have one context, and the order is randomised all the same, so that order is not at fault.
"""

from __future__ import annotations

import os
import random
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.design.randomness import generator
from steelyard.extensions.null.null import Make, only_command, seed_of
from steelyard.extensions.null.results import Way
from steelyard.lab.compare.compare import CompareRequest, split
from steelyard.spec.experiment import Contexts, Experiment, Factor, Zip

PLACE: Final = "layout_directory"
"""The factor whose levels are the two directories."""

LONGEST_NAME: Final = 200
"""Bytes; a name may have 255."""

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


def layouts(request: CompareRequest) -> Make:
    """Copy the program into two directories with random names of random length.

    Experiments are made for equal contexts and for one.

    Raises
    ------
    UsageError
        Not exactly one command, one for a shell, or a program that is not found.
    """
    if request.shell is not None:
        raise UsageError(
            "--null=layout copies a program, which a shell's command is not", hint="leave -S out"
        )
    words = split(only_command(request))
    program = _find(words[0])

    def make(number: int, place: Path) -> Mapping[Way, Experiment]:
        draw = generator(request.seed, "layout", number)
        directories = tuple(str(_copy(program, place / f"{arm}{_name(draw)}")) for arm in "ab")
        moved = replace(
            request,
            commands=(f"{{{PLACE}}}/{shlex.join([program.name, *words[1:]])}",),
            parameters={PLACE: directories},
            seed=seed_of(request, number),
            contexts=True,
            max_time_s=None,  # that of all comparisons together
        )
        contexts = moved.experiment()
        return {"contexts": contexts, "one_context": _take_one_context(contexts, directories)}

    return make


def _take_one_context(contexts: Experiment, directories: tuple[str, ...]) -> Experiment:
    lengths = [len(os.fsencode(directory)) for directory in directories]
    # Once as the file that is executed, once as the first argument.
    env_bytes = [2 * (length - min(lengths)) for length in lengths]
    factors = (
        *(factor for factor in contexts.factors if factor.name != PLACE),
        Factor(PLACE, directories),
        Factor("env_bytes", tuple(dict.fromkeys(env_bytes)), intervention=True),
    )
    link = Zip((PLACE, "env_bytes"), tuple(zip(directories, env_bytes, strict=True)), name="layout")
    return msgspec.structs.replace(
        contexts, factors=factors, zips=(link,), contexts=Contexts({"aslr": "off"})
    )


def _find(word: str) -> Path:
    text = shutil.which(word)
    if text is None:
        raise UsageError(f"command not found: {word}", hint="give its path, or check PATH")
    return Path(text)


def _name(draw: random.Random) -> str:
    length = 1 + int(draw.random() * LONGEST_NAME)
    return "".join(_LETTERS[int(draw.random() * len(_LETTERS))] for _ in range(length))


def _copy(program: Path, directory: Path) -> Path:
    """Copy it under its own name, since some programs act by it."""
    directory.mkdir(parents=True)
    shutil.copy(program, directory / program.name)
    return directory
