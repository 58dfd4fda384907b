"""Every command of the tutorials runs, in the order in which a reader types them."""

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


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_runs_as_it_stands(page, tmp_path):
    env = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "COLUMNS": "100",
    }
    (tmp_path / "steelyard").symlink_to(Path(__file__).parents[2], target_is_directory=True)
    commands = 0
    for block in code_blocks(page.read_text()):
        if (named := re.match(r"# (\S+\.\w+)\n", block.text)) is not None:
            (tmp_path / named[1]).write_text(block.text)
        if block.language != "console":
            continue
        for line in block.text.splitlines():
            if line.startswith("$ "):
                done = subprocess.run(
                    ["sh", "-c", line[2:]],
                    cwd=tmp_path,
                    env=env,
                    capture_output=True,
                    encoding="utf-8",
                    check=False,
                )
                allowed = {0, 1} if line[2:].startswith(MAY_FAIL) else {0}
                assert done.returncode in allowed, (line, done.stdout, done.stderr)
                assert "Traceback" not in done.stderr
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
