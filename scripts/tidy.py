"""clang-tidy over workloads/, with the settings of workloads/.clang-tidy.

It reads how each file is compiled from the build trees of ``./dev mpi``: those
without MPI, and one with. What no tree compiles is not looked at, and that is
said; where it is everything, the exit code is 4. Files are looked at side by
side, one process a CPU. With ``--changed``, only sources that differ from the
last commit, or from the branch that this one follows, and those that include
a header that does.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Final

from door.stages import LACKING

ROOT: Final = Path(__file__).resolve().parents[1]
SOURCES: Final = ROOT / "workloads"
BUILDS: Final = ROOT / "build" / "workloads"
# A file is looked at as the first tree compiles it that has it.
TREES: Final = ("tests", "plain", "openmpi", "mpich")
MPI: Final = ROOT / ".cache" / "mpi"


def files() -> dict[Path, str]:
    """Every source that a tree compiles, and the tree."""
    found: dict[Path, str] = {}
    for tree in TREES:
        database = BUILDS / tree / "compile_commands.json"
        if not database.is_file():
            continue
        for entry in json.loads(database.read_text()):
            path = Path(entry["file"]).resolve()
            if path.is_file() and path.is_relative_to(SOURCES):
                found.setdefault(path, tree)
    return found


@cache
def extra_arguments(tree: str) -> list[str]:
    """Arguments that gcc or the wrapper of an MPI library would imply."""
    found = subprocess.run(["gcc", "-print-file-name=include"], capture_output=True, text=True, check=True)
    arguments = [
        # For omp.h; after clang's own directories, whose intrinsics differ.
        f"-idirafter{found.stdout.strip()}",
        # gcc's -Wconversion leaves these out in C++.
        "-Wno-sign-conversion",
        # libstdc++ instantiates its own deprecated buffer in std::stable_sort.
        "-Wno-deprecated-declarations",
        # gcc's precompiled header; what it is made of clang does not see, and finds an #include missing.
        "-Wno-ignored-gch",
    ]
    return [*arguments, f"-I{MPI / tree / 'include'}"] if (MPI / tree).is_dir() else arguments


def complaints(path: Path, tree: str) -> str:
    """Complaints of clang-tidy about a file; empty without any."""
    tidy = Path(sys.executable).with_name("clang-tidy")
    extra = [f"--extra-arg={each}" for each in extra_arguments(tree)]
    command = [str(tidy), "-p", str(BUILDS / tree), "--quiet", *extra, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def git_lines(*words: str) -> list[str]:
    """Lines that git prints; none where it fails, as without a repository."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []


def changed_files() -> set[Path]:
    """Files that differ from the branch that this one follows, or else from the last commit; new ones too."""
    base = next(iter(git_lines("merge-base", "HEAD", "@{upstream}")), "HEAD")
    names = git_lines("diff", "--name-only", base)
    return {ROOT / name for name in (*names, *git_lines("ls-files", "--others", "--exclude-standard"))}


def is_affected(source: Path, changed: set[Path]) -> bool:
    """Whether a source, or a header that it includes by itself, is among the changed files."""
    includes = re.findall(r'#include "(.+?)"', source.read_text())
    return bool(changed & {source, *(SOURCES / name for name in includes)})


def main(arguments: list[str]) -> int:
    """Look at all of them, or at the changed ones; the exit code is 1 where there is something to put right,
    4 where there are sources and none could be looked at.
    """
    found = files()
    # Benchmarks are compiled with their peers, which are elsewhere.
    sources = set(SOURCES.rglob("*.cpp")) - set((SOURCES / "benchmarks").rglob("*"))
    if "--changed" in arguments:
        changed = changed_files()
        sources = {source for source in sources if is_affected(source, changed)}
        found = {source: tree for source, tree in found.items() if source in sources}
    if left := sources - found.keys():
        hint = "./dev mpi tests plain openmpi, then ./dev lint"
        print(f"not looked at: {len(left)} of {len(sources)} sources of workloads/: {hint}")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        said = [text for text in pool.map(complaints, found, found.values()) if text]
    print("\n".join(said), end="")
    print(f"{len(found)} files, {len(said)} with complaints")
    if said:
        return 1
    return LACKING if sources and not found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
