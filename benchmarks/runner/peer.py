"""hyperfine, the peer: built here by cargo where that is possible, else the one on the PATH."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

VERSION = "2.0.0"


def find_hyperfine(directory: Path) -> Path:
    """The program; built into ``directory`` at its first use (about a minute), and found there again."""
    directory = directory / VERSION
    built = directory / "bin" / "hyperfine"
    cargo = shutil.which("cargo")
    if not built.exists() and cargo:
        print(f"building hyperfine {VERSION} into {directory}", file=sys.stderr)
        # It asks for a newer compiler than it needs.
        options = ["--version", VERSION, "--locked", "--ignore-rust-version", "--quiet"]
        install = [cargo, "install", "hyperfine", *options]
        subprocess.run([*install, "--root", str(directory)], check=False)
    if built.exists():
        return built
    if installed := shutil.which("hyperfine"):
        return Path(installed)
    sys.exit("error: no hyperfine to compare with\n\nhint: apt install hyperfine, or cargo to build it")


def version(hyperfine: Path) -> str:
    """Name and version, as it says itself."""
    return subprocess.run([hyperfine, "--version"], capture_output=True, text=True, check=True).stdout.strip()
