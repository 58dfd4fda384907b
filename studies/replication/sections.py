#!/usr/bin/env python3
"""Sections of the README that are written from data: ``sections.py [--check]``."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import replicated  # noqa: E402 -- what studies share lies beside them
import written_sections  # noqa: E402
from readme_tables import write_table  # noqa: E402

if TYPE_CHECKING:
    from chance import Agreement

HEAD: Final = (
    "series of",
    "ways",
    "series",
    "same leading term",
    "by chance",
    "above chance",
    "same rank",
    "by chance",
    "above chance",
)


def say(agreement: Agreement) -> tuple[str, str, str]:
    """How many agree, how many would by chance, and the verdict."""
    return f"{agreement.agree}", f"{agreement.by_chance:.1f}", replicated.verdict(agreement)


def table(kind: str) -> str:
    """Comparisons of a kind."""
    rows = [
        [row.source, row.ways, str(row.growth.cells), *say(row.growth), *say(row.rank)]
        for row in replicated.of_kind(kind)
    ]
    return write_table(HEAD, rows)


SECTIONS: Final[written_sections.Sections] = {
    kind: partial(table, kind) for kind in ("campaigns", "methods", "points")
}

if __name__ == "__main__":
    sys.exit(written_sections.main(HERE, SECTIONS))
