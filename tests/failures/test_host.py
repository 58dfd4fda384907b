"""The host is as before: after every intervention, and after kills in the midst of all of them."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

import killing
import pytest

from steelyard.core.errors import SteelyardError
from steelyard.interventions import INTERVENTIONS
from steelyard.lab.run.run import run
from steelyard.run.runner.strays import find_strays
from steelyard.spec import experiment
from steelyard.store import Record

MOMENTS = 5
"""For each victim: 20 in all."""


def text(path: Path) -> str | None:
    try:
        return path.read_text()
    except OSError:
        return None


@pytest.fixture
def host(place, mounts):
    """``host()``: what no experiment may leave changed."""
    return lambda: state(place, mounts())


def state(place: Path, mounts: list[str]) -> dict[str, object]:
    """What the experiments of these tests change, and no other process on the machine: the setting of the
    test, mounts in a namespace of its own, and what belongs to this process.
    """
    return {
        "the setting of this test": text(place / "setting"),
        "mounts": mounts,
        "control group": text(Path("/proc/self/cgroup")),
        "own": (
            os.sched_getaffinity(0),
            os.sched_getscheduler(0),
            os.getpriority(os.PRIO_PROCESS, 0),
            Path("/proc/self/personality").read_text(),
        ),
        "left by levels": sorted(path.name for path in place.glob("flag*")),
    }


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A directory with a setting of a host that is not this one, in the form of the kernel's."""
    (tmp_path / "setting").write_text("always [madvise] never\n")
    monkeypatch.setenv("STEELYARD_UNDO", str(tmp_path / "run" / "undo"))
    pages = type(INTERVENTIONS["transparent_huge_pages"])(tmp_path / "setting")
    monkeypatch.setitem(INTERVENTIONS, "transparent_huge_pages", pages)
    return tmp_path


def put_back(before, after):
    """Compare; a setting that offered a choice may be left with the chosen one alone, as no kernel does."""
    chosen = before["the setting of this test"].partition("[")[2].partition("]")[0]
    if after["the setting of this test"] == chosen:
        after = after | {"the setting of this test": before["the setting of this test"]}
    assert after == before


def declare(place, settings, *, blocks=4, script="true", **keys):
    return experiment(
        name="changing",
        source=str(place),
        program={"command": ["/bin/sh", "-c", script], **keys.pop("program", {})},
        contexts=settings,
        design={"blocks": blocks, "discard": 0},
        **keys,
    )


LEVELS = {
    "env_bytes": 64,
    "argv0_bytes": 64,
    "cwd_bytes": 700,
    "stack_offset": 64,
    "heap_offset": 64,
    "aslr": "off",
    "affinity": "0",
    "omp_wait_policy": "active",
    "nice": 5,
    "scheduling": "batch",
    "background_load": "cpu 10%",
    "file_cache": "warm",
    "transparent_huge_pages": "always",
    "lc_all": "C.UTF-8",
    "stack_limit": 16,
    "omp_num_threads": 2,
}
BUILT = {"link_order": 3, "padding": 64, "code": 5}
ELSEWHERE = {
    "governor": "there is no cpufreq here: its files are those of the setting of this test",
    "node": "a queue changes nothing here: tests/extensions/clusters/test_nodes.py",
}


def test_every_intervention_is_tried_here():
    assert set(LEVELS) | set(BUILT) | set(ELSEWHERE) == set(INTERVENTIONS)


@pytest.mark.parametrize("name", LEVELS)
def test_after_an_intervention_the_host_is_as_before(place, host, name):
    if result := INTERVENTIONS[name].missing(LEVELS[name]):
        pytest.skip(f"{name}: {result}")
    before = host()
    run(declare(place, {name: LEVELS[name]}), place / "a.lab")
    put_back(before, host())
    with Record.open(place / "a.lab") as record:
        assert record.progress().blocks == {"complete": 4}
        assert find_strays(record.id) == []


@pytest.mark.parametrize("name", BUILT)
def test_after_an_intervention_by_build_the_host_is_as_before(place, host, name, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(place / "cache"))
    before = host()
    (place / "input").write_text("")
    build = {"command": ["/bin/sh", "-c", f"echo {{{name}}} > {{build}}/f"], "inputs": ["input"]}
    run(declare(place, {name: BUILT[name]}, script="cat {build}/f", build=build), place / "a.lab")
    put_back(before, host())


def everything(place, blocks):
    settings = {name: level for name, level in LEVELS.items() if INTERVENTIONS[name].missing(level) is None}
    return declare(
        place,
        settings,
        blocks=blocks,
        script="sleep 0.004 # {service}",
        factors={"service": ["on", "off"]},
        levels=[
            {
                "factor": "service",
                "level": "off",
                "enter": ["touch", "flag"],
                "leave": ["rm", "-f", "flag"],
                "change": "hard",
            }
        ],
    )


@pytest.mark.parametrize("who", ["python", "runner", "guard", "all"])
def test_after_kills_in_all_interventions_the_next_run_leaves_the_host_as_before(place, host, who):
    draw = random.Random(f"host {who}")
    before = host()
    result = everything(place, blocks=8)
    kills = experiments = 0
    while kills < MOMENTS:
        directory = place / f"{(experiments := experiments + 1)}.lab"
        code = None
        earlier = kills
        while code != 0:
            pid = killing.start_run(result, directory)
            guard, runner = killing.find(pid, killing.GUARD), killing.find(pid, killing.RUNNER)
            killing.pause(draw, 0.15, kills - earlier)
            victims = {"python": [pid], "runner": [runner], "guard": [guard], "all": [guard, runner, pid]}[
                who
            ]
            for victim in draw.sample(victims, len(victims)):
                killing.kill(victim)
            code = killing.end_of(pid)
            assert code in (0, 5, -9), "Python failed; its traceback is above"
            kills += code != 0
        put_back(before, host())
        with Record.open(directory) as record:
            assert find_strays(record.id) == []
            assert record.progress().blocks == {"complete": 8}


def test_huge_pages_of_this_very_host_are_put_back(tmp_path):
    setting = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    if result := INTERVENTIONS["transparent_huge_pages"].missing("always"):
        pytest.skip(result)
    before = setting.read_text()
    if "[always]" in before:
        pytest.skip("this host gives them to everybody already")
    script = f"grep -q '\\[always\\]' {setting}"
    try:
        run(declare(tmp_path, {"transparent_huge_pages": "always"}, script=script), tmp_path / "a.lab")
    except SteelyardError as error:
        if "another experiment has changed some" not in error.message:
            raise
        pytest.skip("another experiment changes this host at the moment")
    assert setting.read_text() == before


def test_ctrl_c_in_the_midst_of_all_interventions_leaves_the_host_as_before(place, host, eventually):
    before = host()
    pid = killing.start_run(everything(place, blocks=10_000), place / "a.lab")
    eventually(lambda: killing.has_ended(pid) or (place / "flag").exists())
    killing.kill(pid, signal.SIGINT)
    assert killing.end_of(pid) == 130
    put_back(before, host())
