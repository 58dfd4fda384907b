"""A plan says what interventions change on this machine and, in the same words, what a run would refuse."""

from __future__ import annotations

import shutil

import pytest

from steelyard.core.errors import MachineError, SteelyardError
from steelyard.extensions.plan.preview import preview
from steelyard.extensions.plan.refusals import describe_interventions
from steelyard.interventions import INTERVENTIONS
from steelyard.interventions.governor import Governor
from steelyard.interventions.nice import Nice
from steelyard.interventions.transparent_huge_pages import TransparentHugePages
from steelyard.lab.run.preflight import levels_asked, refuse_missing
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
    "no mpirun": ({"program": NO_MPIRUN, "launch": {"kind": "mpi", "ranks": 2}}, "mpirun not found in PATH"),
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
        "not available on this machine",
    ),
}


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """No frequencies, huge pages that may be set, and no right to be preferred."""
    (tmp_path / "enabled").write_text("always [madvise] never\n")
    monkeypatch.setitem(INTERVENTIONS, "governor", Governor(lambda: frozenset({0}), tmp_path))
    monkeypatch.setitem(INTERVENTIONS, "nice", Nice(lambda: 0))
    monkeypatch.setitem(INTERVENTIONS, "transparent_huge_pages", TransparentHugePages(tmp_path / "enabled"))


def test_an_intervention_of_the_child_is_said_to_change_the_program_only(make_experiment, machine):
    (result,) = describe_interventions(make_experiment(contexts={"env_bytes": "random"}))
    assert result.startswith("env_bytes: bytes by which the environment grows")
    assert result.endswith("; of the program only")


def test_levels_that_change_the_host_are_named(make_experiment, machine):
    (result,) = describe_interventions(
        make_experiment(factors={"transparent_huge_pages": ["never", "always"]})
    )
    assert '"always": of the host, put back at the end' in result
    assert "otherwise of the program only" in result or "; of the program only" not in result


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            {"factors": {"nice": [0, -5]}},
            "nice = -5 is not available on this machine: this process may give nice values",
        ),
        ({"contexts": {"governor": ["system", "performance"]}}, "governor = 'performance' is not available"),
        ({"contexts": {"governor": "random"}}, "governor = 'performance' is not available"),
        ({"contexts": {"nice": {"range": [-3, 3]}}}, "nice = -3 is not available"),
    ],
)
def test_what_the_machine_lacks_is_refused_by_exit_code_4_before_anything_runs(
    make_experiment, machine, tmp_path, keys, message
):
    result = make_experiment(**keys)
    with pytest.raises(MachineError) as caught:
        run(result, tmp_path / "made.lab")
    assert caught.value.exit_code == 4
    assert caught.value.message.startswith(message)
    assert not (tmp_path / "made.lab").exists()
    assert any(
        "not available on this machine" in intervention for intervention in describe_interventions(result)
    )


def test_what_can_be_had_is_not_refused(make_experiment, machine):
    refuse_missing(make_experiment(factors={"nice": [0, 5]}, contexts={"transparent_huge_pages": "random"}))


def test_of_a_long_list_of_levels_the_first_and_the_last_are_looked_at(make_experiment):
    assert levels_asked(make_experiment(contexts={"env_bytes": {"range": [0, 4096], "step": 16}})) == {
        "env_bytes": [0, 4080]
    }
    assert levels_asked(make_experiment(contexts={"env_bytes": [0, 64], "aslr": "off"})) == {
        "env_bytes": [0, 64],
        "aslr": ["off"],
    }


def test_an_intervention_by_build_is_said_to_be_another_program(make_experiment):
    result = make_experiment(
        program={"command": ["{build}/p"]},
        build={"command": ["cc", "{padding_file}"], "inputs": ["x"]},
        contexts={"padding": "random"},
    )
    (text,) = describe_interventions(result)
    assert text.endswith("another program for each level, built before it is needed")


OF_CLUSTERS = ("no script of a job", "no command of a queue")


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=[pytest.mark.extensions("clusters")] * (case in OF_CLUSTERS))
        for case in REFUSED
    ],
)
def test_a_plan_says_what_a_run_refuses_in_the_same_words(case, tmp_path, make_experiment, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    keys, message = REFUSED[case]
    if keys.get("launch") == SIMULATED and shutil.which("smpirun") is None:
        pytest.skip("SimGrid is not installed here")
    (tmp_path / "four.xml").write_text(PLATFORM)
    (tmp_path / "job.sh").write_text("{run}\n")
    result = make_experiment(**keys)
    before = sorted(tmp_path.rglob("*"))
    (refused,) = preview(result, tmp_path / "made.lab").refused
    assert sorted(tmp_path.rglob("*")) == before
    with pytest.raises(SteelyardError) as error:
        run(result, tmp_path / "made.lab")
    assert (refused.error, refused.hint) == (error.value.message, error.value.hint)
    assert message in refused.error


def test_a_plan_tells_all_that_would_be_refused_and_each_once(tmp_path, make_experiment):
    result = make_experiment(
        factors={"n": [1, 2]},
        program={"command": ["./none", "{n}"], "stdin": "{n}.txt"},
        build={"command": ["true"], "inputs": ["*.none", "*.c"]},
        launch={"kind": "mpi", "ranks": 2, "mpirun": "{build}/mpirun"},
    )
    refused = [item.error for item in preview(result, tmp_path / "made.lab").refused]
    assert len(refused) == 2, refused
    assert "'*.none' matches no file" in refused[0]
    assert "the program ./none does not exist" in refused[1]


def test_what_the_build_is_to_make_is_not_missed(tmp_path, make_experiment):
    (tmp_path / "it.c").write_text("")
    result = make_experiment(
        program={"command": ["{build}/it"], "stdin": "{build}/input"},
        build={"command": ["touch", "{build}/it"], "inputs": ["it.c"]},
        launch={"kind": "smpi", "ranks": 2, "platform": "{build}/platform.xml"},
    )
    assert preview(result, tmp_path / "made.lab").refused == ()


def test_what_runs_is_not_refused(tmp_path, make_experiment):
    assert preview(make_experiment(), tmp_path / "made.lab").refused == ()
