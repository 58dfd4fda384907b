"""When a run stops: looks at fixed places, precision, caps; with times that are made up."""

from __future__ import annotations

import random

import pytest

from steelyard.design import BlockOutcome, blocks_until, treatments
from steelyard.lab.stopping import Stopping
from steelyard.run.measurement import Measurement
from steelyard.store import Record


def measurement(trial: int, block: int, place: int, treatment: int, wall_ns: int) -> Measurement:
    return Measurement(
        trial, block, place, treatment, "ok", 0, wall_ns, 0, 0, 0, 0, 0, 0, 0, None, 0, None, 0, 0, 0, 0
    )


@pytest.fixture
def at(tmp_path, made):
    """``at(blocks, spread, **stop)``: a rule over a record of so many blocks of made-up times."""
    opened = []

    def make(blocks: int, spread: float, seed: int = 1, **stop) -> tuple[Stopping, list[BlockOutcome]]:
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
            measurement(block.first_trial + i, block.id, i + 1, t, round(1e6 * rng.lognormvariate(0, spread)))
            for block in planned
            for i, t in enumerate(block.order)
        ]
        record.take(run, measurements, record.journal_path(run).name, 0)
        return Stopping(record, asked), record.outcomes()

    make.records = opened
    yield make
    for record in opened:
        record.close()


def test_without_a_stop_rule_the_declared_blocks_are_the_end(at):
    stopping, outcomes = at(10, 0.01)
    assert stopping.blocks_wanted() == 10
    assert stopping.look(outcomes[:9], 0.0) is None
    assert stopping.look(outcomes, 0.0) == "complete"


def test_a_reached_precision_ends_the_run_and_the_look_is_stored(at):
    stopping, outcomes = at(10, 0.001, rel_halfwidth=0.02)
    assert stopping.look(outcomes, 0.0) == "complete"
    (look,) = at.records[0].looks()
    assert (look.blocks, look.decision, look.wanted) == (10, "reached", 0.02)
    assert 0 < look.rel_halfwidth < 0.02


def test_a_precision_that_is_not_reached_moves_on_to_the_next_look(at):
    stopping, outcomes = at(10, 0.3, rel_halfwidth=0.01)
    assert stopping.look(outcomes, 0.0) is None
    assert stopping.blocks_wanted() == 12
    assert [look.decision for look in at.records[0].looks()] == ["continue"]


def test_nothing_is_looked_at_between_two_looks(at):
    stopping, outcomes = at(10, 0.001, rel_halfwidth=0.02)
    assert stopping.look(outcomes[:9], 0.0) is None
    assert at.records[0].looks() == []


def test_the_cap_on_blocks_ends_the_run_without_the_precision(at):
    stopping, outcomes = at(10, 0.3, rel_halfwidth=0.01, max_blocks=10)
    assert stopping.look(outcomes, 0.0) == "precision_not_reached"
    assert at.records[0].looks()[-1].decision == "capped"


def test_the_cap_on_time_ends_the_run_between_looks(at):
    stopping, outcomes = at(10, 0.3, rel_halfwidth=0.01, max_time="60 s")
    assert stopping.look(outcomes[:7], 59.0) is None
    assert stopping.look(outcomes[:7], 60.0) == "precision_not_reached"


def test_time_that_runs_out_before_the_first_look_leaves_the_precision_unreached_however_narrow(at):
    stopping, outcomes = at(3, 1e-6, rel_halfwidth=0.05, max_time="60 s")
    assert stopping.look(outcomes, 60.0) == "precision_not_reached"
    (look,) = at.records[0].looks()
    assert (look.blocks, look.decision) == (3, "capped")
    assert look.rel_halfwidth < 0.05


def test_time_that_runs_out_between_looks_may_find_the_precision_reached(at):
    stopping, outcomes = at(11, 0.001, rel_halfwidth=0.05, max_time="60 s")
    stopping._last_look = 10
    assert stopping.look(outcomes, 60.0) == "complete"


def test_a_continued_run_does_not_look_twice_at_the_same_place(at):
    stopping, outcomes = at(10, 0.3, rel_halfwidth=0.01)
    stopping.look(outcomes, 0.0)
    again = Stopping(at.records[0], at.records[0].experiment)
    assert again.blocks_wanted() == 12
    assert again.look(outcomes, 0.0) is None
    assert len(at.records[0].looks()) == 1
