"""Lists of rooms in ``conftest.py``: a renamed room must not leave one unseen."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def shared(pytestconfig: pytest.Config) -> ModuleType:
    """``conftest.py`` at the root."""
    module = pytestconfig.pluginmanager.get_plugin(str(ROOT / "conftest.py"))
    assert isinstance(module, ModuleType)
    return module


@pytest.mark.parametrize("name", ["ONE_AT_A_TIME", "LONGEST"])
def test_every_folder_of_an_order_of_tests_exists(shared: ModuleType, name: str) -> None:
    assert [folder for folder in getattr(shared, name) if not (ROOT / folder).is_dir()] == []


def test_every_room_that_starts_processes_exists_and_the_others_are_fast(shared: ModuleType) -> None:
    rooms = {
        path.parent.name for path in (ROOT / "tests").glob("*/*") if path.suffix == ".py" or path.is_dir()
    }
    assert shared.STARTING - rooms == set()
    assert {"core", "report", "spec", "stats"} <= rooms - shared.STARTING
    assert [folder for folder in shared.QUICK if not (ROOT / "tests" / folder).is_dir()] == []
