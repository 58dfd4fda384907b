"""Objects of both programs, linked anew for each block: what differs by layout alone is in the noise.

Two builds of one source differ by where their code lies, and two programs that are compared always do. With
``--objects`` and ``--build`` each block has programs of its own, laid out by a number that is drawn
(``interventions.built``): order of the objects, bytes before each of them. Both programs of a block share the
number, and no function keeps a fortunate place for longer than a block.
"""

from __future__ import annotations

import glob
import hashlib
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.errors import MachineError, RecordError, UsageError
from steelyard.files.plain import read_plain
from steelyard.files.user_directories import locate_cache
from steelyard.lab.compare.compare import split
from steelyard.run.build.cache import hold_build
from steelyard.spec.experiment import Build
from steelyard.spec.text.placeholders import escape, names

SIDE: Final = "side"
"""The factor whose levels are the directories of objects."""
FILE: Final = "file"
"""The factor whose levels are the names of the programs."""
DIGESTS: Final = "objects.json"
"""In a record: what was linked."""
_PROGRAM: Final = "{program}"
_PLACEHOLDERS: Final = ("objects", "program", "function_padding", "padding_file")
_NOTHING: Final = "/* no object of this name */\n"
"""A script for the linker that adds nothing: in place of an object that one program lacks."""
_EXAMPLE: Final = "--build 'cc {objects} -o {program} -lm'"
_ELF: Final = b"\x7fELF"
_BITCODE: Final = b"BC\xc0\xde"


class Linking(msgspec.Struct, frozen=True):
    """What both programs are linked from.

    Attributes
    ----------
    old, new : Mapping[str, str]
        Paths of objects by their names, which both have alike.
    command : str
        Links ``{objects}`` into ``{program}``.
    """

    old: Mapping[str, str]
    new: Mapping[str, str]
    command: str

    @property
    def names(self) -> tuple[str, ...]:
        """All objects, those that one program lacks included."""
        return tuple(sorted({*self.old, *self.new}))

    def make_build(self, directory: Path) -> Build:
        """Return the build of an experiment whose objects were copied into ``directory``."""
        place = escape(str(directory))
        words = [_keep(word).replace(_PROGRAM, f"{{build}}/{{{FILE}}}") for word in split(self.command)]
        objects = tuple(f"{place}/{{{SIDE}}}/{escape(name)}" for name in self.names)
        return Build(command=tuple(words), inputs=(f"{glob.escape(str(directory))}/**",), objects=objects)


def read_linking(places: tuple[str, str], command: str) -> Linking:
    """Find the objects of both programs.

    Parameters
    ----------
    places : (str, str)
        A directory of objects, or a pattern, for each program.

    Raises
    ------
    UsageError
        No object, one that no linker takes, or a command without its placeholders.
    """
    if absent := [text for text in ("{objects}", _PROGRAM) if text not in command]:
        raise UsageError(f"--build {command!r} does not name {' and '.join(absent)}", hint=_EXAMPLE)
    old, new = (_find_objects(place) for place in places)
    if not old.keys() & new.keys():
        raise UsageError(
            f"--objects: {places[0]} and {places[1]} have no object of one name",
            hint="name directories that are laid out alike, as of two work trees",
        )
    return Linking(old, new, command)


def _keep(word: str) -> str:
    """Return a word in which braces other than those of placeholders are doubled."""
    text = escape(word)
    for name in _PLACEHOLDERS:
        text = text.replace(f"{{{{{name}}}}}", f"{{{name}}}")
    return text


def _find_objects(place: str) -> dict[str, str]:
    """Find the objects of a directory or a pattern, by their names below it."""
    is_pattern = glob.has_magic(place) and not Path(place).is_dir()
    parts = Path(place).absolute().parts
    fixed = next((i for i, part in enumerate(parts) if glob.has_magic(part)), len(parts))
    base = Path(*parts[:fixed]) if is_pattern else Path(place).absolute()
    pattern = place if is_pattern else f"{glob.escape(str(base))}/**/*.o"
    texts = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207 -- a pattern may begin anywhere
    files = [Path(text).absolute() for text in texts]
    objects = {str(file.relative_to(base)): str(file) for file in files if file.is_file()}
    if not objects:
        raise UsageError(
            f"--objects: no object in {place}", hint="a directory with *.o, or a pattern: 'build/*.o'"
        )
    for file in objects.values():
        _refuse_no_object(file)
    return objects


def _refuse_no_object(file: str) -> None:
    with Path(file).open("rb") as content:
        head = content.read(18)
    is_relocatable = head[:4] == _ELF and head[16:18] in (b"\x01\x00", b"\x00\x01")
    if not is_relocatable and head[:4] != _BITCODE:
        raise UsageError(
            f"--objects: {file} is no object to link",
            hint="compile each source with -c first; libraries belong in --build",
        )


def copy_objects(linking: Linking, sides: Mapping[str, Mapping[str, str]], directory: Path) -> None:
    """Copy objects into a directory for each side, so that what is linked later is what is meant now.

    Parameters
    ----------
    sides : Mapping[str, Mapping[str, str]]
        Paths by name, by side.
    """
    for side, objects in sides.items():
        for name in linking.names:
            target = directory / side / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if name in objects:
                shutil.copyfile(objects[name], target)
            else:
                target.write_text(_NOTHING)


def name_program(word: str) -> str:
    """Return the file name of a program from the first word of its command."""
    return Path(word).name or word


def is_drawn(build: Build | None) -> bool:
    """Whether each block has layouts of its own."""
    return build is not None and any("objects" in names(word) for word in build.command)


def compute_digests(linking: Linking) -> dict[str, dict[str, str]]:
    """Return the sha256 of each object of both programs, hexadecimal."""
    return {
        side: {name: hashlib.sha256(Path(file).read_bytes()).hexdigest() for name, file in objects.items()}
        for side, objects in (("old", linking.old), ("new", linking.new))
    }


def refuse_changed(linking: Linking, directory: Path) -> None:
    """Refuse objects other than those with which a record was begun.

    Raises
    ------
    RecordError
    """
    content = read_plain(directory / DIGESTS)
    if content is None or msgspec.json.decode(content) == compute_digests(linking):
        return
    raise RecordError(
        f"{directory} was begun with other objects than --objects names now",
        hint="name a directory that does not exist yet: -o NAME.lab",
    )


def discard_programs(directory: Path) -> None:
    """Remove the programs of a record from the cache of builds: each was for one block."""
    root = locate_cache(os.environ) / "build"
    for log in sorted((directory / "build").glob("*.log")):
        place = root / log.stem
        with suppress(OSError, MachineError), hold_build(place):
            place.with_name(f"{place.name}.complete").unlink(missing_ok=True)
            shutil.rmtree(place)
            place.with_name(f"{place.name}.log").unlink(missing_ok=True)
