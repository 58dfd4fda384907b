"""``Recipe``: what is to be done for one combination of levels, and the key of what it gives."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from steelyard.run.build.inputs import InputFile, input_files
from steelyard.run.build.toolchain import find, machine, tools
from steelyard.run.launch import Launch
from steelyard.spec.experiment import Build
from steelyard.spec.placeholders import expand, format_level
from steelyard.units import Scalar

_KEY_VERSION: Final = 1
"""Part of every key: raised when what a key covers changes, so that no older directory is taken for it."""

_INHERITED: Final = ("PATH", "HOME", "LANG")
"""What a build gets of the environment of Steelyard; their values are in no key and no file."""

_UNKNOWN_YET: Final = "\0build"
"""Stands for ``{build}`` in the key that decides what it will be; no text of a spec can hold a NUL."""


@dataclass(frozen=True, slots=True)
class Recipe:
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
        """What a person calls it: ``the build opt=O3``."""
        return "the build" + "".join(f" {name}={format_level(level)}" for name, level in self.levels.items())

    def inputs(self) -> tuple[InputFile, ...]:
        """The files that it depends on, as they are now.

        Raises
        ------
        SpecError
            An input that is not there, or none at all.
        """
        return input_files(self.source, self.build.inputs, self._command(_UNKNOWN_YET)[1:])

    def key(self, inputs: tuple[InputFile, ...]) -> str:
        """sha256, hexadecimal, of everything that the build is known to depend on.

        Raises
        ------
        MachineError
            The first word of the command is not found.
        """
        command = self._command(_UNKNOWN_YET)
        env = self._environment(_UNKNOWN_YET)
        # Bytes, which JSON takes as base64: paths and words need not be UTF-8.
        content = {
            "version": _KEY_VERSION,
            "command": [os.fsencode(word) for word in command],
            "env": {name: os.fsencode(env[name]) for name in self.build.env},
            "source": os.fsencode(self.source),
            "inputs": inputs,
            "tools": tools(command, env, self.source),
            "machine": machine(),
        }
        return hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()

    def launch(self, directory: Path, log: Path) -> Launch:
        """How to start it, with ``directory`` for ``{build}``."""
        command = self._command(str(directory))
        env = self._environment(str(directory))
        return Launch(
            path=os.path.normpath(find(command[0], env, self.source) or command[0]),
            argv=command,
            env=tuple(f"{name}={value}" for name, value in env.items()),
            cwd=str(self.source),
            stdout=str(log),
            stderr=str(log),
            timeout_ns=round(self.build.timeout_s * 1e9),
        )

    def _command(self, directory: str) -> tuple[str, ...]:
        return tuple(expand(word, self._mapping(directory)) for word in self.build.command)

    def _environment(self, directory: str) -> dict[str, str]:
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        own = {name: expand(value, self._mapping(directory)) for name, value in self.build.env.items()}
        return inherited | own

    def _mapping(self, directory: str) -> dict[str, Scalar]:
        return {**self.levels, "source": str(self.source), "build": directory}
