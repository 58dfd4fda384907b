"""How far an experiment can go."""

from __future__ import annotations

import pytest

from steelyard.lab.answer.status import most_blocks
from steelyard.spec import experiment


@pytest.mark.parametrize(
    ("design", "blocks"),
    [
        ({"blocks": 7}, 7),
        ({"blocks": 7, "order": "sequential"}, 1),
        ({"blocks": 7, "stop": {"max_time": "1 min"}}, 7),
        ({"blocks": 7, "stop": {"rel_halfwidth": 0.01, "max_time": "1 min"}}, None),
        ({"blocks": 7, "stop": {"rel_halfwidth": 0.01, "max_blocks": 40}}, 40),
    ],
)
def test_an_experiment_ends_after_its_blocks_unless_a_precision_says_otherwise(design, blocks):
    program = {"command": ["p", "{opt}"]}
    assert most_blocks(experiment(program=program, factors={"opt": ["a", "b"]}, design=design)) == blocks
