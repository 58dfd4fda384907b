"""Progress of records that belong together."""

from __future__ import annotations

from steelyard.lab.run.run_loop import watch_part
from steelyard.results.status import Progress


def test_records_of_one_block_each_are_told_as_blocks_of_one_run():
    reports: list[Progress] = []
    for place in range(3):
        watch = watch_part(reports.append, place, 3)
        watch(Progress(0, 1, 2.0, 4.0))
        watch(Progress(1, 1, 6.0, 0.0))
    assert [(at.blocks_done, at.blocks_wanted) for at in reports] == [
        (0, 3),
        (1, 3),
        (1, 3),
        (2, 3),
        (2, 3),
        (3, 3),
    ]
    # How long the next record takes is not how long all of what is left takes.
    assert [at.remaining_s for at in reports] == [None, None, None, None, 4.0, 0.0]


def test_programs_that_are_built_are_no_blocks():
    reports: list[Progress] = []
    building = Progress(1, 2, 2.0, None, noun="programs")
    watch_part(reports.append, 1, 3)(building)
    assert reports == [building]
