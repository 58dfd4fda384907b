"""Names of the kernel: by address, with modules, and without the right to see addresses."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from steelyard.extensions.explain.kernel_symbols import KALLSYMS, KernelSymbols, find_quick_start
from steelyard.extensions.explain.perf_script import Frame

TABLE = """\
0000000000000000 A fixed_percpu_data
ffffffff81000000 T _stext
ffffffff81000000 T _text
ffffffff81000100 t do_syscall_64
ffffffff81000180 D jiffies
ffffffff81000200 T vfs_read
ffffffffc0001000 t ext4_write\t[ext4]
"""


@pytest.fixture
def kernel(tmp_path):
    (tmp_path / "kallsyms").write_text(TABLE)
    return KernelSymbols(tmp_path / "kallsyms")


@pytest.mark.parametrize(
    ("address", "name", "offset", "object_file"),
    [
        (0xFFFFFFFF81000000, "_stext", 0, "[kernel.kallsyms]"),
        (0xFFFFFFFF810001FF, "do_syscall_64", 0xFF, "[kernel.kallsyms]"),
        (0xFFFFFFFF81000200, "vfs_read", 0, "[kernel.kallsyms]"),
        (0xFFFFFFFFC0001010, "ext4_write", 0x10, "[ext4]"),
    ],
)
def test_an_address_of_the_kernel_has_the_name_of_the_function_around_it(
    kernel, address, name, offset, object_file
):
    frame = kernel.resolve(Frame("[unknown]", "[unknown]", address))
    assert frame == Frame(name, object_file, address, offset)


@pytest.mark.parametrize(
    "frame",
    [
        Frame("[unknown]", "[unknown]", 0x5EFD),
        Frame("read", "/usr/lib/libc.so.6", 0xF82AD, 4),
        Frame("vfs_read", "[kernel.kallsyms]", 0xFFFFFFFF81000204, 4),
    ],
)
def test_other_frames_stay_as_perf_prints_them(kernel, frame):
    assert kernel.resolve(frame) is frame


@pytest.mark.parametrize("text", ["0000000000000000 T vfs_read\n", ""])
def test_a_kernel_that_hides_its_addresses_is_the_kernel_without_a_name(tmp_path, text):
    (tmp_path / "kallsyms").write_text(text)
    frame = KernelSymbols(tmp_path / "kallsyms").resolve(Frame("[unknown]", "[unknown]", 0xFFFFFFFF81000200))
    assert (frame.symbol, frame.object_file) == ("[unknown]", "[kernel.kallsyms]")
    lacking = KernelSymbols(tmp_path / "none").resolve(Frame("[unknown]", "[unknown]", 0xFFFFFFFF81000200))
    assert lacking == frame


@pytest.mark.parametrize(
    ("rights", "quick"),
    [
        ("000001ffffffffff", True),
        # Without the right to see addresses, and without that of giving it up.
        ("000001fbffffffff", False),
        ("000001fffffffeff", False),
        ("0000000000000000", False),
    ],
)
def test_the_right_to_see_addresses_is_given_up_where_it_is_held(tmp_path, monkeypatch, rights, quick):
    (tmp_path / "setpriv").write_text("")
    (tmp_path / "setpriv").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "status").write_text(f"Name:\tx\nCapPrm:\t000001ffffffffff\nCapEff:\t{rights}\n")
    assert bool(find_quick_start(tmp_path / "status")) is quick
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert find_quick_start(tmp_path / "status") == ()
    assert find_quick_start(tmp_path / "none") == ()


def test_a_program_that_works_in_the_kernel_has_its_functions_by_name(perf, tmp_path):
    if not any(int(line.split()[0], 16) for line in KALLSYMS.read_text().splitlines()):
        pytest.skip("the kernel hides its addresses here")
    file = tmp_path / "1"
    words = ["dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=3000"]
    subprocess.run(perf.wrap(words, str(file)), check=True, capture_output=True)
    profile = perf.read({1: file}, {"dd"})[1]
    names = {chain[-1].name for chain in profile.weights if chain[-1].place == "kernel"}
    symbols = {line.split()[2] for line in Path(KALLSYMS).read_text().splitlines()}
    assert names
    assert len(names & symbols) > len(names) / 2
