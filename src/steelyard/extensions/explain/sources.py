"""Source trees of both programs: where their files differ, and which of these lines a function has."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path, PurePath, PurePosixPath
from typing import Final

import msgspec

from steelyard.core.errors import MachineError, UsageError

SOURCE: Final = "{source}"
PROGRAM: Final = "{program}"
MOST_BYTES: Final = 1 << 30
"""Of a tree, which is copied for each program that is made."""
_LEFT_OUT: Final = (".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__", ".steelyard", "*.lab")
_EXAMPLE: Final = "--build 'cc -O2 -g {source}/prog.c -o {program}'"
_CHANGE: Final = re.compile(r"^(\d+)(?:,(\d+))?([acd])(\d+)(?:,(\d+))?$", re.MULTILINE)
_TOKEN: Final = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|`[^`]*`|'(?:\\.|[^'\\\n])'|(?P<brace>[{}])", re.DOTALL
)
"""Comments, texts and characters, in which braces do not count; and the braces that do."""


class Sources(msgspec.Struct, frozen=True):
    """What both programs are made from.

    Attributes
    ----------
    old, new : Path
        Directories.
    command : str
        Makes ``{program}`` from ``{source}``; empty where programs run from their sources.
    """

    old: Path
    new: Path
    command: str = ""


class Hunk(msgspec.Struct, frozen=True):
    """Lines that differ: from ``start`` to before ``end``, counted from 0, in the old and in the new file."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int

    def overlaps(self, start: int, end: int) -> bool:
        """Whether it changes the new file in the lines from ``start`` to before ``end``."""
        if self.new_start == self.new_end:
            return start <= self.new_start < end
        return self.new_start < end and start < self.new_end


def read_sources(places: tuple[str, str], command: str) -> Sources:
    """Find the sources of both programs.

    Raises
    ------
    UsageError
        No directory, one that is too large to copy, or a command without its placeholders.
    MachineError
        ``diff`` is not found.
    """
    if command and (absent := [text for text in (SOURCE, PROGRAM) if text not in command]):
        raise UsageError(f"--build {command!r} does not name {' and '.join(absent)}", hint=_EXAMPLE)
    if shutil.which("diff") is None:
        raise MachineError(
            "--sources compares files with diff, which is not found", hint="apt-get install diffutils"
        )
    old, new = (Path(place).absolute() for place in places)
    for place, directory in zip(places, (old, new), strict=True):
        if not directory.is_dir():
            raise UsageError(
                f"--sources: {place} is not a directory", hint="name the source tree of each program"
            )
    sources = Sources(old, new, command)
    refuse_large(sources)
    return sources


def refuse_large(sources: Sources) -> None:
    """Refuse trees that are too large to copy.

    Raises
    ------
    UsageError
    """
    for directory in (sources.old, sources.new):
        size = sum(file.lstat().st_size for file in _list_files(directory))
        if size > MOST_BYTES:
            raise UsageError(
                f"{directory} has {size / 1e9:.1f} GB, and is copied for each program that is made",
                hint="name the directory of the sources alone",
            )


def _list_files(directory: Path) -> list[Path]:
    patterns = [PurePath(name) for name in _LEFT_OUT]
    return [
        file
        for file in directory.rglob("*")
        if (file.is_symlink() or file.is_file())
        and not any(
            PurePath(part).match(str(name)) for part in file.relative_to(directory).parts for name in patterns
        )
    ]


def copy_tree(source: Path, target: Path) -> None:
    """Copy a tree with its times, so that ``make`` builds only what is replaced; without histories."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns(*_LEFT_OUT))


def list_differing(sources: Sources, file: str) -> list[str]:
    """List the other files of the new tree, such as headers, which the old one has otherwise or lacks.

    Files that hold a zero byte, such as programs and objects, are no sources.
    """
    differing = []
    for entry in _list_files(sources.new):
        name = entry.relative_to(sources.new)
        namesake = sources.old / name
        if str(name) == file or not entry.is_file():
            continue
        content = entry.read_bytes()
        if b"\0" not in content and (not namesake.is_file() or namesake.read_bytes() != content):
            differing.append(str(name))
    return sorted(differing)


def find_file(sources: Sources, file: str) -> tuple[str, str]:
    """Find a source file, as debug information has it, in the new tree.

    Returns
    -------
    (str, str)
        Its name below the tree, and why there is none.
    """
    if not file:
        return "", "no debug information says in which file it is: compile with -g"
    path = Path(file)
    for root in (sources.new, sources.new.resolve()):
        if path.is_absolute() and path.is_relative_to(root) and path.is_file():
            return str(path.relative_to(root)), ""
    parts = PurePosixPath(file).parts
    names = [
        name
        for entry in _list_files(sources.new)
        if (name := entry.relative_to(sources.new)).name == PurePosixPath(file).name
    ]
    lengths = {name: _count_common(name.parts, parts) for name in names}
    best = [name for name in names if lengths[name] == max(lengths.values())]
    if len(best) == 1:
        return str(best[0]), ""
    if not best:
        return "", f"no source file is called {PurePosixPath(file).name}"
    return "", f"{len(best)} source files are called {PurePosixPath(file).name}"


def _count_common(first: Sequence[str], second: Sequence[str]) -> int:
    count = 0
    for part, namesake in zip(reversed(first), reversed(second), strict=False):
        if part != namesake:
            break
        count += 1
    return count


def list_hunks(old: Path, new: Path) -> tuple[Hunk, ...]:
    """List where two files differ, by ``diff``."""
    done = subprocess.run(
        ["diff", "-a", str(old), str(new)],  # noqa: S607 -- that of PATH
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    hunks = []
    for match in _CHANGE.finditer(done.stdout):
        first, last, kind, start, end = match.groups()
        old_start, new_start = int(first) - 1, int(start) - 1
        old_end, new_end = int(last or first), int(end or start)
        # Lines are added behind, and removed from behind, the line that the other file has.
        if kind == "a":
            old_start = old_end = old_start + 1
        if kind == "d":
            new_start = new_end = new_start + 1
        hunks.append(Hunk(old_start, old_end, new_start, new_end))
    return tuple(hunks)


def undo(old: bytes, new: bytes, hunks: Sequence[Hunk]) -> bytes:
    """Return the new text with the old lines of some hunks."""
    before, after = old.split(b"\n"), new.split(b"\n")
    for hunk in sorted(hunks, key=lambda hunk: -hunk.new_start):
        after[hunk.new_start : hunk.new_end] = before[hunk.old_start : hunk.old_end]
    return b"\n".join(after)


def find_extent(file: Path, name: str, line: int) -> tuple[int, int] | None:
    """Return the lines of a function, from the first to behind the last, counted from 0.

    Parameters
    ----------
    name : str
        Of a function of Python, perhaps with its class.
    line : int
        In which it begins, counted from 1; 0: not known.
    """
    text = file.read_text(errors="replace")
    if file.suffix == ".py":
        return _find_python_extent(text, name, line)
    lines = text.split("\n")
    if not 0 < line <= len(lines):
        return None
    if file.suffix == ".go":
        # Where a function needs no frame, Go has the line of its first statement.
        line = next((place for place in range(line, 0, -1) if lines[place - 1].startswith("func ")), line)
    offset = sum(len(row) + 1 for row in lines[: line - 1])
    depth = 0
    for match in _TOKEN.finditer(text, offset):
        depth += {"{": 1, "}": -1}.get(match["brace"], 0)
        if match["brace"] == "}" and depth <= 0:
            return line - 1, text.count("\n", 0, match.end()) + 1
    return None


def _find_python_extent(text: str, name: str, line: int) -> tuple[int, int] | None:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    last = name.rpartition(".")[2]
    functions = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == last
    ]
    around = [node for node in functions if line and node.lineno <= line <= (node.end_lineno or node.lineno)]
    chosen = around or functions
    if len(chosen) != 1:
        return None
    start = min([chosen[0].lineno, *(decorator.lineno for decorator in chosen[0].decorator_list)])
    return start - 1, chosen[0].end_lineno or chosen[0].lineno
