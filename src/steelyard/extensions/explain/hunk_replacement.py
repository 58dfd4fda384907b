"""Lines of the old sources in the new ones: a program is made for each function that is tested."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from steelyard.core.causes import find_cause, join_cause
from steelyard.core.errors import MachineError, ProgramError, UsageError
from steelyard.extensions.explain.linking import name_program
from steelyard.extensions.explain.request import NEW, OLD, ExplainRequest
from steelyard.extensions.explain.results import Contribution
from steelyard.extensions.explain.sources import (
    PROGRAM,
    SOURCE,
    Hunk,
    Sources,
    copy_tree,
    find_extent,
    find_file,
    list_differing,
    list_hunks,
    undo,
)
from steelyard.extensions.explain.validation import NAME, Replacement, Trial, find_difference, name_arm
from steelyard.lab.compare.compare import split
from steelyard.spec.experiment import Experiment
from steelyard.spec.text.placeholders import escape

Make = Callable[[Path, str], tuple[str, ...]]
"""From a tree and a side, which is ``old`` or ``new``, to the words of the program that is made there."""
_BUILD_S: Final = 3_600.0
_ASSIGNMENT: Final = re.compile(r"-{0,2}[A-Za-z_][\w-]*=")
"""Of a variable, or of an option."""
_MOST_FILES: Final = 3
_OF_A_SHELL: Final = frozenset({"&&", "||", "|", ";", ">", "<", "2>&1", "cd"})
_INTERPRETED: Final = "--sources with a --build that makes {program} from {source}"


class HunkReplacement(Replacement):
    """Lines of OLD in NEW. All programs are made from copies of the trees, under names of one length.

    Parameters
    ----------
    scratch : Path
        Directory for the copies.
    make : Make
        Makes the program of a tree.
    """

    def __init__(self, request: ExplainRequest, sources: Sources, scratch: Path, make: Make) -> None:
        self._request, self._sources, self._scratch, self._make = request, sources, scratch, make
        self._words: dict[str, tuple[str, ...]] = {}
        self._hunks: dict[str, tuple[str, tuple[Hunk, ...]]] = {}

    def find_part(self, entry: Contribution) -> tuple[str, str]:
        """Return the file with the lines of a function, and why these cannot be replaced."""
        if entry.presence == "gone":
            return entry.name, "only the old program has this function: look at its callers"
        file, reason = find_file(self._sources, entry.file)
        if reason:
            return entry.name, reason
        old, new = self._sources.old / file, self._sources.new / file
        if not old.is_file():
            return file, "only the new program has this file"
        extent = find_extent(new, entry.name, entry.line)
        if extent is None:
            return entry.name, f"where it ends in {file} cannot be told"
        hunks = tuple(hunk for hunk in list_hunks(old, new) if hunk.overlaps(*extent))
        if not hunks:
            return (
                entry.name,
                f"both programs have the same lines of it in {file}{self._tell_differing(file)}",
            )
        first, last = hunks[0].new_start + 1, max(hunks[-1].new_end, hunks[0].new_start + 1)
        part = f"{file}:{first}-{last}" if last > first else f"{file}:{first}"
        self._hunks[part] = (file, hunks)
        return part, ""

    def _tell_differing(self, file: str) -> str:
        """Say which other files differ, such as a header: the difference may come from there."""
        names_beside = list_differing(self._sources, file)
        if not names_beside:
            return ": look at its callers and data"
        surplus = len(names_beside) - _MOST_FILES
        names = ", ".join(names_beside[:_MOST_FILES]) + (f" and {surplus} more" if surplus > 0 else "")
        return f"; what differs is {names}, and perhaps its callers and data"

    def prepare(self, trial: Trial) -> Trial:
        """Make NEW with the lines of OLD, and try it once."""
        for number, (side, tree) in enumerate(((OLD, self._sources.old), (NEW, self._sources.new))):
            if side not in self._words:
                self._words[side] = self._make(self._copy(tree, number), side)
        file, hunks = self._hunks[trial.object]
        target = self._copy(self._sources.new, len(self._words)) / file
        content = undo((self._sources.old / file).read_bytes(), target.read_bytes(), hunks)
        # A link may lead out of the tree.
        target.unlink()
        target.write_bytes(content)
        shutil.copymode(self._sources.new / file, target)
        arm = name_arm(trial.object)
        try:
            words = self._make(self._locate(len(self._words)), NEW)
        except ProgramError as error:
            return replace(trial, reason=f"the new program cannot be built with them: {error.message}")
        reason = find_difference([self._words[OLD], self._words[NEW], words], self._request.stdin)
        if reason:
            return replace(trial, reason=reason)
        self._words[arm] = words
        return replace(trial, arm=arm)

    def make_experiment(self, arms: Sequence[str]) -> Experiment:
        """Return the experiment of the programs that were made."""
        names = (OLD, NEW, *arms)
        commands = {name: tuple(escape(word) for word in self._words[name]) for name in names}
        request = replace(self._request, linking=None)
        return request.make_experiment(NAME, commands, {name: name for name in names}, self._scratch)

    def discard(self, directory: Path) -> None:
        """Remove the trees."""
        del directory
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _locate(self, number: int) -> Path:
        # Names of one length: that of a program is on the stack of what it does.
        return self._scratch / f"tree-{number}"

    def _copy(self, tree: Path, number: int) -> Path:
        target = self._locate(number)
        self._scratch.mkdir(parents=True, exist_ok=True)
        copy_tree(tree, target)
        return target


def choose_make(request: ExplainRequest, sources: Sources) -> Make:
    """Return how programs are made: by the command of ``sources``, or not at all.

    Raises
    ------
    UsageError
        Without a command, a program that does not name its tree.
    """
    if sources.command:
        return lambda tree, side: _build(request, sources.command, tree, side)
    for side, root in ((OLD, sources.old), (NEW, sources.new)):
        words = request.new if side == NEW else request.old
        if _move(words, root, root / "moved") == words:
            raise UsageError(
                f"--sources: {' '.join(words)} does not run from {root.name}, whose lines change nothing",
                hint=f"a program of {root.name}, or {_INTERPRETED}",
            )
    return lambda tree, side: _move(
        request.new if side == NEW else request.old, sources.new if side == NEW else sources.old, tree
    )


def _move(words: Sequence[str], root: Path, tree: Path) -> tuple[str, ...]:
    """Return the words of a program with its tree in another place."""
    moved = []
    for word in words:
        match = _ASSIGNMENT.match(word)
        head, path = (match[0], word[match.end() :]) if match else ("", word)
        place = Path(os.path.normpath(Path.cwd() / path))
        is_inside = path != "" and place.is_relative_to(root) and (place.exists() or os.sep in path)
        moved.append(f"{head}{tree / place.relative_to(root)}" if is_inside else word)
    return tuple(moved)


def _build(request: ExplainRequest, command: str, tree: Path, side: str) -> tuple[str, ...]:
    words_of_program = request.new if side == NEW else request.old
    program = tree.with_name(f"{tree.name}-program") / name_program(request.new[0])
    shutil.rmtree(program.parent, ignore_errors=True)
    program.parent.mkdir()
    words = [word.replace(SOURCE, str(tree)).replace(PROGRAM, str(program)) for word in split(command)]
    try:
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
            timeout=_BUILD_S,
        )
    except OSError as error:
        raise MachineError(
            f"{words[0]}: {error.strerror}", hint=f"install {words[0]}, or correct --build"
        ) from None
    except subprocess.TimeoutExpired:
        raise ProgramError(f"--build was ended after {_BUILD_S:g} s") from None
    if done.returncode or not program.is_file():
        hint = "correct --build, which makes {program} from {source}"
        if sign := next((word for word in words if word in _OF_A_SHELL), ""):
            hint = f"--build is run without a shell, which {sign!r} needs: --build \"sh -c '…'\""
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        place = find_cause(lines)
        cause = join_cause(lines, place) if place is not None else (lines or ["it printed nothing"])[-1]
        ending = (
            f"--build ends with exit code {done.returncode}"
            if done.returncode
            else "--build left no {program}"
        )
        raise ProgramError(f"{ending}: {cause}", hint=hint)
    return (str(program), *words_of_program[1:])
