"""Records of programs that nobody ran, with the times that a test wants, in real files; a repository,
and series that are drawn."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from drawn_noise import noise_of
from drawn_series import made_series
from made_up import measurement
from msgspec.structs import replace
from scratch_repository import ScratchRepository

from steelyard.core.sample import Treatment
from steelyard.core.units import Scalar
from steelyard.design.plan import Block
from steelyard.spec.experiment import Design, Experiment, Factor, Program
from steelyard.store import Record, RunState

__all__ = ["made_series", "noise_of"]

HOST: dict[str, Scalar] = {"cpu_model": "made up", "cpus_online": 2, "kernel": "Linux 6.1", "hostname": "a"}


@pytest.fixture
def recorded(tmp_path: Path) -> Callable[..., Path]:
    """``recorded("name.lab", a_s, b_s)``: a record of two programs with times around these."""

    def make(
        name: str,
        *times_s: float,
        host: Mapping[str, Scalar] = HOST,
        blocks: int = 6,
        words: Sequence[str] = ("prog",),
        noise: float = 0.01,
        state: RunState = "complete",
        cpu_s: float | None = None,
    ) -> Path:
        directory = tmp_path / name
        treatments = [Treatment(i, label, {"which": label}) for i, label in zip((1, 2), "ab", strict=True)]
        experiment = Experiment(
            name="made up",
            source=str(tmp_path),
            program=Program(commands={"": (*words, "{which}")}),
            factors=(Factor("which", ("a", "b")),),
            design=Design(blocks=blocks),
        )
        drawn = [Block(id_, 1, None, (1, 2)) for id_ in range(1, blocks + 1)]
        draw = random.Random(name)
        record = Record.create(directory, experiment, treatments=treatments[: len(times_s)] or treatments)
        with record:
            run = record.begin_run(host, "boot-1")
            if times_s:
                record.add_blocks(drawn)
                measured = [
                    replace(
                        measurement(block, place, values=False),
                        wall_ns=round(times_s[place - 1] * 1e9 * draw.lognormvariate(0, noise)),
                        **({} if cpu_s is None else {"user_us": round(cpu_s * 1e6), "system_us": 0}),
                    )
                    for block in drawn
                    for place in (1, 2)
                ]
                record.take(run, measured, record.journal_path(run).name, 4096)
            record.end_run(run, state)
        return directory

    return make


@pytest.fixture
def commits(tmp_path: Path) -> ScratchRepository:
    return ScratchRepository(tmp_path / "repository")
