from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.design import last_look, looks, next_look
from steelyard.design.looks import DEFAULT_CAP


def first(experiment, count):
    return list(itertools.islice(looks(experiment), count))


@pytest.fixture
def stopped(compared):
    def build(blocks=10, passes=None, **stop):
        contexts = {"env_bytes": "random", "passes": passes} if passes else {"env_bytes": "random"}
        return compared(contexts=contexts, design={"blocks": blocks, "stop": {"rel_halfwidth": 0.01, **stop}})

    return build


def test_looks_come_at_ten_blocks_and_at_each_fourth_more(stopped):
    assert first(stopped(max_time="1 h"), 8) == [10, 12, 15, 19, 24, 30, 38, 47]


def test_looks_start_at_the_blocks_of_the_design_where_these_are_more(stopped):
    assert first(stopped(blocks=30, max_time="1 h"), 4) == [30, 37, 46, 58]


def test_looks_start_at_ten_where_the_design_has_fewer(stopped):
    assert first(stopped(blocks=4, max_time="1 h"), 2) == [10, 12]


def test_the_last_look_is_at_the_cap(stopped):
    assert list(looks(stopped(max_blocks=20))) == [10, 12, 15, 19, 20]
    assert list(looks(stopped(max_blocks=19))) == [10, 12, 15, 19]
    assert list(looks(stopped(max_blocks=10))) == [10]


def test_looks_come_after_whole_passes(stopped):
    assert list(looks(stopped(blocks=9, passes=3, max_blocks=30))) == [12, 15, 21, 24, 30]


def test_a_rule_without_any_cap_gives_up_after_a_thousand_blocks(stopped):
    assert list(looks(stopped()))[-1] == last_look(stopped()) == DEFAULT_CAP
    assert list(looks(stopped(blocks=3000))) == [3000]
    assert list(looks(stopped(blocks=9, passes=3)))[-1] == 1002


def test_a_rule_that_only_time_limits_looks_without_end(stopped):
    assert last_look(stopped(max_time="1 h")) is None
    assert first(stopped(max_time="1 h"), 60)[-1] > 1_000_000


def test_without_a_wanted_precision_there_is_one_look_at_the_end(compared):
    assert list(looks(compared(design={"blocks": 7}))) == [7]
    assert list(looks(compared(design={"blocks": 7, "stop": {"max_time": "1 min"}}))) == [7]


def test_the_next_look_is_the_first_that_is_not_reached(stopped):
    rule = stopped(max_blocks=19)
    assert [next_look(rule, complete) for complete in (0, 9, 10, 11, 12, 18, 19)] == [
        10,
        10,
        12,
        12,
        15,
        19,
        None,
    ]


@given(blocks=st.integers(1, 300), passes=st.integers(1, 7), more=st.integers(0, 2000))
def test_looks_ascend_in_whole_passes_and_end_at_the_cap(compared, blocks, passes, more):
    blocks = min(blocks, 200) * passes
    cap = (max(blocks, 10) + more + passes - 1) // passes * passes
    rule = compared(
        contexts={"env_bytes": {"range": [0, 2500]}, "passes": passes},
        design={"blocks": blocks, "stop": {"rel_halfwidth": 0.1, "max_blocks": cap}},
    )
    result = list(looks(rule))
    assert result == sorted(set(result))
    assert all(look % passes == 0 for look in result)
    assert result[-1] == cap
    assert result[0] >= min(max(blocks, 10), cap)


def test_a_strict_rule_looks_at_40_blocks_first(compared):
    experiment = compared(design={"stop": {"rel_halfwidth": 0.02, "strict": True}})
    assert list(itertools.islice(looks(experiment), 4)) == [40, 50, 62, 78]


def test_a_rule_that_a_verdict_ends_looks_once_at_five_blocks_before(compared):
    def schedule(**design):
        stop = {"decided": True, "until": "verdict", "max_time": "1 h"} | design.pop("stop", {})
        return first(compared(design={"stop": stop, **design}), 4)

    assert schedule(blocks=5) == [5, 10, 12, 15]
    assert schedule(blocks=2) == [5, 10, 12, 15]
    assert schedule(blocks=12) == [12, 15, 18, 23]
    assert schedule(blocks=5, stop={"strict": True})[0] == 40
    assert schedule(blocks=5, stop={"until": "size"})[0] == 10
