"""Every command of the tutorials runs as a reader types it, and prints what the page shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from documentation.markdown import code_blocks

TUTORIALS = sorted((Path(__file__).parents[2] / "docs" / "tutorials").glob("*.md"))
MAY_FAIL = ("steelyard run", "steelyard check", "steelyard model", "steelyard gate", "steelyard history")
"""Commands whose exit code 1 is a verdict."""


def read_session(text):
    """Split a console block into its commands, each with the lines that are shown below."""
    session = []
    for line in text.splitlines():
        if line.startswith("$ "):
            session.append((line[2:], []))
        elif line.strip() not in {"", "…"}:
            session[-1][1].append(line)
    return session


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_runs_as_it_stands(page, tmp_path):
    env = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "COLUMNS": "80",
    }
    (tmp_path / "steelyard").symlink_to(Path(__file__).parents[2], target_is_directory=True)
    commands = 0
    for block in code_blocks(page.read_text()):
        if (named := re.match(r"# (\S+\.\w+)\n", block.text)) is not None:
            (tmp_path / named[1]).write_text(block.text)
        if block.language != "console":
            continue
        for command, shown in read_session(block.text):
            done = subprocess.run(
                ["sh", "-c", command],
                cwd=tmp_path,
                env=env,
                capture_output=True,
                encoding="utf-8",
                check=False,
            )
            allowed = {0, 1} if command.startswith(MAY_FAIL) else {0}
            assert done.returncode in allowed, (command, done.stdout, done.stderr)
            assert "Traceback" not in done.stderr
            printed = iter(done.stdout.splitlines())
            assert [line for line in shown if line not in printed] == [], (command, done.stdout)
            commands += 1
    assert commands >= 2


def test_there_is_a_tutorial_for_each_kind_of_user():
    assert [page.stem for page in TUTORIALS] == [
        "a-figure-to-defend",
        "a-gate-in-ci",
        "files-of-a-cluster",
        "nights-of-a-cluster",
        "scaling-of-a-library",
        "two-binaries",
    ]
