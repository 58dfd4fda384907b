"""What ``./dev test`` builds and tests for each of its levels: the laboratory, the other houses, all."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from door.stages import ROOT
from door.system import FOR_MPI, SIMGRID, TO_RUN, TO_TEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from door.system import Need


class Level(NamedTuple):
    """A part of the tests, and what has to be there for it."""

    paths: tuple[str, ...]
    """Where its Python tests lie."""
    needs: tuple[Need, ...]
    """What pip cannot install."""
    mpi: tuple[str, ...]
    """Words for scripts/mpi.py: libraries to install, or trees of the workloads to build."""
    presets: tuple[str, ...]
    """CMake presets of the runner's own tests."""
    pytest: tuple[str, ...]
    """Further options for pytest."""
    left_out: tuple[str, ...]
    """What it does not test, and what would."""


TREES: Final = ("openmpi", "smpi", "virtual", "plain", "tests")
OTHERS: Final = "workloads/ and studies/, which ./dev test workloads and ./dev test studies build and test"
EXTENSIONS: Final = "tests of extensions that did not change, which ./dev test laboratory runs"
SIMULATIONS: Final = "simulations of error rates and coverage, which ./dev test all runs"
NEW_CLONE: Final = "the README's lines from a new clone, which ./dev test all runs"
SANITIZERS: Final = "native code under sanitizers, which ./dev test all runs"
MPICH: Final = "programs for MPICH, which ./dev mpi mpich builds for them to be tested, and ./dev test all"
BRIEF: Final = ("-m", "not simulates and not installs", "--hypothesis-profile=brief")
LEVELS: Final = {
    "laboratory": Level(
        paths=("tests",),
        needs=(*TO_TEST, SIMGRID),
        mpi=("--libraries", "openmpi", "mpich"),
        presets=("release",),
        pytest=BRIEF,
        left_out=(SIMULATIONS, NEW_CLONE, SANITIZERS, OTHERS),
    ),
    "changed": Level(
        paths=("tests",),
        needs=(*TO_TEST, SIMGRID),
        mpi=("--libraries", "openmpi", "mpich"),
        presets=("release",),
        pytest=BRIEF,
        left_out=(EXTENSIONS, SIMULATIONS, NEW_CLONE, SANITIZERS, OTHERS),
    ),
    "workloads": Level(
        paths=("workloads/tests",),
        needs=(*TO_RUN, *FOR_MPI),
        mpi=TREES,
        presets=(),
        pytest=BRIEF,
        left_out=(SANITIZERS, MPICH),
    ),
    "studies": Level(
        paths=("studies/tests",),
        needs=(*TO_TEST, *FOR_MPI),
        mpi=("openmpi", "smpi", "plain"),
        presets=(),
        pytest=BRIEF,
        left_out=(),
    ),
    "all": Level(
        paths=("tests", "workloads/tests", "studies/tests"),
        needs=(*TO_TEST, *FOR_MPI),
        mpi=(*TREES, "mpich", "sanitized"),
        presets=("release", "asan-ubsan"),
        pytest=("--hypothesis-profile=ci",),
        left_out=(),
    ),
}
HOUSES: Final = ("workloads", "studies")
BENCHMARKS: Final = ("benchmarks", "workloads/benchmarks")
WITH_VALUE: Final = ("-c", "-k", "-m", "-n", "-o", "-p", "-r", "-W")
"""Options of pytest whose value is the next argument."""


def named_paths(arguments: Sequence[str]) -> list[str]:
    """Files and folders of tests among arguments for pytest; the value of an option is none."""
    before = ("", *arguments)
    return [
        argument
        for previous, argument in zip(before, arguments, strict=False)
        if not argument.startswith("-")
        and previous not in WITH_VALUE
        and (ROOT / argument.partition("::")[0]).exists()
    ]


def choose_level(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """The level that the first argument names, or else the house of the tests that are named, or what has
    changed; and what is left for pytest, with the level's folders where no test is named.
    """
    rest = list(arguments)
    if rest and rest[0] in LEVELS:
        name, rest = rest[0], rest[1:]
    elif houses := {Path(path).parts[0] for path in named_paths(rest)}:
        name = next((house for house in HOUSES if house in houses), "laboratory")
    else:
        # What is chosen by its name may be a test of any extension.
        name = "laboratory" if "-k" in rest else "changed"
    if named_paths(rest):
        return name, rest
    unchanged = list_unchanged(list_changes()) if name == "changed" else []
    return name, [*rest, *(f"--ignore={folder}" for folder in unchanged), *LEVELS[name].paths]


def list_changes() -> list[str] | None:
    """Files that differ from the main branch, new ones too; ``None`` where git cannot tell."""
    for branch in ("origin/main", "main"):
        base = _ask_git("merge-base", "HEAD", branch)
        if base is not None:
            changed = _ask_git("diff", "--name-only", "--no-renames", *base)
            new = _ask_git("ls-files", "--others", "--exclude-standard")
            return None if changed is None or new is None else [*changed, *new]
    return None


def _ask_git(*words: str) -> list[str] | None:
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.splitlines() if done.returncode == 0 else None


def list_unchanged(changes: Sequence[str] | None) -> list[str]:
    """Folders of the tests of extensions in which nothing changed, nor in one that they need; none where the
    changes are not known.
    """
    if changes is None:
        return []
    changed = {
        Path(name).relative_to(place).parts[0]
        for name in changes
        for place in ("src/steelyard/extensions", "tests/extensions")
        if Path(name).is_relative_to(place)
    }
    needs = read_needs(ROOT / "src/steelyard/extensions/__init__.py")
    while further := {name for name, below in needs.items() if below & changed} - changed:
        changed |= further
    folders = sorted(path.parent for path in (ROOT / "src/steelyard/extensions").glob("*/__init__.py"))
    tests = [f"tests/extensions/{folder.name}" for folder in folders if folder.name not in changed]
    return [folder for folder in tests if (ROOT / folder).is_dir()]


def read_needs(file: Path) -> dict[str, set[str]]:
    """Return what each extension of the list needs, read as text: the package may not be installed yet."""
    needs = {}
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Extension":
            words = {word.arg: word.value for word in node.keywords if word.arg in ("name", "needs")}
            needs[ast.literal_eval(words["name"])] = set(ast.literal_eval(words.get("needs", ast.Tuple([]))))
    return needs
