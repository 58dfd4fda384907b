"""Starts a Slurm cluster for the tests beside it, and experiments in processes of their own."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from steelyard.core.errors import InterruptedRunError, MachineError
from steelyard.lab.run.run import run
from steelyard.spec import Experiment

sys.path.insert(0, str(Path(__file__).parent))

import slurm_cluster

FORK = multiprocessing.get_context("fork")


def measure(going_on: Experiment, record: Path) -> None:
    """Exits with 0 where the experiment is complete, 130 where it was interrupted, 4 where it cannot run."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        sys.exit(0 if run(going_on, record) == "complete" else 2)
    except InterruptedRunError:
        sys.exit(130)
    except MachineError:
        sys.exit(4)


@pytest.fixture
def begin() -> Iterator[Callable[[Experiment, Path], BaseProcess]]:
    """Starts experiments in processes of their own, none of which outlives the test."""
    begun = []

    def begin_one(going_on: Experiment, record: Path) -> BaseProcess:
        process = FORK.Process(target=measure, args=(going_on, record))
        process.start()
        begun.append(process)
        return process

    yield begin_one
    for process in begun:
        process.kill()
        process.join()


@pytest.fixture(scope="module")
def running_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    if lacks := slurm_cluster.missing():
        pytest.skip(f"no Slurm on this machine: {lacks}")
    with slurm_cluster.cluster(tmp_path_factory.mktemp("slurm") / "cluster") as environment:
        yield environment


@pytest.fixture
def slurm(running_cluster: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands of a running cluster find it in the environment."""
    for name, value in running_cluster.items():
        if os.environ.get(name) != value:
            monkeypatch.setenv(name, value)


@pytest.fixture(autouse=True)
def short_absence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs that are killed here are gone at once; how long a queue is doubted has a test with a clock."""
    monkeypatch.setattr("steelyard.extensions.clusters.template.Template.absence_s", 1.0)
