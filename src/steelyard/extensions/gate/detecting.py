"""The base, the harness and the build that ``steelyard gate`` finds by itself in a project."""

from __future__ import annotations

import json
import os
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.extensions.gate.request import GateRequest
from steelyard.extensions.repository.repository import DEEPEN, Repository

_BASES_OF_SERVERS: Final = ("GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "CHANGE_TARGET")
"""Variables in which build servers name the branch that a change goes into."""
_NAMES: Final = ("main", "master", "trunk", "develop")
_LEFT_OUT: Final = frozenset({"node_modules", "target", "build", "dist", "venv", "vendor", "third_party"})
_ELSE: Final = frozenset({".git", GateRequest.file_name})
_MANIFESTS: Final = ("Cargo.toml", "go.mod", "CMakeLists.txt", "package.json", "asv.conf.json")
"""Files that make a directory a project of its own, of one language each."""
_NESTED: Final = frozenset({"go.mod"})
"""Those that keep a directory out of the project above it."""
_MOST_LINES: Final = 5
"""Of projects elsewhere that are named."""
_MOST_FILES: Final = 20_000
"""Of a project that are looked at."""
_LARGEST_BYTES: Final = 1 << 20
_GO: Final = re.compile(rb"^func Benchmark\w*\(\w+ \*testing\.B\)", re.MULTILINE)
_PYTEST: Final = re.compile(rb"^\s*(?:async )?def test_?\w*\([^)]*\bbenchmark\b", re.MULTILINE)
_CMAKE_TARGET: Final = re.compile(
    r"target_link_libraries\s*\(\s*([\w.-]+)[^)]*\bbenchmark(?:::benchmark(?:_main)?|_main)?\b", re.IGNORECASE
)
_CMAKE_BUILD: Final = "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build"


class Candidate(msgspec.Struct, frozen=True):
    """A harness that a project has.

    Attributes
    ----------
    words : tuple of str
        The command that runs its benchmarks.
    build : str
        The command that builds a tree for it; empty where none is needed.
    evidence : str
        Where it was seen.
    place : str
        The directory of its project, from where the gate was started; empty where that is there.
    """

    words: tuple[str, ...]
    evidence: str
    build: str = ""

    place: str = ""

    def format_line(self, base: str) -> str:
        """Return the command line that gates with it."""
        build = ["--build", self.build] if self.build else []
        line = shlex.join(["steelyard", "gate", base, *build, "--", *self.words])
        return f"cd {shlex.quote(self.place)} && {line}" if self.place else line


def find_base(repository: Repository, environ: Mapping[str, str] = os.environ) -> str:
    """Return the branch that a change goes into: of a build server, of origin, or by its usual name.

    Raises
    ------
    UsageError
        The branch that a build server names is not here, or none of the others is.
    """
    for name in _BASES_OF_SERVERS:
        if branch := environ.get(name):
            return _find_target(repository, name, branch)
    candidates = []
    if (default := repository.find_default_branch()) is not None:
        candidates.append(default)
    candidates += [f"{place}{name}" for name in _NAMES for place in ("origin/", "")]
    for name in candidates:
        if repository.find_commit(name) is not None:
            return name
    raise UsageError(
        f"no branch to compare with: tried {', '.join(dict.fromkeys(candidates))}",
        hint="name a commit: steelyard gate HEAD~1; or fetch the branch: git fetch origin"
        " main:refs/remotes/origin/main",
    )


def _find_target(repository: Repository, variable: str, branch: str) -> str:
    """Return the branch that a build server names: no other stands in for it, whatever it is called."""
    if repository.find_commit(f"origin/{branch}") is not None:
        return f"origin/{branch}"
    fetched = f"{branch}:refs/remotes/origin/{branch}"
    raise UsageError(
        f"{variable} says {branch!r}, and origin/{branch} is not here",
        hint=DEEPEN if repository.shallow else f"git fetch origin {shlex.quote(fetched)}",
    )


def describe_base(repository: Repository, base: str) -> str | None:
    """Say that base is the branch itself as it was pushed, so that few commits are judged; else ``None``."""
    branch = repository.find_branch()
    if branch is None or base != f"origin/{branch}":
        return None
    targets = [f"origin/{name}" for name in _NAMES if name != branch]
    target = next((name for name in targets if repository.find_commit(name) is not None), None)
    cure = f"; all of them: steelyard gate {target}" if target else ""
    return f"{base} is this branch as it was pushed: only commits since then are judged{cure}."


def find_candidate(directory: Path, base: str, top: Path | None = None) -> Candidate:
    """Return the harness of the project in a directory.

    Parameters
    ----------
    top : Path, optional
        Of the repository, where benchmarks are looked for if the directory has none.

    Raises
    ------
    UsageError
        It has none that is known, or several: each is named by the line that gates with it.
    """
    candidates = list(list_candidates(directory))
    if len(candidates) == 1:
        return candidates[0]
    nested = list_nested(directory)
    if candidates:
        raise UsageError(
            f"{len(candidates)} harnesses found",
            hint=f"choose one:{_format_lines([*candidates, *nested], base)}",
        )
    if top is not None and top.resolve() != directory.resolve():
        above = os.path.relpath(top.resolve(), directory.resolve())
        nested += [replace(entry, place=above) for entry in list_candidates(top)]
    hint = f"say what runs them: steelyard gate {base} -- COMMAND; a program: … --time -- ./prog"
    if nested:
        hint = f"there are some elsewhere:{_format_lines(nested, base)}"
    raise UsageError(
        f"no benchmarks found in {directory.absolute()}: looked for Cargo benches, Go benchmarks, Google"
        " Benchmark in CMakeLists.txt, pytest-benchmark, asv, Vitest and tinybench",
        hint=hint,
    )


def _format_lines(candidates: Sequence[Candidate], base: str) -> str:
    lines = [f"\n    {entry.format_line(base)}    # {entry.evidence}" for entry in candidates[:_MOST_LINES]]
    return "".join(lines) + ("\n    …" if len(candidates) > _MOST_LINES else "")


def describe_nested(directory: Path, base: str) -> str | None:
    """Say which benchmarks below a directory its harness does not run; ``None`` where it runs all."""
    nested = list_nested(directory)
    if not nested:
        return None
    lines = [f"{entry.evidence} ({entry.format_line(base)})" for entry in nested[:_MOST_LINES]]
    rest = len(nested) - len(lines)
    return f"Benchmarks elsewhere were not run: {'; '.join(lines)}{f'; and {rest} more' if rest else ''}."


def list_candidates(directory: Path) -> Iterator[Candidate]:
    """List the harnesses of a project; their files are read, and nothing of it is run."""
    files = list(_list_files(directory))
    for finder in (*_FINDERS.values(), _find_pytest):
        yield from finder(directory, files)


def list_nested(directory: Path) -> list[Candidate]:
    """List the harnesses of projects in subdirectories, which none of the directory itself runs."""
    files = list(_list_files(directory))
    candidates = []
    for name in _MANIFESTS:
        places = [file.parent for file in files if file.name == name]
        for place in places:
            parents = [parent for parent in place.parents if parent in places]
            if place == Path() or (parents and name not in _NESTED):
                continue
            members = [file.relative_to(place) for file in files if file.is_relative_to(place)]
            for entry in _FINDERS[name](directory / place, members):
                target, word, file = entry.evidence.rpartition(" in ")
                candidates.append(replace(entry, place=str(place), evidence=f"{target}{word}{place / file}"))
    return candidates


def _find_cargo(directory: Path, files: list[Path]) -> Iterator[Candidate]:
    if not (directory / "Cargo.toml").is_file():
        return
    for manifest in (file for file in files if file.name == "Cargo.toml"):
        crate = (directory / manifest).parent
        if _read_toml(directory / manifest).get("bench"):
            yield Candidate(("cargo", "bench"), f"[[bench]] in {manifest}")
            return
        if any((crate / "benches").glob("*.rs")):
            yield Candidate(("cargo", "bench"), f"{(manifest.parent / 'benches')}/")
            return


def _find_go(directory: Path, files: list[Path]) -> Iterator[Candidate]:
    if not any((place / "go.mod").is_file() for place in (directory, *directory.absolute().parents)):
        return
    nested = [file.parent for file in files if file.name == "go.mod" and file.parent != Path()]
    for file in files:
        if any(file.is_relative_to(place) for place in nested):
            continue
        if file.name.endswith("_test.go") and _GO.search(_read(directory / file)):
            yield Candidate(("go", "test", "-bench", ".", "./..."), str(file))
            return


def _find_cmake(directory: Path, files: list[Path]) -> Iterator[Candidate]:
    if not (directory / "CMakeLists.txt").is_file():
        return
    for file in (file for file in files if file.name == "CMakeLists.txt"):
        text = _read(directory / file).decode(errors="replace")
        for target in dict.fromkeys(_CMAKE_TARGET.findall(re.sub(r"#.*", "", text))):
            program = Path("build", file.parent, target)
            yield Candidate((str(program),), f"{target} in {file}", _CMAKE_BUILD)


def _find_pytest(directory: Path, files: list[Path]) -> Iterator[Candidate]:
    tests = [
        file
        for file in files
        if file.suffix == ".py"
        and (file.name.startswith(("test_", "bench")) or file.name.endswith("_test.py"))
        and _PYTEST.search(_read(directory / file))
    ]
    if tests:
        # pytest looks into a directory for files of tests alone; others are named one by one.
        places = [
            file if file.parent == Path() or file.name.startswith("bench") else file.parent for file in tests
        ]
        yield Candidate(("python", "-m", "pytest", *map(str, dict.fromkeys(places))), str(tests[0]))


def _find_asv(_directory: Path, files: list[Path]) -> Iterator[Candidate]:
    if Path("asv.conf.json") in files:
        yield Candidate(("asv", "run"), "asv.conf.json")


def _find_node(directory: Path, files: list[Path]) -> Iterator[Candidate]:
    manifest = directory / "package.json"
    if not manifest.is_file():
        return
    try:
        document = json.loads(_read(manifest))
    except ValueError:
        return
    needs: set[str] = set()
    for key in ("dependencies", "devDependencies"):
        table = document.get(key) if isinstance(document, dict) else None
        needs |= set(table) if isinstance(table, dict) else set()
    build = "npm ci" if (directory / "package-lock.json").is_file() else "npm install"
    suites = [file for file in files if re.search(r"\.bench\.[cm]?[jt]sx?$", file.name)]
    if "vitest" in needs and suites:
        yield Candidate(("npx", "vitest", "bench"), str(suites[0]), build)
    if "tinybench" in needs:
        for file in files:
            if file.suffix in (".js", ".mjs", ".cjs") and file not in suites:
                text = _read(directory / file)
                if b"tinybench" in text and b".table(" in text:
                    yield Candidate(("node", str(file)), str(file), build)


_Finder = Callable[[Path, list[Path]], Iterator[Candidate]]
_FINDERS: Final[Mapping[str, _Finder]] = dict(
    zip(_MANIFESTS, (_find_cargo, _find_go, _find_cmake, _find_node, _find_asv), strict=True)
)


def _list_files(directory: Path) -> Iterator[Path]:
    """List files below a directory, relative to it; not what is hidden, generated or somebody else's.

    Those of another repository are somebody else's, and so are the trees of a gate that were kept here.
    """
    count = 0
    for place, directories, names in os.walk(directory):
        hidden = [name for name in directories if name.startswith(".")]
        directories[:] = sorted(
            name for name in directories if not name.startswith(".") and name not in _LEFT_OUT
        )
        if Path(place) != directory and not _ELSE.isdisjoint((*names, *hidden)):
            directories.clear()
            continue
        for name in sorted(names):
            count += 1
            if count > _MOST_FILES:
                return
            yield Path(place, name).relative_to(directory)


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(_LARGEST_BYTES)
    except OSError:
        return b""


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_read(file).decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return {}
