"""The names of a module of the public Python API, as a table."""

from __future__ import annotations

import importlib
import inspect
from types import ModuleType
from typing import Final

from documentation.markdown import GeneratedBlockError

ROOM: Final = "steelyard.api"


def names(module: str) -> str:
    """A table of what a module exports: each name with the first sentence about it.

    Raises
    ------
    GeneratedBlockError
        The module is none of the API.
    """
    if module != ROOM and not module.startswith(f"{ROOM}."):
        raise GeneratedBlockError(f"{module} is no module of {ROOM}")
    loaded = importlib.import_module(module)
    rows = [f"| `{name}` | {_describe(loaded, name)} |" for name in sorted(loaded.__all__, key=str.casefold)]
    return "\n".join(["| name | what |", "|---|---|", *rows])


def _describe(module: ModuleType, name: str) -> str:
    value = getattr(module, name)
    if inspect.isclass(value) or inspect.isfunction(value):
        first = (inspect.getdoc(value) or "").partition("\n\n")[0]
        return " ".join(first.split()).replace("|", "\\|").replace("``", "`")
    return f"a value, of type `{type(value).__name__}`"
