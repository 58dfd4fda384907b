"""Fitting one group of functions that share their points.

Search, widen where it does not fit, cut where it switches.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.extensions.growth.algebra import Growth, GrowthClass
from steelyard.extensions.growth.scaling.aggregate import Aggregated
from steelyard.extensions.growth.scaling.candidates import (
    Booleans,
    Candidates,
    one_parameter,
    several_parameters,
)
from steelyard.extensions.growth.scaling.choose import Choices, choose
from steelyard.extensions.growth.scaling.levelling import Rise
from steelyard.extensions.growth.scaling.posterior import search
from steelyard.extensions.growth.scaling.question import Question
from steelyard.extensions.growth.scaling.segments import LEAST_POINTS, LEAST_RANKED, Segmenter, Stretch, part
from steelyard.extensions.growth.scaling.spaces import (
    SearchSpace,
    drop_exponentials,
    exponential_space,
    falling_space,
    slow_space,
    steep_falling_space,
    steep_space,
    union,
)

POOR_FIT: Final = 0.02
"""p of lack of fit below which other terms are tried, then change points."""
INEXACT: Final = 1e-3
"""Relative residual of a series without noise from which it counts as not fitted."""
LEAST_GAIN: Final = 3.0
"""Of ln evidence, from which other terms are taken: they are looked at because of the data, and one point far
out is met by every term that is steep enough.
"""
MOST_OFF: Final = 1.0
"""Doublings by which an exponential of all points but the last may miss that one."""
SWITCHED: Final = 0.5
"""Probability of a switch from which the stretches are shown."""
MAY_SWITCH: Final = 0.01
"""… from which they enter predictions."""


class Grid(msgspec.Struct, frozen=True):
    """What the functions of a group share.

    Attributes
    ----------
    points : array (m, parameters)
    expectations : tuple of Growth or None
        One a parameter.
    falling : tuple of bool
        Whether falling terms are searched, one a parameter.
    rise : {"any", "slow", "none"}
        Growing terms that are searched where one parameter's data fall.
    """

    points: Floats
    parameters: tuple[str, ...]
    expectations: tuple[Growth | None, ...]
    falling: tuple[bool, ...]
    rise: Rise = "any"


class FittedPiece(msgspec.Struct, frozen=True):
    """A stretch and the formulas chosen there."""

    stretch: Stretch
    choices: Choices


class AnswerSource(msgspec.Struct, frozen=True):
    """Where one function's answer comes from: a row of some choices, perhaps cut into stretches."""

    choices: Choices
    data: Aggregated
    row: int
    switch: float = 0.0
    """Probability that the function switches; ``pieces`` are the most probable stretches then."""
    pieces: tuple[FittedPiece, ...] = ()
    at: int = 0
    """The function's row in the pieces."""

    @property
    def switched(self) -> bool:
        """Whether the stretches are believed, and the last is long enough for a formula."""
        return self.switch > SWITCHED and self.pieces[-1].stretch.count >= LEAST_RANKED

    @property
    def ends_apart(self) -> int:
        """How many last points go their own way, too few for a formula; 0 where none do."""
        count = self.pieces[-1].stretch.count if self.switch > SWITCHED else 0
        return count if count < LEAST_RANKED else 0

    def speaks(self) -> tuple[Choices, Aggregated, int]:
        """Return what speaks for large x: everything, or the last stretch."""
        if self.switched:
            last = self.pieces[-1]
            return last.choices, last.stretch.data, self.at
        return self.choices, self.data, self.row


class Fitted(msgspec.Struct, frozen=True):
    """All functions of a group: ``choices`` for most, ``special`` for those that needed more.

    ``misfit``: whose formula over all points misses some by more than noise explains; of one parameter.
    """

    grid: Grid
    data: Aggregated
    choices: Choices
    special: dict[int, AnswerSource]
    misfit: Booleans

    def source(self, row: int) -> AnswerSource:
        """Where the answer of one function comes from."""
        return self.special.get(row) or AnswerSource(self.choices, self.data, row)


def fit(grid: Grid, data: Aggregated, question: Question, reach: Floats) -> Fitted:
    """Fit all functions of a group."""
    m = len(grid.points)
    spaces = _get_spaces(grid, question, wider=False)
    choices = _search(grid, spaces, data, question, reach)
    special: dict[int, AnswerSource] = {}
    misfit = _make_misfit(choices, data)
    if len(grid.parameters) > 1:
        return Fitted(grid, data, choices, special, misfit)
    edge = choices.posterior.candidates.near_edge[choices.lead]
    if question.space == "default" and not question.exponential and m >= LEAST_POINTS + 1:
        rows = np.flatnonzero((misfit | edge) & (choices.posterior.blurred == 0))
        if len(rows):
            piece = part(data, rows, 0, m)
            again = _search(grid, _get_spaces(grid, question, wider=True), piece, question, reach)
            gain = again.posterior.log_evidence - choices.posterior.log_evidence[rows]
            better = gain > LEAST_GAIN
            still = _make_misfit(again, piece)
            for at in np.flatnonzero(better):
                special[int(rows[at])] = AnswerSource(again, piece, int(at))
                misfit[rows[at]] = still[at]
    _drop_exponentials(grid, data, question, reach, choices, special, misfit)
    if question.segments and m >= 2 * LEAST_POINTS:
        rows = np.flatnonzero(misfit)
        if len(rows):
            _cut(grid, data, rows, spaces[0], question, reach, special, choices)
    return Fitted(grid, data, choices, special, misfit)


def _drop_exponentials(
    grid: Grid,
    data: Aggregated,
    question: Question,
    reach: Floats,
    choices: Choices,
    special: dict[int, AnswerSource],
    misfit: Booleans,
) -> None:
    """Model without exponentials what needs none at all points but the last, or other ones than at that.

    Any exponential is flat before the last point and meets that one, wherever it lies: on an axis from 1 to
    32, a constant with 10 % of noise became 2^p in every third series.
    """
    m = len(grid.points)
    rows = np.array([row for row in range(len(data.value)) if _is_exponential(row, choices, special)], int)
    full = _get_spaces(grid, question, wider=True)
    plain = drop_exponentials(full[0])
    if not len(rows) or not plain.terms or m <= LEAST_POINTS:
        return
    before = Grid(grid.points[:-1], grid.parameters, grid.expectations, grid.falling, grid.rise)
    piece, start = part(data, rows, 0, m), part(data, rows, 0, m - 1)
    last = grid.points[-1:]
    shorter, without = (_search(before, (space,), start, question, last) for space in (full[0], plain))
    gain = shorter.posterior.log_evidence - without.posterior.log_evidence
    with np.errstate(divide="ignore", invalid="ignore"):
        off = np.abs(np.log2(shorter.at(last[0]) / data.value[rows, -1]))
    unneeded = np.flatnonzero((gain <= LEAST_GAIN) | ~(off < MOST_OFF))
    if not len(unneeded):
        return
    again = _search(grid, (plain,), piece, question, reach)
    still = _make_misfit(again, piece)
    for at in unneeded:
        special[int(rows[at])] = AnswerSource(again, piece, int(at))
        misfit[rows[at]] = still[at]


def _is_exponential(row: int, choices: Choices, special: dict[int, AnswerSource]) -> bool:
    source = special.get(row)
    chosen, at = (source.choices, source.row) if source else (choices, row)
    return any(growth.exp2 > 0 for growth in chosen.posterior.candidates.leads[chosen.lead[at]])


def _search(
    grid: Grid, spaces: tuple[SearchSpace, ...], data: Aggregated, question: Question, reach: Floats
) -> Choices:
    candidates = _make_candidates(grid.points.tobytes(), len(grid.points), spaces)
    posterior = search(candidates, data.value, data.u2, data.law, data.freedom, question.threads)
    return choose(posterior, data, reach)


@lru_cache(maxsize=64)
def _make_candidates(grid: bytes, points: int, spaces: tuple[SearchSpace, ...]) -> Candidates:
    array = np.frombuffer(grid).reshape(points, -1)
    return one_parameter(array, spaces[0]) if len(spaces) == 1 else several_parameters(array, spaces)


@lru_cache(maxsize=16)
def _make_segmenter(grid: bytes, points: int, space: SearchSpace) -> Segmenter:
    return Segmenter(np.frombuffer(grid).reshape(points, -1), space)


def _get_spaces(grid: Grid, question: Question, *, wider: bool) -> tuple[SearchSpace, ...]:
    coarse = len(grid.parameters) > 1
    out = []
    for name, expectation, falls in zip(grid.parameters, grid.expectations, grid.falling, strict=True):
        space = question.base_space(expectation, name, len(grid.parameters))
        if falls and question.space == "default":
            down = falling_space(coarse=coarse)
            steep = (steep_falling_space(),) if wider else ()
            growing = {"any": (space,), "slow": (slow_space(),), "none": ()}[grid.rise]
            space = msgspec.structs.replace(union("falling", *growing, down, *steep), open=True)
        if question.exponential or (wider and grid.rise == "any"):
            is_expected = question.exponential or _is_exponential_growth(expectation)
            space = union("wider", space, *((exponential_space(),) if is_expected else ()), steep_space())
        out.append(space)
    return tuple(out)


def _is_exponential_growth(growth: Growth | None) -> bool:
    return growth is not None and growth.kind is GrowthClass.EXPONENTIAL


def _make_misfit(choices: Choices, data: Aggregated) -> Booleans:
    """Functions whose formula misses by more than noise explains."""
    noisy = ~np.isnan(choices.lack_of_fit)
    miss = (np.abs(data.value - choices.fitted) > INEXACT * np.abs(data.value)).any(axis=1)
    return np.asarray(np.where(noisy, np.nan_to_num(choices.lack_of_fit, nan=1.0) < POOR_FIT, miss))


def _cut(
    grid: Grid,
    data: Aggregated,
    rows: np.ndarray,
    space: SearchSpace,
    question: Question,
    reach: Floats,
    special: dict[int, AnswerSource],
    choices: Choices,
) -> None:
    """Look for switches in the functions ``rows``; those that may have one become special."""
    segmenter = _make_segmenter(grid.points.tobytes(), len(grid.points), space)
    stretches = segmenter.fit(data, rows, question.threads)
    chosen: dict[tuple[int, int], Choices] = {}
    for at, row in enumerate(map(int, rows)):
        cut = segmenter.segment(stretches, at)
        if cut.probability < MAY_SWITCH:
            continue
        for place in cut.cuts:
            if place not in chosen:
                last = place == cut.cuts[-1]
                chosen[place] = choose(
                    stretches[place].posterior, stretches[place].data, reach if last else reach[:0]
                )
        before = special.get(row) or AnswerSource(choices, data, row)
        pieces = tuple(FittedPiece(stretches[place], chosen[place]) for place in cut.cuts)
        special[row] = AnswerSource(before.choices, before.data, before.row, cut.probability, pieces, at)
