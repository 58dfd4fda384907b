#!/usr/bin/env python3
"""Latency hiding over real sockets: ``study.py [--records DIRECTORY] [--no-run]``.

Needs root, iproute2 and a C compiler; ten minutes, most of which are pauses. ``predicted.csv`` is of
``predicted.py``, and stays as it was before the run.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import parts  # noqa: E402 -- what studies share lies beside them

from steelyard.api import Record  # noqa: E402


def sockets(record: Record) -> str:
    """Rates by tasks, for each number of ranks, delay and flush age."""
    return parts.values(record, "rate", ("p", "delay_ms", "age_ms"), "tasks")


if __name__ == "__main__":
    sys.exit(parts.main(HERE, __doc__ or "", {"sockets": sockets}))
