"""The README: short, in the order of a new user, and every line that it shows runs from a new clone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from documentation.gate_session import commit
from documentation.markdown import code_blocks

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
LINES = [
    line.removeprefix("$ ")
    for block in code_blocks(TEXT)
    if block.language == "console"
    for line in block.text.splitlines()
    if line.startswith("$ ")
]
TESTS = "./dev test"
FEW_TESTS = "./dev test --fast -q tests/stats/describe/test_dependence.py"
"""In its place: it would begin with this test again."""


@pytest.fixture
def repository(tmp_path):
    """A repository of one commit, with the files of this work tree that git does not ignore."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("no git repository: nothing can be cloned")
    for name in done.stdout.split("\0")[:-1]:
        if (ROOT / name).is_file():
            (tmp_path / "origin" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / "origin" / name)
    commit(tmp_path / "origin", "init", "--quiet", "--initial-branch=main")
    return tmp_path / "origin"


def type_lines(lines, directory, **variables):
    """Type the lines into one shell, which ends at the first that fails."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("STEELYARD", "VIRTUAL"))}
    caches = env.get("PIP_CACHE_DIR", str(Path.home() / ".cache" / "pip"))
    env |= {"HOME": str(directory), "PIP_CACHE_DIR": caches, "COLUMNS": "100"} | variables
    env.pop("XDG_STATE_HOME", None)
    return subprocess.run(
        ["sh", "-ex"],
        input="\n".join(lines),
        cwd=directory,
        env=env,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_it_has_at_most_500_words_and_8_questions():
    assert len(TEXT.split()) <= 500
    questions = TEXT.partition("| question | command |\n|---|---|\n")[2].partition("\n\n")[0].splitlines()
    assert 1 < len(questions) <= 8


def test_it_begins_with_what_one_gets_and_why_not_another_tool():
    _, paragraphs, why, *_ = TEXT.split("\n\n")
    assert paragraphs.startswith(
        "Find out which program is faster, by how much, and whether you can trust it"
    )
    assert why.startswith("Why not hyperfine? ")


def test_a_new_user_clones_sees_the_demo_runs_the_tests_and_then_installs():
    clone, demo, tests, install = LINES[:4]
    assert clone == "git clone URL steelyard && cd steelyard"
    assert (demo, tests) == ("./dev demo", TESTS)
    assert "pip install" in install


def test_the_comparison_that_it_shows_runs_in_a_clone_and_prints_what_it_shows(repository, tmp_path):
    clone, *_ = LINES
    session = LINES[4:]
    programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    if shutil.which("cc") is None:
        pytest.skip("no C compiler: the two programs cannot be built")
    done = type_lines([clone.replace("URL", str(repository)), *session], tmp_path, PATH=programs)
    assert done.returncode == 0, done.stderr
    output = TEXT.partition(f"$ {session[-1]}\n")[2].partition("```")[0]
    for text in ("wall_s ", "mean ± SE", "verdict", "by context", "next context (95 % PI)", "record: ~/"):
        assert text in output
        assert text.replace("~", str(tmp_path)) in done.stdout
    status = ["git", "status", "--porcelain"]
    assert subprocess.run(status, cwd=tmp_path / "steelyard", capture_output=True, check=True).stdout == b""


@pytest.mark.installs
@pytest.mark.timeout(1800)
def test_every_line_runs_from_a_new_clone(repository, tmp_path):
    lines = [FEW_TESTS if line == TESTS else line.replace("URL", str(repository)) for line in LINES]
    assert FEW_TESTS in lines
    done = type_lines(lines, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    parts = ("What this machine showed", "passed", "nbody-O3 100000", f"record: {tmp_path}/")
    places = [done.stdout.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)
