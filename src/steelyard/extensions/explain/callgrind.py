"""What callgrind counts: own instructions and calls of each function.

The format is that of chapter 6.2 of valgrind's manual.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import msgspec

_NAME: Final = re.compile(
    r"^(?P<key>fl|fi|fe|fn|ob|cob|cfi|cfl|cfn)=(?:\((?P<number>\d+)\))?\s*(?P<text>.*)$"
)
_COST: Final = re.compile(r"^(?:[+-]?\d+|\*|0x[0-9a-f]+)(?:\s+(?:[+-]?\d+|\*))*$")
_KINDS: Final = {"cob": "ob", "cfn": "fn", "cfi": "fl", "cfl": "fl", "fi": "fl", "fe": "fl"}
"""Keys that share their numbers with another."""


class FunctionCount(msgspec.Struct):
    """One function: name, object file, own instructions, calls of it."""

    name: str
    object_file: str
    instructions: int = 0
    calls: int = 0


def read_callgrind(lines: Iterable[str]) -> list[FunctionCount]:
    """Read a file of callgrind: functions of one name and object file are one."""
    reader = _Reader()
    for line in lines:
        reader.read(line.strip())
    return [*reader.counts.values()]


class _Reader:
    """Line after line: names are written once and numbered, costs belong to the function named last."""

    def __init__(self) -> None:
        self.counts: dict[tuple[str, str], FunctionCount] = {}
        self._names: dict[tuple[str, str], str] = {}
        self._current = {"ob": "", "fn": "", "cob": "", "cfn": ""}
        self._positions = 1
        self._is_call = False

    def read(self, line: str) -> None:
        """Read a line."""
        if line.startswith("positions:"):
            self._positions = len(line.split()) - 1
        elif match := _NAME.match(line):
            self._read_name(match["key"], match["number"], match["text"])
        elif line.startswith("calls="):
            called = self._get_entry(self._current["cfn"], self._current["cob"] or self._current["ob"])
            called.calls += int(line[6:].split(maxsplit=1)[0])
            self._current["cob"] = ""
            self._is_call = True
        elif _COST.match(line):
            costs = line.split()[self._positions :]
            if costs and not self._is_call:
                # The cost of a call is that of what is called, and stands there.
                entry = self._get_entry(self._current["fn"], self._current["ob"])
                entry.instructions += int(costs[0])
            self._is_call = False

    def _read_name(self, key: str, number: str | None, name: str) -> None:
        kind = _KINDS.get(key, key)
        if number and name:
            self._names[kind, number] = name
        self._current[key] = name or self._names.get((kind, number or ""), "")
        if key == "fn":
            self._current["cob"] = ""

    def _get_entry(self, name: str, file: str) -> FunctionCount:
        return self.counts.setdefault((name, file), FunctionCount(name, file))
