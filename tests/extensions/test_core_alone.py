"""The core, with the folder of its extensions removed: every module imports, and a comparison is answered."""

from __future__ import annotations

import shutil

import pytest
from copied_package import COMMAND_LINE, copy_package, run_copy

IMPORT_ALL = """
import importlib, pkgutil, steelyard
for module in pkgutil.walk_packages(steelyard.__path__, "steelyard."):
    if module.name.split(".")[1] not in {faces!r} and not module.name.endswith("__main__"):
        importlib.import_module(module.name)
print(len([name for name in sys.modules if name.startswith("steelyard.")]))
print([name for name in sys.modules if name.startswith("steelyard.extensions.")])
"""
FACES = ("api", "laboratory")
"""What names parts of extensions for programs."""
SPEC = """
name = "alone"
[program]
commands = { old = ["/bin/true"], new = ["/bin/true"] }
[design]
blocks = 5
[[claims]]
limit = "wall_s"
max = "60 s"
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A directory with the package and without its extensions."""
    return copy_package(tmp_path_factory.mktemp("alone"), shutil.ignore_patterns("extensions", "__pycache__"))


def test_every_module_of_the_core_imports(place, tmp_path):
    done = run_copy(place, IMPORT_ALL.format(faces=FACES), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    count, loaded = done.stdout.splitlines()
    assert int(count) > 300
    assert loaded == "[]"


def test_a_comparison_runs_is_answered_and_its_claim_is_judged(place, tmp_path):
    (tmp_path / "alone.toml").write_text(SPEC)
    done = run_copy(place, COMMAND_LINE, "run", "alone.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "at most 60.0 s" in done.stdout
    assert run_copy(place, COMMAND_LINE, "check", "alone.lab", cwd=tmp_path).returncode == 0


def test_a_place_that_only_an_extension_reads_is_refused_in_words(place, tmp_path):
    done = run_copy(place, COMMAND_LINE, "analyze", "memory://lake", cwd=tmp_path)
    assert done.returncode == 2
    assert "no installed extension keeps records at a place" in done.stderr
    assert "Traceback" not in done.stderr


def test_data_that_only_an_extension_reads_are_refused_in_words(place, tmp_path):
    (tmp_path / "a.csv").write_text("p,t\n1,2\n")
    done = run_copy(place, COMMAND_LINE, "check", "a.csv", cwd=tmp_path)
    assert done.returncode == 2
    assert "hint: no extension judges other data" in done.stderr


def test_a_harness_that_only_an_extension_reads_is_refused_before_anything_runs(place, tmp_path):
    text = 'name = "a"\n[program]\ncommand = ["touch", "ran"]\n[metrics]\nns = { source = "criterion" }\n'
    (tmp_path / "a.toml").write_text(text)
    done = run_copy(place, COMMAND_LINE, "run", "a.toml", cwd=tmp_path)
    assert done.returncode == 4
    assert "no installed extension reads what criterion reports" in done.stderr
    assert not (tmp_path / "ran").exists()


def test_a_page_that_only_an_extension_writes_is_refused_in_words(place, tmp_path):
    (tmp_path / "alone.toml").write_text(SPEC)
    assert run_copy(place, COMMAND_LINE, "run", "alone.toml", cwd=tmp_path).returncode == 0
    done = run_copy(place, COMMAND_LINE, "analyze", "alone.lab", "--html", "a.html", cwd=tmp_path)
    assert done.returncode == 2
    assert "a.html: no installed extension writes pages" in done.stderr
    assert not (tmp_path / "a.html").exists()


def test_its_help_has_its_own_commands_and_those_of_extensions_are_unknown(place, tmp_path):
    done = run_copy(place, COMMAND_LINE, "--help", cwd=tmp_path)
    assert "compare" in done.stdout
    assert "bisect" not in done.stdout
    for command in ("gate", "plan"):
        done = run_copy(place, COMMAND_LINE, command, cwd=tmp_path)
        assert done.returncode == 2
        assert f"unknown command '{command}'" in done.stderr


def test_compare_has_its_own_answer_and_no_option_of_an_extension(place, tmp_path):
    done = run_copy(place, COMMAND_LINE, "compare", "--help", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "--metric" in done.stdout
    assert "--null" not in done.stdout
    done = run_copy(place, COMMAND_LINE, "compare", "--null", "true", cwd=tmp_path)
    assert done.returncode == 2
    assert "--null" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_only_extensions_predict_judge_or_test_is_refused_in_words(place, tmp_path):
    levels = SPEC.replace(
        'commands = { old = ["/bin/true"], new = ["/bin/true"] }', 'command = ["true", "{n}"]'
    )
    levels = levels.replace("[design]", "[factors]\nn = [1, 2]\n[design]")
    (tmp_path / "alone.toml").write_text(f"{levels}at = {{ n = 4 }}\n")
    done = run_copy(place, COMMAND_LINE, "check", "alone.toml", cwd=tmp_path)
    assert done.returncode == 2, done.stdout
    assert "n = 4 was not measured, and no extension predicts values" in done.stderr

    (tmp_path / "data.csv").write_text("p,t\n1,2\n")
    done = run_copy(place, COMMAND_LINE, "check", "data.csv", cwd=tmp_path)
    assert "data.csv is neither a spec nor a record" in done.stderr

    (tmp_path / "tested.toml").write_text(f'{SPEC}[analysis]\nprotocol = "nogueira-matias-2014"\n')
    done = run_copy(place, COMMAND_LINE, "check", "tested.toml", cwd=tmp_path)
    assert "no installed extension has the protocol nogueira-matias-2014" in done.stderr


def test_a_claim_of_an_extension_that_is_missing_is_refused_in_words(place, tmp_path):
    (tmp_path / "alone.toml").write_text(SPEC.replace('limit = "wall_s"\nmax = "60 s"', 'scales = "wall_s"'))
    done = run_copy(place, COMMAND_LINE, "check", "alone.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert "no key names a kind of claim" in done.stderr
    assert "Traceback" not in done.stderr
