"""Tests of the studies share a module that makes small specs of theirs, and the modules of one study."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

sys.path.insert(0, str(Path(__file__).parent))
STUDIES = Path(__file__).parents[2] / "studies"
sys.path.insert(0, str(STUDIES))

import pages  # noqa: E402


@pytest.fixture(scope="session")
def text_of() -> Callable[[Path], str]:
    """The text of a study: its README, and its results."""
    return pages.read


@pytest.fixture(scope="module")
def modules() -> Iterator[SimpleNamespace]:
    """The modules of the study of MPI collectives, which no other test finds by their names afterwards."""
    study = STUDIES / "mpi-collectives"
    stems = {file.stem for file in study.glob("*.py")} | {"parts"}
    path, before = [*sys.path], {name: sys.modules.pop(name) for name in stems & {*sys.modules}}
    sys.path[:0] = [str(study), str(STUDIES)]
    names = ("study", "simulated", "further", "cells", "connections", "conclusions", "guidelines", "rounds")
    yield SimpleNamespace(**{name: importlib.import_module(name) for name in names})
    sys.path[:] = path
    for name in stems:
        sys.modules.pop(name, None)
    sys.modules.update(before)
