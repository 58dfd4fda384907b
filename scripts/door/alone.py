"""Copies of the tree that hold the core without extensions, or one extension with those that it declares."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, NamedTuple

from door.levels import read_needs
from door.stages import ROOT, VENV, DevError, Stage, environment, quietly, say

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CORE: Final = "core"
FACES: Final = {"api"}
"""What names the core and extensions for programs."""
EXTENSIONS: Final = "src/steelyard/extensions"
NO_TESTS: Final = 5
"""Exit code of pytest that ran no test."""
HOUSES: Final = ("studies", "workloads")
"""Houses that no test of the laboratory reads."""


class Part(NamedTuple):
    """What is tested alone."""

    name: str
    extensions: frozenset[str]
    """All that its copy has."""

    def list_tests(self, copy: Path) -> list[str]:
        """List the folders of its tests: of the core, those that mirror a room of the core."""
        if self.name != CORE:
            return [f"tests/extensions/{self.name}"]
        rooms = {path.parent.name for path in (copy / "src/steelyard").glob("*/__init__.py")}
        return [
            f"tests/{path.name}" for path in sorted((copy / "tests").iterdir()) if path.name in rooms - FACES
        ]


def list_parts(names: Sequence[str]) -> list[Part]:
    """List the core, then each extension that has tests of its own; or those of these names.

    Raises
    ------
    DevError
        There is no extension of a name.
    """
    needs = read_needs(ROOT / EXTENSIONS / "__init__.py")
    parts = {CORE: Part(CORE, frozenset())}
    for name, below in needs.items():
        if (ROOT / "tests/extensions" / name).is_dir():
            # What it declares may need another: at most two deep (tests/test_rooms.py).
            parts[name] = Part(name, frozenset({name, *below}.union(*(needs[one] for one in below))))
    if unknown := [name for name in names if name not in parts]:
        raise DevError(f"no part is called {unknown[0]!r}", hint=f"one of: {', '.join(parts)}", exit_code=2)
    return [part for name, part in parts.items() if not names or name in names]


def list_commands_of_others(part: Part) -> list[str]:
    """List the commands of extensions that a part lacks."""
    tree = ast.parse((ROOT / EXTENSIONS / "__init__.py").read_text(encoding="utf-8"))
    entries = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _read_name(node)]
    return [
        ast.literal_eval(key)
        for entry in entries
        if _read_name(entry) not in part.extensions
        for word in entry.keywords
        if word.arg == "commands" and isinstance(word.value, ast.Dict)
        for key in word.value.keys
        if key is not None
    ]


def copy_tree(part: Part, copy: Path) -> None:
    """Copy the files of the laboratory that git knows, without other extensions, with a Python of its own."""
    for name in _list_files():
        if not _is_of_another(Path(name), part):
            target = copy / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
    entries = copy / EXTENSIONS / "__init__.py"
    if part.extensions:
        entries.write_text(keep_entries(entries.read_text(encoding="utf-8"), part.extensions))
    shutil.copytree(ROOT / "src/steelyard/_native", copy / "src/steelyard/_native")
    (site,) = VENV.glob("lib/python*/site-packages")
    for kernels in (site / "steelyard").glob("_kernels.*"):
        shutil.copy2(kernels, copy / "src/steelyard")
    if (ROOT / ".cache").exists():
        (copy / ".cache").symlink_to(ROOT / ".cache")
    subprocess.run([VENV / "bin/python", "-m", "venv", "--without-pip", copy / ".venv"], check=True)
    (own,) = (copy / ".venv").glob("lib/python*/site-packages")
    # A line adds its directory to the path, but reads none of the .pth files there: not that of our checkout.
    (own / "alone.pth").write_text(f"{copy / 'src'}\n{site}\n")


def _list_files() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        raise DevError("./dev test alone copies the files that git knows, and this is no checkout")
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def _is_of_another(name: Path, part: Part) -> bool:
    if name.parts[0] in HOUSES:
        return True
    for place in (EXTENSIONS, "tests/extensions"):
        if name.is_relative_to(place):
            first = name.relative_to(place).parts[0]
            if first.endswith(".py"):
                return place == EXTENSIONS and not part.extensions
            return first not in part.extensions
    return False


def keep_entries(text: str, names: Iterable[str]) -> str:
    """Return the list of extensions without those of other names."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple):
            node.elts = [entry for entry in node.elts if _read_name(entry) in (None, *names)]
    return ast.unparse(tree)


def _read_name(entry: ast.expr) -> str | None:
    """Return the name of an extension of the list; ``None`` for anything else."""
    if not (isinstance(entry, ast.Call) and ast.unparse(entry.func) == "Extension"):
        return None
    return next((ast.literal_eval(word.value) for word in entry.keywords if word.arg == "name"), None)


def run_part(part: Part, arguments: Sequence[str], *, may_be_empty: bool = False) -> Stage:
    """Test a part in a copy of its own, which is removed afterwards; with ``may_be_empty``, a part that has
    no test of those that the arguments choose does not fail.
    """
    with TemporaryDirectory(prefix=f"steelyard-{part.name}-") as directory:
        copy = Path(directory).resolve()
        copy_tree(part, copy)
        # Found by the metadata of the installation, which names it for pytest.
        without = [] if "pytest" in part.extensions else ["-p", "no:steelyard"]
        plain = ["--quiet", "-p", "no:cacheprovider", *without]
        command = [copy / ".venv/bin/python", "-m", "pytest", *plain, *arguments, *part.list_tests(copy)]
        env = environment()
        env["PATH"] = f"{copy / '.venv/bin'}{os.pathsep}{env['PATH']}"
        # What the copy lacks: a test that types such a command is about two extensions, and is left out.
        env["STEELYARD_TEST_ALONE"] = ",".join(list_commands_of_others(part))
        stage = quietly(
            f"{part.name} alone",
            [[str(word) for word in command]],
            cwd=copy,
            env=env,
            fatal=False,
            empty=NO_TESTS if may_be_empty else None,
        )
    say(f"    {stage.output.strip().splitlines()[-1]}" if stage.passed and stage.output.strip() else "")
    return stage
