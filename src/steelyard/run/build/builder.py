"""``Builder``: from the ``[build]`` of a spec and a treatment to the directory that holds its program."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from steelyard.errors import ProgramError, SpecError
from steelyard.run.build.cache import Entry, cache_root
from steelyard.run.build.inputs import input_files
from steelyard.run.build.toolchain import find, machine, tools
from steelyard.run.journal import RawTrial, read_journal
from steelyard.run.launch import Launch
from steelyard.run.runner import Runner, Trial
from steelyard.run.start_failure import start_failure
from steelyard.run.verify import ending
from steelyard.spec.experiment import Build
from steelyard.spec.placeholders import expand, format_level, names
from steelyard.units import Scalar

_KEY_VERSION: Final = 1
"""Part of every key: raised when what a key covers changes, so that no older directory is taken for it."""

_INHERITED: Final = ("PATH", "HOME", "LANG")
"""What a build gets of the environment of Steelyard; their values are in no key and no file."""

_UNKNOWN_YET: Final = "\0build"
"""Stands for ``{build}`` in the key that decides what it will be; no text of a spec can hold a NUL."""

_LOG_LINES: Final = 20
_LOG_BYTES: Final = 64 * 1024
"""As much of a log's end as is read to show its last lines."""


@dataclass(frozen=True, slots=True)
class Built:
    """A program that is ready.

    Attributes
    ----------
    directory : Path
        What ``{build}`` stands for; of one length for all builds under one cache.
    key : str
        sha256, hexadecimal, of everything that the build is known to depend on.
    log : Path
        What the build printed; it stays in the cache, copy it where it shall be kept.
    levels : Mapping[str, Scalar]
        The factors that this build names, and their levels.
    fresh : bool
        Built by this call, not found in the cache.
    reason : str or None
        Why it had to be built; ``None`` when it was found.
    """

    directory: Path
    key: str
    log: Path
    levels: Mapping[str, Scalar]
    fresh: bool
    reason: str | None = None


class Builder:
    """Builds what an experiment names, each combination of the factors that the build names once.

    Parameters
    ----------
    build : Build
    source : Path
        The directory of the spec, where the build runs.
    root : Path, optional
        Of the cache; by default the user's own.

    Raises
    ------
    SpecError
        ``{trial}`` in a build: no build belongs to a trial.
    """

    def __init__(self, build: Build, source: Path, *, root: Path | None = None) -> None:
        self._build = build
        self._source = source
        self._root = cache_root() if root is None else root
        self._built: dict[tuple[tuple[str, str], ...], Built] = {}
        named = {name for text in (*build.command, *build.env.values()) for name in names(text)}
        if "trial" in named:
            raise SpecError(
                "build: {trial} means nothing here", hint="a build may name factors, {build} and {source}"
            )
        if "build" in names(build.command[0]):
            raise SpecError(
                f"build.command: {build.command[0]!r} cannot be started: {{build}} is empty before the build",
                hint="start a program of the system, or of the source, as in {source}/build.sh",
            )
        self.factors: frozenset[str] = frozenset(named - {"build", "source"})
        """The factors that the build names: treatments that differ in others share a program."""

    def build(self, levels: Mapping[str, Scalar]) -> Built:
        """The program for a treatment: from this builder's memory, from the cache, or built now.

        Two processes that ask for one key at a time build it once; the second waits.

        Raises
        ------
        ProgramError
            The build failed, took too long or left nothing; holds the end of its log.
        SpecError
            An input that is not there, a factor that is none.
        MachineError
            The first word of the command is not found, or the cache cannot be written.
        """
        own = {name: levels[name] for name in sorted(self.factors) if name in levels}
        known = tuple((name, format_level(level)) for name, level in own.items())
        if known not in self._built:
            self._built[known] = self._find_or_build(own)
        return self._built[known]

    def _find_or_build(self, levels: Mapping[str, Scalar]) -> Built:
        entry = Entry(self._root, self._key(levels))
        with entry.locked():
            fault = entry.fault()
            if fault is not None:
                self._make(entry, levels)
        return Built(entry.directory, entry.key, entry.log, levels, fresh=fault is not None, reason=fault)

    def _key(self, levels: Mapping[str, Scalar]) -> str:
        command = self._command(levels, _UNKNOWN_YET)
        env = self._environment(levels, _UNKNOWN_YET)
        # Bytes, which JSON takes as base64: paths and words need not be UTF-8.
        content = {
            "version": _KEY_VERSION,
            "command": [os.fsencode(word) for word in command],
            "env": {name: os.fsencode(env[name]) for name in self._build.env},
            "source": os.fsencode(self._source),
            "inputs": input_files(self._source, self._build.inputs, command[1:]),
            "tools": tools(command, env, self._source),
            "machine": machine(),
        }
        return hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()

    def _make(self, entry: Entry, levels: Mapping[str, Scalar]) -> None:
        what = "the build" + "".join(f" {name}={format_level(level)}" for name, level in levels.items())
        with self._failures_with_log(what, entry), entry.journal() as journal:
            entry.clear()
            raw = self._run(entry, levels, journal)
            if raw.status == "timed_out":
                raise ProgramError(f"{what} was ended after its {self._build.timeout_s:g} s")
            if raw.status != "ok":
                raise ProgramError(f"{what} {start_failure(raw)}")
            if raw.exit_code != 0:
                raise ProgramError(f"{what} {ending(raw)}")
            if not entry.complete():
                raise ProgramError(
                    f"{what} left no file in {{build}}",
                    hint="let the command write its program to {build}: only that is kept apart by level",
                )

    def _run(self, entry: Entry, levels: Mapping[str, Scalar], journal: Path) -> RawTrial:
        """Under the runner, which ends whatever the build leaves running, and everything should we die."""
        command = self._command(levels, str(entry.directory))
        env = self._environment(levels, str(entry.directory))
        launch = Launch(
            path=os.path.normpath(find(command[0], env, self._source) or command[0]),
            argv=command,
            env=tuple(f"{name}={value}" for name, value in env.items()),
            cwd=str(self._source),
            stdout=str(entry.log),
            stderr=str(entry.log),
            timeout_ns=round(self._build.timeout_s * 1e9),
        )
        with Runner(journal) as runner:
            runner.run([Trial(1, runner.define(launch))])
        trials, _ = read_journal(journal)
        return trials[0]

    def _command(self, levels: Mapping[str, Scalar], directory: str) -> tuple[str, ...]:
        mapping = {**levels, "source": str(self._source), "build": directory}
        return tuple(expand(word, mapping) for word in self._build.command)

    def _environment(self, levels: Mapping[str, Scalar], directory: str) -> dict[str, str]:
        mapping = {**levels, "source": str(self._source), "build": directory}
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        return inherited | {name: expand(value, mapping) for name, value in self._build.env.items()}

    @contextmanager
    def _failures_with_log(self, what: str, entry: Entry) -> Iterator[None]:
        """Adds the end of the log to what went wrong in a build."""
        try:
            yield
        except ProgramError as error:
            lines = _last_lines(entry.log)
            shown = (
                "; its last lines:\n" + "\n".join(f"    {line}" for line in lines)
                if lines
                else "; it printed nothing"
            )
            raise ProgramError(
                error.message + shown, hint=error.hint or f"the whole log of {what} is in {entry.log}"
            ) from None


def _last_lines(log: Path) -> list[str]:
    try:
        with log.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _LOG_BYTES))
            text = file.read().decode(errors="replace")
    except OSError:
        return []
    return [line for line in text.splitlines() if line.strip()][-_LOG_LINES:]
