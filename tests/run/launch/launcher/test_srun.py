"""``srun`` as a starter of ranks: what is asked of it, and what is refused before anything is handed in."""

from __future__ import annotations

import pytest

from steelyard.core.errors import MachineError, SpecError
from steelyard.core.units import BUILTIN
from steelyard.design import treatments
from steelyard.run.launch.launch_plan import LaunchPlan
from steelyard.spec import experiment
from steelyard.store.provenance import Origins

LINKED = {"openmpi": b"\x7fELF..\0libmpi.so.40\0", "mpich": b"\x7fELF..\0libmpi.so.12\0",
          "simgrid": b"\x7fELF..\0libsimgrid.so.4\0", "nothing": b"#!/bin/sh\n"}  # fmt: skip


@pytest.fixture
def srun(tmp_path, monkeypatch):
    """Puts an srun into PATH that has these plugins."""

    def with_plugins(*plugins):
        commands = tmp_path / ("bin-" + "-".join(plugins))
        commands.mkdir()
        listed = "\\n\\t".join(plugins)
        (commands / "srun").write_text(
            f"#!/bin/sh\nprintf 'MPI plugin types are...\\n\\t{listed}\\n'\n"
            "echo 'specific pmix plugin versions available: pmix_v4'\n"
        )
        (commands / "srun").chmod(0o755)
        monkeypatch.setenv("PATH", f"{commands}:/usr/bin:/bin")

    return with_plugins


def launch(tmp_path, linked, **keys):
    program = tmp_path / "prog"
    program.write_bytes(LINKED[linked])
    program.chmod(0o755)
    spec = experiment(
        name="it", source=str(tmp_path), program={"command": [str(program), "x"]},
        launch={"kind": "slurm", "ranks": 4, **keys},
    )  # fmt: skip
    drawn = treatments(spec)
    (result,) = LaunchPlan(spec, drawn, builds={}).start_in_context(None).values()
    return result.argv[1:]


def test_ranks_are_bound_and_find_each_other_by_what_their_library_asks_for(srun, tmp_path):
    srun("none", "pmi2", "pmix")
    program = str(tmp_path / "prog")
    common = ("--ntasks=4", "--kill-on-bad-exit=1")
    assert launch(tmp_path, "openmpi") == (*common, "--cpu-bind=cores", "--mpi=pmix", program, "x")
    assert launch(tmp_path, "mpich") == (*common, "--cpu-bind=cores", "--mpi=pmi2", program, "x")
    assert launch(tmp_path, "nothing", binding="none") == (*common, "--cpu-bind=none", program, "x")
    assert launch(tmp_path, "nothing", binding="library") == (*common, program, "x")


def test_a_library_that_this_slurm_does_not_start_is_refused(srun, tmp_path):
    srun("none", "pmi2")
    with pytest.raises(MachineError, match="each rank would be a job of its own"):
        launch(tmp_path, "openmpi")
    assert "--mpi=other" in launch(tmp_path, "openmpi", arguments=["--mpi=other"])


def test_a_program_for_the_simulator_is_refused(srun, tmp_path):
    srun("pmix")
    with pytest.raises(MachineError, match="built for the simulator"):
        launch(tmp_path, "simgrid")


def test_ranks_without_srun_are_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MachineError, match="srun not found"):
        launch(tmp_path, "nothing")


@pytest.mark.parametrize("flag", ["-O", "--overcommit", "-s", "--oversubscribe"])
def test_ranks_that_may_share_cpus_are_not_bound_and_their_times_are_crowded(srun, tmp_path, flag):
    srun("none")
    assert "--cpu-bind=none" in launch(tmp_path, "nothing", arguments=[flag])
    document = f'{{"launch": {{"kind": "slurm", "ranks": "4", "arguments": ["{flag}"]}}}}'.encode()
    (treatment,) = treatments(experiment(name="it", program={"command": ["true"]}))
    assert Origins.make(document, []).provenance(BUILTIN["wall_s"], treatment) == "crowded"
    assert Origins.make(document, []).provenance(BUILTIN["rss_bytes"], treatment) == "measured"


@pytest.mark.parametrize("keys", [{"binding": "none"}, {"arguments": ["-v"]}])
def test_keys_about_ranks_need_ranks(keys):
    with pytest.raises(SpecError, match="ranks is missing"):
        experiment(name="it", program={"command": ["true"]}, launch={"kind": "slurm", **keys})
