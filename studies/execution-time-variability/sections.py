#!/usr/bin/env python3
"""Tables of the README that are written from measured.csv: ``sections.py [--check]``."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import parts  # noqa: E402 -- what studies share lies beside them
import written_sections  # noqa: E402

Cell = Mapping[str, str]
"""A row of measured.csv: of so many programs, how many differ before and after Holm."""
ELAPSED: Final = "wall_s"
CPU: Final = "cpu_s"


def cells(part: str, metric: str) -> list[Cell]:
    """The cells of a part by a metric."""
    with (HERE / "measured.csv").open(newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if (row["part"], row["metric"]) == (part, metric)]


def environment() -> str:
    """Pairs of sizes of the environment, one after the other, as Table 5 has them."""
    by_pair = {(cell["first"], cell["second"]): cell for cell in cells("environment-rows", ELAPSED)}
    firsts, seconds = (list(dict.fromkeys(pair[end] for pair in by_pair)) for end in (0, 1))
    rows = [[first, *(describe_pair(by_pair.get((first, second))) for second in seconds)] for first in firsts]
    head = ["pairs, before → after Holm, elapsed, one after the other", *seconds]
    return parts.table(head, rows)


def describe_pair(cell: Cell | None) -> str:
    """Percent of programs before and after Holm; a star where it took some away."""
    if cell is None:
        return ""
    before, after = (100 * int(cell[name]) / int(cell["programs"]) for name in ("before", "after"))
    return f"{before:.0f} → {after:.0f} %{'*' if after < before else ''}"


def services() -> str:
    """Services and optimisation of three programs, one after the other and in blocks."""
    names = {
        "none,O2": "none O2",
        "none,O3": "none O3",
        "cpu x2 10%,O2": "load O2",
        "cpu x2 10%,O3": "load O3",
    }
    result: dict[tuple[str, str], list[str]] = {}
    for order in ("rows", "blocks"):
        for cell in cells(f"services-built-{order}", ELAPSED):
            share = 100 * int(cell["after"]) / int(cell["programs"])
            result.setdefault((cell["first"], cell["second"]), []).append(f"{share:.0f} %")
    firsts, seconds = [*names][:-1], [*names][1:]
    rows = [
        [names[first], *(", ".join(result.get((first, second), [])) for second in seconds)]
        for first in firsts
    ]
    rows[0][0] += ": one after the other, blocks"
    head = ["pairs after Holm, 3 of our programs, elapsed", *(names[second] for second in seconds)]
    return parts.table(head, rows)


def affinity() -> str:
    """How many pairs of placements differ, by kind, order and metric."""
    kinds: dict[str, tuple[str, Callable[[Cell], bool]]] = {
        "programs of one thread: none, CPU 0, CPU 1": ("affinity", lambda _: True),
        "OpenMP: numbers of threads at one placement": ("affinity-openmp", partial(is_kind, "threads")),
        "OpenMP: none against a placement": ("affinity-openmp", partial(is_kind, "none")),
        "OpenMP: compact against scatter, which are the same here": (
            "affinity-openmp",
            partial(is_kind, "same"),
        ),
        "all pairs, of OpenMP": ("affinity-openmp", lambda _: True),
    }
    rows = [
        [
            name,
            *(
                describe_kind(filter(chosen, cells(f"{part}-{order}", metric)), whole=place == 0)
                for place, (metric, order) in enumerate(
                    (metric, order) for metric in (ELAPSED, CPU) for order in ("rows", "blocks")
                )
            ),
        ]
        for name, (part, chosen) in kinds.items()
    ]
    head = ["pairs called different after Holm (before)", "elapsed, one after the other", "elapsed, blocks"]
    return parts.table([*head, "CPU, one after the other", "CPU, blocks"], rows)


def is_kind(kind: str, cell: Cell) -> bool:
    """Whether a pair differs in the number of threads alone, is without and with a placement, or is one
    placement by two names.
    """
    (threads, place), (other_threads, other_place) = (cell[end].split(",") for end in ("first", "second"))
    if kind == "threads":
        return threads != other_threads and place == other_place
    if threads != other_threads or place == other_place:
        return False
    return ("none" in (place, other_place)) == (kind == "none")


def describe_kind(chosen: Iterable[Cell], *, whole: bool) -> str:
    """Pairs after Holm and before, and of how many."""
    result = list(chosen)
    programs, before, after = (
        sum(int(cell[name]) for cell in result) for name in ("programs", "before", "after")
    )
    return f"{after} ({before})" + (f" of {programs}" if whole else "")


SECTIONS: Final[written_sections.Sections] = {
    section.__name__: section for section in (environment, services, affinity)
}

if __name__ == "__main__":
    sys.exit(written_sections.main(HERE, SECTIONS))
