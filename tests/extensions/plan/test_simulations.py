"""What simulations of more ranks are expected to take, from those that a record holds."""

from __future__ import annotations

import statistics

import pytest
from msgspec.structs import replace

from steelyard.design import treatments
from steelyard.extensions.plan import simulations as simulated
from steelyard.extensions.plan.results import Simulation
from steelyard.extensions.plan.text import _describe_simulations as said
from steelyard.lab.run.run import run
from steelyard.spec import experiment
from steelyard.store import Record


@pytest.fixture
def declared(tmp_path):
    return experiment(
        source=tmp_path,
        program={"command": ["prog"]},
        factors={"machine": ["torus", "flat"], "p": [64, 128, 256, 1024]},
        launch={"kind": "smpi", "ranks": "{p}", "platform": "{machine}.xml"},
    )


@pytest.fixture
def recorded(monkeypatch, declared):
    """Treatments of the torus up to 256 ranks: time as p^1.5, memory as p^2; of the flat one 64 alone."""
    result = {}
    for treatment in treatments(declared):
        p = treatment.levels["p"]
        if (treatment.levels["machine"] == "torus" and p <= 256) or p == 64:
            result[treatment.id] = (1e-3 * p**1.5, 800.0 * p**2)
    monkeypatch.setattr(simulated, "_read_simulations", lambda _: result)
    return result


def test_time_and_memory_go_on_as_the_power_that_the_two_largest_simulations_show(
    declared, recorded, tmp_path
):
    result = {
        simulation.label: simulation
        for simulation in simulated.simulations(declared, treatments(declared), tmp_path)
    }
    assert len(result) == 8 - len(recorded)
    torus = result["machine=torus, p=1024"]
    assert torus.basis == (128, 256)
    assert torus.wall_s == pytest.approx(1e-3 * 1024**1.5)
    assert torus.memory_bytes == pytest.approx(800 * 1024**2)
    flat = result["machine=flat, p=128"]
    assert (flat.basis, flat.memory_bytes) == ((64,), pytest.approx(4 * 800 * 64**2))


def test_a_record_has_the_median_time_and_the_most_memory_of_what_was_simulated(tmp_path):
    declared = experiment(source=tmp_path, program={"command": ["true"]}, design={"blocks": 3, "discard": 0})
    run(declared, tmp_path / "it.lab")
    ((time_s, most_bytes),) = simulated._read_simulations(tmp_path / "it.lab").values()
    with Record.open(tmp_path / "it.lab") as record:
        (wall,), (memory,) = record.samples("wall_s"), record.samples("rss_bytes")
    assert time_s == statistics.median(wall.values)
    assert most_bytes == max(memory.values)
    assert simulated._read_simulations(tmp_path / "none.lab") == {}


def test_without_a_smaller_simulation_nothing_is_estimated_or_listed(declared, tmp_path):
    result = simulated.simulations(declared, treatments(declared), tmp_path)
    assert {item.memory_bytes for item in result} == {None}
    plain = experiment(source=tmp_path, program={"command": ["prog"]})
    assert simulated.simulations(plain, treatments(plain), tmp_path) == ()


def test_a_plan_says_what_the_largest_takes_and_that_it_would_not_fit(declared, tmp_path, monkeypatch):
    from steelyard.extensions.plan.preview import preview

    monkeypatch.setattr("steelyard.extensions.plan.preview.refusals", lambda *_, **__: ())
    plan = preview(declared, tmp_path / "no.lab")
    assert said(plan).startswith("8 simulations with nothing smaller in the record to go by")
    large = Simulation("p=4096", 4096, 500.0, 2.8e9, (512, 1024))
    result = replace(plan, simulations=(large,), memory_available_bytes=24 << 30)
    assert (
        said(result)
        == "up to 2.8 GB (p=4096) and 8 min 20 s (p=4096) each, going on as from 512 and 1,024 ranks"
    )
    assert said(replace(result, memory_available_bytes=1 << 30)).endswith("1.1 GB left: it would be killed")
