"""The first part: a command against itself.

It runs one command after the other as usual, and in randomised blocks.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

import msgspec

from steelyard.core.errors import MachineError
from steelyard.lab.answer.analyze import analyze
from steelyard.lab.run.run import run
from steelyard.results.comparison import Speedup
from steelyard.spec import experiment
from steelyard.store import Record

COMPARISONS: Final = 40
RUNS: Final = 50


class AgainstItself(msgspec.Struct, frozen=True):
    """Count of comparisons that called a program different from itself at the 5 % level.

    Attributes
    ----------
    worst : float
        The largest ratio that was found, above 1.
    """

    order: Literal["sequential", "randomized"]
    command: str
    comparisons: int
    runs: int
    called_different: int
    worst: float


def compare_with_itself(
    directory: Path, order: Literal["sequential", "randomized"], watch: Callable[[int, int], None]
) -> AgainstItself:
    """Compare ``true`` with itself, again and again; the last record stays in ``directory``.

    Raises
    ------
    MachineError
        ``true`` is not found.
    """
    program = shutil.which("true")
    if program is None:
        raise MachineError(
            "the program 'true' is not found",
            hint="put the directory of true into PATH: PATH=$PATH:/bin steelyard demo",
        )
    different, worst = 0, 1.0
    for number in range(1, COMPARISONS + 1):
        watch(number - 1, COMPARISONS)
        question = experiment(
            name=f"true against itself, {order}",
            program={"commands": {"true": [program], "the same true": [program]}},
            design={"blocks": RUNS, "order": order, "seed": number},
        )
        shutil.rmtree(directory, ignore_errors=True)
        run(question, directory)
        with Record.open(directory) as record:
            (comparison,) = analyze(record).judged
        different += comparison.difference != "not_resolved"
        if isinstance(comparison.speedup, Speedup):
            worst = max(worst, comparison.speedup.value, 1 / comparison.speedup.value)
    watch(COMPARISONS, COMPARISONS)
    return AgainstItself(order, "true", COMPARISONS, RUNS, different, worst)
