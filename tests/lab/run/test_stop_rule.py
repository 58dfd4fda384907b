"""When a run stops: looks at fixed places, precision, caps; with times that are made up."""

from __future__ import annotations

import random

import pytest

from steelyard.design import Extension, blocks_until, treatments
from steelyard.lab.run.stop_rule import StopRule
from steelyard.run.measure.measurement import Measurement
from steelyard.store import Record


def measurement(trial: int, block: int, place: int, treatment: int, wall_ns: int) -> Measurement:
    return Measurement(
        trial, block, place, treatment, "ok", 0, wall_ns, 0, 0, 0, 0, 0, 0, 0, None, 0, None, 0, 0, 0, 0
    )


@pytest.fixture
def at(tmp_path, made):
    """``at(blocks, spread, **stop)``: a rule over a record of so many blocks of made-up times, of which every
    ``slow``-th takes half as long again.
    """
    opened = []

    def make(blocks: int, spread: float, seed: int = 1, slow: int = 0, **stop) -> tuple[StopRule, int]:
        asked = made(
            design={"blocks": 10, "discard": 0, "stop": stop} if stop else {"blocks": 10, "discard": 0}
        )
        drawn = treatments(asked)
        record = Record.create(tmp_path / f"{len(opened)}.lab", asked, treatments=drawn)
        opened.append(record)
        run = record.begin_run({}, "boot")
        planned = blocks_until(asked, drawn, (), blocks)
        record.add_blocks(planned)
        rng = random.Random(seed)
        measurements = [
            measurement(
                block.first_trial + i,
                block.id,
                i + 1,
                t,
                round((1.5e6 if slow and block.id % slow == 0 else 1e6) * rng.lognormvariate(0, spread)),
            )
            for block in planned
            for i, t in enumerate(block.order)
        ]
        record.take(run, measurements, record.journal_path(run).name, 0)
        return StopRule(record, asked), len(record.outcomes())

    make.records = opened
    yield make
    for record in opened:
        record.close()


def test_without_a_stop_rule_the_declared_blocks_are_the_end(at):
    stopping, n = at(10, 0.01)
    assert stopping.blocks_wanted() == 10
    assert stopping.look(9, 9, 0.0) is None
    assert stopping.look(n, n, 0.0) == "complete"


def test_a_reached_precision_ends_the_run_and_the_look_is_stored(at):
    stopping, n = at(10, 0.001, rel_halfwidth=0.02)
    assert stopping.look(n, n, 0.0) == "complete"
    (look,) = at.records[0].looks()
    assert (look.blocks, look.decision, look.wanted) == (10, "reached", 0.02)
    assert 0 < look.rel_halfwidth < 0.02


def test_a_precision_that_is_not_reached_moves_on_to_the_next_look(at):
    stopping, n = at(10, 0.3, rel_halfwidth=0.01)
    assert stopping.look(n, n, 0.0) is None
    assert stopping.blocks_wanted() == 12
    assert [look.decision for look in at.records[0].looks()] == ["continue"]


def test_nothing_is_looked_at_between_two_looks(at):
    stopping, _ = at(10, 0.001, rel_halfwidth=0.02)
    assert stopping.look(9, 9, 0.0) is None
    assert at.records[0].looks() == []


def test_the_cap_on_blocks_ends_the_run_without_the_precision(at):
    stopping, n = at(10, 0.3, rel_halfwidth=0.01, max_blocks=10)
    assert stopping.look(n, n, 0.0) == "precision_not_reached"
    assert at.records[0].looks()[-1].decision == "capped"


def test_the_cap_on_time_ends_the_run_between_looks(at):
    stopping, _ = at(10, 0.3, rel_halfwidth=0.01, max_time="60 s")
    assert stopping.look(7, 7, 59.0) is None
    assert stopping.look(7, 7, 60.0) == "precision_not_reached"


def test_time_that_runs_out_before_the_first_look_leaves_the_precision_unreached_however_narrow(at):
    stopping, n = at(3, 1e-6, rel_halfwidth=0.05, max_time="60 s")
    assert stopping.look(n, n, 60.0) == "precision_not_reached"
    (look,) = at.records[0].looks()
    assert (look.blocks, look.decision) == (3, "capped")
    assert look.rel_halfwidth < 0.05


def test_time_that_runs_out_between_looks_may_find_the_precision_reached(at):
    stopping, n = at(11, 0.001, rel_halfwidth=0.05, max_time="60 s")
    stopping._wanted = 12
    assert stopping.look(n, n, 60.0) == "complete"


def test_a_continued_run_does_not_look_twice_at_the_same_place(at):
    stopping, n = at(10, 0.3, rel_halfwidth=0.01)
    stopping.look(n, n, 0.0)
    again = StopRule(at.records[0], at.records[0].experiment)
    assert again.blocks_wanted() == 12
    assert again.look(n, n, 0.0) is None
    assert len(at.records[0].looks()) == 1


def test_a_first_look_in_doubt_ends_nothing_before_20_blocks(at):
    """Every fourth time is 1.5 times as long: a precision of 40 % is reached, but groups may hide more."""
    stopping, n = at(10, 0.001, slow=4, rel_halfwidth=0.4)
    assert stopping.look(n, n, 0.0) is None
    (look,) = at.records[0].looks()
    assert (look.decision, look.rel_halfwidth < 0.4) == ("continue", True)
    (note,) = at.records[0].warnings()
    assert note.kind == "late_look"
    assert "values fall into two groups" in note.text
    assert stopping.blocks_wanted() == 12


def test_from_20_blocks_on_a_doubt_is_only_told(at):
    stopping, n = at(24, 0.001, slow=4, rel_halfwidth=0.4)
    stopping._wanted = 24
    assert stopping.look(n, n, 0.0) == "complete"


def test_a_doubt_at_the_cap_leaves_the_precision_unreached(at):
    stopping, n = at(10, 0.001, slow=4, rel_halfwidth=0.4, max_blocks=10)
    assert stopping.look(n, n, 0.0) == "precision_not_reached"


def test_a_strict_rule_looks_at_40_blocks_first(at):
    stopping, _ = at(10, 0.001, rel_halfwidth=0.02, strict=True)
    assert stopping.blocks_wanted() == 40
    assert stopping.look(39, 39, 0.0) is None
    assert at.records[0].looks() == []


def test_the_end_is_told_from_the_last_look_and_is_a_look_itself(at):
    stopping, n = at(10, 0.03, rel_halfwidth=0.01)
    assert stopping.expected_end() is None
    stopping.look(n, n, 0.0)
    (look,) = at.records[0].looks()
    needed = 10 * (look.rel_halfwidth / 0.01) ** 2
    assert 19 < needed < 100
    end = stopping.expected_end()
    assert end >= needed
    assert end in (24, 30, 38, 47, 59, 74, 93, 116)
    assert end / 1.27 < needed


def test_the_end_is_never_beyond_the_cap(at):
    stopping, n = at(10, 0.3, rel_halfwidth=0.01, max_blocks=40)
    stopping.look(n, n, 0.0)
    assert stopping.expected_end() == 40


def test_without_a_precision_the_end_is_known_from_the_start(at):
    stopping, _ = at(3, 0.01)
    assert stopping.expected_end() == 10


def extended(record, from_blocks, to_blocks):
    record.end_run(record.runs()[-1].id, "complete")
    record.add_extension(Extension(record.runs()[-1].id, from_blocks, to_blocks))
    record.begin_run({}, "boot")
    return StopRule(record, record.experiment)


def test_an_extension_has_its_blocks_whatever_precision_and_time_say(at):
    at(10, 1e-6, rel_halfwidth=0.02, max_time="1 s")
    stopping = extended(at.records[0], 6, 10)
    assert stopping.blocks_wanted() == stopping.expected_end() == 10
    assert stopping.seconds_left(1e6) is None
    assert stopping.look(9, 9, 1e6) is None
    assert stopping.look(10, 10, 1e6) == "complete"
    assert [(look.blocks, look.decision) for look in at.records[0].looks()] == [(10, "reached")]


def test_the_end_of_an_extension_is_a_look_without_a_stop_rule_too(at):
    at(10, 0.1)
    stopping = extended(at.records[0], 6, 10)
    assert stopping.look(10, 10, 0.0) == "complete"
    (look,) = at.records[0].looks()
    assert (look.blocks, look.wanted, look.decision) == (10, None, "capped")
    assert StopRule(at.records[0], at.records[0].experiment).look(10, 10, 0.0) == "complete"
    assert len(at.records[0].looks()) == 1


def test_an_extension_that_stays_too_wide_says_so(at):
    at(10, 0.3, rel_halfwidth=0.001)
    assert extended(at.records[0], 6, 10).look(10, 10, 0.0) == "precision_not_reached"
