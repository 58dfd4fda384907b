"""``SignTable``: the treatments of a two-level design by the signs of its effects, in the order of Yates."""

from __future__ import annotations

from typing import Final

import msgspec

from steelyard.core.factorial.axis import Axis
from steelyard.core.factorial.layout import Layout
from steelyard.core.factorial.words import LETTERS, Word, letter_word, order, sign

MOST: Final = 64
"""Treatments whose 63 effects a person could still follow."""


class SignRow(msgspec.Struct, frozen=True):
    """A treatment.

    Attributes
    ----------
    treatment : int
        Its number, from 1.
    name : str
        As Yates writes it: the letters of the axes at their second step, (1) where there are none.
    signs : tuple of int
        1 or -1, one for each column of the table.
    """

    treatment: int
    name: str
    signs: tuple[int, ...]


class SignTable(msgspec.Struct, frozen=True):
    """The signs of every effect that is estimated.

    Attributes
    ----------
    axes : tuple of Axis
        Called A, B, C, … in this order.
    effects : tuple of str
        Columns, in letters.
    rows : tuple of SignRow
        In the order of Yates: A changes fastest.
    """

    axes: tuple[Axis, ...]
    effects: tuple[str, ...]
    rows: tuple[SignRow, ...]


def sign_table(layout: Layout) -> SignTable | None:
    """Sign table of a layout with two steps of two axes or more whose combinations are numbered in order.

    ``None`` for any other, and for more than 64 treatments.
    """
    axes = layout.varying
    if (
        layout.count > MOST
        or len(axes) < 2
        or len(axes) > len(LETTERS)
        or any(len(axis.steps) != 2 for axis in axes)
    ):
        return None
    fraction = layout.fraction
    if fraction is not None:
        words = [aliases[0].word for aliases in fraction.contrasts()]
    elif layout.screening is not None:
        words = [1 << axis for axis in range(len(axes))]
    else:
        return None
    highs = _get_highs(layout)
    numbers = list(fraction.rows()) if fraction is not None else sorted(highs)
    return SignTable(
        axes,
        tuple(letter_word(word) for word in words),
        tuple(
            SignRow(highs[high], _name_run(high), tuple(sign(word, high) for word in words))
            for high in numbers
        ),
    )


def main_effects(table: SignTable) -> SignTable:
    """Return the same without interactions, for which there may be no room."""
    numbers = [i for i, effect in enumerate(table.effects) if len(effect) == 1]
    return SignTable(
        table.axes,
        tuple(table.effects[i] for i in numbers),
        tuple(SignRow(row.treatment, row.name, tuple(row.signs[i] for i in numbers)) for row in table.rows),
    )


def _get_highs(layout: Layout) -> dict[Word, int]:
    """Axes at their second step to the number of the treatment."""
    varies = [axis.varies for axis in layout.axes]
    return {
        sum(
            1 << j for j, step in enumerate(s for s, keep in zip(steps, varies, strict=True) if keep) if step
        ): n
        for n, steps in enumerate(layout.combinations(), 1)
    }


def _name_run(high: Word) -> str:
    return letter_word(high).lower() if order(high) else "(1)"
