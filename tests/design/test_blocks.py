from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.design import (
    BlockOutcome,
    Extension,
    blocks_until,
    looks,
    next_block,
    treatments,
    trials_per_block,
)


def run(experiment, pieces, fails, upto):
    """The blocks of a run that draws pieces of these sizes; ``fails(block)`` says which stay incomplete.

    As a conductor does: nothing is drawn beyond the next look, and outcomes are known at the end of a piece.
    """
    arms, past = treatments(experiment), []
    sizes = itertools.cycle(pieces)
    for look in looks(experiment):
        target = min(look, upto)
        while todo := blocks_until(experiment, arms, past, target)[: next(sizes)]:
            past += [BlockOutcome(block, "incomplete" if fails(block) else "complete") for block in todo]
        if look >= upto:
            break
    return [outcome.block for outcome in past]


@st.composite
def designs(draw, fewest_passes=1):
    visits = draw(st.integers(fewest_passes, 3))
    blocks = visits * draw(st.integers(1, 8))
    stop = {
        "rel_halfwidth": 0.1,
        "max_blocks": max(blocks, -(-10 // visits) * visits) + visits * draw(st.integers(0, 8)),
    }
    return {
        "contexts": {"env_bytes": "random", "passes": visits},
        "design": {
            "blocks": blocks,
            "seed": draw(st.integers(0, 2**63 - 1)),
            "discard": draw(st.integers(0, 2)),
            "replicates": draw(st.integers(1, 3)),
            **({"stop": stop} if draw(st.booleans()) else {}),
        },
    }


@given(tables=designs())
def test_each_treatment_is_equally_often_in_each_block(compared, tables):
    experiment = compared(**tables)
    arms = treatments(experiment)
    for block in blocks_until(experiment, arms, [], experiment.design.blocks):
        assert Counter(block.order) == {arm.id: experiment.design.replicates for arm in arms}
        assert len(block.order) == trials_per_block(experiment, arms)


@given(
    tables=designs(),
    pieces=st.lists(st.integers(1, 40), min_size=1, max_size=4),
    failing=st.sets(st.integers(1, 40)),
)
def test_a_plan_drawn_in_pieces_equals_one_drawn_at_once_whatever_fails(compared, tables, pieces, failing):
    experiment = compared(**tables)
    upto = list(looks(experiment))[-1]
    once = run(experiment, [10**6], lambda block: block.id in failing, upto)
    assert run(experiment, pieces, lambda block: block.id in failing, upto) == once


@given(tables=designs())
def test_one_block_at_a_time_is_the_same_as_all_of_them(compared, tables):
    experiment = compared(**tables)
    arms, past = treatments(experiment), []
    while block := next_block(experiment, arms, past, experiment.design.blocks):
        past.append(BlockOutcome(block, "discarded" if block.discard else "complete"))
    assert tuple(outcome.block for outcome in past) == blocks_until(
        experiment, arms, [], experiment.design.blocks
    )


@given(tables=designs())
def test_ids_count_from_1_and_discarded_blocks_come_first_in_context_1(compared, tables):
    experiment = compared(**tables)
    drawn = blocks_until(experiment, treatments(experiment), [], experiment.design.blocks)
    discard = experiment.design.discard
    assert [block.id for block in drawn] == list(range(1, discard + experiment.design.blocks + 1))
    assert [block.discard for block in drawn] == [True] * discard + [False] * experiment.design.blocks
    assert all(block.context.id == block.pass_ == 1 for block in drawn[:discard])


@given(tables=designs(fewest_passes=2), failing=st.sets(st.integers(1, 30), max_size=8))
def test_every_context_is_completed_once_in_each_pass_whatever_fails(compared, tables, failing):
    experiment = compared(**tables)
    upto, passes = list(looks(experiment))[-1], experiment.contexts.passes
    blocks = run(experiment, [7], lambda block: block.id in failing, upto)
    done = Counter((b.context.id, b.pass_) for b in blocks if b.id not in failing and not b.discard)
    assert done == {(c, p): 1 for c in range(1, upto // passes + 1) for p in range(1, passes + 1)}


def visits(blocks):
    return [(block.context.id, block.pass_) for block in blocks if not block.discard]


def test_several_passes_visit_all_contexts_of_a_round_before_any_a_second_time(compared):
    experiment = compared(contexts={"env_bytes": "random", "passes": 3}, design={"blocks": 12})
    order = visits(blocks_until(experiment, treatments(experiment), [], 12))
    assert [pass_ for _, pass_ in order] == [1] * 4 + [2] * 4 + [3] * 4
    passes = [[context for context, p in order if p == k] for k in (1, 2, 3)]
    assert [sorted(item) for item in passes] == [[1, 2, 3, 4]] * 3
    assert len({tuple(element) for element in passes}) > 1


def test_a_look_begins_a_round_with_contexts_of_its_own(compared):
    experiment = compared(
        contexts={"env_bytes": "random", "passes": 2},
        design={"blocks": 10, "stop": {"rel_halfwidth": 0.1, "max_blocks": 12}},
    )
    order = visits(blocks_until(experiment, treatments(experiment), [], 12))
    assert {context for context, _ in order[:10]} == {1, 2, 3, 4, 5}
    assert order[10:] == [(6, 1), (6, 2)]


def test_an_incomplete_visit_is_repeated_at_the_end_of_its_round(compared):
    experiment = compared(contexts={"env_bytes": "random", "passes": 2}, design={"blocks": 4, "discard": 0})
    blocks = run(experiment, [1], lambda block: block.id in (1, 3, 5), 4)
    order = visits(blocks)
    assert len(order) == 7
    # Blocks 1 and 3 failed, and so did the first repetition: it has another turn after that of block 3.
    assert order[4:] == [order[0], order[2], order[0]]
    assert blocks[4].context == blocks[0].context


def test_with_one_pass_an_incomplete_block_is_followed_by_one_in_a_new_context(compared):
    experiment = compared(contexts={"env_bytes": "random"}, design={"blocks": 3, "discard": 1})
    blocks = run(experiment, [1], lambda block: block.id == 2, 3)
    assert visits(blocks) == [(1, 1), (2, 1), (3, 1), (4, 1)]
    assert len({block.context.settings["env_bytes"] for block in blocks if not block.discard}) == 4


def test_a_block_that_failed_while_others_were_planned_is_made_up_for_at_the_end(compared):
    experiment = compared(design={"blocks": 3, "discard": 0})
    arms = treatments(experiment)
    planned = blocks_until(experiment, arms, [], 3)
    past = [
        BlockOutcome(block, state)
        for block, state in zip(planned, ("incomplete", "planned", "planned"), strict=True)
    ]
    assert [block.id for block in blocks_until(experiment, arms, past, 3)] == [4]


def test_without_contexts_blocks_have_none(compared):
    experiment = compared(design={"blocks": 4})
    assert {block.context for block in blocks_until(experiment, treatments(experiment), [], 4)} == {None}


def test_by_default_the_next_block_is_drawn_up_to_the_cap_of_the_design(compared):
    experiment = compared(
        design={"blocks": 10, "discard": 0, "stop": {"rel_halfwidth": 0.1, "max_blocks": 11}}
    )
    arms = treatments(experiment)
    past = [BlockOutcome(block, "complete") for block in blocks_until(experiment, arms, [], 10)]
    eleventh = next_block(experiment, arms, past)
    assert eleventh.id == 11
    assert next_block(experiment, arms, [*past, BlockOutcome(eleventh, "complete")]) is None
    endless = compared(design={"blocks": 10, "discard": 0, "stop": {"rel_halfwidth": 0.1, "max_time": "1 s"}})
    assert next_block(endless, arms, past * 1000).id == 10001


def test_nothing_is_drawn_when_nothing_more_is_wanted(compared):
    experiment = compared(design={"blocks": 2})
    arms = treatments(experiment)
    past = [BlockOutcome(block, "complete") for block in blocks_until(experiment, arms, [], 2)]
    assert next_block(experiment, arms, past) is None
    assert blocks_until(experiment, arms, past, 1) == ()


def test_a_sequential_order_is_one_block_with_all_runs_of_each_treatment_in_a_row(compared):
    experiment = compared(design={"order": "sequential", "blocks": 3, "replicates": 2, "discard": 1})
    arms = treatments(experiment)
    warm_up, block = blocks_until(experiment, arms, [], 3)
    assert (warm_up.discard, warm_up.order) == (True, (1, 1, 2, 2))
    assert (block.discard, block.order) == (False, (1,) * 6 + (2,) * 6)
    assert trials_per_block(experiment, arms) == 12
    assert (
        next_block(experiment, arms, [BlockOutcome(warm_up, "discarded"), BlockOutcome(block, "complete")])
        is None
    )
    again = next_block(
        experiment, arms, [BlockOutcome(warm_up, "discarded"), BlockOutcome(block, "incomplete")]
    )
    assert (again.id, again.order) == (3, block.order)


def test_every_treatment_is_equally_often_at_every_place(varied):
    # Chi-square with 4 degrees of freedom: below 18.5 with probability .999 (R: qchisq(.999, 4) = 18.467).
    experiment = varied({"n": [1, 2, 3]}, design={"blocks": 3000, "discard": 0})
    table = Counter(
        (place, treatment)
        for block in blocks_until(experiment, treatments(experiment), [], 3000)
        for place, treatment in enumerate(block.order)
    )
    assert sum((count - 1000) ** 2 / 1000 for count in table.values()) < 18.5


@pytest.mark.parametrize("seed", [1, 2])
def test_a_seed_is_a_plan(compared, seed):
    def plan(number):
        experiment = compared(contexts={"env_bytes": "random"}, design={"blocks": 20, "seed": number})
        return blocks_until(experiment, treatments(experiment), [], 20)

    assert plan(seed) == plan(seed)
    assert plan(seed) != plan(seed + 1)


def test_a_record_that_is_extended_goes_on_in_rounds_as_long_as_its_design(compared):
    experiment = compared(contexts={"env_bytes": "random", "passes": 2}, design={"blocks": 4})
    order = visits(blocks_until(experiment, treatments(experiment), [], 12))
    assert [{context for context, _ in order[i : i + 4]} for i in (0, 4, 8)] == [{1, 2}, {3, 4}, {5, 6}]
    assert len(set(order)) == 12


@given(
    tables=designs(fewest_passes=2),
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=3),
    cut=st.integers(0, 8),
)
def test_extensions_visit_every_context_of_theirs_in_every_pass(compared, tables, sizes, cut):
    """Where time ran out within a round, the next extension finishes that round first."""
    experiment = compared(**tables)
    arms, passes = treatments(experiment), tables["contexts"]["passes"]
    past, extensions = [], []
    start = max(1, next(iter(looks(experiment))) - cut)
    past = [BlockOutcome(b, "complete") for b in blocks_until(experiment, arms, past, start)]
    for size in sizes:
        begun = extensions[-1].to_blocks if extensions else start
        extensions.append(Extension(len(extensions) + 1, begun, begun + passes * size))
        new = blocks_until(experiment, arms, past, begun + passes * size, extensions)
        assert len(new) == passes * size
        assert next_block(experiment, arms, past, extensions=extensions) == new[0]
        past += [BlockOutcome(block, "complete") for block in new]
        if start % passes == 0:
            visits = Counter(o.block.context.id for o in past if not o.block.discard)
            assert set(visits.values()) == {passes} or start < next(iter(looks(experiment)))
    assert next_block(experiment, arms, past, extensions=extensions) is None
    counting = [(o.block.context.id, o.block.pass_) for o in past if not o.block.discard]
    assert len(set(counting)) == len(counting)
