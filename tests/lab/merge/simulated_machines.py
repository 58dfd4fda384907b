"""Records of made-up machines: one spec, values that follow from a machine and a seed."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from pathlib import Path

from steelyard.core.units import Scalar
from steelyard.design import blocks_until, treatments
from steelyard.design.plan import Block
from steelyard.run.measure.measurement import Measurement
from steelyard.spec import loads
from steelyard.store import Record, RunState
from steelyard.store.rows import metrics_of

SPEC = """
[program]
commands = { old = ["true"], new = ["false"] }
[design]
blocks = 20
seed = 1
[[claims]]
faster = { command = "new" }
than = { command = "old" }
"""


def machine(
    directory: Path,
    host: str,
    speedup: float = 1.0,
    *,
    seed: int = 1,
    slow: float = 1.0,
    noise: float = 0.01,
    boot: str = "",
    state: RunState = "complete",
    facts: Mapping[str, Scalar] | None = None,
    spec: str = SPEC,
    sha256: str = "0",
    blocks: int | None = None,
) -> Path:
    """A record of one machine, on which ``new`` takes 1 / ``speedup`` of the time of ``old``."""
    document = loads(spec.replace("seed = 1", f"seed = {seed}"), source=f"/home/{host}", name="spec")
    drawn = treatments(document)
    draw = random.Random(f"{host} {seed} {speedup}")
    program = {"/bin/true": {"sha256": sha256}}
    with Record.create(
        directory, document, treatments=drawn, metrics=metrics_of(document), program=program
    ) as record:
        run = record.begin_run({"hostname": host, **(facts or {})}, boot or f"boot of {host}")
        result = blocks_until(document, drawn, (), blocks or document.design.blocks)
        record.add_blocks(result)
        measured = []
        for block in result:
            for place, treatment in enumerate(block.order, 1):
                is_new = drawn[treatment - 1].levels["command"] == "new"
                wall_s = slow / (speedup if is_new else 1.0) * math.exp(draw.gauss(0.0, noise))
                measured.append(_measurement(block, place, treatment, round(wall_s * 1e8)))
        record.take(run, measured, record.journal_path(run).name, 0)
        record.end_run(run, state)
    return directory


def _measurement(block: Block, place: int, treatment: int, wall_ns: int) -> Measurement:
    return Measurement(
        trial=block.first_trial + place - 1,
        block=block.id,
        place=place,
        treatment=treatment,
        status="ok",
        start_ns=1_785_000_000_000_000_000 + block.id,
        wall_ns=wall_ns,
        user_us=wall_ns // 1000,
        system_us=0,
        rss_bytes=4096,
        minor_faults=0,
        major_faults=0,
        voluntary_switches=0,
        involuntary_switches=0,
        queue_wait_ns=0,
        exit_code=0,
        signal=None,
        cpu=0,
        argv_bytes=1,
        env_bytes=1,
        left_processes=0,
        values=(),
    )
