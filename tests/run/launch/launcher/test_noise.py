"""Noise on a simulated machine, against the closed forms of its laws. Seeds are fixed: nothing is left to
chance when these tests run.
"""

from __future__ import annotations

import math
import os
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
import pytest

from steelyard.core.errors import MachineError
from steelyard.run.launch.launch import Launch
from steelyard.run.launch.launcher.noise import noise_library
from steelyard.run.launch.launcher.simulator import Simulator, simulator
from steelyard.run.launch.launcher.smpi import Smpi
from steelyard.spec import experiment

FLAT = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<cluster id="flat" prefix="n" suffix="" radical="0-63" speed="10Gf" bw="12.5GBps" lat="1us"
         bb_bw="51.2TBps" bb_lat="0us" bb_sharing_policy="FATPIPE" sharing_policy="SPLITDUPLEX"/>
</platform>
"""
INSIDE = FLAT.replace("speed=", 'core="2" loopback_bw="6GBps" loopback_lat="0.3us" speed=')
SERVICE_S = 4096 / 12.5e9
"""What a neighbour's packet takes on a link of FLAT."""
STEP_S = 3e-9
"""Simulated times are rounded to a nanosecond, at either end."""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One for all tests here: the library takes seconds to compile."""
    directory = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(directory))
        yield


@pytest.fixture
def latencies(
    cache: None, tmp_path: Path, mpi_program: Callable[[str, str], str]
) -> Callable[..., list[float]]:
    """``latencies(ranks, repetitions, …)``: of every repetition, in seconds."""
    return partial(measured, mpi_program("smpi", "latency"), tmp_path)


def measured(
    program: str,
    tmp_path: Path,
    ranks: int,
    repetitions: int,
    *arguments: str,
    op: str = "tree",
    platform: str = FLAT,
    **noise: object,
) -> list[float]:
    (tmp_path / "flat.xml").write_text(platform)
    launch = {"kind": "smpi", "ranks": ranks, "platform": "flat", "arguments": list(arguments)}
    if noise:
        launch |= {"seed": noise.pop("seed", 1), "noise": noise}
    spec_ = experiment(program={"command": ["x"]}, launch=launch, source=str(tmp_path))
    lines = tmp_path / "lines"
    lines.unlink(missing_ok=True)
    plain = Launch(
        path=program,
        argv=(program, op, str(repetitions), "1"),
        env=(f"PATH={os.environ['PATH']}", f"STEELYARD_METRICS={lines}"),
        cwd=str(tmp_path),
    )
    around = Smpi(spec_.launch, spec_.source).wrap_launch(plain, {}, "0" * 16)
    env = dict(entry.split("=", 1) for entry in around.env)
    done = subprocess.run(around.argv, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    result = [msgspec.json.decode(line) for line in lines.read_bytes().splitlines()]
    return next(line["values"] for line in result if line["metric"] == "latency_s")


def test_the_same_seed_gives_the_same_times_to_the_bit_and_another_one_gives_others(latencies):
    noise = {"links": 0.3, "hosts": 0.1}
    first = latencies(16, 3, seed=1, **noise)
    assert latencies(16, 3, seed=1, **noise) == first
    assert latencies(16, 3, seed=2, **noise) != first
    assert len(set(first)) == 3


def test_noise_that_is_almost_none_changes_nothing(latencies):
    quiet = latencies(16, 2, op="allreduce")
    assert latencies(16, 2, op="allreduce", links=1e-12, hosts=1e-12) == pytest.approx(quiet, abs=1e-12)


def test_waits_at_links_are_those_of_a_queue(latencies):
    share, n = 0.4, 1500
    quiet = min(latencies(2, 1))
    extra = np.array(latencies(2, n, links=share)) - quiet
    # One message over two links. What it transfers, 800 B, takes 1 / (1 - share) of the time that it took.
    slower = extra.min()
    assert 0 < slower < 0.2e-6
    waits = extra - slower
    # M/M/1: no wait with probability 1 - share, else exponential with mean S / (1 - share); five standard
    # deviations of the binomial and of the mean.
    none = np.count_nonzero(waits < STEP_S) / n
    expected = (1 - share) ** 2
    assert none == pytest.approx(expected, abs=5 * math.sqrt(expected * (1 - expected) / n))
    mean = share * SERVICE_S / (1 - share)
    variance = share * (2 - share) * (SERVICE_S / (1 - share)) ** 2
    assert waits.mean() == pytest.approx(2 * mean, abs=5 * math.sqrt(2 * variance / n))


@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
def test_a_core_works_for_the_share_of_time_that_it_has(latencies, share):
    work_s = 10e-3
    costs = [f"--cfg=smpi/{flag}:0:{cost}:0" for flag, cost in (("os", work_s), ("ois", work_s), ("or", 0))]
    quiet, noisy = (latencies(2, 2, *costs, **noise) for noise in ({}, {"hosts": share}))
    # The sender works once. Detours come once in 10 us / share: one more or less at either end.
    for before, after in zip(quiet, noisy, strict=True):
        assert after - before == pytest.approx(work_s / (1 - share) - work_s, abs=30e-6)


def test_cores_are_away_for_their_share_of_messages(latencies):
    share, n, cost_s, away_s = 0.29, 1500, 0.4e-6 + 800 * 8e-11, 10e-6
    quiet = min(latencies(2, 1))
    extra = np.array(latencies(2, n, hosts=share)) - quiet
    # Work of cost_s meets one of the detours, one in every away_s / share, with probability
    # share (1 + cost_s / away_s); sender and receiver each have their own.
    expected = (1 - share * (1 + cost_s / away_s)) ** 2
    none = np.count_nonzero(extra < STEP_S) / n
    assert none == pytest.approx(expected, abs=5 * math.sqrt(expected * (1 - expected) / n))


def test_every_core_is_away_at_times_of_its_own(latencies):
    share, ranks, n = 0.1, 16, 300
    quiet = min(latencies(ranks, 1, op="barrier"))
    extra = np.array(latencies(ranks, n, op="barrier", hosts=share)) - quiet
    # A rank works several times in a barrier: it meets no detour with less than 1 - share. If all cores were
    # away together, two barriers of three would meet none.
    most = (1 - share) ** ranks
    assert np.count_nonzero(extra < STEP_S) / n < most + 5 * math.sqrt(most * (1 - most) / n)


def test_messages_within_a_host_wait_for_no_neighbour(latencies):
    quiet = latencies(2, 3, platform=INSIDE)
    assert latencies(2, 3, platform=INSIDE, links=0.5) == quiet
    assert latencies(4, 3, platform=INSIDE, links=0.5) != latencies(4, 3, platform=INSIDE)


def test_more_noise_takes_longer_on_average(latencies):
    means = [np.mean(latencies(16, 30, links=s, hosts=s, op="barrier")) for s in (1e-9, 0.1, 0.5)]
    assert means == sorted(means)


def test_without_its_library_a_noisy_run_is_refused_by_the_simulator(latencies, monkeypatch):
    monkeypatch.setattr("steelyard.run.launch.launcher.smpi.preload", lambda env, _library: tuple(env))
    with pytest.raises(AssertionError, match="steelyard/noise"):
        latencies(2, 1, links=0.1)


def test_a_library_is_made_once_for_one_simulator(cache, tmp_path):
    result = noise_library(tmp_path / "a", simulator())
    before = result.stat().st_mtime_ns
    assert noise_library(tmp_path / "a", simulator()) == result
    assert result.stat().st_mtime_ns == before
    assert [path.name for path in (tmp_path / "a").iterdir()] == [result.name]


def test_what_cannot_be_compiled_is_told_with_its_first_error_and_leaves_nothing(tmp_path, monkeypatch):
    compiler = tmp_path / "bin" / "c++"
    compiler.parent.mkdir()
    compiler.write_text("#!/bin/sh\necho 'noise.cpp:1: error: no such luck' >&2\nexit 1\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", str(compiler.parent), prepend=os.pathsep)
    with pytest.raises(MachineError, match=r"for SimGrid 9\.9: .*no such luck"):
        noise_library(tmp_path / "cache", Simulator("/opt/smpimain", "9.9", Path("/opt")))
    assert list((tmp_path / "cache").iterdir()) == []
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(MachineError, match=r"c\+\+ was not found in PATH"):
        noise_library(tmp_path / "cache", Simulator("/opt/smpimain", "9.9", Path("/opt")))


def test_a_cache_that_no_preload_can_name_is_refused(tmp_path):
    with pytest.raises(MachineError, match="neither blank nor colon"):
        noise_library(tmp_path / "my cache", Simulator("/opt/smpimain", "9.9", Path("/opt")))
