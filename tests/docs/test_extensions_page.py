"""The package of docs/extensions.md runs as the page has it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from documentation.markdown import code_blocks

PAGE = Path(__file__).parents[2] / "docs" / "extensions.md"
FURTHER = "our_package/__init__.py, inside Extension(…)"


def read_blocks():
    """Blocks by the file that their first line names; those that are typed, joined."""
    files, typed = {}, []
    for block in code_blocks(PAGE.read_text()):
        if block.text.startswith("# "):
            name, _, text = block.text[2:].partition("\n")
            files[name] = text
        else:
            typed.append(block.text)
    return files, "".join(typed)


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """``package(words)``: a line of the page, typed beside the installed package."""
    folder = tmp_path_factory.mktemp("package")
    files, _ = read_blocks()
    project = tomllib.loads(files.pop("pyproject.toml"))["project"]
    files["our_package/__init__.py"] = re.sub(
        r"\)\n$", f"{files.pop(FURTHER)})\n", files["our_package/__init__.py"]
    )
    information = f"our_package-{project['version']}.dist-info"
    ((group, entries),) = project["entry-points"].items()
    files[f"{information}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    files[f"{information}/entry_points.txt"] = f"[{group}]\n" + "".join(
        f"{name} = {value}\n" for name, value in entries.items()
    )
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    env = {
        **os.environ,
        "PYTHONPATH": str(folder),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "XDG_STATE_HOME": str(folder / "state"),
    }

    def type_line(line):
        return subprocess.run(
            ["sh", "-c", line], cwd=folder, env=env, capture_output=True, encoding="utf-8", check=True
        ).stdout

    type_line.folder = folder
    return type_line


def test_the_lines_of_the_page_print_what_the_page_says(package):
    _, typed = read_blocks()
    printed = {line: package(line[2:]) for line in typed.splitlines() if line.startswith("$ steelyard")}
    assert len(printed) == 4
    assert printed["$ steelyard verdicts naps.lab"] == "long: slower\n"
    assert "verdicts naps.lab\nlong: slower\n" in typed
    page = (package.folder / "bus.html").read_text()
    assert "What our kernels reach." in page
    assert "1.2e+10" in page


def test_its_command_is_in_the_help(package):
    assert "verdicts" in package("steelyard --help")


def test_a_rate_of_its_reader_is_better_where_it_is_higher(package):
    for name, speed in (("old", 8000), ("new", 12000)):
        for run in range(3):
            (package.folder / f"{name}{run}.txt").write_text(f"copy {speed + run} MB/s\n")
    words = " ".join(f"{name}={name}{run}.txt" for name in ("old", "new") for run in range(3))
    package(f"steelyard import --format ours {words} -o rates.lab")
    assert "faster" in package("steelyard analyze rates.lab")


def test_a_record_without_the_metric_has_no_section(package):
    package("steelyard compare -r 2 -o true.lab true 'sleep 0.001' && steelyard report true.lab")
    assert "What our kernels reach." not in (package.folder / "true.html").read_text()
