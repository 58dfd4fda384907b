"""The whole study by one command: run what is not finished yet, judge it, keep its values, make the tables.

    .venv/bin/python studies/grappa/study.py [PART ...] [--records DIRECTORY] [--no-run]

PART is the name of a spec; all of them by default. An interrupted study goes on where it stopped. Verdicts
go to stdout, as Markdown; values to ``values/PART.csv``, of which ``tables.py`` makes the tables.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from steelyard.api import Record

HERE: Final = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import parts  # noqa: E402 -- what studies share lies beside them


def judge(record: Record) -> str:
    """Growth and verdicts, where the spec has claims."""
    if not record.experiment.claims:
        return "No claims: `tables.py` makes its tables."
    return "\n\n".join([parts.growth(record), parts.verdicts(record)])


PARTS: Final = dict.fromkeys(
    (
        "calibration",
        "real",
        "real-graph",
        "real-tasks",
        "ping",
        "ping-simulated",
        "buffers",
        "uts",
        "uts-memory",
        "uts-memory-deep",
        "uts-age",
        "bfs",
        "centrality",
        "aggregator",
        "response",
        "threshold",
        "screening",
        "screening-uts",
        "chunks",
        "parallelism",
    ),
    judge,
)

if __name__ == "__main__":
    sys.exit(parts.main(HERE, __doc__, PARTS))
