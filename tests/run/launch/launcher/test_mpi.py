"""What is put around a program so that a library's own starter starts its ranks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from steelyard.run.launch.launch import Launch
from steelyard.run.launch.launcher.mpi import Mpi
from steelyard.spec import Experiment, load

SAID = {
    "openmpi": "mpirun (Open MPI) 5.0.11",
    "mpich": "HYDRA build details:\n    Version:                                 5.0.2",
    "impi": "Intel(R) MPI Library for Linux* OS, Version 2021.18.1 Build 20260626 (id: b44796a)",
}
FEW, MANY = 1, len(os.sched_getaffinity(0)) + 1
RUN = "0" * 16
THROTTLE = "MPIR_CVAR_CH4_PROGRESS_THROTTLE"


@pytest.fixture
def around(tmp_path):
    """``around("impi", 2, binding="none")``: the words before the program, and the variables."""

    def put(library: str, ranks: int, *, env: tuple[str, ...] = ("PATH=/bin",), binding: str = "core"):
        starter = tmp_path / "lib" / "bin" / "mpirun"
        starter.parent.mkdir(parents=True, exist_ok=True)
        # As Intel MPI's: a script that finds a program of its own in PATH alone.
        helper = starter.with_name("a-helper-of-its-own")
        helper.write_text(f"#!/bin/sh\ncat <<'END'\n{SAID[library]}\nEND\n")
        starter.write_text("#!/bin/sh\nexec a-helper-of-its-own\n")
        for item in (helper, starter):
            item.chmod(0o755)
        spec = declare(tmp_path, starter, ranks, binding)
        launcher = Mpi(spec.launch, spec.source)
        launch = Launch("/bin/true", ("true",), env, str(tmp_path))
        result = launcher.wrap_launch(launch, {}, RUN)
        assert result.path == str(starter)
        words = result.argv[1 : result.argv.index("/bin/true")]
        return words, dict(entry.split("=", 1) for entry in result.env), str(starter.parent)

    return put


def declare(tmp_path: Path, starter: Path, ranks: int, binding: str) -> Experiment:
    text = f"""
[program]
command = ["/bin/true"]
[launch]
kind = "mpi"
ranks = {ranks}
mpirun = "{starter}"
binding = "{binding}"
"""
    path = tmp_path / "spec.toml"
    path.write_text(text)
    return load(path)


@pytest.mark.parametrize(
    ("library", "bound", "free"),
    [
        ("openmpi", ("--bind-to", "core"), ("--map-by", ":OVERSUBSCRIBE", "--bind-to", "none")),
        ("mpich", ("-bind-to", "core"), ("-bind-to", "none")),
    ],
)
def test_ranks_get_a_core_each_as_long_as_there_are_cores(around, library, bound, free):
    assert around(library, FEW)[0] == ("-n", str(FEW), *bound)
    assert around(library, MANY)[0] == ("-n", str(MANY), *free)


def test_intel_mpi_is_bound_by_variables_and_finds_its_own_programs(around):
    words, env, directory = around("impi", FEW)
    assert words == ("-n", str(FEW))
    assert env["I_MPI_PIN_DOMAIN"] == "core"
    assert env["PATH"] == f"{directory}:/bin"
    assert env["I_MPI_ROOT"] == str(Path(directory).parent)
    assert around("impi", MANY)[1]["I_MPI_PIN"] == "0"
    assert around("impi", FEW, binding="none")[1]["I_MPI_PIN"] == "0"
    assert not {"I_MPI_PIN", "I_MPI_PIN_DOMAIN"} & around("impi", FEW, binding="library")[1].keys()
    assert around("impi", FEW, env=())[1]["PATH"] == directory


def test_mpich_gives_its_cpu_away_only_where_ranks_have_to_share_one(around):
    assert THROTTLE not in around("mpich", FEW)[1]
    assert around("mpich", MANY)[1][THROTTLE] == "1"


def test_a_variable_that_the_spec_sets_is_left_alone(around):
    assert around("mpich", MANY, env=(f"{THROTTLE}=0",))[1][THROTTLE] == "0"
    assert around("impi", FEW, env=("I_MPI_FABRICS=ofi",))[1]["I_MPI_FABRICS"] == "ofi"


def test_open_mpi_is_told_where_to_keep_its_files(tmp_path, around, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    _, env, _ = around("openmpi", 2)
    assert env["PRTE_MCA_prte_tmpdir_base"] == f"{tmp_path}/steelyard-{RUN}"
    segments = f"/dev/shm/steelyard-{RUN}"  # noqa: S108 -- a name that is compared
    assert {name for name, value in env.items() if value == segments} >= {"OMPI_MCA_btl_sm_backing_directory"}
