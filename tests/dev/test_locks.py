"""The lock files, which pip installs from on every developer's and CI's machine."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))


def versions(path: Path) -> dict[tuple[str, str], str]:
    """Version by name and marker."""
    lines = re.findall(r"^([\w.-]+)==(\S+) ?;? ?(.*?) ?\\$", path.read_text(), re.MULTILINE)
    return {(name, marker): version for name, version, marker in lines}


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_a_lock_names_no_host_and_no_directory(path: Path) -> None:
    text = path.read_text()
    assert "://" not in text
    assert not re.search(r"--(extra-)?index|--find-links|file:|(^|\s)/", text)


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_every_locked_version_has_its_hashes(path: Path) -> None:
    blocks = re.split(r"\n(?=[\w.-]+==)", path.read_text())[1:]
    assert blocks
    assert all("--hash=sha256:" in block for block in blocks)


def test_tests_run_against_the_versions_that_the_demo_installs() -> None:
    run = versions(ROOT / "requirements" / "run.txt")
    everything = versions(ROOT / "requirements" / "dev.txt")
    assert run.items() <= everything.items()


def test_every_dependency_of_the_project_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    expected = [*project["project"]["dependencies"], *project["dependency-groups"]["build"]]
    extras = [name for extra in project["project"]["optional-dependencies"].values() for name in extra]

    def missing(requirements: list[str], lock: str) -> set[str]:
        names = {re.split(r"[<>=!~\[; ]", requirement)[0] for requirement in requirements}
        return names - {name for name, _ in versions(ROOT / "requirements" / lock)}

    assert missing(expected, "run.txt") == set()
    assert missing([*expected, *extras], "dev.txt") == set()
