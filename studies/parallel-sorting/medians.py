#!/usr/bin/env python3
"""How near medians of medians come: a ternary tree beside a binary one; writes ``values/medians.csv``.

Ternary, of Rousseeuw and Bassett: each node passes on the median of three. Binary, of Axtmann and Sanders:
each node passes on the two elements in the middle of the four that it has, and the root draws one of both;
a leaf's second element is an infinite one, of a drawn sign. The error is the distance of the rank from the
middle, as a fraction of n. The binary tree has fewer elements than the ternary one that it stands beside, at
the largest size by 6 %.
"""

from __future__ import annotations

import csv
import random
import sys
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
FILE: Final = HERE / "values" / "medians.csv"
SIZES: Final = {"ternary": (27, 243, 2187), "binary": (16, 128, 2048)}
"""Each binary size is below the ternary one that it stands beside."""
DRAWS: Final = 400
SEED: Final = 2019


def ternary(elements: list[float]) -> float:
    """The median of three, of three, and so on."""
    while len(elements) > 1:
        elements = [sorted(elements[at : at + 3])[1] for at in range(0, len(elements), 3)]
    return elements[0]


def binary(elements: list[float], draw: random.Random) -> float:
    """The two in the middle of four, and so on; one of both at the root."""
    infinite = float("inf")
    pairs = [sorted((element, draw.choice((-infinite, infinite)))) for element in elements]
    while len(pairs) > 1:
        pairs = [sorted(pairs[at] + pairs[at + 1])[1:3] for at in range(0, len(pairs), 2)]
    finite = [element for element in pairs[0] if abs(element) < infinite]
    return draw.choice(finite or pairs[0])


def error(n: int, value: float) -> float:
    """How far the element of this rank, of 0 to n − 1, is from the middle."""
    return abs(value - (n - 1) / 2) / n


def main() -> int:
    """Write the file: a row a draw."""
    draw = random.Random(SEED)
    with FILE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("tree", "n", "block", "error"))
        for tree, sizes in SIZES.items():
            for n in sizes:
                for block in range(1, DRAWS + 1):
                    ranks = [*map(float, range(n))]
                    draw.shuffle(ranks)
                    comparisons = ternary(ranks) if tree == "ternary" else binary(ranks, draw)
                    writer.writerow((tree, n, block, f"{error(n, comparisons):.6f}"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
