"""Every kind of design keeps what blocks promise: balance, and a plan that can be drawn again."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.design import BlockOutcome, blocks_until, next_block, treatments, trials_per_block
from steelyard.spec import dumps, loads

KINDS = {
    "full": ({}, 24),
    "two-level": ({"ends": {"a": [1, 4]}}, 16),
    "fraction": ({"generators": ["d = -a b"]}, 8),
    "plackett-burman": ({}, 8),
    "one-at-a-time": ({}, 6),
}
FACTORS = {"a": [1, 2, 4], "b": ["x", "y"], "c": [0, 1], "d": [False, True]}


@pytest.fixture(params=KINDS, scope="module")
def laid_out(request, varied):
    keys, count = KINDS[request.param]

    def build(**design):
        return varied(FACTORS, design={"kind": request.param, **keys, **design})

    return build, count


@given(seed=st.integers(0, 2**63 - 1), replicates=st.integers(1, 3), discard=st.integers(0, 2))
def test_each_treatment_is_equally_often_in_each_block(laid_out, seed, replicates, discard):
    build, count = laid_out
    experiment = build(seed=seed, replicates=replicates, discard=discard, blocks=4)
    arms = treatments(experiment)
    assert [arm.id for arm in arms] == list(range(1, count + 1))
    assert len({arm.label for arm in arms}) == count
    for block in blocks_until(experiment, arms, [], 4):
        assert Counter(block.order) == dict.fromkeys(range(1, count + 1), replicates)
        assert len(block.order) == trials_per_block(experiment, arms)


@given(seed=st.integers(0, 2**63 - 1), failing=st.sets(st.integers(1, 8)))
def test_a_plan_is_the_same_after_a_restart_from_its_text(laid_out, seed, failing):
    build, _ = laid_out
    experiment = build(seed=seed, blocks=5)
    again = loads(dumps(experiment), source=experiment.source)
    assert treatments(again) == treatments(experiment)
    past = []
    while block := next_block(experiment, treatments(experiment), past, 5):
        assert next_block(again, treatments(again), past, 5) == block
        past.append(BlockOutcome(block, "incomplete" if block.id in failing else "complete"))


def test_seeds_change_the_order_and_not_what_is_run(laid_out):
    build, _ = laid_out
    one, other = build(seed=1), build(seed=2)
    assert treatments(one) == treatments(other)
    first, second = (blocks_until(item, treatments(item), [], 3) for item in (one, other))
    assert [block.order for block in first] != [block.order for block in second]
