"""Ends of ranks, and their last words, in what a launcher printed among them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from steelyard.run.runner.journal import RawTrial

_SIMULATED_ENDS: Final = {
    b"[ker_engine/CRITICAL] Oops! Deadlock detected": (
        "the simulated ranks deadlocked: some ended, or none could go on, while others still waited"
    ),
    b"[smpi_pmpi/WARNING] MPI_Abort was called": "a rank called MPI_Abort",
}
"""What SimGrid prints where ranks failed; its exit code is 0."""

_FOREIGN: Final = {
    # As in "[n1:1:(2) 0.000000] ./src/…/smpi_global.cpp:308: [smpi_kernel/WARNING] …".
    "smpi": re.compile(rb"\[[^\]]*\d+\.\d{6}\] .*\[\w+/[A-Z]+\] "),
    # Open MPI's handler of signals; MPICH's banner and what follows it.
    "mpi": re.compile(
        rb"\[[^\]\s]+:\d+\] |=+$|=   [A-Z]|YOUR APPLICATION TERMINATED|This typically refers to a problem"
        rb"|Please see the FAQ page"
    ),
}
"""Lines of launchers."""

_RULE: Final = re.compile(rb"-{60,}")
"""Above and below what Open MPI says itself."""

_EXIT_STRING: Final = re.compile(rb"YOUR APPLICATION TERMINATED WITH THE EXIT STRING: (.+)")


def simulated_failure(raw: RawTrial) -> str | None:
    """Why simulated ranks did not end well although the simulator did; ``None`` where they did."""
    for mark, reason in _SIMULATED_ENDS.items():
        if mark in raw.stderr:
            return reason
    if raw.stderr_bytes > len(raw.stderr):
        return (
            f"only {len(raw.stderr):,} of {raw.stderr_bytes:,} bytes of stderr were kept, so that the"
            " simulator's own last words are lost: let the ranks print less"
        )
    return None


def last_words(raw: RawTrial, kind: str = "local") -> bytes:
    """The last line that the program wrote, to stderr or else to stdout: where most say what is wrong.

    Lines of a launcher are passed over; where ranks were silent, its own account stands for theirs.
    """
    accounts = []
    for written in (raw.stderr, raw.stdout):
        own, account = _told_apart(written, kind)
        if own:
            return own
        accounts.append(account)
    return next(filter(None, accounts), b"")


def _told_apart(written: bytes, kind: str) -> tuple[bytes, bytes]:
    """The last line of the program, and what the launcher says of it."""
    foreign = _FOREIGN.get(kind)
    own = account = b""
    block: list[bytes] | None = None
    for line in filter(None, map(bytes.strip, written.splitlines())):
        if kind == "mpi" and _RULE.fullmatch(line):
            account, block = (account, []) if block is None else (b" ".join(block), None)
        elif block is not None:
            block.append(line)
        elif foreign is None or not foreign.match(line):
            own = line
        elif found := _EXIT_STRING.match(line):
            account = found[1]
        elif kind == "smpi":
            account = line.rpartition(b"] ")[2]
    return own, account
