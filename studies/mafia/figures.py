"""Figures of MAFIA: operations and times over the dimensions of a cluster."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from charts import LOG, beside_published, over, value
from readme_tables import rows_of

from steelyard.api.charts import Chart
from steelyard.api.scaling import parse_growth

HERE = Path(__file__).parent
COUNTS = ("words", "pairs", "comparisons", "merges", "subsequences", "3 k(k−1) 2^(k−3)")
TIMES = ("gen, ms", "dedup", "pcount", "unjoin")


def figures() -> Iterator[Chart]:
    """Both, of the table of part (a)."""
    rows = rows_of(HERE, "(a) Times and counts")
    for name, columns, title in (
        ("operations", COUNTS, "operations"),
        ("times", TIMES, "median time of three runs (ms)"),
    ):
        points = [
            {"series": column.removesuffix(", ms"), "x": value(row["k"]), "y": value(row[column])}
            for column in columns
            for row in rows
        ]
        axis = {"format": "~s" if name == "operations" else "~g", "tickCount": 8}
        yield over(name, points, "k, dimensions of a cluster", title, scale=LOG, axis=axis)
    yield _published(rows)


def _published(rows: list[dict[str, str]]) -> Chart:
    """Times, and the growth that Table 7 states, drawn through our last point."""
    file = HERE.parent / "scalability-validation" / "published.csv"
    with file.open(newline="", encoding="utf-8") as lines:
        printed = {line["function"]: line["model"] for line in csv.DictReader(lines) if line["table"] == "7"}
    ours: list[dict[str, Any]] = []
    theirs: list[dict[str, Any]] = []
    for column in TIMES:
        phase = column.removesuffix(", ms")
        times = {int(row["k"]): value(row[column]) or 0.0 for row in rows}
        growth = parse_growth(printed[phase], "k")
        last, most = list(times.items())[-1]
        ours += [{"series": phase, "x": k, "y": ms} for k, ms in times.items()]
        theirs += [{"series": phase, "x": k, "y": most * growth.at(k) / growth.at(last)} for k in times]
    return beside_published("published", ours, theirs, "k, dimensions of a cluster", "median time (ms)")
