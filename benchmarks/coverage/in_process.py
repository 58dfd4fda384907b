"""Functions of one process, by ``measure`` itself: how often equal ones are called different at any look, and
how often the interval at the end holds the truth. Their timings are drawn.

``python benchmarks/coverage/in_process.py [--experiments N] [--seed S]``; a minute of CPU for the default.
"""

from __future__ import annotations

import argparse
import math
from typing import Final, NamedTuple
from unittest import mock

import numpy as np
from noises import NOISES

from steelyard.extensions.pytest.measure import measure

MEASURE: Final = "steelyard.extensions.pytest.measure"
CAP: Final = 60
"""Blocks after which time is over."""
WIDE: Final = 0.02
"""Relative half-width asked for: some 12 blocks of normal noise have it, of which none is relied on."""
ROWS: Final = (
    "normal",
    "5 % outliers, Exp(10 s)",
    "differences AR(1) 0.5",
    "differences AR(1) 0.8",
)
"""Noises whose differences have the median 0, as the ratio that is told of by default."""


class Measured(NamedTuple):
    """Percent of experiments called different and of intervals that hold the truth; mean blocks."""

    called: float
    held: float
    blocks: float


def measured(name: str, halfwidth: float | None, experiments: int, seed: int) -> Measured:
    """Two functions that are equal in the median; ``wanted`` is the precision."""
    old, new = NOISES[name].draw(np.random.default_rng(seed), experiments, CAP)
    called = held = blocks = 0
    for rows in np.exp(np.stack((old, new), axis=2)):
        with (
            mock.patch(f"{MEASURE}.calibrate", lambda function: function),
            mock.patch(f"{MEASURE}.quiet_memory", mock.MagicMock()),
            mock.patch(
                "steelyard.extensions.pytest.measure.timed_blocks", return_value=map(tuple, rows.tolist())
            ),
        ):
            result = measure({"old": int, "new": int}, precision_wanted=halfwidth, max_time_s=math.inf)
        (judged,) = result.judged
        called += judged.verdict != "not_resolved"
        held += judged.ci95 is None or not judged.ci95.excludes(1.0)
        blocks += result.design.blocks
    return Measured(100 * called / experiments, 100 * held / experiments, blocks / experiments)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Functions of one process")
    parser.add_argument("--experiments", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", nargs="*", default=ROWS, help="noises, by name")
    options = parser.parse_args()
    print(f"{options.experiments} experiments a row, seed {options.seed}, to {CAP} blocks")
    print(f"until decided: called, held (blocks); to {100 * WIDE:g} %: called, held (blocks)")
    for name in options.rows:
        cells = [
            f"{rates.called:.1f}, {rates.held:.1f} ({rates.blocks:.0f})"
            for rates in (
                measured(name, halfwidth, options.experiments, options.seed) for halfwidth in (None, WIDE)
            )
        ]
        print(f"{name:<28} {'; '.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
