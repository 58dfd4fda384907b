"""The third part: one program whose time depends on the length of its environment, and on nothing else."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Final

import msgspec

from steelyard.extensions.demo import SOURCES
from steelyard.interventions import INTERVENTIONS
from steelyard.lab.run.run import run
from steelyard.lab.run.run_loop import Watch
from steelyard.run.host import host_facts
from steelyard.spec import experiment
from steelyard.store import Record

ADDITIONS: Final = 1_500_000
STEP_BYTES: Final = 16
"""The stack is aligned to it, so that shorter steps change nothing."""
BLOCKS: Final = 3


class Length(msgspec.Struct, frozen=True):
    """One length of the environment.

    Attributes
    ----------
    env_bytes : int
        Added to the environment.
    wall_s : float
        Median of the runs.
    across_line, across_page : bool
        Whether a hot variable of the program lay across the end of a cache line, of a page.
    """

    env_bytes: int
    wall_s: float
    across_line: bool
    across_page: bool


class StackLengths(msgspec.Struct, frozen=True):
    """The program at every length within a page, in steps of the stack's alignment.

    There are none where ASLR cannot be switched off.
    """

    lengths: tuple[Length, ...]
    line_bytes: int
    page_bytes: int
    missing: str | None

    @property
    def typical_s(self) -> float:
        """The median over the lengths."""
        return median(length.wall_s for length in self.lengths)

    @property
    def ratio(self) -> float:
        """The slowest length over the median one."""
        return max(length.wall_s for length in self.lengths) / self.typical_s


def stack_lengths(directory: Path, watch: Watch) -> StackLengths:
    """Run the program at every length, in randomised blocks; the record ``stack.lab`` stays in ``directory``.

    Raises
    ------
    MachineError
        This machine has no C compiler.
    """
    facts = host_facts()
    line, page = int(facts.get("cache_line_bytes", 64)), int(facts["page_bytes"])
    missing = INTERVENTIONS["aslr"].missing("off")
    if missing:
        return StackLengths((), line, page, missing)
    question = experiment(
        name="stack split",
        source=SOURCES,
        program={"command": ["{build}/stack_split", str(ADDITIONS)]},
        build={
            "command": [
                "cc",
                "-std=c11",
                "-O2",
                f"-DLINE={line}",
                f"-DPAGE={page}",
                "-o",
                "{build}/stack_split",
                "stack_split.c",
            ],
            "inputs": ["stack_split.c"],
        },
        factors={"env_bytes": list(range(0, page, STEP_BYTES))},
        contexts={"aslr": "off"},
        design={"blocks": BLOCKS, "discard": 0},
        metrics={
            "across_line": {"source": "stdout", "pattern": "across_line=([0-9]+)", "better": "neither"},
            "across_page": {"source": "stdout", "pattern": "across_page=([0-9]+)", "better": "neither"},
        },
    )
    run(question, directory / "stack.lab", watch=watch)
    with Record.open(directory / "stack.lab") as record:
        seconds: dict[int, dict[str, float]] = defaultdict(dict)
        for metric in ("wall_s", "across_line", "across_page"):
            for sample in record.samples(metric):
                seconds[int(sample.treatment.levels["env_bytes"])][metric] = median(sample.values)
    lengths = (
        Length(env_bytes, by_opt["wall_s"], by_opt["across_line"] > 0, by_opt["across_page"] > 0)
        for env_bytes, by_opt in sorted(seconds.items())
    )
    return StackLengths(tuple(lengths), line, page, None)
