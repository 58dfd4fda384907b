"""The names of a module of the public Python API, as a table."""

from __future__ import annotations

import ast
import importlib
import inspect
from itertools import pairwise
from types import ModuleType
from typing import Final

from documentation.markdown import GeneratedBlockError

ROOM: Final = "steelyard.api"


def names(module: str) -> str:
    """A table of what a module exports: each name with the first paragraph about it.

    Raises
    ------
    GeneratedBlockError
        The module is not part of the API.
    """
    if module != ROOM and not module.startswith(f"{ROOM}."):
        raise GeneratedBlockError(f"{module} is not a module of {ROOM}")
    loaded = importlib.import_module(module)
    rows = [f"| `{name}` | {_describe(loaded, name)} |" for name in sorted(loaded.__all__, key=str.casefold)]
    return "\n".join(["| name | what |", "|---|---|", *rows])


def _describe(module: ModuleType, name: str) -> str:
    value = getattr(module, name)
    if inspect.isclass(value) or inspect.isfunction(value):
        text = inspect.getdoc(value) or ""
    else:
        text = _find_docstring(module, name)
    return " ".join(text.partition("\n\n")[0].split()).replace("|", "\\|").replace("``", "`")


def _find_docstring(module: ModuleType, name: str) -> str:
    """Find the string below the assignment of a value, where it is defined."""
    place, own_name = next(
        (node.module or "", alias.name)
        for node in ast.parse(inspect.getsource(module)).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if (alias.asname or alias.name) == name
    )
    body = ast.parse(inspect.getsource(importlib.import_module(place))).body
    for node, below in pairwise(body):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == own_name for target in targets):
            is_text = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
            return str(below.value.value) if is_text else ""  # type: ignore[attr-defined]
    return ""
