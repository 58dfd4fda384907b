"""Which judge a claim gets."""

from __future__ import annotations

from importlib import import_module
from typing import get_args, get_type_hints

import pytest
from msgspec.structs import fields

from steelyard.claims.judging import _judge_of
from steelyard.spec.claims.claim import KINDS, Claim, Faster, kind_of, module_of


@pytest.mark.parametrize("kind", get_args(Claim))
def test_the_judge_of_a_kind_takes_claims_of_this_kind(kind):
    claim = kind(*(None for field in fields(kind) if field.required))
    assert get_type_hints(_judge_of(claim))["claim"] is kind


def test_a_claim_is_called_by_the_key_that_makes_it():
    assert kind_of(Faster({"opt": "O3"}, {"opt": "O2"})) == "faster"


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_claim_is_three_files_of_one_name(kind):
    claim = KINDS[kind](*(None for field in fields(KINDS[kind]) if field.required))
    name = module_of(claim)
    assert kind_of(claim) == kind
    assert callable(getattr(import_module(f"steelyard.claims.{name}"), f"judge_{kind}"))
    words = import_module(f"steelyard.report.claims.{name}")
    assert callable(words.text)
    assert callable(words.evidence)
