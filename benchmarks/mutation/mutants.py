"""The mutants of a source tree: one small change to one function each, as mutmut makes them."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "src" / "steelyard"
MUTMUT: Final = ("mutmut==3.8.1", "libcst==1.9.0", "coverage==7.17.3", "setproctitle==1.3.7")
"""Of mutmut only the making of mutants is used, and of its dependencies only what that imports."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module with one change."""

    module: str
    path: Path
    function: str
    """The outermost function or method around the change, as ``name`` or ``Class.name``."""
    number: int
    """Its place among the mutants of its function, from 1."""
    code: str
    """The whole changed module."""
    change: str
    """Removed and added lines."""

    @property
    def name(self) -> str:
        """What it is called in output and ``--only``."""
        return f"{self.module.removeprefix('steelyard.')}:{self.function}:{self.number}"


@dataclass(frozen=True, slots=True)
class Place:
    """Where one change can be made, and to what."""

    module: str
    """Dotted name."""
    path: Path
    function: str
    number: int
    tree: Any
    mutation: Any

    def mutant(self) -> Mutant:
        """Make the change."""
        from mutmut.mutation.file_mutation import deep_replace

        code = deep_replace(self.tree, self.mutation.original_node, self.mutation.mutated_node).code
        lines = unified_diff(self.tree.code.splitlines(), code.splitlines(), n=0, lineterm="")
        change = "\n".join(line for line in lines if line[:1] in "+-" and line[:3] not in ("---", "+++"))
        return Mutant(self.module, self.path, self.function, self.number, code, change)


def provide_mutmut() -> None:
    """Make mutmut importable: the one installed, else one of its own under ``build``."""
    if (target := ROOT / "build" / "benchmarks" / "mutation").exists():
        sys.path.append(str(target))
    try:
        import mutmut.mutation.file_mutation  # noqa: F401
    except ImportError:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--target", str(target), *MUTMUT], check=True)
        sys.path.append(str(target))


def draw(count: int, seed: int, room: str) -> list[Mutant]:
    """Draw mutants of the package, or of a room: a module by its lines, then a change in it. None is drawn
    twice, and none that only loosens a ``strict=``, which guards against a mistake that is not there.
    """
    files = sorted((PACKAGE / room).rglob("*.py"))
    lines = [len(file.read_text().splitlines()) for file in files]
    stream = random.Random(seed)
    places: dict[Path, list[Place]] = {}
    drawn: dict[tuple[Path, int], Mutant] = {}
    guards: set[tuple[Path, int]] = set()
    empty: set[Path] = set()
    while len(drawn) < count and len(empty) < len(files):
        (file,) = stream.choices(files, lines)
        if file not in places:
            places[file] = list(list_places(file))
        left = [i for i in range(len(places[file])) if (file, i) not in drawn and (file, i) not in guards]
        if not left:
            empty.add(file)
            continue
        number = stream.choice(left)
        mutant = places[file][number].mutant()
        if _loosens_a_guard(mutant.change):
            guards.add((file, number))
        else:
            drawn[file, number] = mutant
    return list(drawn.values())


def _loosens_a_guard(change: str) -> bool:
    removed, added = (
        [re.sub(r",?\s*strict=\w+|[\s,]", "", line[1:]) for line in change.splitlines() if line[0] == sign]
        for sign in "-+"
    )
    return removed == added


def module_name(file: Path) -> str:
    """Return the dotted name of a file of the package."""
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def list_places(file: Path) -> Iterator[Place]:
    """List the changes that mutmut makes inside functions of a file, in the order of the text."""
    from mutmut.mutation.file_mutation import create_mutations

    tree, mutations, *_ = create_mutations(str(file), file.read_text())
    names = _names(tree)
    count: Counter[str] = Counter()
    for mutation in mutations:
        function = names.get(id(mutation.contained_by_top_level_function))
        if function is None:
            # Like mutmut: what a module computes once, and fields of structs, stay as they are.
            continue
        count[function] += 1
        yield Place(module_name(file), file, function, count[function], tree, mutation)


def _names(tree: Any) -> dict[int, str]:
    """What the functions and methods at the top of a module are called, by the identity of their nodes."""
    import libcst

    result: dict[int, str] = {}
    for statement in tree.body:
        if isinstance(statement, libcst.FunctionDef):
            result[id(statement)] = statement.name.value
        elif isinstance(statement, libcst.ClassDef):
            for inner in statement.body.body:
                if isinstance(inner, libcst.FunctionDef):
                    result[id(inner)] = f"{statement.name.value}.{inner.name.value}"
    return result
