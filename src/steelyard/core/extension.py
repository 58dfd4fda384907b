"""The seam between the core and its extensions: a value that says what an extension adds, and where.

Extensions are found in the list of ``steelyard.extensions``, then by entry points of the group
``steelyard.extensions`` of other packages. Each entry is a ``"module:attribute"`` that is imported when it is
used, so that an extension costs nothing until then.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import msgspec

from steelyard.core.errors import SteelyardError, UsageError

ANY_READER: Final = "any reader"
"""The harness that stands for all formats that a reader of an extension has."""
GROUP: Final = "steelyard.extensions"
"""Both the package of Steelyard's extensions and the group of entry points of others."""


class Command(msgspec.Struct, frozen=True):
    """A command of the command line.

    Attributes
    ----------
    help : str
        Its line in ``steelyard --help``; the first line of its own help.
    place : str
        ``"module:attribute"`` of the click command.
    topic : str
        Under which ``steelyard --help`` names it; empty for one of the few that it describes.
    linux_only : bool
        Whether it measures, whatever it is given.
    """

    help: str
    place: str
    topic: str = "more"
    linux_only: bool = False


class ClaimKind(msgspec.Struct, frozen=True):
    """A kind of claim.

    Attributes
    ----------
    struct : str
        ``"module:attribute"`` of the struct of its table, a ``steelyard.spec.claims.claim.Claim``.
    judge : str
        ``"module:attribute"`` of the function from claim and ``Observed`` to ``Draft``.
    words : str
        Module with ``text(claim, unit)``, what is claimed, and ``evidence(claim, outcome, evidence)``, what a
        verdict in one stratum rests on; a ``summary(verdict)``, where there is one, stands in its place.
    compares : bool
        Whether it compares treatments: within each problem instance, where instances are declared.
    section : str
        ``"module:attribute"`` of the function from the verdicts on such claims to a section of the page or
        ``None``; empty where verdicts have no section.
    """

    struct: str
    judge: str
    words: str
    compares: bool = False
    section: str = ""


class Predictor(msgspec.Struct, frozen=True):
    """Values at scales that were not measured, for limits; each a ``"module:attribute"``.

    Attributes
    ----------
    predict : str
        Function from metric, series, scale, and why it decides nothing or ``None``, to an interval or
        ``None`` and the evidence.
    cross : str
        Function from series, upper bound and parameter to a ``steelyard.claims.evidence.BreaksEvidence`` or
        ``None``.
    words : str
        Function from such evidence to text.
    """

    predict: str
    cross: str
    words: str


class DataJudge(msgspec.Struct, frozen=True):
    """What ``steelyard check`` makes of data that are no record; each a ``"module:attribute"``.

    Attributes
    ----------
    options : str
        Options that it has beside its own: a ``steelyard.cli.declared.DataOptions``.
    judge : str
        Function from a file and these options to a ``steelyard.claims.verdict.Checked``.
    """

    options: str
    judge: str


class CompareMode(msgspec.Struct, frozen=True):
    """Another answer of ``steelyard compare``, which an option asks for; each place a ``"module:attribute"``.

    Attributes
    ----------
    options : str
        Options that it has beside those of the command: a ``steelyard.cli.declared.Options``.
    refuse : str
        Function from the click context that refuses options that mean nothing here.
    answer : str
        Function from these options and a ``CompareRequest`` to the exit code; by keyword ``runs`` (int or
        ``None``), ``output`` (directory or ``None``) and ``as_json``.
    alone : str
        Value of the option where it stands alone; empty where it takes none.
    example : str
        A line for the examples of ``steelyard compare --help``.
    """

    options: str
    refuse: str
    answer: str
    alone: str = ""
    example: str = ""


class Protocol(msgspec.Struct, frozen=True):
    """A published protocol that judges the pairs of an answer, beside its comparisons.

    Attributes
    ----------
    struct : str
        ``"module:attribute"`` of the struct of its result, a ``steelyard.results.protocol.ProtocolResult``.
    judge : str
        ``"module:attribute"`` of the function from samples and ``Analysis`` to its result.
    words : str
        Module with ``headline(answer, width)`` and ``lines(answer, width)``: what stands in the place of the
        findings, and of the comparisons.
    section : str
        ``"module:attribute"`` of the function from an answer to a section of the page or ``None``.
    """

    struct: str
    judge: str
    words: str
    section: str


class Extension(msgspec.Struct, frozen=True, kw_only=True):
    """All that an extension adds; each entry is a name and the ``"module:attribute"`` that it stands for.

    Attributes
    ----------
    name : str
        Lower case, an identifier: the folder of one of ours.
    purpose : str
        One line.
    needs : tuple of str
        Extensions that it imports from.
    commands : Mapping[str, Command]
    claims : Mapping[str, ClaimKind]
        By the key that a claim is known by.
    predictor : Predictor or None
    data : DataJudge or None
    modes : Mapping[str, CompareMode]
        Other answers of ``steelyard compare``, by the name of the option that asks for each.
    protocols : Mapping[str, Protocol]
        By the name that ``analysis.protocol`` has in a spec.
    parts : Mapping[str, str]
        Parts of the answer from a record: functions from an open record and the metric that is reported to a
        value, or ``None``.
    sections : Mapping[str, str]
        Sections of the page, by the name of the part of an answer that each shows: functions from the part to
        a ``steelyard.report.page.chart.Section`` or ``None``.
    files : Mapping[str, str]
        Files beside the tables of a page, by the name of the part of an answer that they are made of:
        functions from that part of every record to texts by the name of the file.
    pages : Mapping[str, str]
        Parts of the page for answers that are no record, by ``"module:attribute"`` of the struct of each:
        functions from it to a ``steelyard.report.page.answer_page.AnswerPage``.
    readers : Mapping[str, str]
        Formats of other tools, by the name that ``--format`` takes: functions from the text of a file and
        what to call it to a ``FileContents``.
    writers : Mapping[str, str]
        Files that show answers, ``pages`` and ``figures``: functions from a file or a directory, and from
        open records, directories of records, and answers that are no record; by keyword, what
        ``Laboratory.analyze`` takes.
    places : Mapping[str, str]
        Kinds of places that hold records and are none, by what they are called: values with the methods of
        ``steelyard.lab.places.place.Place``.
    series : Mapping[str, str]
        Files that hold series and are no record, by what they are called: values with the methods of
        ``steelyard.lab.answer.series_of_file.SeriesReader``.
    harnesses : Mapping[str, str]
        Harnesses of benchmarks, by the name that ``[metrics] source`` takes: functions from the text of a
        report, what to call it and the name of the harness to ``HarnessReport``s. ``"any reader"`` stands for
        all formats of ``readers``.
    launchers : Mapping[str, str]
        Kinds of ``[launch]`` that run trials on other machines: functions from an experiment to a
        ``steelyard.lab.run.elsewhere.Elsewhere``.
    contexts : Mapping[str, str]
        Interventions: changes to the start of a program, by the name of the factor or the setting.
    state : Mapping[str, str]
        Directories below the user's state in which its commands keep what they measure, each with the
        struct of the request that lies there beside records; empty where records lie there alone.
    after_run : Mapping[str, str]
        Functions of the directory of a record, called when a run of it has ended and it is closed.
    """

    name: str
    purpose: str
    needs: tuple[str, ...] = ()
    commands: Mapping[str, Command] = {}
    claims: Mapping[str, ClaimKind] = {}
    predictor: Predictor | None = None
    data: DataJudge | None = None
    modes: Mapping[str, CompareMode] = {}
    protocols: Mapping[str, Protocol] = {}
    parts: Mapping[str, str] = {}
    sections: Mapping[str, str] = {}
    files: Mapping[str, str] = {}
    pages: Mapping[str, str] = {}
    readers: Mapping[str, str] = {}
    writers: Mapping[str, str] = {}
    places: Mapping[str, str] = {}
    series: Mapping[str, str] = {}
    harnesses: Mapping[str, str] = {}
    launchers: Mapping[str, str] = {}
    contexts: Mapping[str, str] = {}
    state: Mapping[str, str] = {}
    after_run: Mapping[str, str] = {}


class Problem(msgspec.Struct, frozen=True):
    """An extension that is not used, and why."""

    name: str
    reason: str


class Extensions(msgspec.Struct, frozen=True):
    """The extensions of this installation, and those that cannot be used."""

    usable: tuple[Extension, ...]
    problems: tuple[Problem, ...]


def load(place: str) -> Any:
    """Import what an entry stands for.

    Raises
    ------
    UsageError
        The module does not import, for whatever reason, or lacks the attribute.
    """
    module, _, attribute = place.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except Exception as error:  # somebody else's module may raise anything
        kind = "" if isinstance(error, ImportError | AttributeError) else f"{type(error).__name__}: "
        raise UsageError(
            f"extension entry {place!r} cannot be loaded: {kind}{error}",
            hint=f"python3 -c 'import {module}' shows where; without the package that has it, the rest works",
        ) from error


@cache
def find_extensions() -> Extensions:
    """Find the extensions; one that cannot be used is a problem, and the others go on."""
    candidates: dict[str, Extension] = {}
    problems: list[Problem] = []
    built_in = [(f"{GROUP}.{extension.name}", extension) for extension in list_built_in()]
    for source, extension in (*built_in, *_list_installed(problems)):
        if extension.name in candidates:
            problems.append(Problem(extension.name, f"{source} has the name of another extension"))
        elif clash := _find_clash(extension, candidates.values()):
            problems.append(Problem(extension.name, f"{source} has {clash}"))
        else:
            candidates[extension.name] = extension
    while missing := {
        extension.name: need
        for extension in candidates.values()
        for need in extension.needs
        if need not in candidates
    }:
        for name, need in missing.items():
            problems.append(Problem(name, f"it needs the extension {need!r}, which is not installed"))
            del candidates[name]
    return Extensions(tuple(candidates.values()), tuple(problems))


def _find_clash(extension: Extension, earlier: Iterable[Extension]) -> str:
    """Return in words what an extension has under a name that an earlier one has; empty without."""
    for holder in earlier:
        for kind, names in _list_names(extension).items():
            if clashes := names & _list_names(holder)[kind]:
                return f"the {kind} {min(clashes)!r}, which the extension {holder.name!r} has"
    return ""


def _list_names(extension: Extension) -> dict[str, AbstractSet[str]]:
    """List what is asked for by a name of its own, for which two meanings would be one too many."""
    return {
        "command": extension.commands.keys(),
        "kind of claim": extension.claims.keys(),
        "option": extension.modes.keys(),
        "protocol": extension.protocols.keys(),
        "format": {*extension.readers, *extension.harnesses} - {ANY_READER},
        "kind of launch": extension.launchers.keys(),
        "context": extension.contexts.keys(),
    }


def list_built_in() -> Sequence[Extension]:
    """List Steelyard's own extensions; none of the core alone."""
    try:
        package = import_module(GROUP)
    except ModuleNotFoundError as error:
        if error.name != GROUP:
            raise
        return ()
    extensions: Sequence[Extension] = package.EXTENSIONS
    return extensions


def _list_installed(problems: list[Problem]) -> list[tuple[str, Extension]]:
    """Load the extensions of other packages.

    ``importlib.metadata`` takes longer to import than a comparison takes to start, so it is asked only where
    a file of entry points names the group.
    """
    if not any(_names_group(file) for file in _list_entry_point_files()):
        return []
    from importlib.metadata import entry_points

    extensions: list[tuple[str, Extension]] = []
    for point in entry_points(group=GROUP):
        try:
            extension = point.load()
        except (Exception, SystemExit) as error:  # noqa: BLE001 -- somebody else's module may raise anything
            problems.append(Problem(point.name, f"{point.value} cannot be imported: {error}"))
            continue
        if isinstance(extension, Extension):
            extensions.append((point.value, extension))
        else:
            problems.append(Problem(point.name, f"{point.value} is not a steelyard.Extension"))
    return extensions


def _list_entry_point_files() -> Iterator[Path]:
    for directory in dict.fromkeys(sys.path):
        try:
            with os.scandir(directory or ".") as entries:
                names = [entry.name for entry in entries if entry.name.endswith((".dist-info", ".egg-info"))]
        except OSError:
            continue
        for name in names:
            yield Path(directory or ".", name, "entry_points.txt")


def _names_group(file: Path) -> bool:
    try:
        return f"[{GROUP}]".encode() in file.read_bytes()
    except OSError:
        return False


def end_run(directory: Path) -> None:
    """Call the functions that extensions have for a record that has ended.

    One that fails keeps neither the others nor the run from their end.
    """
    for extension in find_extensions().usable:
        for place in extension.after_run.values():
            try:
                load(place)(directory)
            except (SteelyardError, OSError):
                continue


def find_launcher(kind: str) -> str | None:
    """Find what runs trials on other machines, by the kind of ``[launch]``."""
    for extension in find_extensions().usable:
        if kind in extension.launchers:
            return extension.launchers[kind]
    return None


def find_predictor() -> Predictor | None:
    """Find what predicts values at scales that were not measured."""
    entries = (entry.predictor for entry in find_extensions().usable)
    return next((entry for entry in entries if entry is not None), None)


def find_data_judge() -> DataJudge | None:
    """Find what judges data that are no record."""
    entries = (entry.data for entry in find_extensions().usable)
    return next((entry for entry in entries if entry is not None), None)


def list_modes() -> dict[str, CompareMode]:
    """List the other answers of ``steelyard compare``, by the name of the option that asks for each."""
    return {name: mode for entry in find_extensions().usable for name, mode in entry.modes.items()}


def list_files() -> dict[str, str]:
    """List what extensions write beside tables, by the name of a part of an answer."""
    return {name: place for entry in find_extensions().usable for name, place in entry.files.items()}


def list_protocols() -> dict[str, Protocol]:
    """List the published protocols of extensions, by name."""
    return {
        name: protocol for entry in find_extensions().usable for name, protocol in entry.protocols.items()
    }


def find_protocol(name: str) -> Protocol:
    """Find a published protocol by its name in a spec.

    Raises
    ------
    UsageError
        No extension has it.
    """
    protocols = list_protocols()
    if name not in protocols:
        raise UsageError(f"unknown protocol {name!r}", hint=f"one of: {', '.join(('default', *protocols))}")
    return protocols[name]


def find_section(part: str) -> str | None:
    """Find the section of the page that shows a part of an answer."""
    for extension in find_extensions().usable:
        if part in extension.sections:
            return extension.sections[part]
    return None


def find_page(answer: type) -> str | None:
    """Find what lays out an answer of a type as a part of the page."""
    name = f"{answer.__module__}:{answer.__qualname__}"
    for extension in find_extensions().usable:
        if name in extension.pages:
            return extension.pages[name]
    return None


def list_readers() -> dict[str, str]:
    """List the formats that extensions read, by name."""
    return {name: place for entry in find_extensions().usable for name, place in entry.readers.items()}


def find_writer(kind: str) -> str | None:
    """Find what writes files that show answers: ``pages`` or ``figures``."""
    for extension in find_extensions().usable:
        if kind in extension.writers:
            return extension.writers[kind]
    return None


def list_series_readers() -> dict[str, str]:
    """List what reads files that hold series and are no record, by name."""
    return {name: place for entry in find_extensions().usable for name, place in entry.series.items()}


def find_harness(name: str) -> str | None:
    """Find what reads the reports of a harness of benchmarks, or files in a format of ``readers``."""
    names = (name, ANY_READER) if name in list_readers() else (name,)
    lists = [extension.harnesses for extension in find_extensions().usable]
    return next((harnesses[key] for key in names for harnesses in lists if key in harnesses), None)


def list_harnesses() -> list[str]:
    """List the names that ``find_harness`` may find, in the order of extensions."""
    names = [name for entry in find_extensions().usable for name in (*entry.harnesses, *entry.readers)]
    return [name for name in dict.fromkeys(names) if name != ANY_READER]


def list_places() -> dict[str, str]:
    """List the kinds of places that hold records and are none, by name."""
    return {name: place for entry in find_extensions().usable for name, place in entry.places.items()}


_contexts_not_loaded: list[Problem] = []


def list_problems() -> tuple[Problem, ...]:
    """List the extensions, and the contexts of extensions, that cannot be used."""
    return (*find_extensions().problems, *_contexts_not_loaded)


def list_parts() -> dict[str, str]:
    """List the parts of an answer that extensions have, by name."""
    return {name: place for entry in find_extensions().usable for name, place in entry.parts.items()}


def load_contexts() -> dict[str, Any]:
    """Load the interventions of extensions, by name; one that does not load is a problem of its extension."""
    contexts: dict[str, Any] = {}
    for extension in find_extensions().usable:
        for name, place in extension.contexts.items():
            try:
                contexts[name] = load(place)
            except UsageError as error:
                _contexts_not_loaded.append(Problem(extension.name, error.message))
    return contexts
