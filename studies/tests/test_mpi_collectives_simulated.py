"""``studies/machines`` and ``studies/mpi-collectives``, at a reduced size."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from reduced_specs import ROOT, built, reduced

from steelyard.api import Record
from steelyard.api.design import list_places

MACHINES = ROOT / "studies" / "machines"
STUDY = ROOT / "studies" / "mpi-collectives"


@pytest.mark.parametrize(
    ("machine", "cores"), [("flat", 1), ("torus", 16), ("fat-tree", 8), ("dragonfly", 8)]
)
def test_a_machine_has_4096_places_and_so_many_on_each_host(machine, cores):
    hosts = list_places(MACHINES / f"{machine}.xml", 4096)
    assert len(hosts) == 4096
    assert hosts.count(hosts[0]) == hosts.count(hosts[-1]) == cores


@pytest.mark.parametrize("machine", ["dragonfly-tapered", "aries"])
def test_a_machine_for_other_allocations_has_8_places_on_each_host(machine):
    hosts = list_places(MACHINES / f"{machine}.xml", 4096, scatter=1)
    assert len(set(hosts)) == 512


def test_planted_algorithms_are_flagged_and_the_good_ones_beside_them_are_not(tmp_path, steelyard_cli):
    built("smpi", "bin/collectives")
    spec = reduced(
        STUDY / "planted.toml", tmp_path, ("[4, 8, 16, 32, 64, 128, 256]", "[2, 4, 8, 16, 32, 64]")
    )
    ended = steelyard_cli("check", str(spec))
    assert ended.returncode == 1, ended.stderr
    result = " ".join(ended.stdout.split())
    assert "op = barrier: fails in 1 of 2 strata, holds in 1" in result
    assert "op = reduce: fails in 1 of 2 strata, holds in 1" in result
    assert "allgather = ring: fails" in result


@pytest.mark.parametrize("machine", ["torus", "fat-tree", "dragonfly"])
def test_every_operation_runs_on_every_machine(tmp_path, steelyard_cli, machine):
    built("smpi", "bin/collectives")
    changes = (
        ('["flat", "torus", "fat-tree", "dragonfly"]', f'["{machine}"]'),
        ("[16, 32, 64, 128, 256, 512, 1024, 2048, 4096]", "[16]"),
    )
    ended = steelyard_cli("run", str(reduced(STUDY / "topologies.toml", tmp_path, *changes)))
    assert ended.returncode == 0, ended.stderr


def simulated_values(record: Path) -> list[tuple[str, list[float]]]:
    """What was simulated, treatment by treatment; ``wall_s`` is this machine's own."""
    with Record.open(record) as opened:
        samples = opened.samples("latency_quantile_s")
        assert {sample.provenance for sample in samples} == {"simulated"}
        return [(f"{item.treatment.label} {item.labels['op']}", item.values.tolist()) for item in samples]


def test_the_whole_of_a_simulated_part_repeats_to_the_bit(tmp_path, steelyard_cli):
    built("smpi", "bin/collectives")
    changes = (
        ('["flat", "torus", "fat-tree", "dragonfly"]', '["torus", "dragonfly"]'),
        ("[16, 32, 64, 128, 256, 512, 1024, 2048, 4096]", "[8, 16]"),
    )
    spec = str(reduced(STUDY / "topologies.toml", tmp_path, *changes))
    for name in ("first", "again"):
        ended = steelyard_cli("run", spec, "--output", str(tmp_path / f"{name}.lab"))
        assert ended.returncode == 0, ended.stderr
    first, again = (simulated_values(tmp_path / f"{name}.lab") for name in ("first", "again"))
    assert len(first) == 2 * 2 * 8
    assert first == again


def test_every_selector_chooses_and_is_recorded(tmp_path, steelyard_cli):
    built("smpi", "bin/collectives")
    spec = reduced(
        STUDY / "selectors.toml", tmp_path, ("[16, 32, 64, 128, 256, 512]", "[16]"), ('"--no-verify", ', "")
    )
    ended = steelyard_cli("run", str(spec))
    assert ended.returncode == 0, ended.stderr
    with Record.open(tmp_path / "selectors.lab") as record:
        chosen = {
            (sample.treatment.levels["selector"], sample.labels["algorithm"])
            for sample in record.samples("latency_quantile_s")
            if sample.labels["op"] == "bcast"
        }
    assert chosen == {(name, f"selector {name}") for name in ("impi", "ompi", "mpich", "mvapich2")}


def study_tables(monkeypatch: pytest.MonkeyPatch, part: str, record: Path) -> str:
    """What ``study.py`` prints of a record, and keeps nothing of it."""
    monkeypatch.syspath_prepend(str(STUDY))
    import study

    before = study.simulated.FILE.read_bytes()
    with Record.open(record) as opened:
        tables = study.tables(part, opened)
    assert study.simulated.FILE.read_bytes() == before
    return tables


def test_draws_of_noise_are_replicates_and_where_there_is_none_they_agree(
    tmp_path, steelyard_cli, monkeypatch
):
    built("smpi", "bin/collectives")
    changes = (
        ("[0, 0.1, 0.5]\nhosts = [0, 0.1, 0.5]", "[0, 0.5]\nhosts = [0, 0.5]"),
        ("[16, 32, 64, 128, 256, 512]", "[2, 4, 8, 16, 32]"),
        ("blocks = 5", "blocks = 2"),
    )
    spec = str(reduced(STUDY / "noise.toml", tmp_path, *changes))
    ended = steelyard_cli("run", spec)
    assert ended.returncode == 0, ended.stderr
    first = simulated_values(tmp_path / "noise.lab")
    assert steelyard_cli("run", spec, "--output", str(tmp_path / "again.lab")).returncode == 0
    assert simulated_values(tmp_path / "again.lab") == first
    with Record.open(tmp_path / "noise.lab") as record:
        for sample in record.samples("latency_quantile_s"):
            quiet = sample.treatment.levels["links"] == sample.treatment.levels["hosts"] == 0
            a, b = sample.values
            # Under noise a message of two ranks may meet none of it, twice.
            assert a == b if quiet else a != b or sample.treatment.levels["p"] < 16
    tables = study_tables(monkeypatch, "noise", tmp_path / "noise.lab")
    assert "### barrier, simulated: medians of 2 draws, µs" in tables
    assert "| 0.5 | 0.5 |" in tables


def test_days_of_a_scattered_job_are_replicates_of_one_model(tmp_path, steelyard_cli, monkeypatch):
    built("smpi", "bin/collectives")
    changes = (
        ('["dragonfly", "dragonfly-tapered", "aries"]', '["dragonfly", "aries"]'),
        ("[16, 32, 64, 128, 256, 512, 1024]", "[2, 4, 8, 16, 32]"),
        (', ["scattered", 3], ["scattered", 4], ["scattered", 5]', ""),
    )
    ended = steelyard_cli("run", str(reduced(STUDY / "allocations.toml", tmp_path, *changes)))
    assert ended.returncode == 0, ended.stderr
    tables = study_tables(monkeypatch, "allocations", tmp_path / "allocations.lab")
    for machine in ("dragonfly", "aries"):
        for placement in ("packed", "scattered"):
            assert f"### {machine}, {placement}, simulated" in tables
    values = dict(simulated_values(tmp_path / "allocations.lab"))
    first, second = (values[f"machine=aries, p=32, placement=scattered, day={day} litmus"] for day in (1, 2))
    assert first != second


def test_the_study_refuses_a_part_that_it_does_not_have():
    ended = subprocess.run(
        [sys.executable, str(STUDY / "study.py"), "everything"], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert "there is no part 'everything'" in ended.stderr
