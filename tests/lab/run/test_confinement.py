"""Limits that this machine cannot hold are refused before anything runs, with the reason."""

from __future__ import annotations

import subprocess
import sys

import pytest

from steelyard.core.errors import MachineError
from steelyard.lab.compare.arguments import fields_of
from steelyard.lab.compare.compare import CompareRequest
from steelyard.lab.run.confinement import refuse_confinement, refuse_limits
from steelyard.lab.run.run import run
from steelyard.spec import experiment
from steelyard.spec.tables.program import Program
from steelyard.store import Record

LIMITED = Program(cpu_limit_s=1.0)


@pytest.fixture
def host(tmp_path):
    """``host(controllers)``: the tree of a session of systemd; groups are plain directories."""

    def make(controllers: str):
        group = tmp_path / "sys/fs/cgroup/app.slice"
        (group / "shell.scope").mkdir(parents=True)
        process = tmp_path / "proc/self"
        process.mkdir(parents=True)
        (process / "cgroup").write_text("0::/app.slice/shell.scope\n")
        (process / "mountinfo").write_text("31 24 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
        for name in ("cgroup.procs", "cgroup.controllers", "cgroup.subtree_control"):
            (group / name).write_text("" if name == "cgroup.procs" else controllers)
        return tmp_path

    return make


def test_limits_are_refused_where_there_are_no_control_groups(tmp_path):
    with pytest.raises(MachineError, match="cpu_limit is not available on this machine: no cgroup v2"):
        refuse_limits(LIMITED, tmp_path)
    with pytest.raises(MachineError, match="memory_limit is not available"):
        refuse_limits(Program(memory_limit_bytes=1 << 20), tmp_path)


def test_memory_needs_its_controller_and_cpu_time_does_not(host):
    root = host("cpu pids")
    refuse_limits(LIMITED, root)
    both = Program(cpu_limit_s=1.0, memory_limit_bytes=1 << 20)
    with pytest.raises(MachineError, match=r"memory_limit .* has no memory controller") as info:
        refuse_limits(both, root)
    assert "ulimit -v" in info.value.hint


def test_with_its_controller_memory_can_be_limited(host):
    refuse_limits(Program(memory_limit_bytes=1 << 20), host("cpu memory"))


def test_a_program_without_limits_needs_nothing_of_this(tmp_path):
    refuse_limits(Program(), tmp_path)
    refuse_confinement(Program())


def test_a_run_apart_leaves_no_file_and_the_record_is_as_ever(tmp_path):
    program = {"command": ["/bin/sh", "-c", "echo x > made; ls | wc -l"], "isolate": True}
    try:
        refuse_confinement(Program(isolate=True))
    except MachineError as error:
        pytest.skip(str(error))
    metrics = {"files": {"pattern": r"(\d+)", "unit": "1"}}
    spec = experiment(source=str(tmp_path), program=program, metrics=metrics, design={"blocks": 3, "seed": 1})
    run(spec, tmp_path / "it.lab")
    assert [path.name for path in tmp_path.iterdir()] == ["it.lab"]
    with Record.open(tmp_path / "it.lab") as record:
        (sample,) = record.samples("files")
        # The record, and what the run itself has made: never what another has.
        assert sample.values.tolist() == [2.0, 2.0, 2.0]
        assert record.experiment.program.isolate
    assert not (tmp_path / "it.lab" / "root").exists()


def test_limits_and_what_is_apart_are_arguments_of_a_comparison():
    keys = fields_of(
        {"cpu_limit": "2 s", "memory_limit": "1 GB"}, CompareRequest.__struct_fields__, "compare"
    )
    request = CompareRequest(commands=["true"], isolate=True, no_network=True, **keys)
    program = request.experiment().program
    assert (program.cpu_limit_s, program.memory_limit_bytes) == (2.0, 10**9)
    assert (program.isolate, program.network) == (True, False)
    plain = CompareRequest(commands=["true"]).experiment().program
    assert not plain.has_limits
    assert (plain.isolate, plain.network) == (False, True)


@pytest.mark.parametrize(
    ("key", "program"), [("isolate = true", "isolate=True"), ("network = false", "network=False")]
)
def test_without_rights_a_trial_apart_is_refused_with_what_the_kernel_said(key, program):
    script = (
        "from steelyard.lab.run.confinement import refuse_confinement\n"
        "from steelyard.spec.tables.program import Program\n"
        f"refuse_confinement(Program({program}))\n"
    )
    # In a namespace where no user is mapped, nothing that it starts has a capability.
    words = ["unshare", "--user", sys.executable, "-c", script]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.stderr.startswith("unshare:"):
        pytest.skip(f"no user namespaces here: {done.stderr.strip()}")
    assert f"MachineError: {key} is not available on this machine" in done.stderr
    assert "(EPERM)" in done.stderr
