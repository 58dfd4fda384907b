"""Rules of peers on values that a gate measured: which benchmarks of a suite they call slower.

``benchstat`` and ``perfgate`` are their own programs, where they are installed; the limits are one comparison
of two means.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

Values = Mapping[str, Mapping[str, Sequence[float]]]
PERFGATE_FAILS = 2
PERFGATE_CODES = {0, PERFGATE_FAILS}
BY_SIGNIFICANCE = ("--threshold", "0.05", "--significance-alpha", "0.05", "--require-significance")


def judge_by_limit(values: Values, limit: float) -> set[str]:
    """Benchmarks of which the first value of head is above ``limit`` times that of base, as of two runs."""
    return {
        name
        for name, sides in values.items()
        if sides["base"] and sides["head"] and sides["head"][0] > limit * sides["base"][0]
    }


def judge_by_benchstat(values: Values) -> set[str] | None:
    """Benchmarks that are significantly worse by benchstat itself; ``None`` where it is missing."""
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
    rising = {row[0] for row in rows if any(cell.startswith("+") for cell in row)}
    return rising & values.keys()


def judge_by_perfgate(values: Values, options: Sequence[str] = ()) -> set[str] | None:
    """Benchmarks that perfgate's own program fails; ``None`` where it is missing.

    It reads the values as a file of hyperfine. It keeps whole milliseconds, so they are scaled to seconds.
    """
    if shutil.which("perfgate") is None:
        return None
    failed = set()
    for name, sides in values.items():
        if not sides["base"] or not sides["head"]:
            continue
        scale = 1 / statistics.median(sides["base"])
        with tempfile.TemporaryDirectory() as place:
            receipts = []
            for side in ("base", "head"):
                file, receipt = Path(place, f"{side}.json"), Path(place, f"{side}.receipt.json")
                file.write_text(_write_hyperfine([value * scale for value in sides[side]]))
                words = ["perfgate", "ingest", "--format", "hyperfine", "--input", str(file), "--name", "x"]
                subprocess.run([*words, "--out", str(receipt)], capture_output=True, check=True)
                receipts.append(str(receipt))
            words = ["perfgate", "compare", "--baseline", receipts[0], "--current", receipts[1], *options]
            done = subprocess.run(
                [*words, "--out", f"{place}/out.json"], capture_output=True, text=True, check=False
            )
        if done.returncode not in PERFGATE_CODES:
            raise SystemExit(f"perfgate ended with {done.returncode}: {done.stderr}")
        if done.returncode == PERFGATE_FAILS:
            failed.add(name)
    return failed


def _write_hyperfine(times: Sequence[float]) -> str:
    """The values as hyperfine exports them."""
    result = {
        "command": "x",
        "mean": statistics.fmean(times),
        "stddev": statistics.pstdev(times),
        "median": statistics.median(times),
        "user": 0.0,
        "system": 0.0,
        "min": min(times),
        "max": max(times),
        "times": list(times),
        "exit_codes": [0] * len(times),
    }
    return json.dumps({"results": [result]})
