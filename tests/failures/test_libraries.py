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


PLUGIN = """\
#include <dlfcn.h>
int main(void) {
    void *library = dlopen("./libwork.so", RTLD_NOW);
    int (*work)(void) = library ? (int (*)(void))dlsym(library, "work") : 0;
    return work ? work() : 1;
}
"""


@pytest.fixture
def plugged(place):
    """The same, but the program opens its library itself, where no loader lists it."""
    (place / "main.c").write_text(PLUGIN)
    subprocess.run(["gcc", "-o", "main", "main.c", "-ldl"], cwd=place, check=True)
    (place / "libs.toml").write_text(SPEC.replace("seed = 1", "discard = 1\nseed = 1"))
    return place


def test_a_record_does_not_go_on_with_another_plugin(steelyard_cli, plugged):
    assert steelyard_cli("run", "libs.toml", cwd=plugged).returncode == 0
    assert steelyard_cli("run", "libs.lab", "--extend", "1", cwd=plugged).returncode == 0
    build_library(plugged, 1)
    process = steelyard_cli("run", "libs.lab", "--extend", "1", cwd=plugged)
    assert process.returncode == 2
    assert "libwork.so is not the module that libs.lab has measured so far" in process.stderr
    (plugged / "libwork.so").unlink()
    process = steelyard_cli("run", "libs.lab", "--extend", "1", cwd=plugged)
    assert process.returncode == 2
    assert "libwork.so is gone, a module that libs.lab has measured so far" in process.stderr


def test_records_with_another_plugin_have_no_verdict_unless_that_is_the_question(steelyard_cli, plugged):
    assert steelyard_cli("run", "libs.toml", "-o", "old.lab", cwd=plugged).returncode == 0
    build_library(plugged, 2)
    assert steelyard_cli("run", "libs.toml", "-o", "new.lab", cwd=plugged).returncode == 0
    process = steelyard_cli("compare", "old.lab", "new.lab", "--strict", cwd=plugged)
    assert process.returncode == 3
    text = " ".join(process.stdout.split())
    assert "not resolved, since libraries or modules changed, and the programs that load them did not" in text
    assert "libwork.so changed between the records" in text
    judged = steelyard_cli("compare", "old.lab", "new.lab", "--across-libraries", cwd=plugged)
    text = " ".join(judged.stdout.split())
    assert "since libraries changed" not in text
    assert "libwork.so changed between the records" in text
    confirmed = steelyard_cli("compare", "old.lab", "new.lab", "--confirm", cwd=plugged)
    assert confirmed.returncode == 2
    assert "libwork.so is not there any more as old.lab has measured it" in confirmed.stderr


def test_a_plugin_that_is_replaced_between_batches_ends_the_run(steelyard_cli, plugged):
    # The first run that counts, behind the one that is discarded, appends to the library.
    swap = "if [ -e once ]; then cp libwork.so next; echo >> next; mv next libwork.so; fi; : > once"
    (plugged / "libs.toml").write_text(
        SPEC.replace('["./main"]', f"['sh', '-c', '''./main; {swap}''']").replace(
            "seed = 1", "discard = 1\nseed = 1"
        )
    )
    process = steelyard_cli("run", "libs.toml", cwd=plugged)
    assert process.returncode == 5
    assert "the program changed during the experiment: module" in process.stderr
    assert "libwork.so" in process.stderr


def test_across_libraries_is_for_records_alone(steelyard_cli, plugged):
    process = steelyard_cli("compare", "true", "false", "--across-libraries", cwd=plugged)
    assert process.returncode == 2
    assert "--across-libraries is for two records" in process.stderr
