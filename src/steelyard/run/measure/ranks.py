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

_MPI_ABORTS: Final = (
    re.compile(rb"^MPI_ABORT was invoked on (rank \d+) in communicator", re.MULTILINE),
    re.compile(
        rb"^Abort\(\d+\) on node \d+ \((rank \d+) in comm \d+\): application called MPI_Abort\(", re.MULTILINE
    ),
)
"""What Open MPI and MPICH print of MPI_Abort; with a multiple of 256, the exit code of their mpirun is 0."""

_OWN: Final = re.compile(
    rb"^steelyard: (rank \d+) of (\d+) (left|called|was waiting in|was outside)(.*)$", re.MULTILINE
)
"""What the library in ``native/ranks`` prints."""

_AT_FAULT: Final = re.compile(r"rank \d+ ")

_DEADLOCK: Final = re.compile(r": (\d+) of \1 ranks were waiting in ")

_FOREIGN: Final = {
    # As in "[n1:1:(2) 0.000000] ./src/…/smpi_global.cpp:308: [smpi_kernel/WARNING] …".
    "smpi": re.compile(rb"\[[^\]]*\d+\.\d{6}\] .*\[\w+/[A-Z]+\] "),
    # Open MPI's handler of signals; what MPICH says of an abort, and its banner with what follows it.
    "mpi": re.compile(
        rb"steelyard: rank |Abort is in progress|Abort\(\d+\) on node |"
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
            f"only {len(raw.stderr):,} of {raw.stderr_bytes:,} bytes of stderr were kept, without the"
            " simulator's last message: let the ranks print less"
        )
    return None


def rank_failure(raw: RawTrial) -> str | None:
    """Why ranks of a real MPI library did not end well, whatever its ``mpirun`` says.

    ``None`` where nothing is known.
    """
    for rank, ranks, how, rest in _OWN.findall(raw.stderr):
        if how in (b"left", b"called"):
            return b" ".join((rank, b"of", ranks, how + rest)).decode(errors="replace")
    for pattern in _MPI_ABORTS:
        if match := pattern.search(raw.stderr):
            return f"{match[1].decode()} called MPI_Abort"
    return None


def describe_waiting(raw: RawTrial) -> str:
    """``: 4 of 4 ranks were waiting in MPI_Recv``, as ranks say when they are asked to end at the time limit.

    It is empty where none did.
    """
    reports = _OWN.findall(raw.stderr)
    calls = [rest.strip().decode(errors="replace") for _, _, how, rest in reports if how == b"was waiting in"]
    outside = sorted(int(rank.split()[1]) for rank, _, how, _ in reports if how == b"was outside")
    if not calls and not outside:
        return ""
    total = int(reports[0][1])
    parts = []
    if calls:
        parts.append(f"{len(calls)} of {total} ranks were waiting in {' and '.join(sorted(set(calls)))}")
    if outside:
        parts.append(f"outside of MPI {'were ranks' if len(outside) > 1 else 'was rank'} {_list(outside)}")
    if silent := total - len(calls) - len(outside):
        parts.append(f"{silent} did not answer")
    return f": {'; '.join(parts)}"


def _list(ranks: list[int]) -> str:
    text = ", ".join(map(str, ranks[:8]))
    return f"{text}, …" if len(ranks) > 8 else text


def are_at_fault(reason: str) -> bool:
    """Whether the reason of a failure is what a rank did, and the exit code not the program's."""
    return _AT_FAULT.match(reason) is not None


def are_deadlocked(reason: str) -> bool:
    """Whether the reason of a failure says that every rank was waiting."""
    return _DEADLOCK.search(reason) is not None


def last_words(raw: RawTrial, kind: str = "local", *, account: bool = True) -> bytes:
    """Return the last line that the program wrote, to stderr or else to stdout: where most say what is wrong.

    Lines of a launcher are passed over; where ranks were silent, its own ``account`` stands for theirs.
    """
    accounts = []
    for written in (raw.stderr, raw.stdout):
        written_by_program, launchers = _distinguish(written, kind)
        if written_by_program:
            return written_by_program
        accounts.append(launchers)
    return next(filter(None, accounts), b"") if account else b""


def _distinguish(written: bytes, kind: str) -> tuple[bytes, bytes]:
    """Return the last line of the program, and what the launcher says of it."""
    foreign = _FOREIGN.get(kind)
    program_words = account = b""
    block: list[bytes] | None = None
    for line in filter(None, (line.strip(b"\0 \t\r") for line in written.splitlines())):
        if kind == "mpi" and _RULE.fullmatch(line):
            account, block = (account, []) if block is None else (b" ".join(block), None)
        elif block is not None:
            block.append(line)
        elif foreign is None or not foreign.match(line):
            program_words = line
        elif match := _EXIT_STRING.match(line):
            account = match[1]
        elif kind == "smpi":
            account = line.rpartition(b"] ")[2]
    return program_words, account
