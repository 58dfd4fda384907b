"""Claims in the words of a sentence."""

from __future__ import annotations

import pytest

from steelyard.report.claims.claim import format_claim_text
from steelyard.spec.claims.ratio import Faster, NotSlower, Slower


@pytest.mark.parametrize(
    ("kind", "key", "by", "words"),
    [
        (Faster, "faster", 1.0, "O3 faster than O2"),
        (Faster, "faster", 1.02, "O3 faster than O2 by 1.02"),
        (Faster, "faster", 0.98, "O3 at most 1.02 × as slow as O2"),
        (NotSlower, "not_slower", 0.05, "O3 not slower than O2 by 5 %"),
        (Slower, "slower", 1.5, "O3 slower than O2 by 1.5"),
        (Slower, "slower", 0.9, "O3 at most 1.11 × as fast as O2"),
    ],
)
def test_a_factor_below_one_is_said_as_the_loss_that_it_allows(kind, key, by, words):
    claim = kind(**{key: {"opt": "O3"}, "than": {"opt": "O2"}, "by": by})
    assert format_claim_text(claim) == words
