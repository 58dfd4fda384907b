"""What ``./dev wheel`` accepts as a wheel and as a source distribution."""

from __future__ import annotations

import platform
import re
import shutil
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from wheels import building, trying
from wheels.elf import Elf
from wheels.failures import WheelError
from wheels.targets import TARGETS

ROOT = Path(__file__).parents[2]
PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3
X86, ARM = (next(item for item in TARGETS if item.machine.name == name) for name in ("x86_64", "aarch64"))


def elf(*segments: int, machine: int = 62) -> bytes:
    """A 64-bit ELF file that has program headers of these kinds, and nothing else."""
    head = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 2, machine, 1, 0, 64, 0, 0, 64, 56, len(segments), 0, 0, 0
    )
    return head + b"".join(struct.pack("<I", kind).ljust(56, b"\0") for kind in segments)


def module(*libraries: str) -> bytes:
    """An ELF file that asks for these libraries, and is loaded at another address than it lies."""
    texts = b"\0" + b"".join(name.encode() + b"\0" for name in libraries)
    starts = [texts.index(name.encode()) for name in libraries]
    load, text_at = 0x10000, 64 + 2 * 56
    entries = [(5, load + text_at), *((1, start) for start in starts), (0, 0)]
    dynamic_at = text_at + len(texts)
    dynamic = b"".join(struct.pack("<QQ", *entry) for entry in entries)
    size = dynamic_at + len(dynamic)
    headers = struct.pack("<IIQQQQQQ", PT_LOAD, 4, 0, load, load, size, size, 0)
    headers += struct.pack(
        "<IIQQQQQQ", PT_DYNAMIC, 4, dynamic_at, load + dynamic_at, 0, len(dynamic), len(dynamic), 0
    )
    return elf(PT_LOAD, PT_LOAD)[:64] + headers + texts + dynamic


def make_wheel(place: Path, files: dict[str, bytes], mode: int = 0o755) -> Path:
    wheel = place / "steelyard-0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in {**files, "steelyard-0.dist-info/METADATA": b""}.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            archive.writestr(entry, content)
    return wheel


def test_every_machine_has_a_wheel_for_3_11_and_one_for_all_later_pythons():
    assert [target.tags for target in TARGETS] == [
        "cp311-cp311-manylinux_2_28_x86_64",
        "cp312-abi3-manylinux_2_28_x86_64",
        "cp311-cp311-manylinux_2_28_aarch64",
        "cp312-abi3-manylinux_2_28_aarch64",
    ]
    assert [target.kernels.partition("_kernels.")[2] for target in TARGETS] == [
        "cpython-311-x86_64-linux-gnu.so",
        "abi3.so",
        "cpython-311-aarch64-linux-gnu.so",
        "abi3.so",
    ]


def test_a_program_without_loader_and_libraries_needs_none():
    assert not Elf("a", elf(PT_LOAD, PT_LOAD)).needs_libraries()


@pytest.mark.parametrize("kind", [PT_INTERP, PT_DYNAMIC])
def test_a_program_with_a_loader_or_libraries_needs_them(kind):
    assert Elf("a", elf(PT_LOAD, kind)).needs_libraries()


def test_libraries_of_a_program_of_this_system_are_those_that_readelf_lists():
    readelf = shutil.which("readelf")
    if readelf is None:
        pytest.skip("no readelf, which is the witness")
    program = Path(sys.executable).resolve()
    stdout = subprocess.run([readelf, "-dW", program], capture_output=True, text=True, check=True).stdout
    witness = re.findall(r"\(NEEDED\).*\[(.*)\]", stdout)
    assert Elf("python", program.read_bytes()).libraries() == witness
    assert "libc.so.6" in witness


def test_what_is_no_program_is_refused():
    with pytest.raises(WheelError, match=r"^x is no 64-bit ELF file: it begins with b'#!/bin'$"):
        Elf("x", b"#!/bin/sh")


def test_a_whole_wheel_passes(tmp_path):
    files = {building.RUNNER: elf(PT_LOAD), "steelyard/py.typed": b""}
    building.check(make_wheel(tmp_path, files), X86, set(files))


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        pytest.param({"steelyard/py.typed": None}, "lacks steelyard/py.typed", id="missing"),
        pytest.param(
            {"steelyard/scratch.py": b""}, "not under version control: steelyard/scratch.py", id="extra"
        ),
        pytest.param({"RUNNER": elf(PT_LOAD, PT_INTERP)}, "is linked dynamically", id="dynamic"),
        pytest.param(
            {"RUNNER": elf(PT_LOAD, machine=183)}, "is for ELF machine 183, not for x86_64", id="machine"
        ),
    ],
)
def test_a_wheel_that_is_not_whole_or_not_portable_is_refused(tmp_path, changed, text):
    files = {building.RUNNER: elf(PT_LOAD), "steelyard/py.typed": b""}
    expected = set(files)
    for name, content in changed.items():
        files[building.RUNNER if name == "RUNNER" else name] = content
    wheel = make_wheel(tmp_path, {name: content for name, content in files.items() if content is not None})
    with pytest.raises(WheelError, match=text):
        building.check(wheel, X86, expected)


def test_kernels_that_ask_for_a_newer_library_than_the_tag_promises_are_refused():
    asks = elf(PT_LOAD) + b"\0GLIBC_2.28\0GLIBCXX_3.4.24\0CXXABI_1.3.11\0GLIBC_2.2.5\0"
    building.check_native(X86.kernels, asks, X86)
    with pytest.raises(
        WheelError,
        match=r"asks for GLIBCXX_3\.4\.25, GLIBC_2\.29, which manylinux_2_28_x86_64 need not have$",
    ):
        building.check_native(X86.kernels, asks + b"GLIBC_2.29\0GLIBCXX_3.4.25\0", X86)


def test_a_module_that_loads_more_than_the_c_library_is_refused():
    building.check_native(X86.kernels, module("libc.so.6", "libm.so.6"), X86)
    with pytest.raises(WheelError, match=r"loads libstdc\+\+\.so\.6, which manylinux_2_28_x86_64 need"):
        building.check_native(X86.kernels, module("libc.so.6", "libstdc++.so.6"), X86)


def test_a_runner_that_cannot_be_executed_is_refused(tmp_path):
    wheel = make_wheel(tmp_path, {building.RUNNER: elf(PT_LOAD)}, mode=0o644)
    with pytest.raises(WheelError, match="cannot be executed"):
        building.check(wheel, X86, {building.RUNNER})


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ({"src/a.py"}, r"lacks native/a\.cpp$"),
        ({"src/a.py", "native/a.cpp", "workloads/a.cpp"}, r"holds workloads/a\.cpp$"),
    ],
)
def test_a_source_distribution_has_the_laboratory_and_no_other_house(names, text):
    building.check_sdist({"src/a.py", "native/a.cpp"}, ["src/a.py", "native/a.cpp"])
    with pytest.raises(WheelError, match=text):
        building.check_sdist(names, ["src/a.py", "native/a.cpp"])


def test_a_runner_of_another_machine_is_handed_to_its_emulator(tmp_path):
    target = ARM if platform.machine() == "x86_64" else X86
    runner = trying.make_runner(target, tmp_path / "installed", tmp_path)
    assert runner.read_text().endswith(f'{tmp_path}/installed/{building.RUNNER}" "$@"\n')
    machine = X86 if platform.machine() == "x86_64" else ARM
    assert trying.make_runner(machine, tmp_path, tmp_path) == tmp_path / building.RUNNER


@pytest.mark.parametrize(("target", "left_out"), [(X86, False), (ARM, True)])
def test_only_an_emulator_is_spared_tests_that_it_cannot_run(monkeypatch, target, left_out):
    commands = []
    monkeypatch.setattr(trying, "zig_definitions", lambda target: {})
    monkeypatch.setattr(trying, "zig_environment", dict)
    monkeypatch.setattr(trying, "run_quietly", lambda command, env: commands.append(command))
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    trying.test_native(target)
    assert (trying.NOT_EMULATED in commands[-1]) == left_out


def test_the_package_data_are_expected_in_the_wheel():
    if not (ROOT / ".git").exists():
        pytest.skip("not a git repository, which lists the files of the package")
    expected = building.expected_files(X86)
    programs = "steelyard/extensions/demo/programs"
    assert {f"{programs}/nbody.c", f"{programs}/stack_split.c", "steelyard/py.typed"} < expected
    assert {building.RUNNER, X86.kernels} < expected


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


def test_versions_are_taken_from_the_lock_with_markers_and_without_hashes():
    assert trying.locked_versions(LOCK) == [
        "click==8.1.8",
        "numpy==2.4.6 ; python_full_version < '3.12'",
        "numpy==2.5.5 ; python_full_version >= '3.12'",
        "rich==15.0.0",
    ]


def test_the_empty_environment_must_have_no_compiler(tmp_path):
    binaries = tmp_path / "bin"
    binaries.mkdir()
    (binaries / "cc").touch(mode=0o755)
    with pytest.raises(WheelError, match=r"the empty environment is not empty: it has cc$"):
        trying.use([str(binaries / "steelyard")], tmp_path, also=str(binaries))


def test_an_installed_steelyard_that_fails_fails_the_wheel(tmp_path):
    binaries = tmp_path / "bin"
    binaries.mkdir()
    (binaries / "steelyard").write_text("#!/bin/sh\necho gone >&2\nexit 4\n")
    (binaries / "steelyard").chmod(0o755)
    with pytest.raises(WheelError, match=r"true true: exit code 4\ngone"):
        trying.use([str(binaries / "steelyard")], tmp_path)


def test_elsewhere_the_python_interface_refuses_too(monkeypatch):
    from steelyard.core.errors import MachineError
    from steelyard.run.runner.runner import find_runner

    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(MachineError, match="this is darwin\nhint: measure on Linux"):
        find_runner()


def test_the_wheel_has_every_file_of_the_package_those_of_pages_too(tmp_path):
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
    expected = building.expected_files(X86) - {
        building.RUNNER,
        *building.PRELOADED,
        X86.kernels,
    }
    assert {"steelyard/extensions/page/page.js", "steelyard/extensions/page/page.css"} < expected
    assert expected - names == set()
