"""Tables of README.md, from ``values/*.csv``: ``tables.py`` writes them into tables.csv and README.md.

They are those that ``study.py`` prints, in its order.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import kept_values  # noqa: E402 -- what studies share lies beside them
import readme_tables  # noqa: E402

HEADINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "(a) Five sorts": ("splitter-based", "radix-mini"),
    "(b) MPI_Comm_split, caught": ("groups",),
    "(d) Largest load over the mean, n/p = 500": ("loads",),
    "(e) Two parameters": ("sizes",),
    "(f) A change of behaviour": ("messages",),
    "(g) The simulator's scan": ("scans",),
    "(h) Real runs on one rank and on two": ("real",),
    "(i) To 1,024 ranks": ("large",),
    "(j) Rounds of histogram sort": ("rounds",),
    "(k) To a million keys a rank": ("long",),
    "(l) Gaussian keys": ("gaussian",),
    "(m) One splitter after the other, to 512 ranks": ("sequential",),
    "(n) Memory of the counting step": ("memory",),
    "(o) Shares of messages": ("shares",),
}
"""The parts whose tables stand under a heading. (c) has a sentence."""


def tables() -> Iterator[tuple[str, int, list[dict[str, str]]]]:
    """Every table below a heading all of whose parts have values: the heading, its place there, its rows."""
    study: dict[str, Any] = runpy.run_path(str(HERE / "study.py"), run_name="study")
    for heading, parts in HEADINGS.items():
        if not all(kept_values.find(HERE, part).is_file() for part in parts):
            continue
        all_tables: list[readme_tables.Table] = []
        for part in parts:
            with kept_values.rebuilt(HERE, part) as record:
                all_tables += readme_tables.read_tables(study["PARTS"][part](record))
        for place, table in enumerate(all_tables, 1):
            yield heading, place, table.rows


def cells() -> list[readme_tables.Cell]:
    """All cells that the study keeps: those of values, then those of parts without."""
    return readme_tables.with_kept(HERE, tables())


if __name__ == "__main__":
    readme_tables.write(HERE, cells())
