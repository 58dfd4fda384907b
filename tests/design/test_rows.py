from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.design import BlockOutcome, blocks_until, looks, next_block, separability, treatments
from steelyard.spec import experiment


def declare(*, blocks=3, replicates=1, discard=1, arms=3, **keys):
    return experiment(
        program={"command": ["true", "{n}"], **keys.pop("program", {})},
        factors={"n": list(range(arms))},
        design={
            "blocks": blocks,
            "replicates": replicates,
            "discard": discard,
            "order": "nogueira-matias-2014",
        },
        **keys,
    )


def walked(made, spoils=()):
    """Every block, one by one, with those of ``spoils`` incomplete, until there is none left."""
    past = []
    while (block := next_block(made, treatments(made), past)) is not None:
        state = "discarded" if block.discard else "incomplete" if block.id in spoils else "complete"
        past.append(BlockOutcome(block, state))
        assert len(past) < 500
    return past


@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 2), st.integers(2, 4))
def test_the_runs_of_a_treatment_are_in_a_row_and_its_first_are_discarded(blocks, replicates, discard, arms):
    result = declare(blocks=blocks, replicates=replicates, discard=discard, arms=arms)
    rows = [(o.block.order, o.block.discard) for o in walked(result)]
    expected = [
        ((t.id,), d) for t in treatments(result) for d in [True] * discard + [False] * (blocks * replicates)
    ]
    assert rows == expected
    assert [b.order for b in blocks_until(result, treatments(result), (), arms * blocks * replicates)] == [
        order for order, _ in expected
    ]
    assert list(looks(result)) == [arms * blocks * replicates]


def test_trials_are_numbered_through_all_rows():
    assert [o.block.first_trial for o in walked(declare())] == list(range(1, 13))


def test_a_run_that_failed_is_repeated_before_its_row_ends():
    order = [(o.block.order[0], o.block.discard, o.state) for o in walked(declare(blocks=2), spoils={2, 3})]
    assert order[:5] == [
        (1, True, "discarded"),
        (1, False, "incomplete"),
        (1, False, "incomplete"),
        (1, False, "complete"),
        (1, False, "complete"),
    ]
    assert [item[0] for item in order[5:]] == [2] * 3 + [3] * 3


def test_a_plan_that_is_continued_anywhere_equals_one_that_was_not_interrupted():
    result = declare()
    plan = walked(result)
    for cut in range(len(plan)):
        assert next_block(result, treatments(result), plan[:cut]) == plan[cut].block


def test_the_runs_at_one_place_of_each_row_share_a_context():
    result = declare(contexts={"env_bytes": "random"})
    contexts = {}
    for outcome in walked(result):
        if not outcome.block.discard:
            contexts.setdefault(outcome.block.order[0], []).append(outcome.block.context.settings)
    first, *rest = contexts.values()
    assert len({item["env_bytes"] for item in first}) == 3
    assert all(context == first for context in rest)


@pytest.mark.parametrize("program", [{}, {"between_treatments": ["true"]}])
def test_what_this_order_cannot_separate_is_said(program):
    result = " ".join(separability(declare(program=program)))
    assert "one treatment runs after the other" in result
    assert ("start of the machine of its own" in result) == bool(program)
