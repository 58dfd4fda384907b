"""``Builder``: from the ``[build]`` of a spec and a treatment to the directory that holds its program."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.errors import ProgramError, SpecError
from steelyard.core.units import Scalar
from steelyard.files.user_directories import locate_cache
from steelyard.interventions.built import Code, LinkOrder, Padding
from steelyard.run.build.cache import Entry
from steelyard.run.build.inputs import InputFile
from steelyard.run.build.recipe import Recipe, is_padding
from steelyard.run.launch.launch import Launch
from steelyard.run.measure.start_failure import start_failure
from steelyard.run.measure.verify import ending
from steelyard.run.runner.journal import RawTrial, read_journal
from steelyard.run.runner.runner import Runner, TrialOrder
from steelyard.spec.experiment import Build
from steelyard.spec.text.placeholders import format_level, names

_LOG_LINES: Final = 20
_LOG_BYTES: Final = 64 * 1024
"""Bytes read from the end of a log to show its last lines."""


class Built(msgspec.Struct, frozen=True):
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
        A program that the build itself is to make first.
    """

    def __init__(self, build: Build, source: Path, *, root: Path | None = None) -> None:
        self._build = build
        self._source = source
        self._root = locate_cache(os.environ) / "build" if root is None else root
        self._built: dict[tuple[tuple[str, str], ...], Built] = {}
        if "build" in names(build.command[0]):
            raise SpecError(
                f"build.command: {build.command[0]!r} cannot be started: {{build}} is empty before the build",
                hint="start a program of the system, or of the source, as in {source}/build.sh",
            )
        named = {
            name for text in (*build.command, *build.env.values(), *build.objects) for name in names(text)
        }
        used = {source.name for source in (LinkOrder, Padding, Code) if source.placeholders & named}
        ours = {"build", "source", "padding_file", "function_padding"}
        ours |= {"objects"} if build.objects else set()
        self.factors: frozenset[str] = frozenset(named - ours | used)
        """The factors that the build names: treatments that differ in others share a program."""

    def build(self, levels: Mapping[str, Scalar]) -> Built:
        """Return the program for a treatment: from this builder's memory, from the cache, or built now.

        Two processes that ask for one key at a time build it once; the second waits.

        Raises
        ------
        ProgramError
            The build failed, took too long, left nothing or changed its inputs; holds the end of its log.
        SpecError
            An input that is not there, or none at all.
        UsageError
            A placeholder names no factor.
        MachineError
            The first word of the command is not found, or the cache cannot be written.
        """
        recipe = self.recipe(levels)
        pairs = tuple((name, format_level(level)) for name, level in recipe.levels.items())
        if pairs not in self._built:
            self._built[pairs] = self._find_or_build(recipe)
        return self._built[pairs]

    def recipe(self, levels: Mapping[str, Scalar]) -> Recipe:
        """Return the recipe of a treatment, with the levels that the build names."""
        levels_of = {name: levels[name] for name in sorted(self.factors) if name in levels}
        return Recipe(self._build, self._source, levels_of)

    def _find_or_build(self, recipe: Recipe) -> Built:
        inputs = recipe.inputs()
        entry = Entry(self._root, recipe.key(inputs))
        with entry.locked():
            fault = entry.fault()
            if fault is not None:
                _make(recipe, entry)
                _refuse_changes(recipe, inputs)
                entry.complete()
            else:
                entry.note_use()
        return Built(
            entry.directory, entry.key, entry.log, recipe.levels, fresh=fault is not None, reason=fault
        )


def _make(recipe: Recipe, entry: Entry) -> None:
    with entry.journal() as journal:
        entry.clear()
        recipe.write_padding(entry.directory)
        launch = recipe.launch(entry.directory, entry.log)
        failure = _get_failure(_run(launch, journal), launch)
    if failure is not None:
        lines = "".join(f"\n    {line}" for line in _take_last_lines(entry.log))
        text = f"its last lines:{lines}" if lines else "it printed nothing"
        raise ProgramError(f"{recipe} {failure}; {text}", hint=f"the whole log of {recipe} is in {entry.log}")
    if not any(path.is_file() and not is_padding(path) for path in entry.directory.rglob("*")):
        raise ProgramError(
            f"{recipe} left no file in {{build}}",
            hint="let the command write its program to {build}: only that is kept apart by level",
        )


def _refuse_changes(recipe: Recipe, inputs: tuple[InputFile, ...]) -> None:
    """Refuse a build whose inputs changed meanwhile: it must not be found under the old key."""
    changed = sorted({os.fsdecode(file.name) for file in set(inputs) ^ set(recipe.inputs())})
    if changed:
        text = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
        raise ProgramError(
            f"inputs changed while {recipe} ran: {', '.join(changed[:3])}{text}",
            hint="run again; if the build writes them, leave them out of inputs or let it write to {build}",
        )


def _run(launch: Launch, journal: Path) -> RawTrial:
    """Run under the runner, which ends what the build leaves running, and everything should we die."""
    with Runner(journal) as runner:
        runner.run([TrialOrder(1, runner.define(launch))])
    trials, _ = read_journal(journal)
    return trials[0]


def _get_failure(raw: RawTrial, launch: Launch) -> str | None:
    """Describe how a build failed; ``None`` where it succeeded."""
    if raw.status == "timed_out":
        return f"was ended after its {(launch.timeout_ns or 0) / 1e9:g} s"
    if raw.status != "ok":
        return start_failure(raw, launch.path)
    return None if raw.exit_code == 0 else ending(raw)


def _take_last_lines(log: Path) -> list[str]:
    try:
        with log.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _LOG_BYTES))
            text = file.read().decode(errors="replace")
    except OSError:
        return []
    return [line for line in text.splitlines() if line.strip()][-_LOG_LINES:]
