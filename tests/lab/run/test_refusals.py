"""A plan says in the same words what a run would refuse, and starts, builds and writes nothing."""

from __future__ import annotations

import shutil

import pytest

from steelyard.errors import SteelyardError
from steelyard.lab.run.plan import preview
from steelyard.lab.run.run import run

PLATFORM = """\
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="1us"/>
</platform>
"""
NO_MPIRUN = {"env": {"PATH": "/nowhere"}, "command": ["/bin/true"]}
BUILT = {"command": ["{build}/it"]}
SIMULATED = {"kind": "smpi", "ranks": "{p}", "platform": "four.xml"}

REFUSED = {
    "a program that is not there": ({"program": {"command": ["./none"]}}, "./none"),
    "a command that is nowhere in PATH": ({"program": {"command": ["no-such-program"]}}, "no-such-program"),
    "no standard input": ({"program": {"command": ["cat"], "stdin": "none.txt"}}, "none.txt"),
    "no command before a trial": (
        {"program": {"command": ["true"], "prepare": [["no-such-hook"]]}},
        "no-such-hook",
    ),
    "no command before all": (
        {"program": {"command": ["true"], "setup_once": [["no-such-hook"]]}},
        "no-such-hook",
    ),
    "no platform": (
        {"launch": {"kind": "smpi", "ranks": 2, "platform": "none.xml"}},
        "none.xml",
    ),
    "more ranks than cores": (
        {"factors": {"p": [2, 8]}, "program": {"command": ["true"]}, "launch": SIMULATED},
        "8 ranks",
    ),
    "no mpirun": ({"program": NO_MPIRUN, "launch": {"kind": "mpi", "ranks": 2}}, "no mpirun"),
    "an mpirun that is no program": (
        {"launch": {"kind": "mpi", "ranks": 2, "mpirun": "four.xml"}},
        "four.xml",
    ),
    "inputs that match nothing": (
        {"program": BUILT, "build": {"command": ["true"], "inputs": ["*.none"]}},
        "*.none",
    ),
    "a build of nothing": ({"program": BUILT, "build": {"command": ["true"]}}, "no file is named"),
    "a build by what is not installed": (
        {"program": BUILT, "build": {"command": ["no-such-make"], "inputs": ["*.xml"]}},
        "no-such-make",
    ),
    "no script of a job": (
        {"launch": {"kind": "slurm", "script": "none.sh"}},
        "none.sh",
    ),
    "no command of a queue": (
        {
            "launch": {
                "kind": "template",
                "script": "job.sh",
                "submit": ["no-such-queue", "{script}"],
                "job": "([0-9]+)",
                "cancel": ["true", "{job}"],
            }
        },
        "the queue cannot be asked: no-such-queue: No such file or directory",
    ),
    "a level that this machine does not have": (
        {"factors": {"affinity": ["4095", "none"]}, "program": {"command": ["true"]}},
        "cannot be had here",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_plan_says_what_a_run_refuses_in_the_same_words(case, tmp_path, made, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    keys, told = REFUSED[case]
    if keys.get("launch") == SIMULATED and shutil.which("smpirun") is None:
        pytest.skip("SimGrid is not installed here")
    (tmp_path / "four.xml").write_text(PLATFORM)
    (tmp_path / "job.sh").write_text("{run}\n")
    asked = made(**keys)
    before = sorted(tmp_path.rglob("*"))
    (refused,) = preview(asked, tmp_path / "made.lab").refused
    assert sorted(tmp_path.rglob("*")) == before
    with pytest.raises(SteelyardError) as error:
        run(asked, tmp_path / "made.lab")
    assert (refused.error, refused.hint) == (error.value.message, error.value.hint)
    assert told in refused.error


def test_a_plan_tells_all_that_would_be_refused_and_each_once(tmp_path, made):
    asked = made(
        factors={"n": [1, 2]},
        program={"command": ["./none", "{n}"], "stdin": "{n}.txt"},
        build={"command": ["true"], "inputs": ["*.none", "*.c"]},
        launch={"kind": "mpi", "ranks": 2, "mpirun": "{build}/mpirun"},
    )
    refused = [each.error for each in preview(asked, tmp_path / "made.lab").refused]
    assert len(refused) == 2, refused
    assert "'*.none' matches no file" in refused[0]
    assert "the program ./none does not exist" in refused[1]


def test_what_the_build_is_to_make_is_not_missed(tmp_path, made):
    (tmp_path / "it.c").write_text("")
    asked = made(
        program={"command": ["{build}/it"], "stdin": "{build}/input"},
        build={"command": ["touch", "{build}/it"], "inputs": ["it.c"]},
        launch={"kind": "smpi", "ranks": 2, "platform": "{build}/platform.xml"},
    )
    assert preview(asked, tmp_path / "made.lab").refused == ()


def test_what_runs_is_not_refused(tmp_path, made):
    assert preview(made(), tmp_path / "made.lab").refused == ()
