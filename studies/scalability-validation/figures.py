"""Figures of scalability validation: what the paper's tables say, cell by cell."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from charts import ranks

from steelyard.api.charts import Chart

HERE = Path(__file__).parent


def figures() -> Iterator[Chart]:
    """Tables 4, 5 and 6, and Tables 7 and 10, with the published model and rank of each function."""
    with (HERE / "published.csv").open(newline="", encoding="utf-8") as file:
        cells = [
            {
                "table": line["table"],
                "row": line["function"],
                "column": line["system"] if line["table"] != "6" else f"{line['system']} (Table 6)",
                "rank": line["rank"],
                "text": f"O({line['model']})" + (" *" if line["table"] == "10" and line["note"] else ""),
            }
            for line in csv.DictReader(file)
        ]
    yield ranks("published-mpi", [cell for cell in cells if cell["table"] in ("4", "5", "6")])
    yield ranks("published-codes", [cell for cell in cells if cell["table"] in ("7", "10")])
