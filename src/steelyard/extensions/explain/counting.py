"""``--counts``: both programs once under callgrind, and the counts beside the record."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import MachineError, ProgramError, RecordError
from steelyard.extensions.explain.callgrind import FunctionCount, read_callgrind
from steelyard.extensions.explain.names import clean_symbol, list_programs, name_place, shorten_signature
from steelyard.extensions.explain.request import ExplainRequest
from steelyard.extensions.explain.results import Contribution, CountChange, Explanation
from steelyard.files.plain import read_plain, write_plain
from steelyard.lab.compare.compare import split

FILE: Final = "counts.json"
_ENDS: Final = 300


class _Counts(msgspec.Struct, frozen=True):
    old: list[FunctionCount]
    new: list[FunctionCount]


def refuse_uncountable() -> None:
    """Refuse ``--counts`` before the first run, where there is no valgrind."""
    if shutil.which("valgrind") is None:
        raise MachineError("--counts needs valgrind, which is not found", hint="apt-get install valgrind")


def count(request: ExplainRequest, directory: Path, tell: Callable[[str], None]) -> None:
    """Count both programs into the record.

    Raises
    ------
    ProgramError
        A program fails under valgrind.
    """
    tell("explain: counting instructions and calls by callgrind")
    sides = [_count_program(words, request.stdin) for words in (request.old, request.new)]
    write_plain(directory / FILE, msgspec.json.encode(_Counts(*sides)))


def _count_program(words: Sequence[str], stdin: str | None) -> list[FunctionCount]:
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, "callgrind.out")
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={file}", "--", *words]
        with open(stdin or "/dev/null", "rb") as content:  # noqa: PTH123 -- a name as the user typed it
            done = subprocess.run(command, stdin=content, capture_output=True, check=False)
        if done.returncode or not file.exists():
            end = done.stderr.decode("utf-8", "replace").strip()[-_ENDS:]
            raise ProgramError(f"{shlex.join(words)} fails under callgrind: {end}", hint="leave out --counts")
        with file.open(encoding="utf-8", errors="replace") as lines:
            return read_callgrind(lines)


def add_counts(explanation: Explanation, directory: Path) -> Explanation:
    """Add the counts of a record to its functions, where it has some.

    Raises
    ------
    RecordError
        The file is damaged.
    """
    content = read_plain(directory / FILE)
    if content is None:
        return explanation
    try:
        counts = msgspec.json.decode(content, type=_Counts)
    except msgspec.MsgspecError as error:
        raise RecordError(
            f"{directory / FILE} is damaged: {error}", hint="remove it, or count again"
        ) from None
    programs = list_programs([split(text)[0] for text in (explanation.old, explanation.new)])
    old, new = (_sum_counts(side, programs) for side in (counts.old, counts.new))
    entries = tuple(_add_to(entry, old, new) for entry in explanation.contributions)
    return replace(explanation, contributions=entries)


_Sums = Mapping[tuple[str, str], tuple[int, int]]


def _sum_counts(entries: list[FunctionCount], programs: frozenset[str]) -> _Sums:
    sums: dict[tuple[str, str], tuple[int, int]] = {}
    for entry in entries:
        # Callgrind numbers the depths of recursion: f'2.
        name = clean_symbol(entry.name.partition("'")[0])
        key = (shorten_signature(name), name_place(entry.object_file, programs))
        before = sums.get(key, (0, 0))
        sums[key] = (before[0] + entry.instructions, before[1] + entry.calls)
    return sums


def _add_to(entry: Contribution, old: _Sums, new: _Sums) -> Contribution:
    keys = [(shorten_signature(name), entry.place) for name in (entry.old_name or entry.name, entry.name)]
    if keys[0] not in old and keys[1] not in new:
        return entry
    before, after = old.get(keys[0], (0, 0)), new.get(keys[1], (0, 0))
    return replace(entry, counts=CountChange(before[0], after[0], before[1], after[1]))
