"""The seal of a record answers for the bytes that it was made of, and for no others."""

from __future__ import annotations

import shutil
import sqlite3
import zlib
from contextlib import closing

import made_up
import msgspec
import pytest

from steelyard.core.units import BUILTIN
from steelyard.results.digest import Digest
from steelyard.store import Record
from steelyard.store.facts import SUMMARY as NAME
from steelyard.store.seal import FORMAT, VERSION, Seal, SealSummary, _hash, _hash_file, read_seal, write_seal
from steelyard.store.summaries import Condensed, Labelled

SUMMARY = SealSummary(
    Condensed(
        "0123456789abcdef", "a.lab", 1, "a", "wall_s", "{}", "{}",
        {"wall_s": (Labelled("O2", {"op": "bcast"}, Digest(3, 1.5, None, 0)),)},
    ),
    (BUILTIN["wall_s"],),
)  # fmt: skip


@pytest.fixture
def file(tmp_path):
    made_up.filled(tmp_path / "a.lab", made_up.blocks(10)).close()
    file = tmp_path / "a.lab" / "record.sqlite"
    write_seal(file, SUMMARY)
    return file


def test_what_was_sealed_is_read_also_from_a_copy_at_another_place(file, tmp_path):
    assert read_seal(file) == SUMMARY
    shutil.copytree(file.parent, tmp_path / "b.lab")
    assert read_seal(tmp_path / "b.lab" / "record.sqlite") == SUMMARY


def test_no_flipped_bit_of_record_or_summary_is_answered_for(file):
    for changed in (file, file.with_name(NAME)):
        content = changed.read_bytes()
        for bit in range(0, 8 * len(content), 8 * len(content) // 97):
            damaged = bytearray(content)
            damaged[bit // 8] ^= 1 << bit % 8
            changed.write_bytes(damaged)
            assert read_seal(file) in (None, SUMMARY if changed != file else None)
        changed.write_bytes(content)
    assert read_seal(file) == SUMMARY


def test_a_record_that_another_program_or_a_writer_changed_is_not_answered_for(file):
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE trial SET wall_ns = wall_ns + 1 WHERE id = 7")
    assert read_seal(file) is None
    write_seal(file, SUMMARY)
    with Record.open(file.parent, write=True):
        assert read_seal(file) is None
        assert not file.with_name(NAME).exists()


def test_what_stands_in_a_log_beside_the_file_is_not_answered_for(file):
    file.with_name("record.sqlite-wal").write_bytes(b"x")
    assert read_seal(file) is None


@pytest.mark.parametrize("content", [b"", b"\n", b"{}\n", b"[1]\nx", b"\xff" * 200, None])
def test_a_seal_that_is_none_is_not_read(file, content):
    seal = file.with_name(NAME)
    seal.unlink()
    if content is None:
        seal.mkdir()
    else:
        seal.write_bytes(content)
    assert read_seal(file) is None


def test_a_seal_of_a_newer_version_is_not_read(file):
    seal = file.with_name(NAME)
    seal.write_bytes(seal.read_bytes().replace(b'"version":1', b'"version":2'))
    assert read_seal(file) is None


def test_a_record_that_cannot_be_written_gets_no_seal_and_no_error(file, small_disk):
    copy = shutil.copytree(file.parent, small_disk.path / "a.lab") / file.name
    copy.with_name(NAME).unlink()
    small_disk.fill()
    write_seal(copy, SUMMARY)
    assert read_seal(copy) is None
    assert {path.name for path in copy.parent.iterdir()} == {path.name for path in file.parent.iterdir()} - {
        NAME
    }


@pytest.mark.parametrize("text", [b" " * (2**26 + 1), b"[" * 10**5], ids=["bomb", "depth"])
def test_a_summary_that_unpacks_without_end_or_depth_is_not_answered_for(file, text):
    packed = zlib.compress(text)
    seal = Seal(FORMAT, VERSION, _hash_file(file), _hash(packed))
    file.with_name(NAME).write_bytes(msgspec.json.encode(seal) + b"\n" + packed)
    assert read_seal(file) is None
