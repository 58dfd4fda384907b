"""Which library an ``mpirun`` is of, and which one a program asks for."""

from __future__ import annotations

import sys

import pytest

from steelyard.core.errors import MachineError
from steelyard.run.launch.launcher.mpi_library import find_library, library_of

SAID = {
    "openmpi": "mpirun (Open MPI) 5.0.11\n\nReport bugs to https://www.open-mpi.org/community/help/",
    "mpich": "HYDRA build details:\n    Version:                                 5.0.2\n    Release Date: x",
    "impi": "Intel(R) MPI Library for Linux* OS, Version 2021.17 Build 20251028 (id: 1)",
}


@pytest.mark.parametrize(
    ("implementation", "version"), [("openmpi", "5.0.11"), ("mpich", "5.0.2"), ("impi", "2021.17")]
)
def test_a_starter_is_known_by_what_it_says_of_its_version(tmp_path, implementation, version):
    starter = tmp_path / "mpirun"
    starter.write_text(f"#!/bin/sh\ncat <<'END'\n{SAID[implementation]}\nEND\n")
    starter.chmod(0o755)
    library = library_of(str(starter))
    assert (library.implementation, library.version) == (implementation, version)


def test_a_starter_of_an_unknown_library_is_quoted(tmp_path):
    starter = tmp_path / "mpirun"
    starter.write_text("#!/bin/sh\necho Some MPI 7\n")
    starter.chmod(0o755)
    with pytest.raises(MachineError, match="it says: Some MPI 7"):
        library_of(str(starter))


def test_a_starter_that_cannot_be_started_is_an_error(tmp_path):
    with pytest.raises(MachineError, match="cannot be run"):
        library_of(str(tmp_path / "none"))


def test_a_program_is_known_by_the_library_in_its_string_table(tmp_path):
    program = tmp_path / "program"
    for content, linked in (
        (b"\x7fELF....\0libm.so.6\0libmpi.so.40\0", "openmpi"),
        (b"\x7fELF....\0libmpi.so.12\0", "mpich"),
        (b"\x7fELF....\0libsimgrid.so.3.32\0", "simgrid"),
        (b"\x7fELF....\0libm.so.6\0", None),
        (b"#!/bin/sh\nlibmpi.so.40\0", None),
        (b"", None),
    ):
        program.write_bytes(content)
        assert find_library(str(program)) == linked
    assert find_library(sys.executable) is None
    assert find_library(str(tmp_path)) is None
