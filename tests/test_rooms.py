"""The house: which room may know which (ARCHITECTURE.md), and what starts without numpy."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import msgspec
import pytest

import steelyard
from steelyard.core.sample import Sample
from steelyard.extensions import EXTENSIONS

sys.path.insert(0, str(Path(__file__).parent))

from checkout import imported

ROOT = Path(steelyard.__file__).parent
LEAVES = {"core", "files"}
ARRAYS = {"arrays.py", "special.py"}
"""Leaves of numpy."""
ABOVE = {
    "results": LEAVES,
    "interventions": LEAVES,
    "spec": LEAVES | {"interventions"},
    "design": LEAVES | {"interventions", "spec"},
    "run": LEAVES | {"interventions", "spec", "design"},
    "store": LEAVES | {"results", "spec", "design", "run"},
    "stats": LEAVES | {"results", "_kernels"},
    "claims": LEAVES | {"results", "spec", "stats"},
    "report": LEAVES | {"results", "spec", "stats", "claims"},
    "lab": LEAVES
    | {
        "results",
        "interventions",
        "spec",
        "design",
        "run",
        "store",
        "stats",
        "claims",
    },
    "api": LEAVES
    | {
        "interventions",
        "results",
        "spec",
        "run",
        "store",
        "stats",
        "claims",
        "report",
        "lab",
        "laboratory",
    },
    "cli": LEAVES
    | {
        "results",
        "spec",
        "design",
        "run",
        "store",
        "stats",
        "claims",
        "report",
        "lab",
        "laboratory",
    },
}
FACES = {"api", "laboratory"}
"""What names the core and extensions for programs."""
CORE = {*LEAVES, *ABOVE, "laboratory"}


def imported_rooms(file: Path) -> set[str]:
    return {name.split(".")[1] for name in imported(file) if name.startswith("steelyard.")}


@pytest.mark.parametrize("room", sorted(ABOVE))
def test_a_room_imports_only_from_rooms_above_it(room):
    files = sorted((ROOT / room).rglob("*.py"))
    assert files
    for file in files:
        assert imported_rooms(file) <= ABOVE[room] | {room} | ({"extensions"} if room in FACES else set()), (
            file
        )


def extensions_imported(file: Path) -> set[str]:
    return {name.split(".")[2] for name in imported(file) if name.startswith("steelyard.extensions.")}


def test_the_core_imports_nothing_of_extensions():
    files = [file for file in sorted(ROOT.rglob("*.py")) if file.relative_to(ROOT).parts[0] != "extensions"]
    assert ROOT / "core" / "extension.py" in files
    assert {
        file.relative_to(ROOT).parts[0].removesuffix(".py") for file in files if extensions_imported(file)
    } <= FACES


@pytest.mark.parametrize("extension", EXTENSIONS, ids=lambda extension: extension.name)
def test_an_extension_imports_the_core_and_the_extensions_that_it_declares(extension):
    for file in sorted((ROOT / "extensions" / extension.name).rglob("*.py")):
        assert imported_rooms(file) <= CORE | {"extensions"}, file
        assert extensions_imported(file) <= {extension.name, *extension.needs}, file


def test_extensions_are_at_most_two_deep_and_their_list_names_every_folder():
    needs = {extension.name: extension.needs for extension in EXTENSIONS}
    assert all(not needs[below] for names in needs.values() for name in names for below in needs[name])
    folders = {path.parent.name for path in (ROOT / "extensions").glob("*/__init__.py")}
    assert folders <= needs.keys()


def test_leaves_import_only_leaves_the_standard_library_and_structs():
    files = [file for leaf in sorted(LEAVES) for file in (ROOT / leaf).rglob("*.py")]
    assert {file.name for file in files} > ARRAYS
    for file in files:
        libraries = {"steelyard", "numpy" if file.name in ARRAYS else "msgspec"}
        assert imported_rooms(file) <= LEAVES, file
        assert {name.partition(".")[0] for name in imported(file)} <= sys.stdlib_module_names | libraries, (
            file
        )


def test_the_package_imports_scipy_nowhere():
    """SciPy weighs more than all else together; it is the witness of the tests."""
    assert [
        file
        for file in sorted(ROOT.rglob("*.py"))
        if any(n.partition(".")[0] == "scipy" for n in imported(file))
    ] == []


def module_name(file: Path) -> str:
    parts = file.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(file: Path, modules: Collection[str]) -> set[str]:
    """Modules that a file imports, late or for types alone."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            members = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {name if name in modules else node.module for name in members}
    return (names & modules) - {module_name(file)}


@pytest.mark.parametrize("room", [*sorted(ABOVE), *(f"extensions/{entry.name}" for entry in EXTENSIONS)])
def test_no_module_of_a_room_needs_itself_by_way_of_others(room):
    files = {module_name(file): file for file in (ROOT / room).rglob("*.py")}
    needs = {name: imported_modules(file, files.keys()) for name, file in files.items()}
    result = dict(needs)
    # What needs nothing that is left is in no circle.
    while free := [name for name, imports in result.items() if not imports & result.keys()]:
        for name in free:
            del result[name]
    assert result == {}


def folder(module: str) -> str:
    """The folder of its room that a module lies in; a module beside the folders stands for itself."""
    return ".".join(module.split(".")[:3])


@pytest.mark.parametrize("room", sorted(ABOVE))
def test_no_folder_of_a_room_needs_itself_by_way_of_others(room):
    files = {module_name(file): file for file in (ROOT / room).rglob("*.py")}
    needs: dict[str, set[str]] = {}
    for name, file in files.items():
        if name.count(".") > 1:
            below = {
                folder(needed) for needed in imported_modules(file, files.keys()) if needed.count(".") > 1
            }
            needs.setdefault(folder(name), set()).update(below - {folder(name)})
    while free := [name for name, folders in needs.items() if not folders & needs.keys()]:
        for name in free:
            del needs[name]
    assert needs == {}


def test_every_value_is_a_struct():
    """A frozen dataclass takes a third of a millisecond of every start, a struct nothing that is felt."""
    files = sorted(ROOT.rglob("*.py"))
    assert ROOT / "core" / "sample.py" in files
    assert [str(file.relative_to(ROOT)) for file in files if "dataclasses" in imported(file)] == []


def test_every_room_of_the_package_is_in_the_picture():
    rooms = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert rooms == CORE - {"laboratory"} | {"extensions"}


def test_the_fields_of_every_value_can_be_looked_at():
    """``help`` evaluates the annotations of a struct, and ends with a traceback where a name is missing."""
    names = [package.name for package in pkgutil.walk_packages(steelyard.__path__, "steelyard.")]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    structs = {
        var
        for module in modules
        for var in vars(module).values()
        if isinstance(var, type) and issubclass(var, msgspec.Struct) and var is not msgspec.Struct
    }
    assert Sample in structs
    for struct in structs:
        assert [*inspect.signature(struct).parameters] == [*struct.__struct_fields__], struct


@pytest.mark.parametrize(
    "program",
    [
        "import steelyard.spec",
        "import steelyard.cli",
        "import steelyard.cli.compare, steelyard.lab.compare.compare",
        "import steelyard.lab.run.run",
    ],
)
def test_what_starts_a_run_loads_neither_numpy_nor_scipy(program):
    heavy = "[name for name in ('numpy', 'scipy', 'arro3', 'vl_convert') if name in sys.modules]"
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\nimport sys\nprint({heavy})"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"


def loaded(tmp_path: Path, command: str) -> set[str]:
    """All modules of a process that has run and answered: three trials of each of the commands."""
    answering = tmp_path / "answering.py"
    answering.write_text(
        "import atexit, sys\nfrom steelyard.cli import main\n"
        "atexit.register(lambda: sys.stderr.write(' '.join(sys.modules)))\nmain()\n"
    )
    (tmp_path / "a.toml").write_text(f'name = "a"\n[program]\n{command}\n[design]\nblocks = 3\n')
    done = subprocess.run(
        [sys.executable, answering, "run", tmp_path / "a.toml"], capture_output=True, text=True, check=True
    )
    return {*done.stderr.split()}


COMPARING = (
    "compared",
    "compare.comparison",
    "compare.speedup",
    "hypothesis.sign_flips",
    "compare.typical",
)
SELDOM = (
    "effects",
    "contexts",
    "compare.interaction",
    "planning.precision",
    "planning.preview",
)
SELDOM_PARTS = {"steelyard.extensions.protocol_2014.family"}


def test_an_answer_about_one_program_loads_nothing_that_compares(tmp_path):
    modules = loaded(tmp_path, 'command = ["/bin/true"]')
    assert "steelyard.stats.describe.described" in modules
    assert modules & {f"steelyard.stats.{name}" for name in COMPARING + SELDOM} == set()
    assert modules & SELDOM_PARTS == set()
    assert modules & {"scipy", "numpy.ma"} == set()


def test_a_run_on_this_machine_loads_nothing_for_queues_builds_launchers_and_claims(tmp_path):
    modules = loaded(tmp_path, 'command = ["/bin/true"]')
    seldom = (
        "extensions.clusters.jobs",
        "run.build",
        "run.launch.launcher.mpi",
        "run.launch.launcher.smpi",
        "spec.claims.reading",
    )
    assert modules & {f"steelyard.{name}" for name in seldom} == set()
    assert modules & {"xml", "socket", "json", "difflib", "secrets", "asyncio", "email", "zipfile"} == set()


def test_an_answer_about_two_programs_loads_nothing_of_factors_contexts_and_looks(tmp_path):
    modules = loaded(tmp_path, 'commands = { old = ["/bin/true"], new = ["/bin/true"] }')
    assert modules >= {f"steelyard.stats.{name}" for name in COMPARING}
    assert modules & {f"steelyard.stats.{name}" for name in SELDOM} == set()
    assert modules & SELDOM_PARTS == set()
    assert modules & {"scipy", "numpy.ma"} == set()
