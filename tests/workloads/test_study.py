"""``studies/machines`` and ``studies/mpi-collectives``, at a reduced size."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from programs import ROOT, built

from steelyard.run.launcher.platform import places
from steelyard.spec import load

MACHINES = ROOT / "studies" / "machines"
STUDY = ROOT / "studies" / "mpi-collectives"


@pytest.mark.parametrize(
    ("machine", "cores"), [("flat", 1), ("torus", 16), ("fat-tree", 8), ("dragonfly", 8)]
)
def test_a_machine_has_4096_places_and_so_many_on_each_host(machine, cores):
    hosts = places(MACHINES / f"{machine}.xml", 4096)
    assert len(hosts) == 4096
    assert hosts.count(hosts[0]) == hosts.count(hosts[-1]) == cores


@pytest.mark.parametrize("part", ["topologies", "selectors", "planted", "memory", "real"])
def test_every_spec_of_the_study_can_be_read(part):
    assert load(STUDY / f"{part}.toml").name == f"mpi-collectives-{part}"


def reduced(tmp_path: Path, part: str, *changes: tuple[str, str]) -> Path:
    """A spec of the study with some of its text changed, where its paths still lead."""
    text = (STUDY / f"{part}.toml").read_text().replace("{source}", str(STUDY))
    text = text.replace('"../machines/', f'"{MACHINES}/')
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / f"{part}.toml"
    path.write_text(text)
    return path


def test_planted_algorithms_are_flagged_and_the_good_ones_beside_them_are_not(tmp_path, steelyard_cli):
    built("smpi", "bin/collectives")
    spec = reduced(tmp_path, "planted", ("[4, 8, 16, 32, 64, 128, 256]", "[2, 4, 8, 16, 32, 64]"))
    ended = steelyard_cli("check", str(spec), timeout_s=55)
    assert ended.returncode == 1, ended.stderr
    said = " ".join(ended.stdout.split())
    assert "op = barrier: fails in 1 of 2 strata, holds in 1" in said
    assert "op = reduce: fails in 1 of 2 strata, holds in 1" in said
    assert "allgather = ring: fails" in said


@pytest.mark.parametrize("machine", ["torus", "fat-tree", "dragonfly"])
def test_every_operation_runs_on_every_machine(tmp_path, steelyard_cli, machine):
    built("smpi", "bin/collectives")
    changes = (
        ('["flat", "torus", "fat-tree", "dragonfly"]', f'["{machine}"]'),
        ("[16, 32, 64, 128, 256, 512, 1024, 2048, 4096]", "[16]"),
    )
    ended = steelyard_cli("run", str(reduced(tmp_path, "topologies", *changes)), timeout_s=55)
    assert ended.returncode == 0, ended.stderr


def test_the_study_refuses_a_part_that_it_does_not_have():
    ended = subprocess.run(
        [sys.executable, str(STUDY / "study.py"), "everything"], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert "there is no part 'everything'" in ended.stderr
