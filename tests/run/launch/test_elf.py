from __future__ import annotations

import re
import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from steelyard.run.launch.elf import ElfFacts, read_elf


@pytest.fixture
def compiled(tmp_path):
    """``compiled(option, …)``: a program built by the C compiler of this machine."""

    def compile_(*options: str) -> Path:
        source = tmp_path / "main.c"
        source.write_text("int main(void) { return 0; }\n")
        subprocess.run(["cc", *options, "-o", tmp_path / "program", source], check=True)
        return tmp_path / "program"

    return compile_


def readelf(option: str, path: Path, pattern: str) -> str | None:
    printed = subprocess.run(["readelf", option, path], check=True, capture_output=True, text=True).stdout
    match = re.search(pattern, printed)
    return match[1] if match else None


@pytest.mark.parametrize(
    "options", [["-pie"], ["-no-pie"], ["-static"], ["-Wl,--build-id=none"], ["-Wl,--build-id=md5"]]
)
def test_build_id_and_loader_are_those_that_readelf_prints(compiled, options):
    path = compiled(*options)
    expected = ElfFacts(
        build_id=readelf("-n", path, r"Build ID: ([0-9a-f]+)"),
        loader=readelf("-l", path, r"interpreter: ([^\]]+)\]"),
    )
    assert read_elf(path) == expected


def test_a_script_and_an_empty_file_are_no_elf(tmp_path):
    for content in (b"#!/bin/sh\n", b"", b"\x7fEL"):
        (tmp_path / "f").write_bytes(content)
        assert read_elf(tmp_path / "f") is None


def elf(order: str, *, wide: bool, notes: bytes, loader: bytes) -> bytes:
    """A file of two segments, after the gABI's tables 4-1 and 5-1."""
    head_bytes, entry_bytes = (64, 56) if wide else (52, 32)
    contents_at = head_bytes + 2 * entry_bytes
    segments = b""
    for kind, offset, size in ((3, contents_at, len(loader)), (4, contents_at + len(loader), len(notes))):
        if wide:
            segments += struct.pack(order + "IIQQQQQQ", kind, 4, offset, 0, 0, size, size + 9, 1)
        else:
            segments += struct.pack(order + "IIIIIIII", kind, offset, 0, 0, size, size + 9, 4, 1)
    ident = b"\x7fELF" + bytes([2 if wide else 1, 1 if order == "<" else 2, 1]) + bytes(9)
    words = order + ("HHIQQQIHHHHHH" if wide else "HHIIIIIHHHHHH")
    head = struct.pack(words, 2, 20, 1, 0, head_bytes, 0, 0, head_bytes, entry_bytes, 2, 0, 0, 0)
    return ident + head + segments + loader + notes


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("order", ["<", ">"])
def test_both_widths_and_byte_orders_are_read(tmp_path, order, wide):
    note = struct.pack(order + "III", 5, 3, 1) + b"Rust\0\0\0\0" + b"abc\0"
    build_id = struct.pack(order + "III", 4, 4, 3) + b"GNU\0" + bytes.fromhex("00ff10a0")
    path = tmp_path / "f"
    path.write_bytes(elf(order, wide=wide, notes=note + build_id, loader=b"/lib/ld.so.1\0"))
    assert read_elf(path) == ElfFacts("00ff10a0", "/lib/ld.so.1")


def test_a_note_that_ends_before_its_id_gives_none(tmp_path):
    note = struct.pack("<III", 4, 20, 3) + b"GNU\0" + b"short"
    (tmp_path / "f").write_bytes(elf("<", wide=True, notes=note, loader=b"/l\0"))
    assert read_elf(tmp_path / "f") == ElfFacts(None, "/l")


TRUE = Path("/bin/true").read_bytes()


@given(
    st.binary(max_size=200), st.integers(0, 63), st.binary(min_size=1, max_size=8), st.integers(0, len(TRUE))
)
@example(b"", 32, b"\xff" * 8, len(TRUE))
@example(b"", 54, b"\xff" * 4, len(TRUE))
@example(b"", 34, b"\x00\x00\x00\x10", 58)
def test_any_bytes_are_read_without_an_error(tmp_path_factory, tail, place, damage, length):
    path = tmp_path_factory.getbasetemp() / "elf"
    damaged = bytearray(TRUE[:length])
    damaged[place : place + len(damage)] = damage
    for content in (b"\x7fELF" + tail, bytes(damaged)):
        path.write_bytes(content)
        read_elf(path)
