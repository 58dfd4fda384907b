"""Chance beside agreement: how many cells of a table would agree if ours were shuffled among its places."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, TypeVar

P = TypeVar("P")
O = TypeVar("O")  # noqa: E741 -- published and ours
SHUFFLES: Final = 10_000
SEED: Final = 2019
HEAD: Final = ("cells", "agree", "after shuffling", "p")


class Agreement(NamedTuple):
    """Cells of one table that agree with the published ones, and chance.

    Attributes
    ----------
    agree, cells : int
        Of so many.
    by_chance : float
        The mean over all shuffles of our cells, exact: the fraction of pairs of a published cell and one of
        ours, anywhere in the table, that agree, times the cells.
    p : float
        Probability of as many or more after a shuffle: of 10,000 drawn with a seed, this one counted.
    """

    title: str
    agree: int
    cells: int
    by_chance: float
    p: float

    def row(self) -> list[str]:
        """Cells of a table."""
        p = f"{self.p:.2g}" if self.p > 1 / SHUFFLES else f"< {1 / SHUFFLES:g}"
        return [self.title, str(self.cells), str(self.agree), f"{self.by_chance:.1f}", p]


def compare_with_chance(
    title: str, cells: Iterable[tuple[P, O]], agrees: Callable[[P, O], bool]
) -> Agreement:
    """Compare published cells with ours, place by place and shuffled."""
    pairs = list(cells)
    matrix = [[agrees(stated, ours) for _, ours in pairs] for stated, _ in pairs]
    number = len(pairs)
    agree = sum(matrix[i][i] for i in range(number))
    by_chance = sum(map(sum, matrix)) / number
    return Agreement(title, agree, number, by_chance, _probability(matrix, agree))


def _probability(matrix: Sequence[Sequence[bool]], agree: int) -> float:
    draw = random.Random(SEED)
    places = list(range(len(matrix)))
    as_many = 0
    for _ in range(SHUFFLES):
        draw.shuffle(places)
        as_many += sum(row[place] for row, place in zip(matrix, places, strict=True)) >= agree
    return (as_many + 1) / (SHUFFLES + 1)
