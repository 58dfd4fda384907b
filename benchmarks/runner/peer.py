"""hyperfine, the peer: built here by cargo where that is possible, else that of the PATH, of one version."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

VERSION = "2.0.0"


def find_hyperfine(directory: Path) -> Path:
    """The program of this version; built into ``directory`` at its first use, and found there again.

    A build takes one to twenty minutes. One that was interrupted goes on where it ended.
    """
    directory = directory / VERSION
    built = directory / "bin" / "hyperfine"
    cargo = shutil.which("cargo")
    if not built.exists() and cargo:
        print(f"building hyperfine {VERSION} into {directory}", file=sys.stderr)
        # It asks for a newer compiler than it needs.
        options = ["--version", VERSION, "--locked", "--ignore-rust-version", "--quiet"]
        install = [cargo, "install", "hyperfine", *options, "--target-dir", str(directory / "target")]
        subprocess.run([*install, "--root", str(directory)], check=False)
    if built.exists():
        return built
    installed = shutil.which("hyperfine")
    if installed and version(Path(installed)).endswith(f" {VERSION}"):
        return Path(installed)
    note = f"; {installed} is {version(Path(installed))}" if installed else ""
    sys.exit(f"error: no hyperfine {VERSION} to compare with{note}\n\nhint: install cargo, which builds it")


def version(hyperfine: Path) -> str:
    """Name and version, as it says itself."""
    return subprocess.run([hyperfine, "--version"], capture_output=True, text=True, check=True).stdout.strip()
