"""Lengths of the environment that stood out by blocks, and what fresh runs say of them."""

from __future__ import annotations

import math
import statistics
import sys
from pathlib import Path
from typing import Final, NamedTuple

from steelyard.api import analyze, load

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [] if str(HERE.parent) in sys.path else [str(HERE.parent)]

import changes as shared  # noqa: E402 -- what studies share lies beside them
import kept_values  # noqa: E402

PART: Final = "environment-again-blocks"
FOUND: Final = {
    "python3": (1024, 256, "environment-blocks"),
    "sqlite3": (2746, 1551, "environment-random-blocks"),
}
"""By program: the length, another one, and the part in which it stood out."""


class Fresh(NamedTuple):
    """CPU time with a length over that with another: of fresh runs, with its 95 % interval, and of those in
    which it stood out.
    """

    ratio: float
    ci95: tuple[float, float]
    when_found: float


def changes() -> dict[str, Fresh]:
    """By program."""
    experiment = load(HERE / "environment-again.toml")
    with kept_values.rebuilt(HERE, PART, experiment) as record:
        result = {}
        for program, (length, second_length, part) in FOUND.items():
            compared = analyze(record, metric="cpu_s", against={"env_bytes": second_length}).judged
            (change,) = (
                entry
                for entry in shared.changes(compared)
                if (entry.levels["command"], entry.levels["env_bytes"]) == (program, length)
            )
            bounds = 1 + change.low, 1 + change.high
            result[program] = Fresh(1 + change.value, bounds, first_ratio(part, program))
    return result


def first_ratio(part: str, program: str) -> float:
    """The same ratio where it stood out, geometric mean over blocks."""
    length, second_length, _ = FOUND[program]
    values = {
        sample.levels["env_bytes"]: sample.values
        for sample in kept_values.kept(HERE, part).samples("cpu_s")
        if sample.levels["command"] == program
    }
    return math.exp(
        statistics.fmean(math.log(a / b) for a, b in zip(values[length], values[second_length], strict=True))
    )
