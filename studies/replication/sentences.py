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

import replicated  # noqa: E402 -- what studies share lies beside them

GIVEN: Final = (r"p = 32 to 512|at most 5 % of 10,000 shuffles",)
"""Settings."""


def sentences() -> Iterator[Sentence]:
    """Each piece of text with its numbers."""
    over = {
        method: [row for row in replicated.of_kind("campaigns") if row.ways.endswith(method)]
        for method in replicated.NAMES.values()
    }
    terms = {method: replicated.totals(rows, lambda row: row.growth) for method, rows in over.items()}
    ranks = {method: replicated.totals(rows, lambda row: row.rank) for method, rows in over.items()}
    series, equal_terms, by_chance = terms["least squares"]
    yield "{} of {} are the same by least squares ({} by chance)", equal_terms, series, by_chance
    yield "and {} of {} by the posterior", terms["posterior"][1], terms["posterior"][0]
    (printed,) = (row for row in over["least squares"] if row.source.startswith("Table 6"))
    yield (
        "Of the {} series of the published Table 6, the authors' own later data give {} terms and {} ranks",
        printed.growth.cells,
        printed.growth.agree,
        printed.rank.agree,
    )
    cells, agree, chance = ranks["least squares"]
    yield "more often by least squares, {} of {}, where chance gives {}", agree, cells, chance
    cells, agree, _ = ranks["posterior"]
    yield "it is {} of {} over campaigns, where least squares has {}", agree, cells, ranks["least squares"][1]
    methods = replicated.of_kind("methods")
    number, terms_alike, _ = replicated.totals(methods, lambda row: row.growth)
    _, ranks_alike, _ = replicated.totals(methods, lambda row: row.rank)
    yield "Of {} series {} have the same term, and {} the same rank", number, terms_alike, ranks_alike
