"""Experiments, blocks and measurements that nobody ran: every number follows from the number of its trial."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from steelyard.core.sample import Treatment
from steelyard.core.units import Metric
from steelyard.design.plan import Block, Context
from steelyard.run.measure.measurement import Measurement, Status, Value
from steelyard.spec.experiment import Design, Experiment, Factor, Program, UserMetric
from steelyard.store import Record

OPTS = ("O2", "O3", "Os")
METRICS = (
    Metric("rate", "1/s", "user", "higher"),
    Metric("latency_s", "s", "user", "lower"),
    Metric("instructions", "", "counter", "lower"),
)


def experiment(**changes: Any) -> Experiment:
    inputs: dict[str, Any] = {
        "name": "made up",
        "source": "/somewhere",
        "program": Program(commands={"": ("prog", "-{opt}")}, env={"OMP_NUM_THREADS": "2"}),
        "factors": (Factor("opt", OPTS),),
        "design": Design(blocks=6, seed=7),
        "metrics": (
            UserMetric(
                "rate", unit="1/s", better="higher", source="stdout", pattern="rate=(.*)", reduce="max"
            ),
            UserMetric("latency_s", unit="s", source="lines", reduce="median"),
        ),
    }
    return Experiment(**(inputs | changes))


def treatments(count: int = 3) -> list[Treatment]:
    return [Treatment(i, f"opt=O{i}", {"opt": f"O{i}", "n": 10 * i}) for i in range(1, count + 1)]


def blocks(count: int, *, treatments: int = 3, first: int = 1, contexts: bool = False) -> list[Block]:
    blocks = []
    for id_ in range(first, first + count):
        order = list(range(1, treatments + 1))
        random.Random(id_).shuffle(order)
        context = Context(id_, {"env_bytes": 16 * id_, "aslr": "off"}) if contexts else None
        blocks.append(Block(id_, 1, context, tuple(order), discard=id_ == 1))
    return blocks


def measurement(block: Block, place: int, *, status: Status = "ok", values: bool = True) -> Measurement:
    trial = (block.id - 1) * len(block.order) + place
    draw = random.Random(trial)
    latencies = [
        Value("latency_s", draw.random(), i, {"op": op, "p": 4})
        for op in ("bcast", "reduce")
        for i in range(1 + trial % 3)
    ]
    ok = status == "ok"
    return Measurement(
        trial=trial,
        block=block.id,
        place=place,
        treatment=block.order[place - 1],
        status=status,
        start_ns=1_785_000_000_000_000_000 + trial * 1_000_000,
        wall_ns=700_000 + draw.randrange(100_000),
        user_us=draw.randrange(400),
        system_us=draw.randrange(400),
        rss_bytes=1_040_384 + 4096 * draw.randrange(20),
        minor_faults=60 + draw.randrange(5),
        major_faults=draw.randrange(2),
        voluntary_switches=draw.randrange(3),
        involuntary_switches=draw.randrange(3),
        # Of the second treatment, some trials were too short to be asked.
        queue_wait_ns=None if block.order[place - 1] == 2 and draw.random() < 0.5 else draw.randrange(50_000),
        exit_code=0 if ok else 1 if status == "failed" else None,
        signal=9 if status == "timed_out" else None,
        cpu=trial % 2,
        argv_bytes=48,
        env_bytes=512,
        left_processes=0,
        values=(
            Value("rate", draw.random() * 1e6, 0),
            Value("rate", draw.random() * 1e6, 1),
            Value("instructions", float(draw.randrange(10**9))),
            *latencies,
        )
        if values and ok
        else (),
        reason=None if ok else "exit code 1, not 0",
        stdout=None if ok else f"output of {trial}\n".encode(),
        stderr=None if ok else b"",
    )


def measurements(blocks: Iterable[Block], **options: Any) -> list[Measurement]:
    return [
        measurement(block, place, **options) for block in blocks for place in range(1, len(block.order) + 1)
    ]


def create(directory: Path, *, count: int = 3, **options: Any) -> Record:
    return Record.create(
        directory,
        experiment(),
        treatments=treatments(count),
        metrics=METRICS,
        **(
            {"spec_text": 'name = "made up"\n', "program": {"path": "/bin/true", "sha256": "0" * 64}}
            | options
        ),
    )


def filled(
    directory: Path, made: Sequence[Block], what: Sequence[Measurement] | None = None, *, trials: int = 0
) -> Record:
    """A record with one run in which these blocks were measured, open for writing; ``trials`` as in
    ``Record.create``.
    """
    record = create(directory, count=len(made[0].order), trials=trials)
    run = record.begin_run({"cpu": "made up", "cpus": 2}, "boot-1")
    record.add_blocks(made)
    record.take(run, measurements(made) if what is None else what, record.journal_path(run).name, 4096)
    return record


TABLES = {
    "block": "SELECT * FROM block ORDER BY id",
    "context": "SELECT * FROM context ORDER BY id",
    "trial": "SELECT * FROM trial ORDER BY id",
    "value": "SELECT trial, metric, (SELECT labels FROM labels WHERE id = value.labels) AS l, i, v FROM value"
    " ORDER BY 1, 2, 3, 4",
}


def tables(directory: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All that a record says about its trials, and in what state its blocks are."""
    with closing(sqlite3.connect(directory / "record.sqlite")) as connection:
        return {name: connection.execute(sql).fetchall() for name, sql in TABLES.items()}


def page_bytes(file: Path) -> int:
    """Size of the pages of an SQLite file, by its header."""
    return int.from_bytes(file.read_bytes()[16:18], "big")
