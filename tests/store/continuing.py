"""A runner and its Python side in one: journals trials, moves them, goes on where it was killed."""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Sequence
from pathlib import Path

import made_up

from steelyard.design.plan import Block
from steelyard.run.measure.measurement import Measurement
from steelyard.store import Record


def journalled(path: Path, offset: int, all_blocks: Sequence[Block]) -> tuple[list[Measurement], int]:
    """What whole lines of the journal say from ``offset`` on, and where they end."""
    blocks = {block.id: block for block in all_blocks}
    text = path.read_bytes()[offset:] if path.exists() else b""
    lines = text[: text.rfind(b"\n") + 1]
    result = [json.loads(line) for line in lines.splitlines()]
    return [made_up.measurement(blocks[block], place) for block, place in result], offset + len(lines)


def move_what_is_left(record: Record, all_blocks: Sequence[Block]) -> None:
    for journal in record.journals():
        measurements, end = journalled(journal.path, journal.moved_bytes, all_blocks)
        record.take(journal.run, measurements, journal.name, end)
        record.drop_journal(journal.name)


def work_on(
    directory: Path, all_blocks: Sequence[Block], draw: random.Random, *, die_at_statement: int | None = None
) -> None:
    """Go on with the experiment until all blocks are done, or until this process is killed."""
    with Record.open(directory, write=True) as record:
        if die_at_statement is not None:
            result = iter(range(die_at_statement))

            def die_at_the_last(_: str) -> None:
                if next(result, None) is None:
                    os.kill(os.getpid(), signal.SIGKILL)

            record._connection.set_trace_callback(die_at_the_last)
        move_what_is_left(record, all_blocks)
        run = record.begin_run({"cpus": 2}, "boot")
        path = record.journal_path(run)
        with path.open("ab", buffering=0) as journal:
            states = {outcome.block.id: outcome.state for outcome in record.outcomes()}
            todo = [block for block in all_blocks if states.get(block.id, "planned") == "planned"]
            while todo:
                batch, todo = todo[: (size := draw.randint(1, 3))], todo[size:]
                record.add_blocks(block for block in batch if block.id not in states)
                for block in batch:
                    finished = record.finished_trials(block.id)
                    for place in range(1, len(block.order) + 1):
                        if (block.id - 1) * len(block.order) + place not in finished:
                            line = json.dumps([block.id, place]).encode() + b"\n"
                            # A frame in two writes is a frame that a kill can tear.
                            journal.write(line[:4])
                            journal.write(line[4:])
                    if draw.random() < 0.5:
                        take(record, run, path, all_blocks)
                take(record, run, path, all_blocks)
        record.end_run(run, "complete")


def take(record: Record, run: int, path: Path, all_blocks: Sequence[Block]) -> None:
    measurements, end = journalled(path, record.journal_offset(path.name), all_blocks)
    record.take(run, measurements, path.name, end)
