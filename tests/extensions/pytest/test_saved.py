"""Saved sessions, read again."""

from __future__ import annotations

import math

import pytest

from steelyard.extensions.exchange.recording import Quantity, RecordedTrial, Selection, Taken, write_record
from steelyard.extensions.pytest.claims import METRIC
from steelyard.extensions.pytest.saved import read_saved

LEVELS = (("file", "test_it.py"), ("test", "test_sorted"))


def test_a_session_that_was_kept_without_a_reference_has_times_alone(tmp_path):
    trials = [
        RecordedTrial(LEVELS, {METRIC: (seconds,)}, number) for number, seconds in enumerate((1e-3, 4e-3), 1)
    ]
    recording = Taken("pytest 8", {METRIC: Quantity("s")}, blocked=True, one_process=True, cells=[LEVELS])
    write_record(tmp_path / "old.lab", trials, recording, Selection()).close()
    ((name, means),) = read_saved(tmp_path / "old.lab").means.items()
    assert name == "test_it.py::test_sorted"
    assert means.time == pytest.approx(math.log(2e-3))
    assert math.isnan(means.reference)
