"""Which judge a claim gets."""

from __future__ import annotations

from typing import get_args, get_type_hints

import pytest
from msgspec.structs import fields

from steelyard.claims.judging import JUDGES, _judge_of
from steelyard.spec.claims.claim import KINDS, Claim, Faster, kind_of


def test_every_kind_of_claim_that_a_spec_can_make_has_a_judge():
    assert JUDGES.keys() == KINDS.keys()


@pytest.mark.parametrize("kind", get_args(Claim))
def test_the_judge_of_a_kind_takes_claims_of_this_kind(kind):
    claim = kind(*(None for field in fields(kind) if field.required))
    assert get_type_hints(_judge_of(claim))["claim"] is kind


def test_a_claim_is_called_by_the_key_that_makes_it():
    assert kind_of(Faster({"opt": "O3"}, {"opt": "O2"})) == "faster"
