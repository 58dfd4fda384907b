"""Scripts of studies as modules of a name of their own: several studies have a ``study.py``."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType


def load_script(name: str, file: Path) -> ModuleType:
    """The script, run as a module ``name`` that no import finds."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
