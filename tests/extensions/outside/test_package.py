"""A package outside of the tree is built, installed, and used by every list of the seam that it fills."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent / "package"
SPEC = r"""
name = "outside"
[program]
command = ["/bin/sh", "-c", "test \"$SHOUT\" = {shout}"]
[factors]
shout = ["yes", "no"]
[design]
blocks = 3
[[claims]]
many = "wall_s"
least = 3
[[claims]]
many = "wall_s"
least = 4
"""


@pytest.fixture(scope="module")
def steelyard(tmp_path_factory):
    """``steelyard(*words, cwd=…)``: the command line beside the package, installed in a directory."""
    site = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", site, PACKAGE], check=True, capture_output=True, text=True)
    home = tmp_path_factory.mktemp("home")

    def run(*words, cwd):
        return subprocess.run(
            [sys.executable, "-m", "steelyard", *words],
            env={**os.environ, "PYTHONPATH": str(site), "HOME": str(home)},
            cwd=cwd,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_its_command_is_in_the_help_and_runs(steelyard, tmp_path):
    assert "answer" in steelyard("--help", cwd=tmp_path).stdout
    assert steelyard("answer", cwd=tmp_path).stdout == "42\n"


def test_its_reader_imports_a_file(steelyard, tmp_path):
    (tmp_path / "times.txt").write_text("1.5\n1.6\n1.7\n")
    done = steelyard("import", "times.txt", "--format", "lines", "-o", "times.lab", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1.6" in steelyard("analyze", "times.lab", cwd=tmp_path).stdout


def test_its_context_its_claims_and_its_section_of_the_page_work(steelyard, tmp_path):
    (tmp_path / "outside.toml").write_text(SPEC)
    done = steelyard("run", "outside.toml", cwd=tmp_path)
    assert "wall_s has 3 values: holds" in done.stdout.replace("\n", " "), (done.stdout, done.stderr)
    assert "3 values" in done.stdout
    assert done.returncode == 1
    assert steelyard("check", "outside.lab", cwd=tmp_path).returncode == 1
    assert steelyard("report", "outside.lab", "-o", "page.html", cwd=tmp_path).returncode == 0
    page = (tmp_path / "page.html").read_text()
    assert "Trials counted outside" in page
    assert "trials with wall_s, by a package of somebody else" in page


def test_without_the_package_its_record_says_what_is_missing(steelyard, tmp_path):
    (tmp_path / "outside.toml").write_text(SPEC)
    steelyard("run", "outside.toml", cwd=tmp_path)
    alone = [sys.executable, "-m", "steelyard", "analyze", "outside.lab"]
    done = subprocess.run(alone, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "'many'" in done.stderr
    assert "Traceback" not in done.stderr
