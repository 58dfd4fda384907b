"""Compile the kernels for macOS and Windows: nothing of it can be run here, so no wheel is made of it."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Final

from wheels.building import find_zig, zig_environment
from wheels.failures import WheelError
from wheels.sysroots import make_headers
from wheels.targets import ROOT, TARGETS

SYSTEMS: Final = ("aarch64-macos", "x86_64-macos", "x86_64-windows-gnu", "aarch64-windows-gnu")
MODULE: Final = ("module.cpp", "special_module.cpp")
"""What includes Python's headers. Debian's fit macOS (64-bit longs, threads of POSIX), but not Windows."""
FLAGS: Final = ("-std=gnu++20", "-O1", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-c")


def compile_kernels(system: str) -> list[str]:
    """Compile them for a system; return the files that were.

    Raises
    ------
    WheelError
        A file does not compile.
    """
    import libboost_headers
    import nanobind

    headers = make_headers(next(target for target in TARGETS if target.python.abi == "abi3"))
    folders = [libboost_headers.get_include(), nanobind.include_dir(), str(headers)]
    include = [word for folder in folders for word in ("-isystem", folder)]
    definitions = ["-DBOOST_MATH_STANDALONE", "-DPy_LIMITED_API=0x030C0000", "-include", "stdio.h"]
    sources = sorted((ROOT / "native" / "kernels").glob("*.cpp"))
    possible = [source for source in sources if "windows" not in system or source.name not in MODULE]
    with tempfile.TemporaryDirectory() as name:
        for source in possible:
            out = str(Path(name) / f"{source.name}.o")
            command = [str(find_zig()), "c++", "-target", system, *FLAGS, *definitions, *include]
            done = subprocess.run(
                [*command, str(source), "-o", out],
                env=zig_environment(),
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode != 0:
                raise WheelError(f"{source.name} does not compile for {system}:\n{done.stderr}")
    return [source.name for source in possible]
