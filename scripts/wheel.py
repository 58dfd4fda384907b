"""Build wheels of all targets and a source distribution, and try each: ``./dev wheel [--here | --foreign]``.

The kernels ask for no newer C library than manylinux_2_28 has (RHEL 8, Debian 10), and carry C++'s; the
runner is static, by musl (docs/decisions/house/295-wheels-by-zig.md). That is checked. What a
wheel depends on is installed at the versions of requirements/run.txt, as wheels only.

``--here`` builds and tries only the wheels for this machine's processor, without QEMU. ``--foreign`` compiles
the kernels for macOS and Windows, and does nothing else.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from wheels.building import PIP, build, build_sdist, check, expected_files
from wheels.failures import run_or_tell
from wheels.foreign import SYSTEMS, compile_kernels
from wheels.targets import ROOT, TARGETS
from wheels.trying import (
    COMPARISON,
    PROGRAM,
    audit_stable_interface,
    compare_as,
    install_empty,
    test_native,
    test_runner,
    use,
)

if TYPE_CHECKING:
    from wheels.targets import Target

DIST = ROOT / "dist"


def say(text: str, start: float) -> None:
    """Tell a step that is done, and how long it took."""
    print(f"  {text:<88} {time.monotonic() - start:6.1f} s", flush=True)


def make_wheel(target: Target) -> Path:
    """Build the wheel of a target, check what is inside, and have it compare two programs."""
    start = time.monotonic()
    wheel = build(target, DIST)
    check(wheel, target, expected_files(target))
    say(f"{wheel.name}: {wheel.stat().st_size / 1e3:.0f} kB, files and symbols as promised", start)
    if target.python.abi == "abi3":
        audit_stable_interface(wheel)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        printed = compare_as(target, wheel, Path(name))
    lines = printed.splitlines()
    say(f"compares in Python {target.python.version} for {target.machine.name}: {lines[0]}", start)
    return wheel


def make_sdist() -> Path:
    """Build the source distribution, and from it a wheel, which is installed where nothing else is."""
    start = time.monotonic()
    sdist = build_sdist(DIST)
    say(f"{sdist.name}: {sdist.stat().st_size / 1e3:.0f} kB, no file of studies and workloads", start)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        command = [*PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", name, str(sdist)]
        subprocess.run(command, check=True)
        (wheel,) = place.glob("*.whl")
        binaries = install_empty(wheel, place)
        use([str(binaries / "python"), "-c", PROGRAM], place, also=str(binaries))
    say("compares when built by this machine's compiler and installed in an empty environment", start)
    return sdist


def test_programs(wheels: dict[Target, Path]) -> None:
    """Run the runner's tests with what the wheels have, once a machine."""
    for target in {target.machine: target for target in wheels}.values():
        start = time.monotonic()
        test_native(target)
        say(f"native tests of the runner with musl for {target.machine.name}", start)
    result = next((target for target in wheels if target.machine.name == platform.machine()), None)
    if result is not None:
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as name:
            test_runner(wheels[result], Path(name))
        say("Python tests of the runner with that of the wheel", start)


def compile_foreign() -> None:
    """Compile the kernels for systems that no wheel is made for."""
    for system in SYSTEMS:
        start = time.monotonic()
        files = compile_kernels(system)
        say(f"{len(files)} files of the kernels compile for {system}; none was run", start)


def make_all(*, here: bool = False) -> list[Path]:
    """Build and try everything, or only what is for this processor; return the files."""
    targets = [item for item in TARGETS if not here or item.machine.name == platform.machine()]
    wheels = {target: make_wheel(target) for target in targets}
    test_programs(wheels)
    return [*wheels.values(), make_sdist()]


def main(arguments: list[str]) -> int:
    """Build, check, install, use."""
    parser = argparse.ArgumentParser(prog="./dev wheel", description=__doc__)
    result = parser.add_mutually_exclusive_group()
    result.add_argument("--here", action="store_true", help="wheels of this processor only")
    result.add_argument("--foreign", action="store_true", help="kernels for macOS and Windows only")
    options = parser.parse_args(arguments)

    def make() -> None:
        if options.foreign:
            compile_foreign()
            return
        make_all(here=options.here)
        print(f"all of dist/ ran `steelyard {' '.join(COMPARISON)}`")

    return run_or_tell(make)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
