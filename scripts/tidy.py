"""clang-tidy over workloads/, or with ``native`` over native/, with the settings of .clang-tidy.

It reads how each file is compiled from build trees: of workloads/ those that
``./dev mpi`` makes without MPI, and one with; of native/ that of its tests.
What no tree compiles is not looked at, and that is said; where it is
everything, the exit code is 4. Files are looked at side by side, one process a
CPU. With ``--changed``, only sources that differ from the last commit, or from
the branch that this one follows, and those that include a header that does.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Final, NamedTuple

from door.stages import LACKING

ROOT: Final = Path(__file__).resolve().parents[1]


class House(NamedTuple):
    """Sources, the directory of build trees, their names in the order of preference, and who makes them."""

    sources: Path
    builds: Path
    trees: tuple[str, ...]
    hint: str
    left_out: tuple[str, ...] = ()
    """Files that these trees do not compile."""


HOUSES: Final = {
    "workloads": House(
        ROOT / "workloads",
        ROOT / "build" / "workloads",
        ("tests", "plain", "openmpi", "mpich"),
        "./dev mpi tests plain openmpi, then ./dev lint",
        ("benchmarks/*",),  # compiled with their peers, which are elsewhere
    ),
    "native": House(
        ROOT / "native",
        ROOT / "build",
        ("release",),
        "./dev test",
        ("kernels/*module.cpp", "kernels/special.cpp"),  # compiled with Python and Boost, for the package
    ),
}
MPI: Final = ROOT / ".cache" / "mpi"


def files(house: House) -> dict[Path, str]:
    """Every source that a tree compiles, and the tree."""
    result: dict[Path, str] = {}
    for tree in house.trees:
        database = house.builds / tree / "compile_commands.json"
        if not database.is_file():
            continue
        for entry in json.loads(database.read_text()):
            path = Path(entry["file"]).resolve()
            if path.is_file() and path.is_relative_to(house.sources):
                result.setdefault(path, tree)
    return result


@cache
def extra_arguments(tree: str) -> list[str]:
    """Arguments that gcc or the wrapper of an MPI library would imply."""
    process = subprocess.run(["gcc", "-print-file-name=include"], capture_output=True, text=True, check=True)
    arguments = [
        # For omp.h; after clang's own directories, whose intrinsics differ.
        f"-idirafter{process.stdout.strip()}",
        # gcc's -Wconversion leaves these out in C++.
        "-Wno-sign-conversion",
        # libstdc++ instantiates its own deprecated buffer in std::stable_sort.
        "-Wno-deprecated-declarations",
        # gcc's precompiled header; what it is made of clang does not see, and finds an #include missing.
        "-Wno-ignored-gch",
    ]
    return [*arguments, f"-I{MPI / tree / 'include'}"] if (MPI / tree).is_dir() else arguments


def complaints(house: House, path: Path, tree: str) -> str:
    """Complaints of clang-tidy about a file; empty without any."""
    tidy = Path(sys.executable).with_name("clang-tidy")
    extra = [f"--extra-arg={argument}" for argument in extra_arguments(tree)]
    command = [str(tidy), "-p", str(house.builds / tree), "--quiet", *extra, str(path)]
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


def is_affected(house: House, source: Path, changed: set[Path]) -> bool:
    """Whether a source, or a header that it includes by itself, is among the changed files."""
    includes = re.findall(r'#include "(.+?)"', source.read_text())
    near = {source.parent / name for name in includes} | {house.sources / name for name in includes}
    return bool(changed & {source, *near})


def main(arguments: list[str]) -> int:
    """Look at all of them, or at the changed ones; the exit code is 1 where there is something to put right,
    4 where there are sources and none could be looked at.
    """
    name = "native" if "native" in arguments else "workloads"
    house = HOUSES[name]
    result = files(house)
    left_out = {path for pattern in house.left_out for path in house.sources.rglob(pattern)}
    sources = set(house.sources.rglob("*.cpp")) - left_out
    if "--changed" in arguments:
        changed = changed_files()
        sources = {source for source in sources if is_affected(house, source, changed)}
        result = {source: tree for source, tree in result.items() if source in sources}
    if missing := sources - result.keys():
        print(f"not looked at: {len(missing)} of {len(sources)} sources of {name}/: {house.hint}")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        texts = [text for text in pool.map(partial(complaints, house), result, result.values()) if text]
    print("\n".join(texts), end="")
    print(f"{len(result)} files, {len(texts)} with complaints")
    if texts:
        return 1
    return LACKING if sources and not result else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
