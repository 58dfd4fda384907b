#!/usr/bin/env python3
"""What tasks and flush age will do, before anything runs: ``predicted.py`` writes ``predicted.csv``.

A rank asks with T tasks. An item waits the delay twice and, in its message, the flush age twice. On two
ranks, where all items go to one buffer, a multiple of its size leaves at once. The link sends a request and a
reply for each item, and a head for each message, which has as many items as come within the age. So a rank
has min(T / (2 (delay + age)), link / (2 item + 2 head / k)) answers a second, k = 1 + 2 rate age / (p − 1).
Nothing is fitted: all of it is the spec, the sizes of items and heads, and Ethernet's.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
FILE: Final = HERE / "predicted.csv"
LINK_BYTES: Final = 1e6
"""A second; 8 Mbit."""
ITEM: Final = 32
HEAD: Final = 8 + 66
"""Of a message, and of its frame: Ethernet, IP and TCP with time stamps."""
BUFFER: Final = 64
RANKS: Final = (2, 4, 8)
DELAYS_MS: Final = (2, 10)
TASKS: Final = (16, 64, 256, 1024)
AGES_MS: Final = (0.25, 1, 4, 16)
STEPS: Final = 200
COLUMNS: Final = ("p", "delay_ms", "tasks", "age_ms", "rate", "bound")


def waits(p: int, tasks: int, age_s: float) -> float:
    """How long an item waits in its buffer."""
    return 0.0 if p == 2 and tasks % BUFFER == 0 else age_s


def carried(p: int, age_s: float, rate: float) -> float:
    """Answers a second and rank that the link carries, where so many are asked for."""
    items = min(BUFFER, 1 + 2 * rate * age_s / (p - 1))
    return LINK_BYTES / (2 * ITEM + 2 * HEAD / items)


def predict(p: int, delay_s: float, tasks: int, age_s: float) -> tuple[float, str]:
    """Answers a second and rank, and what bounds them."""
    by_latency = tasks / (2 * (delay_s + waits(p, tasks, age_s)))
    rate = by_latency
    for _ in range(STEPS):
        rate = (rate + min(by_latency, carried(p, age_s, rate))) / 2
    return rate, "latency" if rate > 0.99 * by_latency else "link"


def rows() -> Iterator[dict[str, str]]:
    """Every treatment of ``sockets.toml``."""
    for p, delay, tasks, age in product(RANKS, DELAYS_MS, TASKS, AGES_MS):
        rate, bound = predict(p, 1e-3 * delay, tasks, 1e-3 * age)
        values = (p, delay, tasks, age, f"{rate:.5g}", bound)
        yield dict(zip(COLUMNS, map(str, values), strict=True))


def main() -> int:
    """Write the file."""
    with FILE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows())
    return 0


if __name__ == "__main__":
    sys.exit(main())
