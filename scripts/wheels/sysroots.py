"""A Python of Debian for a machine, in a folder: headers to compile with, a program to try wheels with.

apt-get gets the packages with lists and a state of its own, so nothing is installed on this machine, and
nobody need be root.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wheels.failures import WheelError
from wheels.targets import PLACE

if TYPE_CHECKING:
    from wheels.targets import Target

KEYS: Final = "/usr/share/keyrings/debian-archive-keyring.gpg"


def find_archive() -> str:
    """The address that this machine gets Debian from.

    Raises
    ------
    WheelError
        It gets packages from elsewhere, or has none.
    """
    command = ["apt-get", "indextargets", "--format", "$(ORIGIN) $(REPO_URI)", "Created-By: Packages"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    places = [line.split()[1] for line in listed if line.startswith("Debian ") and "security" not in line]
    if not places:
        raise WheelError("this machine gets no packages from Debian: its other Pythons cannot be had")
    return places[0]


def make_sysroot(target: Target) -> Path:
    """Download and unpack the target's Python; return the folder, which is kept."""
    place = PLACE / "sysroots" / f"{target.python.suite}-{target.machine.debian}"
    if place.exists():
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix="apt-") as name:
        folder = Path(name)
        for text in ("lists/partial", "cache/archives/partial", "root"):
            (folder / text).mkdir(parents=True)
        (folder / "status").touch()
        (folder / "sources").write_text(
            f"deb [signed-by={KEYS}] {find_archive()} {target.python.suite} main\n"
        )
        settings = {
            "Dir::Etc::SourceList": folder / "sources",
            "Dir::Etc::SourceParts": "/dev/null",
            "Dir::State": folder,
            "Dir::State::status": folder / "status",
            "Dir::Cache": folder / "cache",
            "APT::Architecture": target.machine.debian,
            "APT::Architectures": target.machine.debian,
            "APT::Sandbox::User": "root",
            "Acquire::Languages": "none",
        }
        apt = [
            "apt-get",
            "-qq",
            *(word for key, value in settings.items() for word in ("-o", f"{key}={value}")),
        ]
        version = target.python.version
        packages = [f"python{version}", f"libpython{version}-dev", "libstdc++6"]
        quiet = {"env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, "stdout": subprocess.DEVNULL}
        subprocess.run([*apt, "update"], check=True, **quiet)  # type: ignore[call-overload]
        install = ["install", "-y", "--download-only", "--no-install-recommends", *packages]
        subprocess.run([*apt, *install], check=True, **quiet)  # type: ignore[call-overload]
        for package in sorted((folder / "cache" / "archives").glob("*.deb")):
            subprocess.run(["dpkg-deb", "--extract", package, folder / "root"], check=True)
        # Where all is below usr, what leads there comes with a package of an installed system.
        if not (folder / "root" / "lib").exists():
            (folder / "root" / "lib").symlink_to("usr/lib")
        (folder / "root").rename(place)
    return place


def make_headers(target: Target) -> Path:
    """Python's headers in one folder; Debian keeps the machine's part of them elsewhere."""
    place = PLACE / "headers" / target.name
    if not place.exists():
        include = make_sysroot(target) / "usr" / "include"
        version = f"python{target.python.version}"
        target_header = include / f"{target.machine.name}-linux-gnu" / version / "pyconfig.h"
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as name:
            result = shutil.copytree(include / version, Path(name) / "headers")
            shutil.copyfile(target_header, result / "pyconfig.h")
            result.rename(place)
    return place
