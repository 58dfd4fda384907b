"""From frames to functions: names, places, source lines, and functions that only one build inlines."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from steelyard.extensions.explain.names import clean_symbol, name_place
from steelyard.extensions.explain.perf_script import Frame, RawProfile, drop_broken
from steelyard.extensions.explain.profiles import Chain, Function, Profile
from steelyard.extensions.explain.symbols import SourcePlace, find_address, look_up, read_segments

_PYTHON: Final = re.compile(r"^py::(?P<name>.*):(?P<file>[^:]*)$")
"""As CPython's ``-X perf`` calls its functions."""
_INTERPRETER: Final = re.compile(r"^(lib)?python[0-9.]*$")


def name_profiles(raw: Mapping[int, RawProfile], programs: Collection[str]) -> dict[int, Profile]:
    """Give the frames of all runs of both programs their names.

    An inlined function has a name of its own only where another build calls it: then what one build inlines
    is compared with what the other does not.

    Parameters
    ----------
    raw : Mapping[int, RawProfile]
        By trial.
    programs : collection of str
        Names of the files of both programs.
    """
    chains = {frames for profile in raw.values() for frames in profile.weights}
    places = _look_up_frames(chains)
    called = {clean_symbol(frame.symbol) for frames in chains for frame in frames}
    namer = _Namer(places, called, programs)
    named: dict[tuple[Frame, ...], Chain] = {
        frames: namer.name_chain(drop_broken(frames)) for frames in chains
    }
    profiles = {}
    for trial, profile in raw.items():
        weights: dict[Chain, float] = {}
        for frames, weight in profile.weights.items():
            weights[named[frames]] = weights.get(named[frames], 0.0) + weight
        profiles[trial] = Profile(weights, profile.samples, profile.lost)
    return profiles


Places = Mapping[tuple[str, int], tuple[SourcePlace, ...]]
"""By file and offset."""


def _get_offset(frame: Frame, place: int) -> int:
    # Callers are known by the address behind their call.
    return frame.ip if place == 0 else max(0, frame.ip - 1)


def _look_up_frames(chains: Iterable[Sequence[Frame]]) -> Places:
    offsets: dict[str, set[int]] = {}
    for frames in chains:
        for place, frame in enumerate(frames):
            if frame.object_file.startswith("/"):
                starts = {frame.ip - frame.offset} if clean_symbol(frame.symbol) == frame.symbol else set()
                offsets.setdefault(frame.object_file, set()).update({_get_offset(frame, place)} | starts)
    lines_at: dict[tuple[str, int], tuple[SourcePlace, ...]] = {}
    for file, members in offsets.items():
        segments = read_segments(Path(file))
        addresses = {
            offset: address for offset in members if (address := find_address(segments, offset)) is not None
        }
        lines = look_up(Path(file), set(addresses.values()))
        lines_at |= {
            (file, offset): lines[address] for offset, address in addresses.items() if address in lines
        }
    return lines_at


class _Namer:
    """Names of frames, each made once: runs share most of them."""

    def __init__(self, places: Places, called: Collection[str], programs: Collection[str]) -> None:
        self._places, self._called, self._programs = places, called, programs
        self._functions: dict[tuple[Frame, bool], tuple[Function, ...]] = {}

    def name_chain(self, frames: Sequence[Frame]) -> Chain:
        """Return the functions of frames, the outermost first."""
        functions = [name for place, frame in enumerate(frames) for name in self._name(frame, place)]
        functions.reverse()
        return _fold_interpreter(functions)

    def _name(self, frame: Frame, place: int) -> tuple[Function, ...]:
        """Return what is inlined at a frame and called elsewhere, then its own function."""
        key = (frame, place == 0)
        if key not in self._functions:
            lines = self._places.get((frame.object_file, _get_offset(frame, place)), ())
            file = name_place(frame.object_file, self._programs)
            inlined = (
                Function(name, file, source.file)
                for source in lines[:-1]
                if (name := clean_symbol(source.name)) in self._called
            )
            self._functions[key] = (*inlined, _name_frame(frame, self._places, self._programs))
        return self._functions[key]


def _name_frame(frame: Frame, places: Places, programs: Collection[str]) -> Function:
    if match := _PYTHON.match(frame.symbol):
        return Function(match["name"], PurePosixPath(match["file"]).name or "python", match["file"])
    place = name_place(frame.object_file, programs)
    start = places.get((frame.object_file, frame.ip - frame.offset), ())
    source = start[-1] if start else SourcePlace("")
    return Function(clean_symbol(frame.symbol), place, source.file, source.line)


def _fold_interpreter(functions: Sequence[Function]) -> Chain:
    """Count what the interpreter does for a function of Python as that function's own time."""
    folded: list[Function] = []
    is_python = False
    for function in functions:
        if function.place.endswith(".py") or function.place.startswith("<"):
            is_python = True
        elif is_python and (_INTERPRETER.match(function.place) or not function.place):
            continue
        folded.append(function)
    return tuple(folded)
