"""Which judge a claim gets."""

from __future__ import annotations

from importlib import import_module
from typing import get_type_hints

import pytest
from msgspec.structs import fields

from steelyard.core.extension import load
from steelyard.spec.claims.claim import key_of, list_kinds, struct_of
from steelyard.spec.claims.ratio import Faster


def test_a_claim_is_called_by_the_key_that_makes_it():
    assert key_of(Faster({"opt": "O3"}, {"opt": "O2"})) == "faster"


@pytest.mark.parametrize("key", list_kinds())
def test_a_kind_has_a_struct_of_its_key_a_judge_of_the_struct_and_words(key):
    kind, struct = list_kinds()[key], struct_of(key)
    assert key_of(struct(*(None for field in fields(struct) if field.required))) == key
    assert get_type_hints(load(kind.judge))["claim"] is struct
    words = import_module(kind.words)
    assert callable(words.text)
    assert callable(words.evidence)
