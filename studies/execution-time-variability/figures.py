"""Figures of execution time variability: what the order of runs alone does, and what a screening finds."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from charts import dots

from steelyard.api import Interval
from steelyard.api.charts import ACCENT, INK, MUTED, WORSE, Chart, Estimated, forest, forest_rows
from steelyard.api.text import Style

HERE = Path(__file__).parent
DESIGNS = {
    "environment-rows": "sizes, one after the other (the paper)",
    "environment-null-rows": "one treatment 8 times, one after the other",
    "environment-blocks": "sizes, randomised blocks",
    "environment-random-blocks": "random sizes, randomised blocks",
}
KERNELS = ("ep", "cg", "mg", "ft", "is")
FACTORS = ("background_load", "omp_wait_policy", "nice", "env_bytes")


def figures() -> Iterator[Chart]:
    """The order, for packages and NAS programs; what Holm removes; the screening of the kernels."""
    yield _order("order-packages", "measured.csv", "", "wall_s")
    yield _order("order-nas", "npb-measured.csv", "npb-", "elapsed_s")
    yield _order("order-tree", "nas-measured.csv", "nas-", "wall_s")
    yield _holm()
    yield _screening()


def _order(name: str, file: str, prefix: str, response: str) -> Chart:
    """Of the pairs of treatments, how many the protocol calls different, beside Tables 5 and 6."""
    pairs, before, after = Counter[str](), Counter[str](), Counter[str]()
    with (HERE / file).open(newline="", encoding="utf-8") as opened:
        for line in csv.DictReader(opened):
            part = line["part"].removeprefix(prefix)
            if line["metric"] == response and part in DESIGNS:
                pairs[part] += int(line["programs"])
                before[part] += int(line["before"])
                after[part] += int(line["after"])
    result = [
        {"name": label, "what": title, "x": 100 * counts[part] / pairs[part]}
        for part, label in DESIGNS.items()
        if pairs[part]
        for title, counts in (("before Holm", before), ("after Holm", after))
    ]
    result += [
        {
            "name": f"published, sizes one after the other, -{opt}",
            "what": title,
            "x": fmean(published(table, opt)),
        }
        for opt in ("O2", "O3")
        for title, table in (("before Holm", "5"), ("after Holm", "6"))
    ]
    colours = {"before Holm": ACCENT, "after Holm": WORSE}
    return dots(name, result, f"pairs called different by {response} (%)", colours=colours, domain=(0, 70))


def published(table: str, opt: str) -> list[float]:
    """Percentages of a table of the paper."""
    with (HERE / "published.csv").open(newline="", encoding="utf-8") as file:
        return [
            float(line["percent"])
            for line in csv.DictReader(file)
            if line["table"] == table and line["opt"] == opt
        ]


def removed() -> dict[str, float]:
    """Percent of a program's findings that Holm removes, § 4.2 of the paper, where we have the program."""
    with (HERE / "statements.csv").open(newline="", encoding="utf-8") as file:
        return {
            " ".join(line["id"].upper().split("-")[1:]): float(line["published"].removesuffix("%"))
            for line in csv.DictReader(file)
            if line["id"].startswith("false-") and not line["not_attempted"]
        }


def _holm() -> Chart:
    """What Holm removes of each program's findings, where there are any: published, ours by two clocks."""
    summary = json.loads((HERE / "nas-summary.json").read_text(encoding="utf-8"))
    parts = {
        "eight sizes, by elapsed_s": ("nas-environment-rows", "elapsed_s"),
        "eight sizes, by wall_s": ("nas-environment-rows", "wall_s"),
        "one treatment eight times, by wall_s": ("nas-environment-null-rows", "wall_s"),
    }
    result = []
    for program, share in removed().items():
        result.append({"name": program, "what": "published", "x": share})
        for label, (part, metric) in parts.items():
            row = summary[part][metric]["programs"].get(program.lower().replace(" o", " O"))
            if row and row["before"]:
                share_removed = 100 * (row["before"] - row["after"]) / row["before"]
                result.append({"name": program, "what": label, "x": share_removed})
    colours = {"published": INK, **dict(zip(parts, (MUTED, ACCENT, WORSE), strict=True))}
    return dots("holm", result, "findings that Holm removes (%)", colours=colours, domain=(0, 100))


def _screening() -> Chart:
    """Main effects on elapsed time in twelve runs of each kernel; four of eight factors."""
    summary = json.loads((HERE / "npb-summary.json").read_text(encoding="utf-8"))
    result = []
    for factor in FACTORS:
        for kernel in KERNELS:
            effect = summary[f"npb-screening-{kernel}-blocks"]["wall_s"]["effects"]["all"][factor]
            interval = Interval(*effect["ci95"])
            style: Style = "open" if not effect["resolved"] else "good" if effect["ratio"] > 1 else "bad"
            result.append(Estimated(f"{factor}: {kernel.upper()}", effect["ratio"], interval, style))
    spec = forest(result, "speed with the second level over that with the first")
    return Chart("screening", "screening", "", spec, {"rows": forest_rows(result)})
