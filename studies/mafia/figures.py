"""Figures of MAFIA: operations and times over the dimensions of a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from charts import LOG, over, value
from readme_tables import rows_of

from steelyard.report.page.chart import Chart

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
