"""Figures of execution time variability: what the order of runs alone does, and what a screening finds."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from charts import dots

from steelyard.answers.interval import Interval
from steelyard.report.page.chart import ACCENT, WORSE, Chart
from steelyard.report.page.forest import Estimated, forest, rows
from steelyard.report.text.line import Style

HERE = Path(__file__).parent
DESIGNS = {
    "environment-rows": "sizes, one after the other (the paper)",
    "environment-null-rows": "one treatment eight times, one after the other",
    "environment-blocks": "sizes, randomised blocks",
    "environment-random-blocks": "random sizes, randomised blocks",
}
KERNELS = ("ep", "cg", "mg", "ft", "is")
FACTORS = ("background_load", "omp_wait_policy", "nice", "env_bytes")


def figures() -> Iterator[Chart]:
    """The order, for programs of packages and for NAS kernels; the screening of the kernels."""
    yield _order("order-packages", "measured.csv", "")
    yield _order("order-nas", "npb-measured.csv", "npb-")
    yield _screening()


def _order(name: str, file: str, prefix: str) -> Chart:
    """Of the pairs of treatments, how many the protocol calls different, by elapsed time."""
    pairs, before, after = Counter[str](), Counter[str](), Counter[str]()
    with (HERE / file).open(newline="", encoding="utf-8") as opened:
        for line in csv.DictReader(opened):
            part = line["part"].removeprefix(prefix)
            if line["metric"] == "wall_s" and part in DESIGNS:
                pairs[part] += int(line["programs"])
                before[part] += int(line["before"])
                after[part] += int(line["after"])
    found = [
        {"name": said, "what": what, "x": 100 * counts[part] / pairs[part]}
        for part, said in DESIGNS.items()
        for what, counts in (("before Holm", before), ("after Holm", after))
    ]
    colours = {"before Holm": ACCENT, "after Holm": WORSE}
    return dots(name, found, "pairs called different (%)", colours=colours, domain=(0, 70))


def _screening() -> Chart:
    """Main effects on elapsed time in twelve runs of each kernel; four of eight factors."""
    summary = json.loads((HERE / "npb-summary.json").read_text(encoding="utf-8"))
    found = []
    for factor in FACTORS:
        for kernel in KERNELS:
            effect = summary[f"npb-screening-{kernel}-blocks"]["wall_s"]["effects"]["all"][factor]
            interval = Interval(*effect["ci95"])
            style: Style = "open" if not effect["resolved"] else "good" if effect["ratio"] > 1 else "bad"
            found.append(Estimated(f"{factor}: {kernel.upper()}", effect["ratio"], interval, style))
    spec = forest(found, "speed with the second level over that with the first")
    return Chart("screening", "screening", "", spec, {"rows": rows(found)})
