"""Figures of timing procedures: how far the readings of each are off, and what clocks cost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from charts import dots, over

from steelyard.api.charts import BETTER, OPEN, SERIES, WORSE, Chart

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
        (NAMES[name], float(length) / 1000, readings)
        for name, lengths in summary.items()
        for length, readings in lengths.items()
    ]
    bias = [
        {
            "series": name,
            "x": length,
            "y": 100 * readings["bias"],
            "low": 100 * readings["bias_ci95"][0],
            "high": 100 * readings["bias_ci95"][1],
        }
        for name, length, readings in cells
    ]
    # Linear within the 1 % that is asked for, logarithmic beyond.
    about_0 = {"type": "symlog", "constant": 1}
    values = {"values": [-100, -10, -1, 0, 1, 10, 100]}
    yield over("bias", bias, "length of the run (ms)", "bias (% of the run)", scale=about_0, axis=values)
    cost = [
        {"series": name, "x": length, "y": 1e3 * readings["cost_s"]}
        for name, length, readings in cells
        if name not in (NAMES["own"], NAMES["rusage"])  # runs of Steelyard's runner, too
    ]
    yield over("cost", cost, "length of the run (ms)", "time beyond the program's own (ms)")
    inside = json.loads((HERE / "inside.json").read_text(encoding="utf-8"))
    yield clocks(inside["clocks"]["none"])
    yield family(inside["family"]["none"])


def clocks(described: Mapping[str, Mapping[str, Sequence[float]]]) -> Chart:
    """What a reading costs in the middle, and the smallest step that was seen."""
    ordered = sorted(described.items(), key=lambda entry: entry[1].get("step_s", (0, 1.0))[1])
    rows = [
        {"name": clock, "what": label, "x": 1e9 * facts[metric][place]}
        for clock, facts in ordered
        for metric, label, place in (("cost_s", "a reading costs", 0), ("step_s", "smallest step", 1))
        if metric in facts
    ]
    colours = {"a reading costs": BETTER, "smallest step": WORSE}
    return dots("clocks", rows, "nanoseconds", colours=colours, domain=(1, 1e8), scale="log")


def family(described: Mapping[str, Mapping[str, Sequence[float]]]) -> Chart:
    """How much of the CPU time of a program each procedure sees."""
    colours = {"alone": OPEN, "threads": SERIES[2], "child": BETTER, "orphan": WORSE, "outlives": SERIES[4]}
    called = {
        "alone": "one thread",
        "threads": "two threads",
        "child": "child",
        "orphan": "grandchild",
        "outlives": "child that outlives",
    }
    names = {
        "rusage": "wait4",
        "group": "control group",
        "time": "/usr/bin/time",
        "bash": "bash",
        "perf": "perf",
    }
    rows = [
        {"name": names[procedure], "what": called[parts], "x": spread[0]}
        for procedure, description in described.items()
        for parts, spread in description.items()
    ]
    domain = (0.3, 1.1)
    across = "CPU time that is read, over what was spent"
    return dots("family", rows, across, colours={called[k]: v for k, v in colours.items()}, domain=domain)
