"""Ids of records name files, so that nothing but 16 hexadecimal digits is one."""

from __future__ import annotations

import string

from hypothesis import given
from hypothesis import strategies as st

from steelyard.core.record_id import is_record_id


@given(st.binary(min_size=8, max_size=8))
def test_eight_bytes_in_hexadecimal_digits_are_an_id(content):
    assert is_record_id(content.hex())


@given(st.text(string.hexdigits + "./\\\n\0", max_size=20) | st.integers() | st.none() | st.binary())
def test_an_id_has_no_other_character_and_no_other_length(text):
    plain = isinstance(text, str) and len(text) == 16 and not set(text) - set("0123456789abcdef")
    assert is_record_id(text) == plain
