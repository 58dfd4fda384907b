"""Compressed bytes are unpacked whole, up to a limit."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib

import pytest

from steelyard.files.inflating import inflate

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
