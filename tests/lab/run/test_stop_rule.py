"""When a run stops: looks at fixed places, precision, caps; with times that are made up."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from steelyard.design import Extension, blocks_until, treatments
from steelyard.lab.answer.analyze import analyze
from steelyard.lab.answer.design_facts import closed_at, idle_looks
from steelyard.lab.run.stop_rule import StopRule
from steelyard.run.measure.measurement import OBSERVED, Measurement
from steelyard.stats.sequential.looks import Looks
from steelyard.stats.sequential.over_looks import looks_of
from steelyard.store import Record


def measurement(trial: int, block: int, place: int, treatment: int, wall_ns: int) -> Measurement:
    observed = dict.fromkeys(OBSERVED, 0) | {"wall_ns": wall_ns, "queue_wait_ns": None, "signal": None}
    return Measurement(trial, block, place, treatment, "ok", **observed)


@pytest.fixture
def at(tmp_path, make_experiment):
    """``at(count, spread, **stop)``: a rule over a record of so many blocks of made-up times, of which every
    ``slow``-th takes half as long again, and the second program ``ratio`` times as long.
    """
    opened = []

    def make(
        count: int, spread: float, seed: int = 1, slow: int = 0, blocks: int = 10, ratio: float = 1.0, **stop
    ) -> tuple[StopRule, int]:
        design = {"blocks": blocks, "discard": 0}
        result = make_experiment(design=design | {"stop": stop} if stop else design)
        drawn = treatments(result)
        record = Record.create(tmp_path / f"{len(opened)}.lab", result, treatments=drawn)
        opened.append(record)
        run = record.begin_run({}, "boot")
        planned = blocks_until(result, drawn, (), count)
        record.add_blocks(planned)
        rng = random.Random(seed)
        measurements = [
            measurement(
                block.first_trial + i,
                block.id,
                i + 1,
                t,
                round(
                    (1.5e6 if slow and block.id % slow == 0 else 1e6)
                    * (ratio if t == drawn[1].id else 1.0)
                    * rng.lognormvariate(0, spread)
                ),
            )
            for block in planned
            for i, t in enumerate(block.order)
        ]
        record.take(run, measurements, record.journal_path(run).name, 0)
        return StopRule(record, result), len(record.outcomes())

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
    assert (look.blocks, look.decision, look.target) == (10, "reached", 0.02)
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


def test_time_that_runs_out_before_the_first_look_leaves_the_precision_unreached(at):
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


def test_a_first_look_in_doubt_ends_nothing_before_30_blocks(at):
    """Every fourth time is 1.5 times as long: a precision of 40 % is reached, but groups may hide more."""
    stopping, n = at(10, 0.001, slow=4, rel_halfwidth=0.4)
    assert stopping.look(n, n, 0.0) is None
    (look,) = at.records[0].looks()
    assert (look.decision, look.rel_halfwidth < 0.4) == ("continue", True)
    (note,) = at.records[0].warnings()
    assert note.kind == "late_look"
    assert "there are two groups of times" in note.text
    assert stopping.blocks_wanted() == 12


def test_from_30_blocks_on_a_doubt_is_only_told(at):
    stopping, n = at(30, 0.001, slow=4, rel_halfwidth=0.4)
    stopping._wanted = 30
    assert stopping.look(n, n, 0.0) == "complete"


def test_below_30_blocks_a_precision_ends_the_run_at_a_quarter_of_its_half_width(at):
    wide, n = at(10, 0.02, rel_halfwidth=0.9)
    wide.look(n, n, 0.0)
    (look,) = at.records[-1].looks()
    for part, end in ((3.9, None), (4.1, "complete")):
        stopping, n = at(10, 0.02, rel_halfwidth=part * look.rel_halfwidth)
        assert stopping.look(n, n, 0.0) == end
        assert at.records[-1].warnings() == []


def test_from_30_blocks_on_the_half_width_wanted_ends_it(at):
    stopping, n = at(30, 0.02, rel_halfwidth=0.02)
    stopping._wanted = 30
    assert stopping.look(n, n, 0.0) == "complete"
    assert at.records[0].looks()[-1].rel_halfwidth > 0.02 / 4


def test_a_precision_of_few_blocks_at_the_cap_is_not_relied_on_and_that_is_said(at):
    stopping, n = at(10, 0.02, rel_halfwidth=0.05, max_blocks=10)
    assert stopping.look(n, n, 0.0) == "precision_not_reached"
    (note,) = at.records[0].warnings()
    assert note.text == (
        "10 blocks are too few to estimate autocorrelation: below 30, a run ends only at a quarter of the"
        " requested half-width."
    )


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
    assert end in (30, 38, 47, 59, 74, 93, 116)
    assert end / 1.27 < needed


def test_a_precision_of_few_blocks_is_told_to_end_at_30(at):
    stopping, n = at(10, 0.02, rel_halfwidth=0.04)
    assert stopping.look(n, n, 0.0) is None
    assert at.records[0].looks()[0].rel_halfwidth < 0.04
    assert stopping.expected_end() == 30


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
    assert (look.blocks, look.target, look.decision) == (10, None, "capped")
    assert StopRule(at.records[0], at.records[0].experiment).look(10, 10, 0.0) == "complete"
    assert len(at.records[0].looks()) == 1


def test_an_extension_that_stays_too_wide_says_so(at):
    at(10, 0.3, rel_halfwidth=0.001)
    assert extended(at.records[0], 6, 10).look(10, 10, 0.0) == "precision_not_reached"


def test_an_answer_ends_the_run_at_the_first_look_and_the_look_says_what_was_wanted(at):
    stopping, n = at(10, 0.02, ratio=8.0, decided=True)
    assert stopping.look(n, n, 0.1) == "complete"
    (look,) = at.records[0].looks()
    assert (look.blocks, look.decision) == (10, "reached")
    assert look.target == pytest.approx(0.0875, rel=0.02)
    assert stopping.speedup == pytest.approx(1 / 8, rel=0.05)


def test_a_verdict_alone_ends_a_run_whose_interval_is_wide_if_that_was_asked_for(at):
    sized, n = at(5, 0.1, ratio=2.0, decided=True, blocks=5)
    assert sized.look(n, n, 0.1) is None
    stopping, n = at(5, 0.1, ratio=2.0, decided=True, until="verdict", blocks=5)
    assert stopping.look(n, n, 0.1) == "complete"
    record = at.records[-1]
    (look,) = record.looks()
    assert (look.blocks, look.decision) == (5, "reached")
    assert look.rel_halfwidth > look.target
    facts = analyze(record).design
    assert looks_of(facts) == Looks((5,), None, "verdict")


def test_looks_that_could_have_ended_a_run_by_their_verdict_are_never_idle(at):
    stopping, n = at(5, 0.1, decided=True, until="verdict", blocks=5)
    assert stopping.look(n, n, 0.1) is None
    assert idle_looks(at.records[-1]) == ()


def test_without_a_verdict_the_run_goes_on_until_patience_ends(at):
    stopping, n = at(10, 0.05, decided=True)
    assert stopping.look(n, n, 0.5) is None
    assert stopping.blocks_wanted() == 12
    assert stopping.seconds_left(4.0) == 6.0
    late, n = at(11, 0.05, decided=True)
    assert late.look(n, n, 10.0) == "precision_not_reached"
    (first,), (last,) = (record.looks() for record in at.records)
    assert (first.decision, last.decision) == ("continue", "capped")
    assert first.target >= 0.01
    assert stopping.interval.low < stopping.speedup < stopping.interval.high


def test_patience_is_no_limit_before_the_least_blocks_are_complete(at):
    stopping, _ = at(9, 0.05, decided=True)
    assert stopping.least == 10
    assert stopping.look(9, 9, 2.0) is None
    assert stopping.look(9, 9, 60.0) is None
    limited, _ = at(9, 0.05, decided=True, max_time="20 s")
    assert limited.least == 0
    assert limited.look(9, 9, 20.0) == "precision_not_reached"


def test_programs_that_are_slow_are_looked_at_from_the_least_blocks_on(at):
    stopping, n = at(5, 0.05, decided=True, blocks=5)
    assert stopping.blocks_wanted() == 10
    assert stopping.look(n, n, 2.9) is None
    assert at.records[0].looks() == []
    assert stopping.look(n, n, 3.1) is None
    assert [look.blocks for look in at.records[0].looks()] == [5]
    assert stopping.look(n, n, 3.2) is None  # not twice at the same place
    assert len(at.records[0].looks()) == 1
    assert stopping.blocks_wanted() == 10


def test_the_look_at_which_time_is_over_spends_what_earlier_looks_left(at):
    """Of a spread of 5 % no look at 10 or 12 blocks is narrow; an extension spends nothing again."""
    stopping, n = at(12, 0.05, decided=True, max_time="5 s")
    record = at.records[0]
    assert stopping.look(10, 10, 0.0) is None
    assert (idle_looks(record), closed_at(record)) == ((10,), None)
    assert stopping.look(n, n, 6.0) == "precision_not_reached"
    assert (idle_looks(record), closed_at(record)) == ((10,), 12)
    (first,) = analyze(record).judged
    assert looks_of(analyze(record).design) == Looks((12,), 12)
    assert first.ci_family == first.ci95
    record.add_extension(Extension(1, 12, 20))
    extended = replace(analyze(record).design, blocks=20)
    assert looks_of(extended) == Looks((12, 20), 12)
    assert looks_of(extended).level(0.05) < 0.01


def test_an_end_that_no_limit_made_leaves_the_looks_open(at):
    stopping, n = at(10, 0.02, ratio=8.0, decided=True)
    assert stopping.look(n, n, 0.0) == "complete"
    assert closed_at(at.records[0]) is None
