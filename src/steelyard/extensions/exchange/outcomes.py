"""Words for what became of a run, as tables, schedulers and tools write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

Ending = Literal["ok", "timed_out", "failed"]

_OK: Final = """
    ok okay solved success successful succeeded done complete completed finished pass passed true yes
    sat unsat satisfiable unsatisfiable valid invalid optimal
"""
_TIMED_OUT: Final = """
    timeout timeouts timedout timed_out time_out tle to out_of_time outoftime time_limit timelimit
    time_limit_exceeded deadline dnf
"""
_FAILED: Final = """
    fail failed failure error errored err crash crashed segfault abort aborted killed signal false no
    memout mo oom out_of_memory outofmemory memory_out wrong incorrect unknown none broken
    cancelled canceled node_fail boot_fail preempted revoked skip skipped missing not_run notrun
"""
WORDS: Final[Mapping[Ending, frozenset[str]]] = {
    "ok": frozenset(_OK.split()),
    "timed_out": frozenset(_TIMED_OUT.split()),
    "failed": frozenset(_FAILED.split()),
}
"""Case, blanks and hyphens do not matter; what follows ``by`` or a colon is detail: ``CANCELLED by 1000``."""

TIMEOUT_CODE: Final = 124
"""Exit code by which ``timeout`` of the GNU core utilities says that it ended a program."""


def read_ending(text: str) -> Ending | None:
    """Return what a word says of a run; ``None`` where the word is not known."""
    word = re.split(r"\s+by\s|:", text.strip().lower(), maxsplit=1)[0]
    word = "_".join(word.replace("-", " ").split())
    return next((ending for ending, words in WORDS.items() if word in words), None)


def read_exit_code(text: str) -> Ending | None:
    """Return what an exit code says, also as ``code:signal``; ``None`` where the text is none."""
    match = re.fullmatch(r"(-?[0-9]+)(?:[.]0+)?(?::([0-9]+))?", text.strip())
    if match is None:
        return None
    code, signal = int(match[1]), int(match[2] or 0)
    if code == TIMEOUT_CODE:
        return "timed_out"
    return "ok" if code == signal == 0 else "failed"
