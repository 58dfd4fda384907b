"""``workloads/harness`` with ranks: what only a library can show, and how programs fail."""

from __future__ import annotations

import re
import subprocess

import pytest
from programs import ROOT, built

README = ROOT / "workloads" / "README.md"
PLANTED = {
    "one": (1, "ranks_check: rank {last}: planted in two lines"),
    "every": (1, "ranks_check: rank {any}: planted in two lines"),
    "together": (1, "ranks_check: planted on rank {last}: here"),
    "usage": (2, "ranks_check: --fail usage is refused"),
    "call": (1, "ranks_check: rank {last}: MPI_Send: .*"),
}


def checksums(lines):
    (line,) = [item for item in lines if item["metric"] == "checksum"]
    return line["values"]


@pytest.mark.parametrize("library", ["openmpi", "mpich"])
def test_teams_handles_and_inputs_are_the_same_at_every_number_of_ranks(start, library):
    result = []
    for ranks in (1, 2, 3, 4):
        ended = start(library, "ranks_check", ranks)
        assert ended.code == 0, ended.stderr
        result.append(checksums(ended.lines))
    assert result[0][0] == 1000
    assert result == [result[0]] * 4


def test_teams_handles_and_inputs_are_the_same_on_a_simulated_machine(simulated):
    result = []
    for ranks in (1, 16):
        ended = simulated("ranks_check", ranks, configuration=("smpi/errors-are-fatal:no",))
        assert ended.code == 0, ended.stderr
        result.append(checksums(ended.lines))
    assert result[0] == result[1]


def expected_code(ended, how, ranks):
    """The lines of the program itself; launchers add theirs."""
    code, text = PLANTED[how]
    ours = [line for line in ended.stderr.splitlines() if "ranks_check: " in line]
    assert len(ours) == 1, ended.stderr
    pattern = text.format(last=ranks - 1, any=r"\d+")
    assert re.search(rf"^{pattern}$", ours[0]), ours
    return code


@pytest.mark.parametrize("library", ["openmpi", "mpich"])
@pytest.mark.parametrize("how", PLANTED)
def test_whatever_fails_ends_all_ranks_with_one_line_and_a_code_that_is_not_0(start, library, how):
    ended = start(library, "ranks_check", 3, "--fail", how)
    assert ended.code == expected_code(ended, how, 3), ended.stderr
    assert not ended.lines


@pytest.mark.parametrize("how", PLANTED)
def test_whatever_fails_ends_a_simulation_with_one_line_and_a_code_that_is_not_0(simulated, how):
    quiet = ("smpi/errors-are-fatal:no",)
    ended = simulated("ranks_check", 16, "--fail", how, configuration=quiet)
    assert ended.code == expected_code(ended, how, 16), ended.stderr
    assert not ended.lines


def test_a_wrong_option_is_said_once_by_all_ranks_and_by_a_simulation(openmpi, simulated):
    for ended in (openmpi("ranks_check", 3, "--fial", "one"), simulated("ranks_check", 16, "--fial", "one")):
        assert ended.code == 2
        assert [line for line in ended.stderr.splitlines() if "--fial" in line] == [
            line for line in ended.stderr.splitlines() if "ranks_check: " in line
        ]


def example(language):
    """The program in the README."""
    (result,) = re.findall(rf"```{language}\n(// ring\.cpp.*?)```", README.read_text(), re.DOTALL)
    assert len(result.splitlines()) <= 50
    return result


@pytest.mark.parametrize("library", ["openmpi", "smpi"])
def test_the_example_of_the_readme_measures_a_new_operation(library, start, simulated, tmp_path):
    built(library, "bin/collectives")
    build = ROOT / "build" / "workloads" / library
    compiler = "smpicxx" if library == "smpi" else str(ROOT / ".cache" / "mpi" / library / "bin" / "mpicxx")
    source, program = tmp_path / "ring.cpp", build / "bin" / f"ring-{tmp_path.name}"
    source.write_text(example("cpp"))
    once = build.with_name("plain") / "lib"
    libraries = [
        str(build / "mpi" / "libworkloads_mpi.a"),
        str(once / "libworkloads_harness.a"),
        str((build / "lib" if library == "smpi" else once) / "libworkloads_machine.a"),
        str(once / "libworkloads_text.a"),
    ]
    flags = ["-std=c++20", "-Wall", "-Wextra", f"-I{ROOT / 'workloads'}"]
    try:
        done = subprocess.run(
            [compiler, *flags, str(source), *libraries, "-o", str(program)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        few = ("--keys", "100", "--repetitions", "3", "--precision", "0", "--sync", "round-time")
        if library == "smpi":
            off, charged = (
                simulated(program.name, 16, *few, "--compute", how) for how in ("off", "calibrated")
            )
            assert off.code == charged.code == 0, charged.stderr
            assert {line["labels"]["compute"].split()[0] for line in charged.lines} == {"calibrated"}
            # Deterministic: 100 keys are mixed in more than no time.
            assert charged.values("phase_s", phase="add")[0] > off.values("phase_s", phase="add")[0]
            ended = off
        else:
            ended = start(library, program.name, 3, *few)
        assert ended.code == 0, ended.stderr
        p = 16 if library == "smpi" else 3
        sent = ended.values("phase_bytes", op="ring", phase="exchange", keys=100, p=p)
        assert set(sent) == {800 * p}
    finally:
        program.unlink(missing_ok=True)
