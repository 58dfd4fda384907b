"""Modules of a tree that Python would take from elsewhere: an editable install can go before ``PYTHONPATH``.

scikit-build-core and meson-python install a finder that Python asks first, so that both sides of a gate would
measure the one tree that is installed.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from steelyard.core.errors import ProgramError, UsageError
from steelyard.extensions.gate.harnesses.harness import Tree

LIMIT_S: Final = 60.0
SCRIPT: Final = """
import importlib.util, os, sys
tree, start = map(os.path.realpath, sys.argv[1:])
names = set()
for place in (os.path.join(start, "src"), start, os.path.join(tree, "src"), tree):
    for entry in os.scandir(place) if os.path.isdir(place) else ():
        if entry.is_dir() and os.path.isfile(os.path.join(entry.path, "__init__.py")):
            names.add(entry.name)
        elif entry.name.endswith(".py") and entry.is_file():
            names.add(entry.name[:-3])
for name in sorted(names - sys.stdlib_module_names):
    if not name.isidentifier():
        continue
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        continue
    places = [] if spec is None else [spec.origin or "", *(spec.submodule_search_locations or ())]
    file = os.path.realpath(next(filter(None, places), tree))
    if os.path.commonpath([tree, file]) != tree:
        print(name, file, sep="\\0")
"""


def refuse_modules_from_elsewhere(words: Sequence[str], tree: Tree, environment: Mapping[str, str]) -> None:
    """Refuse a tree whose modules Python would import from another place.

    Parameters
    ----------
    words : sequence of str
        Command of the harness, by which its interpreter is found.
    environment : mapping
        Of its processes.

    Raises
    ------
    UsageError
        A module of the tree is imported from somewhere else.
    ProgramError
        The interpreter ends with an error.
    """
    interpreter = find_interpreter(words)
    if interpreter is None:
        return
    command = [*interpreter, "-c", SCRIPT, str(tree.root), str(tree.path)]
    try:
        done = subprocess.run(
            command,
            cwd=tree.path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return  # It cannot start: its probe says so.
    if done.returncode:
        last = done.stderr.strip().rpartition("\n")[2]
        raise ProgramError(
            f"{interpreter[0]} cannot look for the modules of the tree: {last}",
            hint="a module of the tree may have the name of one of Python's own",
        )
    if done.stdout:
        name, _, file = done.stdout.splitlines()[0].partition("\0")
        raise UsageError(
            f"{name} is imported from {file}, not from this side: base and head would be the same code",
            hint=f"pip uninstall {name} (an editable install), or install it without --editable",
        )


def find_interpreter(words: Sequence[str]) -> tuple[str, ...] | None:
    """Return the words that start Python: those before ``-m``, or those of the script's first line."""
    if "-m" in words:
        return tuple(words[: words.index("-m")])
    script = shutil.which(words[0])
    if script is None:
        return None
    with Path(script).open("rb") as file:
        first = file.readline(512).decode(errors="replace").strip()
    return tuple(first[2:].split()) if first.startswith("#!") and "python" in first else None
