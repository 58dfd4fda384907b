"""Makes ``slurm_cluster`` importable for the tests beside it, and starts one for all of them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import slurm_cluster


@pytest.fixture(scope="module")
def running_cluster(tmp_path_factory):
    if lacks := slurm_cluster.missing():
        pytest.skip(f"no Slurm on this machine: {lacks}")
    with slurm_cluster.cluster(tmp_path_factory.mktemp("slurm") / "cluster") as environment:
        yield environment


@pytest.fixture
def slurm(running_cluster, monkeypatch):
    """The commands of a running cluster find it in the environment."""
    for name, value in running_cluster.items():
        if os.environ.get(name) != value:
            monkeypatch.setenv(name, value)


@pytest.fixture(autouse=True)
def short_absence(monkeypatch):
    """Jobs that are killed here are gone at once; how long a queue is doubted has a test with a clock."""
    monkeypatch.setattr("steelyard.run.queue.template.Template.absence_s", 1.0)
