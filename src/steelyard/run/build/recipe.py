"""``Recipe``: what is to be done for one combination of levels, and the key of what it gives."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.units import Scalar
from steelyard.design.randomness import generator, permutation
from steelyard.interventions.built import (
    CODE_PARTS,
    LARGEST_FUNCTION_PADDING,
    Code,
    LinkOrder,
    Padding,
)
from steelyard.run.build.inputs import InputFile, input_files, input_paths
from steelyard.run.build.toolchain import find, find_needed, machine, tools
from steelyard.run.launch.launch import Launch
from steelyard.spec.experiment import Build
from steelyard.spec.text.placeholders import expand, format_level, names

_KEY_VERSION: Final = 1
"""Part of every key: raised when what a key covers changes, so that no older directory is taken for it."""

_INHERITED: Final = ("PATH", "HOME", "LANG")
"""Environment variables that a build inherits; their values enter neither a key nor a file."""

_UNKNOWN_YET: Final = "\0build"
"""Stands for ``{build}`` in the key that decides what it will be; no text of a spec can hold a NUL."""


_OBJECTS: Final = "{objects}"

PADDING_FILE: Final = "steelyard-padding.s"

_PIECE: Final = "steelyard-padding-{place:04}.s"
"""What ``code`` puts in front of an object."""

_FIRST_PIECE: Final = 4096
_FURTHER_PIECES: Final = 256
"""Bytes below which they are drawn: a page for the first, which moves all, a few lines of the cache for each
further one, which moves what follows against what stands before.
"""

_PADDING: Final = """\
        .text
        .skip {bytes}
        .data
        .skip {bytes}
        .section .note.GNU-stack,"",%progbits
"""
"""Source for GNU as and compatible assemblers, on every processor. Without the last line the stack could be
executed.
"""


def is_padding(path: Path) -> bool:
    """Whether a file in ``{build}`` was written by us, before the command began."""
    return path.name.startswith("steelyard-padding") and path.suffix == ".s"


class Recipe(msgspec.Struct, frozen=True):
    """A build with its levels.

    Attributes
    ----------
    source : Path
        Directory of the spec: ``{source}``, and where the build runs.
    levels : Mapping[str, Scalar]
        Of the factors that the build names.
    """

    build: Build
    source: Path
    levels: Mapping[str, Scalar]

    def __str__(self) -> str:
        """Its name for people: ``the build opt=O3``."""
        return "the build" + "".join(f" {name}={format_level(level)}" for name, level in self.levels.items())

    def inputs(self) -> tuple[InputFile, ...]:
        """Return the files that it depends on, as they are now.

        Raises
        ------
        SpecError
            An input that is not there, or none at all.
        """
        return input_files(self.source, self.build.inputs, self._build_command(_UNKNOWN_YET)[1:])

    def key(self, inputs: tuple[InputFile, ...]) -> str:
        """sha256, hexadecimal, of everything that the build is known to depend on.

        Raises
        ------
        MachineError
            The first word of the command is not found.
        """
        command = self._build_command(_UNKNOWN_YET)
        env = self._make_environment(_UNKNOWN_YET)
        # Bytes, which JSON takes as base64: paths and words need not be UTF-8.
        content = {
            "version": _KEY_VERSION,
            "command": [os.fsencode(word) for word in command],
            "env": {name: os.fsencode(env[name]) for name in self.build.env},
            "source": os.fsencode(self.source),
            "inputs": inputs,
            "tools": tools(command, env, self.source),
            "machine": machine(),
            **({"padding": self.padding_bytes} if self.padding_bytes is not None else {}),
            **({"pieces": self._split_pieces()} if self._split_pieces() else {}),
        }
        return hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()

    def check(self) -> None:
        """Whether it can be begun: its inputs are there, and what it starts. No file is read.

        Raises
        ------
        SpecError, MachineError
            As ``inputs`` and ``key``.
        """
        command = self._build_command(_UNKNOWN_YET)
        input_paths(self.source, self.build.inputs, command[1:])
        find_needed(command, self._make_environment(_UNKNOWN_YET), self.source)

    def launch(self, directory: Path, log: Path) -> Launch:
        """Return the command line, with ``directory`` for ``{build}``."""
        command = self._build_command(str(directory))
        env = self._make_environment(str(directory))
        return Launch(
            path=os.path.normpath(find(command[0], env, self.source) or command[0]),
            argv=command,
            env=tuple(f"{name}={value}" for name, value in env.items()),
            cwd=str(self.source),
            stdout=str(log),
            stderr=str(log),
            timeout_ns=round(self.build.timeout_s * 1e9),
        )

    @property
    def padding_bytes(self) -> int | None:
        """Contents of ``{padding_file}``; ``None`` where the build does not ask for one."""
        texts = (*self.build.command, *self.build.env.values())
        if not any("padding_file" in names(text) for text in texts):
            return None
        return self._draw_level(Padding.name)

    def write_padding(self, directory: Path) -> None:
        """Write into ``{build}`` what the command is given beside the user's own files, if anything."""
        named = {_PIECE.format(place=place): bytes_ for place, bytes_ in enumerate(self._split_pieces())}
        if self.padding_bytes is not None:
            named[PADDING_FILE] = self.padding_bytes
        for name, bytes_ in named.items():
            (directory / name).write_text(_PADDING.format(bytes=bytes_))

    def _draw_code(self) -> int:
        """Level of ``code``; 0 leaves everything as it is written."""
        return int(self.levels.get(Code.name, 0))

    def _draw(self, purpose: str, below: int) -> int:
        """Return a number that follows from the level of ``code``."""
        return int(generator(self._draw_code(), purpose).random() * below)

    def _draw_level(self, name: str) -> int:
        """Level of a kind, or what ``code`` draws in its place; 0 without either."""
        if name in self.levels or not self._draw_code():
            return int(self.levels.get(name, 0))
        return self._draw_code() if name == LinkOrder.name else self._draw(name, _FIRST_PIECE)

    def _split_pieces(self) -> list[int]:
        """Bytes of padding in front of each object, in the order in which they are linked."""
        if not self._draw_code():
            return []
        places = range(len(self.build.objects))
        return [self._draw(f"piece {at}", _FURTHER_PIECES if at else _FIRST_PIECE) for at in places]

    def _list_objects(self, directory: str) -> list[str]:
        objects = [expand(name, self._get_mapping(directory)) for name in self.build.objects]
        order = self._draw_level(LinkOrder.name)
        ordered = permutation(objects, generator(order, "link_order")) if order else objects
        pieces = (f"{directory}/{_PIECE.format(place=place)}" for place, _ in enumerate(self._split_pieces()))
        # Without pieces, the objects alone.
        return [word for both in zip_longest(pieces, ordered) for word in both if word is not None]

    def _build_command(self, directory: str) -> tuple[str, ...]:
        words: list[str] = []
        for word in self.build.command:
            words += self._list_objects(directory) if self._is_list(word) else [self._expand(word, directory)]
        return tuple(words)

    def _is_list(self, word: str) -> bool:
        return word == _OBJECTS and bool(self.build.objects)

    def _expand(self, text: str, directory: str) -> str:
        mapping = self._get_mapping(directory)
        if self.build.objects and "objects" in names(text):
            mapping["objects"] = " ".join(self._list_objects(directory))
        return expand(text, mapping)

    def _make_environment(self, directory: str) -> dict[str, str]:
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        variables = {name: self._expand(value, directory) for name, value in self.build.env.items()}
        return inherited | variables

    def _get_mapping(self, directory: str) -> dict[str, Scalar]:
        drawn: dict[str, Scalar] = {}
        if Code.name in self.levels:
            drawn = {name: self._draw_level(name) for name in CODE_PARTS}
            drawn["function_padding"] = self._draw_code() and self._draw(
                "function", LARGEST_FUNCTION_PADDING + 1
            )
        return {
            **drawn,
            **self.levels,
            "source": str(self.source),
            "build": directory,
            "padding_file": f"{directory}/{PADDING_FILE}",
        }
