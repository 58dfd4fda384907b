"""Collapsed stacks, a chain a line (``main;parse;read 12``), as most profilers write and read them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Final

from steelyard.core.errors import ProgramError
from steelyard.extensions.explain.names import KERNEL, NO_SYMBOL
from steelyard.extensions.explain.profiles import Chain, Function, Profile

_FRAME: Final = re.compile(r"^(?P<name>.*?) \((?P<file>[^()]+?)(?::(?P<line>\d+))?\)$")
_NOWHERE: Final = Function(NO_SYMBOL, "unknown")
_KERNEL: Final = ("_[k]",)


def read_collapsed(text: str, name: str) -> Profile:
    """Read collapsed stacks.

    Parameters
    ----------
    name : str
        Of the file, for messages.

    Raises
    ------
    ProgramError
        A line does not end with a number, or no line has a stack.
    """
    weights: dict[Chain, float] = {}
    for number, line in enumerate(text.splitlines(), 1):
        stack, _, count = line.rstrip().rpartition(" ")
        if not line.strip() or line.startswith("#"):
            continue
        try:
            weight = float(count)
        except ValueError:
            weight = -1.0
        # py-spy writes samples without a frame so.
        is_empty = line.startswith(" ") and not stack
        if not (stack or is_empty) or not 0 <= weight < float("inf"):
            raise ProgramError(
                f"{name}:{number}: {line[:60]!r} is not a collapsed stack",
                hint="the profile command must write lines such as main;parse;read 12 to {profile}",
            )
        chain = tuple(_read_frame(frame) for frame in stack.split(";")) if stack else (_NOWHERE,)
        weights[chain] = weights.get(chain, 0.0) + weight
    if not weights:
        raise ProgramError(
            f"{name} has no stacks", hint="a longer run, or a higher rate of the profile command"
        )
    return Profile(weights, round(sum(weights.values())))


def _read_frame(text: str) -> Function:
    for end in _KERNEL:
        if text.endswith(end):
            return Function(text.removesuffix(end), KERNEL)
    match = _FRAME.match(text)
    if match is None:
        return Function(text)
    return Function(match["name"], PurePosixPath(match["file"]).name, match["file"], int(match["line"] or 0))


def write_collapsed(chains: Iterable[tuple[Chain, float, float]]) -> str:
    """Write chains with whole microseconds in the old and in the new program, as flamegraph.pl reads them.

    Parameters
    ----------
    chains : iterable of (Chain, float, float)
        Seconds in a run of the old and of the new program.
    """
    texts: dict[str, list[float]] = {}
    for chain, old_s, new_s in chains:
        sums = texts.setdefault(";".join(label_frame(function) for function in chain), [0.0, 0.0])
        sums[0] += old_s
        sums[1] += new_s
    counts = ((text, *(round(1e6 * value) for value in sums)) for text, sums in texts.items())
    return "".join(f"{text} {old} {new}\n" for text, old, new in sorted(counts) if old or new)


def label_frame(function: Function) -> str:
    """Return what a frame is called in files: without a semicolon, which separates frames there."""
    name = function.name.replace(";", ":").replace("\n", " ")
    if function.place == KERNEL:
        return f"{name}{_KERNEL[0]}"
    return f"{name} ({function.place})" if function.place else name


def list_frames(chains: Iterable[Chain]) -> list[Function]:
    """List the functions of chains, each once, in the order in which they come."""
    return [*dict.fromkeys(function for chain in chains for function in chain)]
