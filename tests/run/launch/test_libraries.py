from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest

from steelyard.run.launch.libraries import list_libraries
from steelyard.run.launch.provenance import describe_change, library_identity


@pytest.fixture
def linked(tmp_path):
    """A program and the library beside it, which holds its work."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed, which links a program to a library")
    (tmp_path / "lib.c").write_text("int work(void) { return 0; }\n")
    (tmp_path / "main.c").write_text("int work(void);\nint main(void) { return work(); }\n")
    library, program = tmp_path / "libwork.so", tmp_path / "main"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, tmp_path / "lib.c"], check=True)
    command = ["gcc", "-o", program, tmp_path / "main.c", f"-L{tmp_path}", "-lwork", "-Wl,-rpath,$ORIGIN"]
    subprocess.run(command, check=True)
    return program, library


def test_libraries_are_those_that_ldd_lists(linked):
    program, library = linked
    printed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    witness = set(re.findall(r"(/\S+) \(0x", printed))
    assert set(list_libraries(str(program))) == witness
    assert str(library) in witness


def test_the_environment_of_the_program_decides_which_library_it_gets(linked, tmp_path):
    program, library = linked
    directory = tmp_path / "other"
    directory.mkdir()
    preloaded = shutil.copy(library, directory / "libextra.so")
    assert preloaded not in list_libraries(str(program))
    assert str(preloaded) in list_libraries(str(program), (f"LD_PRELOAD={preloaded}",))


@pytest.mark.parametrize("content", [b"#!/bin/sh\n", b"", b"\x7fELF" + bytes(60)])
def test_what_has_no_loader_has_no_libraries(tmp_path, content):
    path = tmp_path / "it"
    path.write_bytes(content)
    assert list_libraries(str(path)) == ()
    assert list_libraries(str(tmp_path / "none")) == ()


def test_a_library_that_was_replaced_is_told_as_one(linked):
    program, library = linked
    identity = library_identity(str(library), [str(program)])
    assert describe_change(identity) is None
    os.truncate(library, 10)
    assert describe_change(identity).startswith(f"library {library} was replaced: ")
