"""Numbers in the prose of the README."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from prose import Sentence

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import comparison  # noqa: E402 -- what studies share lies beside them

GIVEN: Final = (
    r"Items of 32 bytes|full \(64 items\)|to 1 MB/s|of 1 MB/s|p = 2, 4, 8; delays of 2 and 10 ms",
    r"16 to 1,024 tasks|flush ages of \.25 to 16 ms\. These are 96 treatments",
    r"load of 15 to 20|min\(T.*?\+ 1\)",
    r"k = 1 \+ 2 rate age / \(p − 1\)|\(2 \(delay \+ age\)\)|2 item \+ 2 head|within 25 %|an age of \.25 ms",
    r"one step of 4",
    r"\.25 ms gives up|anywhere, 16 ms",
)
"""Settings."""
LITTLE: Final = 0.01


def sentences() -> Iterator[Sentence]:
    """Each piece of text with its numbers."""
    points = comparison.points()
    every = comparison.shares(points)
    by = {
        bound: comparison.shares([point for point in points if point.bound == bound])
        for bound in ("latency", "link")
    }
    yield "{} of {} predicted rates are within 25 % of the measured ones", every.close, every.number
    yield "Of those that the delay bounds {} of {}", by["latency"].close, by["latency"].number
    yield "of those that the link bounds {} of {}", by["link"].close, by["link"].number
    tasks, _ = comparison.agreements()
    yield (
        "The least number of tasks is right in {} of {} cases ({} by chance)",
        tasks.agree,
        tasks.cells,
        tasks.by_chance,
    )
    lost = [item.lost for item in comparison.best_age()]
    small = [loss for loss in lost if loss < LITTLE]
    yield (
        "the predicted flush age gives up at most {} % of the rate in {} of {}",
        100 * max(small),
        len(small),
        len(lost),
    )
    large = sorted(loss for loss in lost if loss >= LITTLE)
    yield "and {} and {} % in the others", 100 * large[0], 100 * large[-1]
    yield "up to {} times as much as predicted", by["link"].farthest
    short, long = (comparison.most_lost(age_ms) for age_ms in (0.25, 16.0))
    yield (
        ".25 ms gives up at most {} % of the best rate anywhere, 16 ms up to {} %",
        100 * short,
        100 * long,
    )
