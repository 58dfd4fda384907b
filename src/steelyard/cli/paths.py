"""Types of the paths that commands take: what is read, and what is written.

A command with options that name files is of the class ``PathCommand``, which knows from these types what it
reads and what it writes, and refuses to write onto what it reads (``steelyard.files.writing``).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from steelyard.core.errors import SteelyardError, UsageError
from steelyard.files.urls import find_directory, is_url
from steelyard.files.writing import (
    RECORD_FILE,
    STDOUT,
    holding,
    protecting,
    refuse_inside_record,
    refuse_output,
)

if TYPE_CHECKING:
    from steelyard.spec import Experiment


class InputPath(click.Path):
    """A file, a directory or a record that is read."""

    def __init__(self, path_type: type[str | Path] = Path) -> None:
        super().__init__(path_type=path_type)


class InputPlace(InputPath):
    """What an ``InputPath`` is, or the URL of a lake, which is a text."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Keep a URL as it is: a path would lose a slash."""
        return value if isinstance(value, str) and is_url(value) else super().convert(value, param, ctx)


class OutputFile(click.Path):
    """A file that is written; ``-`` is standard output."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Take ``-`` for standard output; a file of this name is ``./-``."""
        return STDOUT if value == "-" else super().convert(value, param, ctx)


class OutputDirectory(click.Path):
    """A directory in which files are written; made if it does not exist."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)


class OutputPlace(OutputDirectory):
    """An ``OutputDirectory``, or the URL of one elsewhere, which is a text."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Take the URL of a directory of this machine for its path, so that it is refused as one."""
        if isinstance(value, str) and is_url(value):
            directory = find_directory(value)
            return value if directory is None else directory
        return super().convert(value, param, ctx)


TEXT_FILES: Final = (".csv", ".json", ".jsonl", ".log", ".md", ".out", ".tsv", ".txt")
"""Ends of names by which users mean a file of text."""


class RecordDirectory(click.Path):
    """A directory that is, or will be, a record or one of records."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)


class RecordOrStream(RecordDirectory):
    """A record, or hyperfine's file for what programs print: a text, and written with a ``/`` as there."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Tell the two apart by the end of the name: a record is called ``NAME.lab``."""
        if isinstance(value, str) and "/" in value and Path(value).suffix in TEXT_FILES:
            return value
        return super().convert(value, param, ctx)


class PathCommand(click.Command):
    """A command that refuses outputs onto its inputs, before it does anything."""

    def invoke(self, ctx: click.Context) -> Any:
        """Check the outputs, and call the command with its inputs protected."""
        outputs = dict(_list_outputs(self, ctx.params))
        if not outputs:
            return super().invoke(ctx)
        with protecting(_list_inputs(self, ctx.params)):
            _refuse_one_for_two(outputs)
            for option, path in outputs.items():
                _refuse(self, option, path)
            with holding(outputs.values()):
                return super().invoke(ctx)


def _list_outputs(command: click.Command, values: Mapping[str, Any]) -> Iterator[tuple[str, Path]]:
    for param in command.params:
        value = values.get(param.name or "")
        if isinstance(param.type, OutputFile | OutputDirectory | RecordDirectory) and isinstance(value, Path):
            yield _name(param), value


def _name(param: click.Parameter) -> str:
    long = [name for name in param.opts if name.startswith("--")]
    return long[0] if long else param.human_readable_name


def _refuse(command: click.Command, option: str, path: Path) -> None:
    kind = next(param.type for param in command.params if _name(param) == option)
    if isinstance(kind, OutputFile):
        refuse_output(path, option)
        return
    refuse_inside_record(path / RECORD_FILE if isinstance(kind, OutputDirectory) else path, option)
    if path.exists() and not path.is_dir():
        raise UsageError(f"{option} {path}: a file, not a directory", hint="name another directory")


def _refuse_one_for_two(outputs: Mapping[str, Path]) -> None:
    """Refuse two options that name one file, of which one text would be lost."""
    options: dict[Path, str] = {}
    for option, path in outputs.items():
        with suppress(OSError, RuntimeError):
            place = path.resolve()
            if place in options and not place.is_char_device():
                raise UsageError(
                    f"{options[place]} and {option} name one file: {path}", hint="give each a file of its own"
                )
            options[place] = option


_PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")
_LONGEST_NAME: Final = 4096
_MOST_NAMES: Final = 10_000
"""Names that a text with placeholders is tried as."""

Levels = Mapping[str, Sequence[str]]
"""Name of a factor to the texts of its levels."""


def _list_inputs(command: click.Command, values: Mapping[str, Any]) -> Iterator[Path]:
    """Yield the files that a command line names, and those that its specs and records name.

    The command line names them in options, in arguments and as words of commands.
    """
    # ``model --accept`` is there to write what a claim names.
    spared = "accepted" if values.get("accept") is not None else None
    for param in command.params:
        if isinstance(param.type, OutputFile | OutputDirectory | RecordDirectory):
            continue
        for text in _format_texts(values.get(param.name or "")):
            for path in _find_files(text, Path(), {}):
                yield path
                yield from _choose_name(path.absolute(), spared)


def _choose_name(path: Path, spared: str | None) -> Iterator[Path]:
    """Yield the spec beside a record, and the files that specs and records name.

    Of their texts, these are the names of files.
    """
    directory = path.parent if path.name == RECORD_FILE else path
    is_record = (directory / RECORD_FILE).is_file()
    spec = directory.with_suffix(".toml") if is_record else path
    if spec.suffix == ".toml" and spec.is_file():
        yield spec
        from steelyard.spec import load

        with suppress(SteelyardError):
            yield from _find_in(load(spec, allow_many=True), spared)
    if is_record:
        from steelyard.store import Record

        with suppress(SteelyardError), Record.open(directory) as record:
            yield from _find_in(record.experiment, spared)


def _find_in(experiment: Experiment, spared: str | None) -> Iterator[Path]:
    levels = {factor.name: [*map(str, factor.levels)] for factor in experiment.factors}
    levels["source"] = [experiment.source]
    for text in _format_texts(msgspec.to_builtins(experiment), spared):
        yield from _find_files(text, Path(experiment.source), levels)


def _format_texts(value: object, spared: str | None = None) -> Iterator[str]:
    """Yield the texts within a value, but for those of a key."""
    if isinstance(value, str | Path):
        yield str(value)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if key != spared:
                yield from _format_texts(inner, spared)
    elif isinstance(value, Iterable):
        for inner in value:
            yield from _format_texts(inner, spared)


def _find_files(text: str, source: Path, levels: Levels) -> Iterator[Path]:
    """Yield the paths that exist among a text, its words, and what stands behind their ``=``.

    Levels of factors stand in place of placeholders.
    """
    if len(text) > _LONGEST_NAME:
        return
    words = [text]
    with suppress(ValueError):
        words += shlex.split(text)
    words += [word.partition("=")[2] for word in words if "=" in word]
    for word in dict.fromkeys(words):
        factors = [name for name in dict.fromkeys(_PLACEHOLDER.findall(word)) if name in levels]
        choices = product(*(levels[name] for name in factors))
        for chosen in islice(choices, _MOST_NAMES):
            name = word
            for factor, level in zip(factors, chosen, strict=True):
                name = name.replace(f"{{{factor}}}", level)
            with suppress(OSError, ValueError):
                if name and (path := source / name).exists():
                    yield path
