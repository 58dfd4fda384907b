"""What ``./dev wheel`` accepts as a wheel for every Linux, and what is refused on other systems."""

from __future__ import annotations

import importlib.util
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3


@pytest.fixture(scope="module")
def wheel_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("wheel_script", ROOT / "scripts" / "wheel.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def elf(*segments: int) -> bytes:
    """A 64-bit ELF file that has program headers of these kinds, and nothing else."""
    head = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 2, 62, 1, 0, 64, 0, 0, 64, 56, len(segments), 0, 0, 0
    )
    return head + b"".join(struct.pack("<I", kind).ljust(56, b"\0") for kind in segments)


def make_wheel(place: Path, files: dict[str, bytes], mode: int = 0o755) -> Path:
    wheel = place / "steelyard-0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in {**files, "steelyard-0.dist-info/METADATA": b""}.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            archive.writestr(entry, content)
    return wheel


def test_a_program_without_loader_and_libraries_needs_none(wheel_script):
    assert not wheel_script.needs_libraries(elf(PT_LOAD, PT_LOAD))


@pytest.mark.parametrize("kind", [PT_INTERP, PT_DYNAMIC])
def test_a_program_with_a_loader_or_libraries_needs_them(wheel_script, kind):
    assert wheel_script.needs_libraries(elf(PT_LOAD, kind))


def test_a_program_of_this_system_needs_its_libraries(wheel_script):
    assert wheel_script.needs_libraries(Path("/bin/true").read_bytes())


def test_what_is_no_program_is_refused(wheel_script):
    with pytest.raises(wheel_script.WheelError, match=r"is no 64-bit ELF program: it begins with b'#!/bin'$"):
        wheel_script.needs_libraries(b"#!/bin/sh")


def test_a_whole_wheel_passes(wheel_script, tmp_path):
    files = {wheel_script.RUNNER: elf(PT_LOAD), "steelyard/py.typed": b""}
    wheel_script.check(make_wheel(tmp_path, files), set(files))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        pytest.param({"steelyard/py.typed": None}, "lacks steelyard/py.typed", id="missing"),
        pytest.param(
            {"steelyard/scratch.py": b""}, "not under version control: steelyard/scratch.py", id="extra"
        ),
        pytest.param({"RUNNER": elf(PT_LOAD, PT_INTERP)}, "is linked dynamically", id="dynamic"),
    ],
)
def test_a_wheel_that_is_not_whole_or_not_portable_is_refused(wheel_script, tmp_path, changed, said):
    files = {wheel_script.RUNNER: elf(PT_LOAD), "steelyard/py.typed": b""}
    expected = set(files)
    for name, content in changed.items():
        files[wheel_script.RUNNER if name == "RUNNER" else name] = content
    wheel = make_wheel(tmp_path, {name: content for name, content in files.items() if content is not None})
    with pytest.raises(wheel_script.WheelError, match=said):
        wheel_script.check(wheel, expected)


def test_kernels_that_ask_for_a_newer_library_than_the_tag_promises_are_refused(wheel_script, tmp_path):
    asks = b"\0GLIBC_2.34\0GLIBCXX_3.4.29\0CXXABI_1.3.13\0GLIBC_2.2.5\0"
    files = {wheel_script.RUNNER: elf(PT_LOAD), wheel_script.KERNELS: asks}
    wheel_script.check(make_wheel(tmp_path, files), set(files))
    files[wheel_script.KERNELS] = asks + b"GLIBC_2.36\0GLIBCXX_3.4.30\0"
    with pytest.raises(wheel_script.WheelError, match=r"asks for GLIBCXX_3\.4\.30, GLIBC_2\.36, which"):
        wheel_script.check(make_wheel(tmp_path, files), set(files))


def test_a_runner_that_cannot_be_executed_is_refused(wheel_script, tmp_path):
    wheel = make_wheel(tmp_path, {wheel_script.RUNNER: elf(PT_LOAD)}, mode=0o644)
    with pytest.raises(wheel_script.WheelError, match="cannot be executed"):
        wheel_script.check(wheel, {wheel_script.RUNNER})


def test_the_package_data_are_expected_in_the_wheel(wheel_script):
    if not (ROOT / ".git").exists():
        pytest.skip("not a git repository, which lists the files of the package")
    expected = wheel_script.expected_files()
    programs = "steelyard/lab/demo/programs"
    assert {f"{programs}/nbody.c", f"{programs}/stack_split.c", "steelyard/py.typed"} < expected
    assert {wheel_script.RUNNER, wheel_script.KERNELS} < expected


LOCK = """\
# made by ./dev lock
click==8.1.8 \\
    --hash=sha256:00
    # via other==1
numpy==2.4.6 ; python_full_version < '3.12' \\
    --hash=sha256:01
numpy==2.5.5 ; python_full_version >= '3.12' \\
    --hash=sha256:02
rich==15.0.0
"""


def test_versions_are_taken_from_the_lock_with_markers_and_without_hashes(wheel_script):
    assert wheel_script.locked_versions(LOCK) == [
        "click==8.1.8",
        "numpy==2.4.6 ; python_full_version < '3.12'",
        "numpy==2.5.5 ; python_full_version >= '3.12'",
        "rich==15.0.0",
    ]


def test_the_empty_environment_must_have_no_compiler(wheel_script, tmp_path):
    binaries = tmp_path / "bin"
    binaries.mkdir()
    (binaries / "cc").touch(mode=0o755)
    with pytest.raises(wheel_script.WheelError, match=r"the empty environment is not empty: it has cc$"):
        wheel_script.use(binaries, tmp_path)


def test_an_installed_steelyard_that_fails_fails_the_wheel(wheel_script, tmp_path):
    binaries = tmp_path / "bin"
    binaries.mkdir()
    (binaries / "steelyard").write_text("#!/bin/sh\necho gone >&2\nexit 4\n")
    (binaries / "steelyard").chmod(0o755)
    with pytest.raises(wheel_script.WheelError, match=r"true true: exit code 4\ngone"):
        wheel_script.use(binaries, tmp_path)


def test_elsewhere_the_python_interface_refuses_too(monkeypatch):
    from steelyard.errors import MachineError
    from steelyard.run.runner.runner import find_runner

    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(MachineError, match=r"this is darwin$"):
        find_runner()


def test_the_wheel_has_every_file_of_the_package_those_of_pages_too(wheel_script, tmp_path):
    """Built without the native parts, which takes a second."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git repository, which lists the files of the package")
    program = (
        "from scikit_build_core.build import build_wheel; import sys;"
        "print(build_wheel(sys.argv[1], {'wheel.cmake': 'false'}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path], cwd=ROOT, capture_output=True, text=True, check=True
    )
    with zipfile.ZipFile(tmp_path / done.stdout.splitlines()[-1]) as wheel:
        names = set(wheel.namelist())
    expected = wheel_script.expected_files() - {
        *wheel_script.PROGRAMS,
        *wheel_script.PRELOADED,
        wheel_script.SCRIPT,
        wheel_script.KERNELS,
    }
    assert {"steelyard/report/page/page.js", "steelyard/report/page/page.css"} < expected
    assert expected - names == set()
