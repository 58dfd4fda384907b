"""Functions of this process, with times that are made up: the loops are replaced by draws."""

from __future__ import annotations

import random

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.pytest import measure as measuring
from steelyard.extensions.pytest.measure import measure

CLOCK = "steelyard.extensions.pytest.measure.time.perf_counter"


@pytest.fixture
def drawn(monkeypatch):
    """``drawn({"f": 1e-6, "g": 2e-6}, spread)``: blocks of log-normal times around these."""

    def make(typical, spread=0.02, seed=1):
        rng = random.Random(seed)

        def blocks(_loops, _seed):
            while True:
                yield tuple(item * rng.lognormvariate(0, spread) for item in typical.values())

        monkeypatch.setattr(measuring, "calibrate", lambda function: function)
        monkeypatch.setattr(measuring, "timed_blocks", blocks)
        return dict.fromkeys(typical, int)

    return make


def test_a_clear_difference_ends_at_the_first_look(drawn):
    result = measure(drawn({"old": 2e-6, "new": 1e-6}))
    (comparison,) = result.judged
    assert (result.design.blocks, result.design.state, comparison.verdict) == (20, "complete", "faster")
    assert comparison.ci95.low < 2 < comparison.ci95.high


def test_interruptions_of_some_blocks_do_not_hide_one_per_cent(drawn, monkeypatch):
    """A tenth of the timings takes three times as long, the others have s = 1 %; 500 blocks."""
    result = drawn({"old": 1.00e-6, "new": 1.01e-6}, 0.01)
    blocks, rng = measuring.timed_blocks, random.Random(2)
    monkeypatch.setattr(
        measuring,
        "timed_blocks",
        lambda *values: (tuple(item * rng.choice([1] * 9 + [3]) for item in row) for row in blocks(*values)),
    )
    ticks = iter(range(10**6))
    monkeypatch.setattr(CLOCK, lambda: next(ticks) / 500)
    (typical,) = measure(result, max_time_s=1.0).judged
    ticks = iter(range(10**6))
    (mean,) = measure(result, max_time_s=1.0, estimand="geomean_ratio").judged
    assert (typical.verdict, mean.verdict) == ("slower", "not_resolved")


@pytest.mark.parametrize(("others", "blocks"), [(1, 6), (2, 7)])
def test_slow_functions_get_the_blocks_by_which_signs_can_decide(drawn, monkeypatch, others, blocks):
    ticks = iter(range(10**6))
    monkeypatch.setattr(CLOCK, lambda: 5.0 * next(ticks))
    result = measure(drawn({"old": 2.0} | {f"new{place}": 1.0 for place in range(others)}))
    assert result.design.blocks == blocks
    assert {item.verdict for item in result.judged} == {"faster"}


def test_a_time_that_was_given_is_kept_and_no_block_is_begun_that_would_end_later(drawn, monkeypatch):
    for max_time_s, blocks in ((1.0, 2), (10.0, 2), (19.0, 3), (20.0, 4)):
        ticks = iter(range(10**6))
        monkeypatch.setattr(CLOCK, lambda: 5.0 * next(ticks))  # noqa: B023
        result = measure(drawn({"old": 2.0, "new": 1.0}), max_time_s=max_time_s)
        assert result.design.blocks == blocks
        assert result.design.state == "precision_not_reached"


def test_an_interruption_interrupts_and_its_note_says_how_far_it_was(drawn, monkeypatch):
    result = drawn({"old": 2.0, "new": 1.0})
    blocks = measuring.timed_blocks

    def interrupted(*values):
        for number, row in enumerate(blocks(*values)):
            if number == 3:
                raise KeyboardInterrupt
            yield row

    monkeypatch.setattr(measuring, "timed_blocks", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        measure(result)
    assert "stopped after 3 blocks" in caught.value.__notes__[0]


def test_equal_functions_go_on_until_the_time_is_over_and_are_not_resolved(drawn, monkeypatch):
    ticks = iter(range(10**6))
    monkeypatch.setattr(CLOCK, lambda: next(ticks) / 100)
    result = measure(drawn({"old": 1e-6, "new": 1e-6}), max_time_s=2.0)
    assert result.design.state == "precision_not_reached"
    assert result.design.blocks == 200
    assert result.judged[0].verdict == "not_resolved"
    assert result.design.looks == (20, 25, 31, 38, 47, 58, 72, 90, 112, 140, 175, 200)
    assert result.design.decided  # so that the verdict pays for them


def test_a_precision_is_reached_without_a_verdict(drawn):
    result = measure(drawn({"old": 1e-6, "new": 1e-6}), precision_wanted=0.02)
    assert (result.design.state, result.design.decided) == ("complete", False)


def test_a_precision_of_fewer_than_30_blocks_is_relied_on_at_a_quarter_of_it(drawn, monkeypatch):
    result = drawn({"old": 1e-6, "new": 1e-6}, 0.002)
    few, enough = (measure(result, precision_wanted=value).design for value in (0.1, 0.004))
    assert (few.blocks, few.state) == (20, "complete")
    assert (enough.blocks >= 30, enough.state) == (True, "complete")
    ticks = iter(range(10**6))
    monkeypatch.setattr(CLOCK, lambda: next(ticks) / 2)
    late = measure(result, precision_wanted=0.004, max_time_s=10.0).design
    assert (late.blocks, late.state) == (20, "precision_not_reached")
    assert 0.001 < late.reached < 0.004


def test_a_clear_difference_in_two_groups_is_looked_at_again_at_30_blocks(drawn, monkeypatch):
    result = drawn({"old": 2e-6, "new": 1e-6}, 0.001)
    blocks = measuring.timed_blocks
    monkeypatch.setattr(
        measuring,
        "timed_blocks",
        lambda *values: (
            tuple(item * (1 + 0.5 * (n % 4 == 0)) for item in row) for n, row in enumerate(blocks(*values))
        ),
    )
    answer = measure(result)
    assert (answer.design.blocks, answer.design.state) == (31, "complete")


def test_one_function_is_described(drawn):
    result = measure(drawn({"f": 1e-6}))
    (sample,) = result.samples
    assert sample.summary.mean == pytest.approx(1e-6, rel=0.03)
    assert "Other processes" in result.unobserved[-1].fields["text"]


def test_what_cannot_be_called_is_refused():
    with pytest.raises(UsageError, match="f is not callable: 3"):
        measure({"f": 3})
    with pytest.raises(UsageError, match="nothing to measure"):
        measure({})


def test_functions_in_real_loops_are_told_apart(clock):
    def taking(ns):
        def function():
            clock.ns += ns + clock.ns % 7

        return function

    result = measure({"short": taking(1000), "long": taking(1020)}, seed=3)
    assert result.judged[0].verdict == "slower"
