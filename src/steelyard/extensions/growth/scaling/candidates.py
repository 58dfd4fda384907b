"""Candidate models over fixed points: the columns, sums and priors that the kernel searches."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from steelyard import _kernels
from steelyard.core.arrays import Floats
from steelyard.extensions.growth.algebra import CONSTANT, Growth
from steelyard.extensions.growth.scaling.columns import (
    Exponents,
    Monomial,
    TermColumn,
    bends,
    knees_of,
    list_columns_between,
    share_growth,
)
from steelyard.extensions.growth.scaling.spaces import SearchSpace

Integers = NDArray[np.int64]
SmallIntegers = NDArray[np.int32]
Booleans = NDArray[np.bool_]


class Priors(msgspec.Struct, frozen=True):
    """What is believed before the data: tuning constants, each measured in docs/decisions.

    Masses are relative; those of what is not searched fall away.

    Attributes
    ----------
    constant, single, pair : float
        Prior mass of no growth, of one growing term, of two.
    negative : float
        … of two growing terms of which the slower one has a negative coefficient, as in n log n - n.
    bent : float
        … of one term of a softened argument: flat, then growing. No formula that is shown, but what curves
        outside of the space is near one of them.
    bounded : float
        … of what rises towards a bound.
    between : float
        … of a power between those of the grid.
    falling, valley, falls_twice : float
        … of one falling term, of a falling and a growing one, of two falling; only where the data fall.
    divided, overhead : float
        … of work that is divided, a/p, beside a serial part (Amdahl), and with log p or p beside it; only
        where the data fall. It is what strong scaling is made of.
    tau : tuple of float
        Discrepancies considered: the relative distance of a point's truth from any formula of the space.
    tau_mass : tuple of float
        Their prior masses.
    negative_constant : float
        What a negative constant costs.
    """

    constant: float = 1.9
    single: float = 0.35
    pair: float = 0.3
    negative: float = 0.05
    bent: float = 0.6
    bounded: float = 0.12
    between: float = 0.04
    falling: float = 0.4
    valley: float = 0.3
    falls_twice: float = 0.1
    divided: float = 0.8
    overhead: float = 0.4
    tau: tuple[float, ...] = (1e-6, 1e-5, 1e-4, 1e-3, 0.003, 0.01, 0.03, 0.1, 0.3)
    tau_mass: tuple[float, ...] = (0.08, 0.08, 0.08, 0.15, 0.2, 0.2, 0.12, 0.06, 0.03)
    negative_constant: float = 0.2
    several_constant: float = 0.15
    negative_product: float = 0.05


DEFAULT_PRIORS: Final = Priors()
EDGE: Final = Fraction(1, 2)
SIMPLE_WEIGHT: Final = 0.39
"""Terms at least this plausible enter sums of two."""
MOST_TERMS: Final = 3
"""Of a sum."""
LEAST_FOR_SUMS: Final = 5
"""Points from which sums of two terms are searched."""
CANCELLING: Final = (Growth.make(0, 1), Growth.make(0, 2), Growth.make("1/2"), Growth.make(1), Growth.make(2))
"""How much faster the other term grows than one with a negative coefficient; an exponential may lose any term
that is none, as k 2^k - k does.
"""
STRONG_SCALING: Final = tuple(
    Growth.make(*exponents)
    for exponents in ((-1, 0), ("-1/2", 0), ("-1/3", 0), ("-2/3", 0), ("-3/2", 0), (-2, 0), (-1, 1))
)
"""Falling terms that enter sums of two."""


DIVIDED: Final = Growth.make(-1)
"""Work divided by the number of workers."""
OVERHEAD: Final = (Growth.make(0, 1), Growth.make(1))
"""Beside it, what a tree of messages and what a message to each of all cost."""
MOST_DOUBLINGS: Final = 40.0
"""Of an exponential over the measured range: beyond, it is nothing but a step at the last point."""
LARGEST_EXPONENT: Final = 1000.0
"""Of 2, that a double can hold."""


class Candidates(msgspec.Struct, frozen=True):
    """What the kernel searches over one set of points.

    Attributes
    ----------
    points : array (m, parameters)
    columns : tuple of TermColumn
    scale : array (columns,)
        Each column's largest value, negative for those that count against; the kernel sees columns divided by
        it.
    members : array (candidates, 3) of int32
        Columns of each candidate, -1 for none.
    leads : tuple of Monomial
        The fastest growth for each parameter; ``group`` of a candidate points here. The first is the
        constant.
    leading : tuple of tuple of Monomial
        The terms that no other one of the candidate outgrows: c + p + n has two, c + p n one.
    is_shown : array (candidates,) of bool
        Whether it can stand as a formula.
    rough : array (candidates,) of bool
        Whether it is near to the truth at best: shapes outside of the space, and bounds.
    classes : array (leads,) of int
        Those that are constant, fall, or are a logarithm, power or exponential in the same parameters share
        one; 0 is the constant's.
    falls : array (leads,) of bool
        Leads of one parameter that fall, to 0 or to a constant.
    lead_prior : array (leads,)
        Prior probability of each lead, over all of its candidates.
    """

    points: Floats
    columns: tuple[TermColumn, ...]
    scale: Floats
    members: SmallIntegers
    group: SmallIntegers
    leads: tuple[Monomial, ...]
    leading: tuple[tuple[Monomial, ...], ...]
    is_shown: NDArray[np.bool_]
    rough: NDArray[np.bool_]
    classes: Integers
    falls: NDArray[np.bool_]
    lead_prior: Floats
    priors: Priors
    kernel: _kernels.Space
    fastest: Monomial
    """The fastest growth searched, for each parameter."""
    near_edge: NDArray[np.bool_]
    """Leads within half a power of it: faster terms may be wanted."""
    exponents: Exponents
    raw: Floats
    """Every column at every point, (columns, m)."""

    def at(self, target: Floats) -> Floats:
        """Every column, as the kernel scales it, at one point.

        A last 0 stands for "no term", so that -1 finds it.
        """
        return np.append(self.exponents.at(target.reshape(1, -1))[:, 0] / self.scale, 0.0)


def usable(points: Floats, term: Monomial) -> bool:
    """Whether the term can be told at these points.

    Logarithms need them above 1 (at 1 they are 0: allowed if positive), exponentials must neither overflow
    nor be steps.
    """
    return all(_is_usable(points[:, at], growth) for at, growth in enumerate(term))


def _is_usable(values: Floats, growth: Growth) -> bool:
    least, most = float(values.min()), float(values.max())
    if growth.log and not (least > 1 or (growth.log > 0 and least == 1)):
        return False
    rate = abs(float(growth.exp2))
    return rate * (most - least) < MOST_DOUBLINGS and rate * most < LARGEST_EXPONENT


Weighted = list[tuple[tuple[int, ...], float]]
"""Candidates as the numbers of their columns, with relative weights."""


class _Numbered:
    """Columns by number: candidates are made of integers, since fractions are slow to compare and to hash."""

    def __init__(self, parameters: int) -> None:
        self.parameters = parameters
        self.columns: list[TermColumn] = []
        self._numbers: dict[TermColumn, int] = {}

    def number(self, column: TermColumn) -> int:
        """Return the number of a column, a new one where it has none."""
        number = self._numbers.setdefault(column, len(self.columns))
        if number == len(self.columns):
            growths = tuple(map(share_growth, column.growth))
            self.columns.append(msgspec.structs.replace(column, growth=growths))
        return number

    def heights(self) -> NDArray[np.int64]:
        """Place of each column's growth among all, by parameter; the constant has 0."""
        out = np.zeros((len(self.columns), self.parameters), dtype=np.int64)
        for at in range(self.parameters):
            growths = [column.growth[at] for column in self.columns]
            distinct = sorted({*growths, CONSTANT})
            zero = distinct.index(CONSTANT)
            place = {growth: number - zero for number, growth in enumerate(distinct)}
            out[:, at] = [place[growth] for growth in growths]
        return out


def one_parameter(
    points: Floats, space: SearchSpace, priors: Priors = DEFAULT_PRIORS, *, plain: bool = False
) -> Candidates:
    """Return the candidates of one parameter.

    They are the constant, every term of the space, sums of two simple terms, and what lies outside of the
    space.

    ``plain`` leaves out the latter and everything with a negative coefficient.
    """
    usable_terms = tuple(usable(points, (term,)) for term in space.terms)
    knees = () if plain or not space.open else knees_of(points)
    sums = len(points) >= LEAST_FOR_SUMS
    return _build_over(points, _build_one_parameter(space, usable_terms, knees, priors, sums=sums), priors)


@lru_cache(maxsize=64)
def _build_one_parameter(
    space: SearchSpace,
    usable_terms: tuple[bool, ...],
    knees: tuple[float, ...],
    priors: Priors,
    *,
    sums: bool,
) -> _Structure:
    numbered = _Numbered(1)
    columns_of = [
        (t, numbered.number(TermColumn((t,))), w)
        for t, w, can in zip(space.terms, space.weights, usable_terms, strict=True)
        if can
    ]
    down = [group for group in columns_of if group[0] < CONSTANT]
    growing = columns_of[len(down) :]
    simple = [group for group in growing if group[2] >= SIMPLE_WEIGHT and _simple(group[0])]
    groups: list[tuple[float, Weighted]] = [
        (priors.single, [((c,), w) for _, c, w in growing]),
        (priors.falling, [((c,), w) for _, c, w in down]),
        (priors.divided, [((c,), 1.0) for term, c, _ in down if term == DIVIDED]),
    ]
    if sums:
        pairs = list(itertools.combinations(simple, 2))
        strong = [group for group in down if group[0] in STRONG_SCALING]
        twice, valleys = itertools.combinations(strong, 2), itertools.product(strong, simple)
        divided = [c for term, c, _ in down if term == DIVIDED]
        beside: Weighted = [((a, b), 1.0) for a in divided for g, b, _ in simple if g in OVERHEAD]
        groups.append((priors.overhead, beside))
        groups += [
            (mass, [((a, b), v * w) for (_, a, v), (_, b, w) in entries])
            for mass, entries in ((priors.pair, pairs), (priors.valley, valleys), (priors.falls_twice, twice))
        ]
        if knees:
            growing_bends, bounded = bends(knees)
            cancelling: Weighted = [
                ((numbered.number(TermColumn((f,), against=True)), b), v * w)
                for (f, _, v), (g, b, w) in pairs
                if g / f in CANCELLING or (g.exp2 and not f.exp2)
            ]
            groups += [
                (priors.negative, cancelling),
                (priors.bent, [((numbered.number(c),), 1.0) for c in growing_bends]),
                (priors.bounded, [((numbered.number(c),), 1.0) for c in bounded]),
                (priors.between, [((numbered.number(c),), 1.0) for c in list_columns_between()]),
            ]
    return _build_structure(numbered, groups, priors)


def _simple(term: Growth) -> bool:
    return term.power.denominator <= 2 and term.exp2.denominator == 1


def several_parameters(
    points: Floats, spaces: Sequence[SearchSpace], priors: Priors = DEFAULT_PRIORS
) -> Candidates:
    """Products and sums over two or three parameters, searched jointly.

    With g and h for the terms of two parameters the structures are g, h, gh, g + h, gh + g, gh + h, gh - g
    and gh - h; with three they are every product of a subset, sums of parts that share no parameter (fg + h,
    f + g + h), and fgh with one of f, g and h. Each structure has the same prior mass, however many
    candidates it has; those with a negative part share that of one.
    """
    count = points.shape[1]
    columns_of = [
        [(t, w) for t, w in zip(space.terms, space.weights, strict=True) if usable(points[:, [at]], (t,))]
        for at, space in enumerate(spaces)
    ]
    shapes = _get_shapes(count)
    numbered = _Numbered(count)
    groups: list[tuple[float, Weighted]] = []
    negative: Weighted = []
    for shape in shapes:
        active = sorted(frozenset().union(*shape))
        entries: Weighted = []
        for choice in itertools.product(*(columns_of[at] for at in active)):
            growth = dict(zip(active, (t for t, _ in choice), strict=True))
            parts = [
                tuple(growth[at] if at in subset else CONSTANT for at in range(count)) for subset in shape
            ]
            weight = math.prod(w for _, w in choice)
            members = tuple(numbered.number(TermColumn(part)) for part in parts)
            entries.append((members, weight))
            if len(shape) == 2 and shape[1] < shape[0]:
                negative.append(((members[0], numbered.number(TermColumn(parts[1], against=True))), weight))
        groups.append((1.0 / len(shapes), entries))
    groups.append((priors.negative_product, negative))
    structure = _build_structure(
        numbered, groups, msgspec.structs.replace(priors, constant=priors.several_constant)
    )
    return _build_over(points, structure, priors)


def _get_shapes(parameters: int) -> list[tuple[frozenset[int], ...]]:
    """Which parameters each term of a structure has."""
    every = range(parameters)
    subsets = [frozenset(s) for size in range(1, parameters + 1) for s in itertools.combinations(every, size)]
    full = subsets[-1]
    shapes: list[tuple[frozenset[int], ...]] = [(s,) for s in subsets]
    # Parts that share nothing, and a product of everything with one parameter more.
    shapes += [(a, b) for a, b in itertools.combinations(subsets, 2) if not a & b]
    shapes += [(full, frozenset({at})) for at in every]
    if parameters == MOST_TERMS:
        shapes.append(tuple(frozenset({at}) for at in every))
    return shapes


class _Structure(msgspec.Struct, frozen=True):
    """What does not depend on the points; attributes as in ``Candidates``."""

    columns: tuple[TermColumn, ...]
    members: SmallIntegers
    group: SmallIntegers
    leads: tuple[Monomial, ...]
    leading: tuple[tuple[Monomial, ...], ...]
    is_shown: NDArray[np.bool_]
    rough: NDArray[np.bool_]
    classes: Integers
    falls: NDArray[np.bool_]
    log_prior: Floats
    lead_prior: Floats
    fastest: Monomial
    near_edge: NDArray[np.bool_]


def _build_structure(
    numbered: _Numbered, groups: Sequence[tuple[float, Weighted]], priors: Priors
) -> _Structure:
    """Give each candidate its share of its group's mass, and number the leads."""
    parameters, columns = numbered.parameters, tuple(numbered.columns)
    heights = [tuple(row) for row in numbered.heights().tolist()]
    against = [column.against for column in columns]
    searched = [(mass, entries) for mass, entries in groups if entries]
    everything = priors.constant + sum(mass for mass, _ in searched)
    listed = [
        (members, mass / everything * weight / total)
        for mass, entries in searched
        for total in [sum(weight for _, weight in entries)]
        for members, weight in entries
    ]
    listed.sort(key=lambda candidate: len(candidate[0]))
    leads: dict[tuple[tuple[int, ...], ...], int] = {((0,) * parameters,): 0}
    leading: list[tuple[Monomial, ...]] = [((CONSTANT,) * parameters,)]
    group = [0]
    for term, _ in listed:
        positive = [q for q in term if not against[q]]
        numbers = [q for q in positive if not any(_outgrows(heights[r], heights[q]) for r in positive)]
        numbers.sort(key=lambda q: heights[q], reverse=True)
        key = tuple(heights[q] for q in numbers) or ((0,) * parameters,)
        if key not in leads:
            leads[key] = len(leads)
            leading.append(tuple(columns[q].growth for q in numbers))
        group.append(leads[key])
    members = [(-1, -1, -1), *((*term, *(-1,) * (3 - len(term))) for term, _ in listed)]
    is_shown = [True, *(all(columns[q].is_shown for q in term) for term, _ in listed)]
    bound = [column.against and column.growth < (CONSTANT,) * parameters for column in columns]
    rough = [False, *(any(bound[q] or not columns[q].is_shown for q in term) for term, _ in listed)]
    log_prior = [math.log(priors.constant / everything), *(math.log(weight) for _, weight in listed)]
    fastest = tuple(
        max((column.growth[at] for column in columns if column.is_shown), default=CONSTANT)
        for at in range(parameters)
    )
    lead_of = tuple(tuple(max(term[at] for term in lead) for at in range(parameters)) for lead in leading)
    near = [
        any(not g.exp2 and g.power >= top.power - EDGE for g, top in zip(lead, fastest, strict=True))
        for lead in lead_of
    ]
    return _Structure(
        columns,
        np.array(members, dtype=np.int32),
        np.array(group, dtype=np.int32),
        lead_of,
        tuple(leading),
        np.array(is_shown),
        np.array(rough),
        _classes(lead_of),
        np.array([parameters == 1 and lead[0] < CONSTANT for lead in lead_of]),
        np.array(log_prior),
        np.bincount(group, np.exp(log_prior), len(leading)).astype(float),
        fastest,
        np.array(near),
    )


def _classes(leads: Sequence[Monomial]) -> Integers:
    numbers: dict[tuple[int, ...], int] = {}
    kinds = (
        tuple(0 if g.is_constant else -1 if g < CONSTANT else int(g.kind) for g in lead) for lead in leads
    )
    return np.array([numbers.setdefault(kind, len(numbers)) for kind in kinds])


def _build_over(points: Floats, structure: _Structure, priors: Priors) -> Candidates:
    """Return the structure's columns at these points."""
    exponents = Exponents.make(structure.columns, points.shape[1])
    raw = exponents.at(points)
    scale = raw.max(axis=1) * np.where([column.against for column in structure.columns], -1.0, 1.0)
    kernel = _kernels.Space(
        np.ascontiguousarray(raw / scale[:, None]),
        structure.members,
        structure.log_prior,
        structure.group,
        np.array(priors.tau),
        np.log(priors.tau_mass),
        priors.negative_constant,
    )
    return Candidates(
        points,
        structure.columns,
        scale,
        structure.members,
        structure.group,
        structure.leads,
        structure.leading,
        structure.is_shown,
        structure.rough,
        structure.classes,
        structure.falls,
        structure.lead_prior,
        priors,
        kernel,
        structure.fastest,
        structure.near_edge,
        exponents,
        raw,
    )


def _outgrows(first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    """Whether the first grows at least as fast in every parameter, and faster in one."""
    return first != second and all(g >= h for g, h in zip(first, second, strict=True))
