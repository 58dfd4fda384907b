"""Make all that a release needs, into dist/VERSION: ``./dev release``. Nothing is published by it.

Wheels and the source distribution, each tried by ``scripts/wheel.py``; what is new in the version; man pages;
a bill of materials (CycloneDX); checksums of all. A commit gives the same bytes again: dates are its own.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import wheel
from wheels.building import date_of_source
from wheels.failures import WheelError, run_or_tell
from wheels.targets import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable

COMPILED_IN: Final = ("ziglang",)
"""Packages of requirements/release.txt that a wheel has parts of: C's and C++'s libraries, linked static."""


def read_version() -> str:
    """The version of the package, which CMake and the changelog have too.

    Raises
    ------
    WheelError
        They differ.
    """
    version: str = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    for name, form in (
        ("CMakeLists.txt", f"VERSION {version} "),
        ("src/steelyard/__init__.py", f'__version__ = "{version}"\n'),
        ("CITATION.cff", f"version: {version}\n"),
    ):
        if form not in (ROOT / name).read_text():
            raise WheelError(f"{name} has another version than pyproject.toml, which has {version}")
    return version


def find_changes(changelog: str, version: str) -> str:
    """The section of a version in CHANGELOG.md.

    Raises
    ------
    WheelError
        There is none.
    """
    section = re.search(rf"^## {re.escape(version)}\b.*?(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if section is None:
        raise WheelError(f"CHANGELOG.md has no section of {version}")
    return section[0].rstrip() + "\n"


def refuse_changed_files() -> None:
    """Refuse a work tree that differs from its commit: a release can be made again from the commit alone."""
    command = ["git", "status", "--porcelain"]
    changed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    if changed:
        raise WheelError(f"the work tree differs from its commit:\n{changed}hint: commit it, or git stash -u")


def select_locked(lock: str, names: Iterable[str]) -> str:
    """The blocks of a lock file that are about these packages."""
    blocks = re.split(r"\n(?=[\w.-]+==)", lock)
    return "\n".join(block for block in blocks if block.partition("==")[0] in set(names))


def write_bill_of_materials(into: Path, env: dict[str, str]) -> None:
    """Write what is in the wheels and what they are installed with, by versions and hashes of the locks."""
    locks = ROOT / "requirements"
    with tempfile.TemporaryDirectory() as name:
        requirements = Path(name) / "requirements.txt"
        compiled = select_locked((locks / "release.txt").read_text(), COMPILED_IN)
        requirements.write_text((locks / "run.txt").read_text() + compiled + "\n")
        program = str(Path(sys.executable).parent / "cyclonedx-py")
        options = ["--pyproject", str(ROOT / "pyproject.toml"), "--output-reproducible", "-o", str(into)]
        subprocess.run([program, "requirements", str(requirements), *options], env=env, check=True)


def write_man_pages(into: Path, version: str, date: datetime) -> None:
    """Write a page for each command, in one archive."""
    import click
    from click_man.core import write_man_pages

    from steelyard.cli import cli

    with click.Context(cli, info_name="steelyard") as context:
        commands = {name: cli.get_command(context, name) for name in cli.list_commands(context)}
    cli.commands.update({name: command for name, command in commands.items() if command is not None})
    with tempfile.TemporaryDirectory() as name:
        day = f"{date:%Y-%m-%d}"
        write_man_pages("steelyard", cli, version=version, target_dir=name, date=day)
        with tarfile.open(into, "w:xz") as archive:
            for page in sorted(Path(name).iterdir()):
                member = tarfile.TarInfo(f"man1/{page.name}")
                member.size, member.mtime = page.stat().st_size, int(date.timestamp())
                archive.addfile(member, io.BytesIO(page.read_bytes()))


def write_checksums(folder: Path) -> None:
    """Write SHA256SUMS, which ``sha256sum --check`` reads."""
    names = sorted(path.name for path in folder.iterdir() if path.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    (folder / "SHA256SUMS").write_text("".join(lines))


def release() -> Path:
    """Make everything; return the folder."""
    refuse_changed_files()
    version = read_version()
    changes = find_changes((ROOT / "CHANGELOG.md").read_text(), version)
    env = date_of_source()
    os.environ["SOURCE_DATE_EPOCH"] = env["SOURCE_DATE_EPOCH"]
    date = datetime.fromtimestamp(int(env["SOURCE_DATE_EPOCH"]), UTC)
    built = wheel.make_all()
    folder = wheel.DIST / version
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for path in built:
        shutil.copy2(path, folder)
    (folder / f"changes-{version}.md").write_text(changes)
    write_man_pages(folder / f"steelyard-{version}-man.tar.xz", version, date)
    write_bill_of_materials(folder / f"steelyard-{version}.cdx.json", env)
    write_checksums(folder)
    return folder


def main() -> int:
    """Make everything, and list it."""

    def make() -> None:
        for path in sorted(release().iterdir()):
            print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1e3:.0f} kB")
        print("nothing is published: a tag vVERSION does that (.github/workflows/release.yml)")

    return run_or_tell(make)


if __name__ == "__main__":
    sys.exit(main())
