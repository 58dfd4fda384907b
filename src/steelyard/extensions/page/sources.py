"""The files that an experiment names, for an archive in which it can be run again.

Packed are regular files below the directory of the spec that a text of the spec names: programs and scripts,
words of commands, standard input, patterns of inputs, values of variables. The rest is left out: a file
elsewhere would not be looked for in the archive, and a link that leads out may lead to a secret.
"""

from __future__ import annotations

import errno
import fnmatch
import glob
import hashlib
import os
import re
import shlex
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from steelyard.core.errors import SteelyardError
from steelyard.core.units import Scalar, format_quantity
from steelyard.design import treatments
from steelyard.files.system import OPENED, WITHOUT_WAITING
from steelyard.lab.run.existing_record import move_path
from steelyard.lab.run.programs import recipes
from steelyard.run.build.inputs import holds, input_paths
from steelyard.spec.check.cross_references import list_texts
from steelyard.spec.experiment import Experiment
from steelyard.spec.tables.launch import HostsLaunch
from steelyard.spec.text.placeholders import RESERVED, expand

LARGEST_BYTES: Final = 2**28
"""Bytes of one file, or of all files of one directory or pattern, that are packed."""
LARGEST_ALL_BYTES: Final = 2**30
"""Bytes of all files together."""

_SOURCE: Final = "\x03"
_LATER: Final = "\x04"
"""Stand for ``{source}``, and for placeholders of what exists only during a run."""

_SECRETS: Final = (
    *(".env", ".env.*", ".netrc", ".npmrc", ".pypirc", ".pgpass", ".htpasswd"),
    *("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "*.pem", "*.key", "*.p12", "*.pfx", "*.kdbx"),
    *("credentials", "credentials.*", ".git-credentials"),
)
"""Names by which files of keys and passwords go."""
_SECRET_VARIABLE: Final = re.compile(r"TOKEN|SECRET|PASSW|API_?KEY|CREDENTIAL|PRIVATE", re.IGNORECASE)
_OF_THE_SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/dev", "/proc", "/sys")
_LONGEST_NAME: Final = 4096
_UNSAFE_NAME: Final = re.compile(r"[\x00-\x1f\x7f\\:]")
"""What a name in an archive cannot have on every system that unpacks it."""


class Sources(msgspec.Struct, frozen=True):
    """What is packed, and what is not.

    Attributes
    ----------
    files : Mapping[str, bytes]
        Contents by the path below the directory of the spec, with ``/``.
    executable : frozenset of str
        Those that may be executed.
    directories : frozenset of str
        Directories in which commands run; they may be empty.
    omissions : tuple of str
        What an experiment needs and the archive lacks, each with the reason.
    """

    files: Mapping[str, bytes] = {}
    executable: frozenset[str] = frozenset()
    directories: frozenset[str] = frozenset()
    omissions: tuple[str, ...] = ()


def collect_sources(experiment: Experiment, program: Mapping[str, Mapping[str, Any]], before: str) -> Sources:
    """Collect what the archive of a record needs to run its experiment.

    Parameters
    ----------
    experiment : Experiment
        With the directory of its spec as that lies now.
    program : Mapping of str to Mapping
        The identities of the programs that the record measured.
    before : str
        The directory of the spec when they were measured.
    """
    source = Path(experiment.source)
    if not source.is_dir():
        return Sources(omissions=(f"all sources: {source}, the directory of the spec, does not exist here",))
    measured = {
        move_path(path, before, experiment.source): facts.get("sha256") for path, facts in program.items()
    }
    return _Collector(experiment, measured).collect()


class _Collector:
    """One collection; files and omissions by name, in the order of the spec."""

    def __init__(self, experiment: Experiment, measured: Mapping[str, Any]) -> None:
        self._experiment = experiment
        self._measured = measured
        self._source = Path(experiment.source)
        self._real = Path(os.path.realpath(experiment.source))
        self._files: dict[str, bytes] = {}
        self._executable: set[str] = set()
        self._directories: set[str] = set()
        self._omissions: dict[str, None] = {}
        self._paths: set[Path] = set()
        self._bytes = 0

    def collect(self) -> Sources:
        """Collect everything."""
        self._take_build_inputs()
        for text, directories in dict.fromkeys(_list_texts(self._experiment)):
            for word in _split(text):
                self._take_word(word, directories)
        self._name_the_rest()
        return Sources(
            dict(sorted(self._files.items())),
            frozenset(self._executable),
            frozenset(self._directories),
            tuple(self._omissions),
        )

    def _leave_out(self, name: str, reason: str) -> None:
        self._omissions[f"{name}: {reason}"] = None

    def _take_word(self, word: str, directories: Sequence[Path]) -> None:
        """Take the file, the files of a directory or of a pattern that a word names, if it names any."""
        title = word.replace(_SOURCE, "{source}")
        if _LATER in word or len(word) > _LONGEST_NAME or not word.strip("./" + _SOURCE):
            return
        if word.startswith("/"):
            self._name_absolute(Path(word))
            return
        if any(mark in word for mark in "*?["):
            with suppress(SteelyardError, ValueError):
                self._take_files(input_paths(self._source, [word.replace(_SOURCE, "{source}")]), title)
            return
        relative = word.removeprefix(_SOURCE).lstrip("/")
        places = [self._source] if relative != word else directories
        paths = [Path(os.path.normpath(place / relative)) for place in places]
        present = [path for path in dict.fromkeys(paths) if os.path.lexists(path)]
        for path in present:
            self._take_path(path, title)
        if not present and relative != word:
            self._leave_out(title, "does not exist")

    def _name_absolute(self, path: Path) -> None:
        """Name an absolute path, which the spec would not look for in the archive."""
        if any(map(path.is_relative_to, _OF_THE_SYSTEM)) or not holds(path.exists):
            return
        cure = "; {source}/… would be packed" if path.is_relative_to(self._source) else ""
        self._leave_out(str(path), f"an absolute path, where the spec goes on looking for it{cure}")

    def _take_path(self, path: Path, title: str) -> None:
        if not path.is_relative_to(self._source):
            self._leave_out(title, "lies outside of the directory of the spec")
        elif path == self._source:
            return
        elif path.is_dir() and not path.is_symlink():
            self._directories.add(self._name(path))
            with suppress(SteelyardError):
                self._take_files(input_paths(self._source, [glob.escape(self._name(path))]), title)
        else:
            self._take_files({self._name(path): path}, title)

    def _name(self, path: Path) -> str:
        return path.relative_to(self._source).as_posix()

    def _take_build_inputs(self) -> None:
        experiment = self._experiment
        try:
            names = {
                os.fsdecode(file.name)
                for recipe in recipes(experiment, treatments(experiment))
                for file in recipe.inputs()
            }
        except SteelyardError as error:
            self._leave_out("inputs of the build", error.message)
            return
        self._take_files({name: self._source / name for name in sorted(names)}, "inputs of the build")

    def _take_files(self, paths: Mapping[str, Path], title: str) -> None:
        """Take files, all of them or, where they are too large together, none."""
        sizes = [path.stat().st_size for path in paths.values() if holds(path.is_file)]
        if sum(sizes) > LARGEST_BYTES:
            size = format_quantity(float(sum(sizes)), "B", 2)
            self._leave_out(
                title, f"{len(sizes)} file{'' if len(sizes) == 1 else 's'} of {size}, which is too large"
            )
            return
        for path in paths.values():
            if path not in self._paths:
                self._paths.add(path)
                if reason := self._take_file(path):
                    name = self._name(path) if path.is_relative_to(self._source) else str(path)
                    self._leave_out(ascii(name)[1:-1] if _UNSAFE_NAME.search(name) else name, reason)

    def _take_file(self, path: Path) -> str | None:
        """Take one file, or return the reason why it is left out."""
        if reason := self._refuse(path):
            return reason
        try:
            content, mode = _read(Path(os.path.realpath(path, strict=True)))
        except OSError as error:
            return f"cannot be read: {error.strerror}"
        digest = self._measured.get(str(path))
        if digest and digest != hashlib.sha256(content).hexdigest():
            return "has changed since it was measured"
        if self._bytes + len(content) > LARGEST_ALL_BYTES:
            return f"more than {format_quantity(float(LARGEST_ALL_BYTES), 'B', 2)} in all"
        self._bytes += len(content)
        self._files[self._name(path)] = content
        if mode & stat.S_IXUSR:
            self._executable.add(self._name(path))
        return None

    def _refuse(self, path: Path) -> str | None:
        """Return the reason why a file must not be packed, by its place and its name."""
        if not path.is_relative_to(self._source):
            return "lies outside of the directory of the spec"
        name = self._name(path)
        reasons = {
            "has a name that not every system can unpack": _UNSAFE_NAME.search(name)
            or not name.isprintable(),
            "may hold a password or a key, by its name": any(
                fnmatch.fnmatchcase(path.name.lower(), pattern) for pattern in _SECRETS
            ),
            "belongs to a record": any(part.endswith(".lab") for part in Path(name).parts),
            "a link that leads out of the directory of the spec": not Path(
                os.path.realpath(path)
            ).is_relative_to(self._real),
        }
        return next((reason for reason, applies in reasons.items() if applies), None)

    def _name_the_rest(self) -> None:
        """Name what no archive of sources can hold: programs of the system, and variables."""
        program, words = self._experiment.program, dict[str, None]()
        for command in program.commands.values():
            word = command[0].split()[0] if program.shell and command[0].split() else command[0]
            if "/" not in word and "{" not in word and shutil.which(word):
                words[word] = None
        if words:
            self._leave_out(", ".join(words), "of the system, found by PATH")
        variables = "all variables of the shell" if program.inherit else "PATH, HOME and LANG"
        self._leave_out(variables, "inherited by the programs")
        for name in program.env:
            if _SECRET_VARIABLE.search(name):
                self._leave_out(
                    f"{name} of [program] env", "is in the spec, and in the archive: is it meant to be read?"
                )


def _read(path: Path) -> tuple[bytes, int]:
    """Return contents and mode of a regular file; a link that has taken its place is not followed."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | WITHOUT_WAITING | OPENED)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a file")
        if status.st_size > LARGEST_BYTES:
            raise OSError(errno.EFBIG, "too large")
        return file.read(LARGEST_BYTES), status.st_mode


def _list_texts(experiment: Experiment) -> Iterator[tuple[str, tuple[Path, ...]]]:
    """Yield texts that may name files, with levels in them, and the directories to look for these in."""
    program, source = experiment.program, Path(experiment.source)
    placed = list_texts(program, experiment.build, experiment.launch)
    texts = [(text, _runs_in_cwd(place)) for place, text, _ in placed if place[1] not in ("verify", "output")]
    texts += [
        (word, True)
        for level in experiment.levels
        for words in (level.enter, level.leave)
        for word in words or ()
    ]
    if isinstance(experiment.launch, HostsLaunch):
        texts += [(name, False) for name in experiment.launch.files]
    texts += [(name, False) for claim in experiment.claims if (name := getattr(claim, "accepted", None))]
    for treatment in treatments(experiment):
        values: dict[str, Scalar] = dict.fromkeys((*RESERVED, "iteration"), _LATER)
        values |= treatment.levels
        values["source"] = _SOURCE
        cwd = Path(source, expand(program.cwd or "", values).replace(_SOURCE, experiment.source))
        for text, in_cwd in dict.fromkeys(texts):
            yield expand(text, values), (cwd, source) if in_cwd else (source,)


def _runs_in_cwd(place: Sequence[str | int]) -> bool:
    """Whether the text at a place of a spec is of a command that runs in its working directory."""
    return place[0] == "program" and place[1] not in ("cwd", "stdin", "inputs")


def _split(text: str) -> Iterator[str]:
    """Yield a text, its words as a shell splits them, and the parts of these behind ``=``, ``@`` or ``:``."""
    words = [text]
    with suppress(ValueError):
        lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
        lexer.whitespace_split, lexer.commenters = True, ""
        words += lexer
    for word in dict.fromkeys(words):
        parts = (word, word.partition("=")[2], word.removeprefix("@"), *word.split(":"))
        yield from filter(None, dict.fromkeys(parts))
