from __future__ import annotations

from itertools import islice

from steelyard.extensions.pytest.blocks import COLLECT_EVERY, timed_blocks
from steelyard.extensions.pytest.loop import Loop


def order(seed, blocks):
    calls = []
    loops = [Loop(lambda name=name: calls.append(name)) for name in "abc"]
    rows = list(islice(timed_blocks(loops, seed), blocks))
    assert all(len(row) == 3 and min(row) >= 0 for row in rows)
    return ["".join(calls[i : i + 3]) for i in range(0, len(calls), 3)]


def test_every_loop_is_timed_once_in_each_block_in_an_order_that_the_seed_draws():
    drawn = order(1, 60)
    assert {"".join(sorted(item)) for item in drawn} == {"abc"}
    assert len(set(drawn)) == 6
    assert drawn == order(1, 60)
    assert drawn != order(2, 60)


def test_garbage_is_collected_between_blocks(monkeypatch):
    collected = []
    monkeypatch.setattr("steelyard.extensions.pytest.blocks.gc.collect", lambda: collected.append(1))
    list(islice(timed_blocks([Loop(int)], 1), 2 * COLLECT_EVERY + 1))
    assert len(collected) == 2
