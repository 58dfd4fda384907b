"""Instructions of containers beside MPI in bulk, of all ranks together, by callgrind.

    ./dev mpi openmpi; ./dev mpi virtual; .venv/bin/python studies/runtimes/build.py
    .venv/bin/python studies/runtimes/instructions.py

On two real ranks, loops that wait for messages are most of what is counted. Ours are ranks of one process, in
virtual time, where a rank that waits executes nothing; all that happens there is counted, the simulated
network included. Of MPI in bulk, what the libraries of MPI execute is left out, and that of libc is not: so
are loops that wait, and copies between ranks are counted. One run of a kernel, the second, is counted.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from launching import output  # noqa: E402 -- what studies share lies beside them
from systems import MPIRUN, ROOT, built  # noqa: E402

KEYS: Final = 1 << 21
"""Of a rank."""
FLAT: Final = ROOT / "workloads" / "virtual" / "networks" / "flat.json"
OF_MPI: Final = re.compile(r"lib(mpi|open-pal|pmix|event|hwloc|uc[a-z]+|prrte)[^/]*\.so")
"""Libraries whose instructions are left out."""


def count_instructions(profile: Path) -> int:
    """Count the instructions of a profile, but for those of the libraries of MPI."""
    total, library = 0, ""
    names: dict[str, str] = {}
    is_call = False
    for line in profile.read_text().splitlines():
        if found := re.match(r"ob=\((\d+)\)(?: (.*))?", line):
            library = names.setdefault(found[1], found[2] or "")
        elif line.startswith("calls="):
            is_call = True
        elif re.match(r"[+\-*\d]", line):
            # The line behind a call has what the callee took, which is counted there.
            if not is_call and not OF_MPI.search(library):
                total += int(line.split()[-1])
            is_call = False
        elif found := re.match(r"cob=\((\d+)\) (.*)", line):
            names[found[1]] = found[2]
    return total


def count_run(directory: Path, command: list[object], valgrind_at: int) -> int:
    """Count the instructions of all processes of a command, in which valgrind comes at a place."""
    profiles = directory / "%p.out"
    valgrind = ["valgrind", "--tool=callgrind", "--collect-atstart=no", f"--callgrind-out-file={profiles}"]
    output([*command[:valgrind_at], *valgrind, *command[valgrind_at:]], KERNEL_REPETITIONS="1")
    counts = [count_instructions(profile) for profile in directory.glob("*.out")]
    for profile in directory.glob("*.out"):
        profile.unlink()
    return sum(counts)


def main() -> None:
    """Write the table, as Markdown."""
    print("| kernel | ranks | ours, a key | MPI in bulk, a key | ours over it |")
    print("| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as name:
        for kernel in ("counts", "words"):
            for ranks in (1, 2):
                virtual = [
                    built("bin", "goodsyard_virtual"),
                    "--network",
                    f"virtual:{FLAT}",
                    "--idle",
                    "wait",
                ]
                ours = count_run(Path(name), [*virtual, "--ranks", ranks, "--kernel", kernel], 0)
                mpirun = [MPIRUN, "--oversubscribe", "-n", ranks]
                bulk = count_run(Path(name), [*mpirun, built("bin", "bulk_portable"), kernel], len(mpirun))
                keys = KEYS * ranks
                print(f"| {kernel} | {ranks} | {ours / keys:.0f} | {bulk / keys:.0f} | {ours / bulk:.2f} |")


if __name__ == "__main__":
    main()
