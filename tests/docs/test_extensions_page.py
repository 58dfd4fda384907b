"""The package of docs/extensions.md runs as the page has it."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

from documentation.markdown import code_blocks

PAGE = Path(__file__).parents[2] / "docs" / "extensions.md"


def test_the_package_of_the_page_adds_its_command_and_prints_what_the_page_says(tmp_path):
    module, declaration, preparation, session = (block.text for block in code_blocks(PAGE.read_text()))
    project = tomllib.loads(declaration)["project"]
    (tmp_path / "our_package.py").write_text(module)
    information = tmp_path / f"our_package-{project['version']}.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    ((group, entries),) = project["entry-points"].items()
    (information / "entry_points.txt").write_text(
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
    )
    env = {
        **os.environ,
        "PYTHONPATH": str(tmp_path),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }
    for line in (preparation + session).splitlines():
        if line.startswith("$ steelyard"):
            words = ["sh", "-c", line[2:]]
            done = subprocess.run(
                words, cwd=tmp_path, env=env, capture_output=True, encoding="utf-8", check=True
            )
    assert done.stdout == session.split("\n", 1)[1] == "long: slower\n"
    listing = subprocess.run(
        ["steelyard", "--help"], cwd=tmp_path, env=env, capture_output=True, encoding="utf-8", check=True
    )
    assert "verdicts" in listing.stdout
