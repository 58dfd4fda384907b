#!/usr/bin/env python3
"""Sections of the README that are written from data: ``sections.py [--check]``."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import kept_values  # noqa: E402 -- what studies share lies beside them
import study  # noqa: E402
import written_sections  # noqa: E402


def from_values(part: str) -> str:
    """The tables of a part."""
    with kept_values.rebuilt(HERE, part) as record:
        return study.PARTS[part](record)


SECTIONS: Final[written_sections.Sections] = {
    part: partial(from_values, part) for part in study.PARTS if (HERE / "values" / f"{part}.csv").is_file()
}
"""Of parts that have been measured."""

if __name__ == "__main__":
    sys.exit(written_sections.main(HERE, SECTIONS))
