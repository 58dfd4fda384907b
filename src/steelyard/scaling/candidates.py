"""Candidate models over fixed points: the columns, sums and priors that the kernel searches."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from steelyard import _kernels
from steelyard.arrays import Floats
from steelyard.growth import CONSTANT, Growth
from steelyard.scaling.spaces import SearchSpace

Integers = NDArray[np.int64]
SmallIntegers = NDArray[np.int32]
Monomial = tuple[Growth, ...]
"""One growth for each parameter; their product is the term."""


class Priors(msgspec.Struct, frozen=True):
    """What is believed before the data: tuning constants, each measured in docs/decisions.

    Attributes
    ----------
    constant, single, pair : float
        Prior mass of no growth, of one growing term, of two; they sum to 1.
    tau : tuple of float
        Discrepancies considered: the relative distance of a point's truth from any formula of the space.
    tau_mass : tuple of float
        Their prior masses.
    negative_constant : float
        What a negative constant costs.
    """

    constant: float = 0.15
    single: float = 0.63
    pair: float = 0.22
    tau: tuple[float, ...] = (1e-6, 1e-5, 1e-4, 1e-3, 0.003, 0.01, 0.03, 0.1, 0.3)
    tau_mass: tuple[float, ...] = (0.15, 0.1, 0.1, 0.15, 0.15, 0.15, 0.1, 0.07, 0.03)
    negative_constant: float = 0.02


DEFAULT_PRIORS: Final = Priors()
EDGE: Final = Fraction(1, 2)
SIMPLE_WEIGHT: Final = 0.39
"""Terms at least this plausible enter sums of two."""


class Exponents(msgspec.Struct, frozen=True):
    """The exponents of many terms as arrays (terms, parameters), so that values need no loop."""

    power: Floats
    log: Floats
    exp2: Floats

    @classmethod
    def of(cls, terms: Sequence[Monomial], parameters: int) -> Exponents:
        """From exact growths."""
        flat = [(float(g.power), float(g.log), float(g.exp2)) for term in terms for g in term]
        table = np.array(flat).reshape(len(terms), parameters, 3)
        return cls(*(np.ascontiguousarray(table[:, :, k]) for k in range(3)))

    def at(self, points: Floats) -> Floats:
        """The values at points (m, parameters), (terms, m); in logarithms, so that k^3 2^k does not
        overflow.
        """
        logs = np.log2(points)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_logs = np.where(logs > 0, np.log2(np.where(logs > 0, logs, 1.0)), -np.inf)
            logged = np.zeros((len(self.log), len(points)))
            for at in range(points.shape[1]):
                part = self.log[:, [at]] * log_logs[:, at]
                logged += np.where(self.log[:, [at]] != 0, part, 0.0)
        return np.asarray(np.exp2(np.clip(self.power @ logs.T + self.exp2 @ points.T + logged, -1000, 1000)))


class Candidates(msgspec.Struct, frozen=True):
    """What the kernel searches over one set of points.

    Attributes
    ----------
    points : array (m, parameters)
    terms : tuple of Monomial
        The growth of each column.
    scale : array (columns,)
        Each column's largest value; the kernel sees columns divided by it.
    members : array (candidates, 3) of int32
        Columns of each candidate, -1 for none.
    leads : tuple of Monomial
        Leading terms; ``group`` of a candidate points here. The first is the constant.
    """

    points: Floats
    terms: tuple[Monomial, ...]
    scale: Floats
    members: SmallIntegers
    group: SmallIntegers
    leads: tuple[Monomial, ...]
    priors: Priors
    kernel: _kernels.Space
    fastest: Monomial
    """The fastest growth searched, for each parameter."""
    near_edge: NDArray[np.bool_]
    """Leads within half a power of it: faster terms may be wanted."""
    exponents: Exponents
    raw: Floats
    """Every term at every point, (terms, m)."""

    def at(self, target: Floats) -> Floats:
        """Every column, as the kernel scales it, at one point; a last 0 stands for "no term", so that -1
        finds it.
        """
        return np.append(self.exponents.at(target.reshape(1, -1))[:, 0] / self.scale, 0.0)


def columns(points: Floats, terms: Sequence[Monomial]) -> Floats:
    """The values of each term at each point, (terms, points).

    Points must be positive, and above 1 where a term has a negative logarithm.
    """
    return Exponents.of(terms, points.shape[1]).at(points)


def usable(points: Floats, term: Monomial) -> bool:
    """Whether the term has a value at every point: logarithms need points above 1 (at 1 they are 0:
    allowed if positive).
    """
    return all(
        not growth.log
        or float(points[:, at].min()) > 1
        or (growth.log > 0 and float(points[:, at].min()) == 1)
        for at, growth in enumerate(term)
    )


def one_parameter(points: Floats, space: SearchSpace, priors: Priors = DEFAULT_PRIORS) -> Candidates:
    """The constant, every term of the space, and sums of two simple terms."""
    pairs_of = [(t, w) for t, w in zip(space.terms, space.weights, strict=True) if usable(points, (t,))]
    terms: list[Monomial] = [(t,) for t, _ in pairs_of]
    weights = [w for _, w in pairs_of]
    simple = [i for i, weight in enumerate(weights) if weight >= SIMPLE_WEIGHT and _simple(terms[i][0])]
    sums = [((slow, fast), weights[slow] * weights[fast]) for slow, fast in itertools.combinations(simple, 2)]
    return _assemble(points, terms, weights, sums, priors)


def _simple(term: Growth) -> bool:
    return term.power.denominator <= 2 and term.exp2.denominator == 1


def several_parameters(
    points: Floats, spaces: Sequence[SearchSpace], priors: Priors = DEFAULT_PRIORS
) -> Candidates:
    """Products and sums over two or three parameters, searched jointly.

    With g and h for the terms of two parameters the structures are g, h, gh, g + h, gh + g and gh + h; with
    three they are every product of a subset, sums of parts that share no parameter (fg + h, f + g + h), and
    fgh with one of f, g and h. Each structure has the same prior mass, however many candidates it has.
    """
    count = points.shape[1]
    own = [
        [(t, w) for t, w in zip(space.terms, space.weights, strict=True) if usable(points[:, [at]], (t,))]
        for at, space in enumerate(spaces)
    ]
    index: dict[Monomial, int] = {}
    structures: dict[tuple[frozenset[int], ...], list[tuple[tuple[int, ...], float]]] = {}
    for shape in _shapes(count):
        active = sorted(frozenset().union(*shape))
        entries = structures.setdefault(shape, [])
        for choice in itertools.product(*(own[at] for at in active)):
            growth = dict(zip(active, (t for t, _ in choice), strict=True))
            parts = tuple(
                tuple(growth[at] if at in subset else CONSTANT for at in range(count)) for subset in shape
            )
            which = tuple(index.setdefault(part, len(index)) for part in parts)
            entries.append((which, math.prod(w for _, w in choice)))
    terms = tuple(index)
    candidates: list[tuple[tuple[int, ...], float]] = []
    for entries in structures.values():
        total = sum(weight for _, weight in entries)
        mass = (1 - priors.constant) / len(structures)
        candidates += [(which, mass * weight / total) for which, weight in entries]
    return _finish(points, terms, candidates, priors)


def _shapes(parameters: int) -> list[tuple[frozenset[int], ...]]:
    """Which parameters each term of a structure has."""
    every = range(parameters)
    subsets = [frozenset(s) for size in range(1, parameters + 1) for s in itertools.combinations(every, size)]
    whole = subsets[-1]
    shapes: list[tuple[frozenset[int], ...]] = [(s,) for s in subsets]
    # Parts that share nothing, and a product of everything with one parameter more.
    shapes += [(a, b) for a, b in itertools.combinations(subsets, 2) if not a & b]
    shapes += [(whole, frozenset({at})) for at in every]
    if parameters > 2:
        shapes.append(tuple(frozenset({at}) for at in every))
    return shapes


def _assemble(
    points: Floats,
    terms: Sequence[Monomial],
    weights: Sequence[float],
    sums: Sequence[tuple[tuple[int, ...], float]],
    priors: Priors,
) -> Candidates:
    sums = sums if len(points) >= 5 else ()
    single_mass = (priors.single + (0 if sums else priors.pair)) / sum(weights)
    candidates: list[tuple[tuple[int, ...], float]] = [((i,), single_mass * w) for i, w in enumerate(weights)]
    total = sum(weight for _, weight in sums)
    candidates += [(which, priors.pair * weight / total) for which, weight in sums]
    return _finish(points, terms, candidates, priors)


def _finish(
    points: Floats,
    terms: Sequence[Monomial],
    candidates: Sequence[tuple[tuple[int, ...], float]],
    priors: Priors,
) -> Candidates:
    parameters = points.shape[1]
    exponents = Exponents.of(terms, parameters)
    raw = exponents.at(points)
    scale = raw.max(axis=1)
    leads: dict[Monomial, int] = {(CONSTANT,) * parameters: 0}
    members: list[tuple[int, ...]] = [(-1, -1, -1)]
    group = [0]
    log_prior = [math.log(priors.constant)]
    for which, weight in sorted(candidates, key=lambda candidate: len(candidate[0])):
        members.append((*which, *(-1,) * (3 - len(which))))
        lead = tuple(max(terms[i][at] for i in which) for at in range(parameters))
        group.append(leads.setdefault(lead, len(leads)))
        log_prior.append(math.log(weight))
    member_array = np.array(members, dtype=np.int32)
    group_array = np.array(group, dtype=np.int32)
    kernel = _kernels.Space(
        np.ascontiguousarray(raw / scale[:, None]),
        member_array,
        np.array(log_prior),
        group_array,
        np.array(priors.tau),
        np.log(priors.tau_mass),
        priors.negative_constant,
    )
    fastest = tuple(max((term[at] for term in terms), default=CONSTANT) for at in range(parameters))
    near = [
        any(not g.exp2 and g.power >= top.power - EDGE for g, top in zip(lead, fastest, strict=True))
        for lead in leads
    ]
    return Candidates(
        points,
        tuple(terms),
        scale,
        member_array,
        group_array,
        tuple(leads),
        priors,
        kernel,
        fastest,
        np.array(near),
        exponents,
        raw,
    )
