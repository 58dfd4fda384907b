"""Sentences of README.md with numbers, and the published cells that give them.

What comes of the data of others, which are not checked in, is what ``validate.py`` prints of them.
"""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from prose import Sentence

VALIDATE: Final[dict[str, Any]] = runpy.run_path(
    str(Path(__file__).with_name("validate.py")), run_name="validate"
)
GIVEN: Final = (
    r"IEEE TPDS 30\(8\)",
    r"Tables 4, 5, 6, 7 and 10|Tables 7 and 10",
    r"record 4295657 \(CC-BY 4\.0\)",
    # validate.py --collectives: Extra-P's data.
    r"p = 32 … 512 \(Table 6 starts at 16\)",
    r"Of the 12 cells that Table 6 has, 3 agree, 1 differs, 8 are undecided",
    r"R̄² = \.23 is|6 agree and 6 differ|R̄² = 1\.00\. Table 6|R̄² = \.74",
    r"between 128 and 256 processes \(59 µs to 581 µs\)|misses a point by 54 %",
    # validate.py --lulesh: the campaign of Zenodo.
    r"within 0\.12 % \(−213 \+ 37\.3·p\^\(1/3\)·size, or 11 and 12 times that\)",
    r"5 to 21 % from that form|p\^0\.25·log p·size|3,311 s at p = 1000, size = 50",
    r"\[3025, 4451\] s",
)
"""The data's own scales, and what validate.py prints of data that are not here."""


def sentences() -> Iterator[Sentence]:
    """Every sentence with numbers of the published cells."""
    cells = VALIDATE["published"]()
    differing = VALIDATE["disagreements"](cells)
    yield "{} cells; {} have the divergence and the rank", len(cells), len(cells) - len(differing)
