"""Simulated values are modelled and called so; times of a crowd, or of the runs that were left, get a model
and no rank.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from steelyard.extensions.growth.scaling import Expectation, Question, ScalingModel, model, series_of

LINEAR = series_of("f", ("p",), [(2.0**i,) for i in range(1, 8)], [[3.0 * 2**i] * 5 for i in range(1, 8)])
ASKED = Question(expectations={"f": Expectation("O(log p)")}, parameter="p", scale={"p": 1024.0})


@pytest.mark.parametrize(
    ("change", "rank", "kinds"),
    [
        ({}, "none", set()),
        ({"simulated": True}, "none", {"simulated"}),
        ({"crowded": True}, "undecided", {"crowded"}),
        ({"censored": True}, "undecided", {"failures"}),
        ({"censored": True, "crowded": True}, "undecided", {"crowded", "failures"}),
    ],
)
def test_a_rank_is_stated_unless_ranks_shared_cpus_or_slow_runs_are_missing(change, rank, kinds):
    result = model(replace(LINEAR, **change), ASKED)
    assert isinstance(result, ScalingModel)
    assert result.growth() == "O(p)"
    assert result.validation is not None
    assert (result.validation.rank, result.validation.rank_at_scale) == (rank, rank)
    assert {warning.kind for warning in result.warnings} & {"simulated", "crowded", "failures"} == kinds
