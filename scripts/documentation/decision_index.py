"""The index of decisions: by area, one line each, what is superseded folded below.

A record begins with its number and title, then ``DATE · AREA · STATUS``: ``in force`` or ``superseded by
NNN``, where ``… in part`` stays among those in force. A line on what it supersedes, confirms or continues
may follow.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from documentation.markdown import GeneratedBlockError

ROOT: Final = Path(__file__).resolve().parents[2]
_TITLE: Final = re.compile(r"# (\d{3}) · (.+)")
_HEAD: Final = re.compile(r"(\d{4}-\d{2}-\d{2}) · ([a-z]+) · (in force|superseded by \d{3}(?: in part)?)")


class Decision(NamedTuple):
    """The head of a record."""

    path: Path
    number: str
    title: str
    date: str
    area: str
    status: str

    @property
    def is_superseded(self) -> bool:
        """Whether another decision holds in its place, wholly."""
        return self.status.startswith("superseded") and not self.status.endswith("in part")


def read_decision(path: Path) -> Decision:
    """Read the head of a record.

    Raises
    ------
    GeneratedBlockError
        It has none.
    """
    first, _, third = ([line.strip() for line in path.read_text(encoding="utf-8").splitlines()] + [""] * 3)[
        :3
    ]
    title, head = _TITLE.fullmatch(first), _HEAD.fullmatch(third)
    if title is None or head is None or not path.name.startswith(f"{title[1]}-"):
        raise GeneratedBlockError(
            f"{path.name}: expected '# NNN · TITLE', an empty line, and 'DATE · AREA · in force' or"
            " '… · superseded by NNN'"
        )
    return Decision(path, title[1], title[2], head[1], head[2], head[3])


def list_decisions(decisions: Iterable[Decision], folder: Path) -> list[str]:
    """Write one line for each decision, in the order of their numbers."""
    lines = []
    for decision in sorted(decisions, key=lambda decision: decision.number):
        status = "" if decision.status == "in force" else f", {decision.status}"
        link = decision.path.relative_to(folder).as_posix()
        lines.append(f"- [{decision.number}]({link}) {decision.title} ({decision.date}{status})")
    return lines


def index(house: str) -> str:
    """Make the index of the decisions of a house: its folder, or ``docs`` for the laboratory."""
    folder = ROOT / house / "decisions"
    by_area: defaultdict[str, list[Decision]] = defaultdict(list)
    superseded = []
    for path in sorted(folder.rglob("[0-9][0-9][0-9]-*.md")):
        decision = read_decision(path)
        if decision.is_superseded:
            superseded.append(decision)
        else:
            by_area[decision.area].append(decision)
    lines: list[str] = []
    for area in sorted(by_area):
        lines += [f"### {area.capitalize()}", "", *list_decisions(by_area[area], folder), ""]
    if superseded:
        count = len(superseded)
        lines += [f"<details><summary>Superseded: {count}</summary>", "", *list_decisions(superseded, folder)]
        lines += ["", "</details>", ""]
    return "\n".join(lines).rstrip() + "\n"
