"""What tests of code layouts need of the machine."""

from __future__ import annotations

import shutil

import pytest

from steelyard.interventions import INTERVENTIONS


@pytest.fixture(scope="session")
def compiler() -> str:
    """The path of the C compiler."""
    result = shutil.which("cc")
    return result or pytest.skip("no C compiler")


@pytest.fixture(scope="session")
def fixed_addresses() -> None:
    """Skips where every run has a layout of its own."""
    if INTERVENTIONS["aslr"].missing("off") is not None:
        pytest.skip("address randomisation cannot be switched off")
