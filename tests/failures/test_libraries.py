"""A shared library that is rebuilt under a record: nothing of it is taken for what was measured."""

from __future__ import annotations

import shutil
import subprocess

import pytest

SPEC = """\
name = "libs"
[program]
command = ["./main"]
[analysis]
metric = "cpu_s"
[design]
blocks = 3
seed = 1
"""


@pytest.fixture
def place(tmp_path):
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed, which links a program to a library")
    (tmp_path / "main.c").write_text("int work(void);\nint main(void) { return work(); }\n")
    build_library(tmp_path, 0)
    command = ["gcc", "-o", "main", "main.c", "-L.", "-lwork", "-Wl,-rpath,$ORIGIN"]
    subprocess.run(command, cwd=tmp_path, check=True)
    (tmp_path / "libs.toml").write_text(SPEC)
    return tmp_path


def build_library(place, number):
    """The library anew, as a compiler writes it: another file in the same place."""
    (place / "lib.c").write_text(f"int unused{number}; int work(void) {{ return 0; }}\n")
    (place / "libwork.so").unlink(missing_ok=True)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", "libwork.so", "lib.c"], cwd=place, check=True)


def test_a_record_does_not_go_on_with_another_library(steelyard_cli, place):
    assert steelyard_cli("run", "libs.toml", cwd=place).returncode == 0
    assert steelyard_cli("run", "libs.lab", "--extend", "1", cwd=place).returncode == 0
    build_library(place, 1)
    process = steelyard_cli("run", "libs.lab", "--extend", "1", cwd=place)
    assert process.returncode == 2
    assert "libwork.so is not the library that libs.lab has measured so far" in process.stderr


def test_two_records_of_one_program_name_the_library_that_changed(steelyard_cli, place):
    assert steelyard_cli("run", "libs.toml", "-o", "old.lab", cwd=place).returncode == 0
    build_library(place, 2)
    assert steelyard_cli("run", "libs.toml", "-o", "new.lab", cwd=place).returncode == 0
    process = steelyard_cli("compare", "old.lab", "new.lab", "--details", cwd=place)
    text = " ".join(process.stdout.split())
    assert "libwork.so changed between the records, and the programs that use them did not" in text
    confirmed = steelyard_cli("compare", "old.lab", "new.lab", "--confirm", cwd=place)
    assert confirmed.returncode == 2
    assert "libwork.so is not there any more as old.lab has measured it" in confirmed.stderr
