from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def one_run_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """No program here prints the time of day, which is what the two first runs are set apart for."""
    monkeypatch.setattr("steelyard.extensions.observe.rehearsal.APART_S", 0.0)
