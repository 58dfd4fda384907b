"""Compressed bytes are unpacked whole, up to a limit."""

from __future__ import annotations

import bz2
import gzip
import tracemalloc
import zlib

import pytest

from steelyard.files.inflating import inflate, unpack

PACKED = {"zlib": zlib.compress, "gzip": gzip.compress}


@pytest.mark.parametrize("form", PACKED)
def test_what_was_packed_is_unpacked_up_to_the_limit(form):
    assert inflate(PACKED[form](b"12345"), form=form, largest=5) == b"12345"
    with pytest.raises(ValueError, match="more than 4 bytes"):
        inflate(PACKED[form](b"12345"), form=form, largest=4)


@pytest.mark.parametrize("form", PACKED)
def test_what_is_cut_off_or_goes_on_is_refused(form):
    packed = PACKED[form](b"12345" * 100)
    with pytest.raises(ValueError, match="cut off"):
        inflate(packed[:-3], form=form, largest=1000)
    with pytest.raises(ValueError, match="follows"):
        inflate(packed + b"x", form=form, largest=1000)
    with pytest.raises(zlib.error):
        inflate(b"text", form=form, largest=1000)


def test_no_more_memory_is_taken_than_the_limit():
    packed = zlib.compress(bytes(50_000_000))
    tracemalloc.start()
    with pytest.raises(ValueError, match="unpacks to more"):
        inflate(packed, form="zlib", largest=1_000_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, bytes])
def test_files_that_are_packed_are_unpacked_and_others_stay(pack):
    assert unpack(pack(b"text"), largest=4) == b"text"


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_a_packed_file_that_is_damaged_or_too_large_is_refused(pack):
    content = pack(bytes(range(256)) * 40)
    with pytest.raises(ValueError, match="cut off"):
        unpack(content[: len(content) // 2], largest=100_000)
    with pytest.raises(ValueError, match="more than 100 bytes"):
        unpack(content, largest=100)
    with pytest.raises(ValueError, match="damaged"):
        unpack(content[:10] + b"x" * 20 + content[30:], largest=100_000)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_streams_one_after_the_other_are_one_file(pack):
    packed = pack(b"12345") + pack(b"678")
    assert unpack(packed, largest=8) == b"12345678"
    with pytest.raises(ValueError, match="more than 7 bytes"):
        unpack(packed, largest=7)
    with pytest.raises(ValueError, match="cut off"):
        unpack(packed[:-3], largest=8)
    with pytest.raises(ValueError, match="follows"):
        unpack(packed + b"x", largest=8)
