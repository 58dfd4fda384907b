"""Figures of timing procedures: how far the readings of each are from the truth."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from charts import over

from steelyard.report.page.chart import Chart

HERE = Path(__file__).parent
NAMES = {
    "own": "the program's own clock",
    "runner": "Steelyard's runner",
    "rusage": "rusage, CPU time",
    "perf": "perf stat",
    "hyperfine": "hyperfine -N",
    "bash": "bash's time",
    "time": "/usr/bin/time",
}


def figures() -> Iterator[Chart]:
    """Bias with its 95 % interval, and the cost of a reading, over the length of a run."""
    summary = json.loads((HERE / "summary.json").read_text(encoding="utf-8"))
    cells = [
        (NAMES[name], float(length) / 1000, its)
        for name, lengths in summary.items()
        for length, its in lengths.items()
    ]
    bias = [
        {
            "series": name,
            "x": length,
            "y": 100 * its["bias"],
            "low": 100 * its["bias_ci95"][0],
            "high": 100 * its["bias_ci95"][1],
        }
        for name, length, its in cells
    ]
    # Linear within the 1 % that is asked for, logarithmic beyond.
    about_0 = {"type": "symlog", "constant": 1}
    values = {"values": [-100, -10, -1, 0, 1, 10, 100]}
    yield over("bias", bias, "length of the run (ms)", "bias (% of the run)", scale=about_0, axis=values)
    cost = [
        {"series": name, "x": length, "y": 1e3 * its["cost_s"]}
        for name, length, its in cells
        if name not in (NAMES["own"], NAMES["rusage"])  # runs of Steelyard's runner, too
    ]
    yield over("cost", cost, "length of the run (ms)", "time beyond the program's own (ms)")
