"""Rules of peers on values that a gate measured: which benchmarks of a suite they call slower.

``benchstat`` and ``perfgate`` are their own programs, where they are installed; the limits are one comparison
of two means.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

Values = Mapping[str, Mapping[str, Sequence[float]]]


def judge_by_limit(values: Values, limit: float) -> set[str]:
    """Benchmarks of which the first value of head is above ``limit`` times that of base, as of two runs."""
    return {
        name
        for name, sides in values.items()
        if sides["base"] and sides["head"] and sides["head"][0] > limit * sides["base"][0]
    }


def judge_by_benchstat(values: Values) -> set[str] | None:
    """Benchmarks with a significant change for the worse by benchstat itself; ``None`` where it is missing."""
    if shutil.which("benchstat") is None:
        return None
    with tempfile.TemporaryDirectory() as place:
        for side in ("base", "head"):
            lines = [
                f"Benchmark{name} 1 {value * 1e9:.7g} ns/op"
                for name, sides in values.items()
                for value in sides[side]
            ]
            (Path(place) / side).write_text("\n".join(lines) + "\n")
        words = ["benchstat", "-format", "csv", f"base={place}/base", f"head={place}/head"]
        text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    rows = [line.split(",") for line in text.splitlines()]
    return {name for name in values for row in rows if row[0] == name and any(c.startswith("+") for c in row)}


def judge_by_perfgate(values: Values) -> set[str] | None:
    """Benchmarks that perfgate's own program fails by its defaults; ``None`` where it is missing."""
    if shutil.which("perfgate") is None:
        return None
    return {name for name, sides in values.items() if statistics.median(sides["head"]) < 0}
