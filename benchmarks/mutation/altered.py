"""Import modules of the tree with another text than their file's."""

from __future__ import annotations

import ast
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final

REACHED: Final[set[str]] = set()
"""``module:function`` of what was called since it was last emptied, once ``trace`` was asked for."""


class _Loader(importlib.machinery.SourceFileLoader):
    """Compiles what it is given, and keeps no bytecode of it."""

    def __init__(self, name: str, path: str, alter: Callable[[str, bytes], bytes]) -> None:
        super().__init__(name, path)
        self._alter = alter

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self._alter(fullname, Path(self.path).read_bytes()), self.path)


class Finder:
    """To be first in ``sys.meta_path``: some modules are compiled from what ``alter`` makes of their text."""

    def __init__(self, paths: dict[str, Path], alter: Callable[[str, bytes], bytes]) -> None:
        self._paths = paths
        self._alter = alter

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The specification of a module that is to be altered."""
        del path, target
        if (file := self._paths.get(name)) is None:
            return None
        package = [str(file.parent)] if file.name == "__init__.py" else None
        loader = _Loader(name, str(file), self._alter)
        return importlib.util.spec_from_file_location(
            name, file, loader=loader, submodule_search_locations=package
        )


def replace(module: str, path: Path, code: str) -> None:
    """From now on, import ``module`` with this text."""
    sys.meta_path.insert(0, Finder({module: path}, lambda _name, _text: code.encode()))


def trace(paths: dict[str, Path]) -> None:
    """From now on, the functions of these modules add their names to ``REACHED`` when they are called."""
    sys.meta_path.insert(0, Finder(paths, _traced))


def _traced(module: str, text: bytes) -> bytes:
    """The text with a first statement in each function at the top, and in each method."""
    tree = ast.parse(text)
    for statement in tree.body:
        inside = statement.body if isinstance(statement, ast.ClassDef) else [statement]
        prefix = f"{statement.name}." if isinstance(statement, ast.ClassDef) else ""
        for function in inside:
            if isinstance(function, ast.FunctionDef):
                call = f"__import__('sys').modules['altered'].REACHED.add('{module}:{prefix}{function.name}')"
                # A docstring stays the first statement.
                function.body.insert(ast.get_docstring(function) is not None, ast.parse(call).body[0])
    return ast.unparse(ast.fix_missing_locations(tree)).encode()
