"""Experiments on small real programs, run into a record: fixtures of the lab and of extensions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from steelyard.lab.run.run import run
from steelyard.spec import Experiment, experiment
from steelyard.store import Record

Run = Callable[..., Record]


Make = Callable[..., Experiment]


@pytest.fixture
def make_experiment(tmp_path: Path) -> Make:
    """Makes an experiment of these keys in ``tmp_path``; by default two times ``true`` in three blocks."""

    def make(**keys: Any) -> Experiment:
        inputs = {
            "name": "made",
            "source": str(tmp_path),
            "program": {"commands": {"a": ["/bin/true"], "b": ["/bin/true"]}},
            "design": {"blocks": 3},
        }
        return experiment(**{**inputs, **keys})

    return make


@pytest.fixture
def run_in(tmp_path: Path, make_experiment: Make) -> Iterator[Run]:
    """``run_in(**keys)``: runs an experiment and opens its record, ``made.lab``, for reading."""
    opened: list[Record] = []

    def go(record: str = "made.lab", **keys: Any) -> Record:
        run(make_experiment(**keys), tmp_path / record)
        opened.append(Record.open(tmp_path / record))
        return opened[-1]

    yield go
    for record in opened:
        record.close()
