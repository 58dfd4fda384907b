"""Names that C and C++ sources declare, as far as a pattern of declarations tells.

Tests of the houses read it: ``find_names`` lists what a source declares among words that are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

REFUSED = frozenset(
    """asked each found given here its kept known left made more of one other others own said same seen
    shown taken the there told wanted what where which who whole whose""".split()  # noqa: SIM905
)
"""Pronouns, participles and particles, which say nothing of what is bound."""
_TYPE = r"(?:auto|bool|int|double|float|char|unsigned|long|std::[\w:]+|[A-Z]\w*|[\w:]+_t)(?:<[^;={}()]*>)?"
_QUIET = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)


def blank_quiet_parts(source: str) -> str:
    """Put spaces in place of comments and texts, so that lines and columns stay."""
    return _QUIET.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)


def find_names(source: str, words: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield line and name of each variable, parameter, member or function called by one of the words."""
    names = "|".join(map(re.escape, sorted(words)))
    declared = re.compile(rf"\b{_TYPE}\s*[&*]*(?:const\s+)?\s*\b({names})\b\s*(?=[;=,){{(:\[])")
    quiet = blank_quiet_parts(source)
    for match in declared.finditer(quiet):
        yield quiet.count("\n", 0, match.start(1)) + 1, match[1]
