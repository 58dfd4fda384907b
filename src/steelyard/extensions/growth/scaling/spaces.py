"""Search spaces: which growth terms a model may have, and how plausible each is before the data speak."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache, lru_cache
from typing import Final

import msgspec

from steelyard.core.errors import UsageError
from steelyard.extensions.growth.algebra import CONSTANT, Growth, GrowthClass, parse_growth

DENOMINATOR_PRIOR: Final[Mapping[int, float]] = {1: 1.0, 2: 1.0, 3: 0.7, 4: 0.7, 6: 0.2, 12: 0.1}
"""Simple exponents are what algorithms have; an exponent of a twelfth stands for a truth that is off the
grid.
"""
OTHER_DENOMINATOR_PRIOR: Final = 0.1
LOG_PRIOR: Final[Mapping[Fraction, float]] = {Fraction(0): 1.0, Fraction(1): 0.8, Fraction(2): 0.4}
OTHER_LOG_PRIOR: Final = 0.1
PURE_LOG_BONUS: Final = 2.0
"""Trees are everywhere: log p and log^2 p weigh more than any single power."""
STEEP_PRIOR: Final = ((Fraction(2), 1.0), (Fraction(3), 0.6))
BEYOND_STEEP_PRIOR: Final = 0.1
"""Powers up to 2 are common, up to 3 known, beyond that rare; without this a hidden steep term widens
every interval.
"""
EXPECTED_BONUS: Final = 3.0
"""How much more plausible a term is for being the stated expectation; small, since checking it is the
point.
"""


class SearchSpace(msgspec.Struct, frozen=True):
    """Growth terms with their relative prior weights, the constant not among them.

    Attributes
    ----------
    name : str
        For reports.
    terms : tuple of Growth
        Slowest first, each once.
    weights : tuple of float
        Relative prior weight of each term, positive.
    open : bool
        Whether truths outside of the terms are reckoned with; not where somebody chose the terms.
    """

    name: str
    terms: tuple[Growth, ...]
    weights: tuple[float, ...]
    open: bool = False


def prior_weight(term: Growth) -> float:
    """Return the relative plausibility of a term by the simplicity of its exponents."""
    steep = next((weight for most, weight in STEEP_PRIOR if abs(term.power) <= most), BEYOND_STEEP_PRIOR)
    pure = PURE_LOG_BONUS if term.kind is GrowthClass.LOGARITHMIC else 1.0
    return (
        pure
        * (1.0 if term.exp2 else steep)
        * DENOMINATOR_PRIOR.get(term.power.denominator, OTHER_DENOMINATOR_PRIOR)
        * LOG_PRIOR.get(term.log, OTHER_LOG_PRIOR)
        * DENOMINATOR_PRIOR.get(term.exp2.denominator, OTHER_DENOMINATOR_PRIOR)
    )


def _make_space(name: str, terms: Iterable[Growth], expectation: Growth | None = None) -> SearchSpace:
    ordered = tuple(sorted({term for term in terms if not term.is_constant}))
    weights = tuple(prior_weight(t) * (EXPECTED_BONUS if t == expectation else 1.0) for t in ordered)
    return SearchSpace(name, ordered, weights)


@cache
def dense_space() -> SearchSpace:
    """Powers k/12 up to 3.5 with log factors to 0, 1 and 2."""
    return _make_space("dense", (Growth.make(Fraction(k, 12), j) for k in range(43) for j in range(3)))


@cache
def coarse_space() -> SearchSpace:
    """Powers in quarters and thirds up to 3, then 3.5 and 4.

    Log factors are to 0, 1 and 2. The space is for several parameters.
    """
    powers = {Fraction(k, d) for d in (3, 4) for k in range(3 * d + 1)} | {Fraction(7, 2), Fraction(4)}
    return _make_space("coarse", (Growth.make(i, j) for i in powers for j in range(3)))


@cache
def small_space() -> SearchSpace:
    """Eight powers up to 3 with and without a logarithm: for three parameters, whose products are many."""
    powers = ("0", "1/3", "1/2", "2/3", "1", "3/2", "2", "3")
    return _make_space("small", (Growth.make(i, j) for i in powers for j in (0, 1)))


@cache
def tiny_space() -> SearchSpace:
    """Return a logarithm and four powers up to 3: for four parameters."""
    return _make_space(
        "tiny", (Growth.make(*group) for group in ((0, 1), ("1/2", 0), (1, 0), (2, 0), (3, 0)))
    )


@cache
def falling_space(*, coarse: bool = False) -> SearchSpace:
    """Negative powers down to -3 with log factors, for series that fall."""
    powers = (
        {Fraction(k, d) for d in (3, 4) for k in range(2 * d + 1)}
        if coarse
        else {Fraction(k, 12) for k in range(37)}
    )
    logs = range(3) if coarse else range(-2, 3)
    return _make_space(
        "falling", (term for i in powers for j in logs if (term := Growth.make(-i, j)) < CONSTANT)
    )


@cache
def slow_space() -> SearchSpace:
    """Growth that may hide below a fall: a logarithm, a root, and what is proportional."""
    return _make_space("slow", (Growth.make(0, 1), Growth.make("1/2"), Growth.make(1)))


@cache
def make_short_space() -> SearchSpace:
    """Return the terms that algorithms have, for stretches of three or four points."""
    powers = ((0, 1), ("1/2", 0), (1, 0), (1, 1), ("3/2", 0), (2, 0), (3, 0))
    return _make_space("short", (Growth.make(*exponents) for exponents in powers))


@cache
def exponential_space() -> SearchSpace:
    """``k^j 2^(i k)`` with j = 0 … 4 and i = ¼ … 2."""
    rates = ("1/4", "1/3", "1/2", "1", "3/2", "2")
    return _make_space("exponential", (Growth.make(j, 0, i) for i in rates for j in range(5)))


@cache
def steep_space() -> SearchSpace:
    """Powers from 3.5 to 6: looked at only when nothing below fits."""
    return _make_space("steep", (Growth.make(Fraction(k, 2), j) for k in range(7, 13) for j in range(2)))


@cache
def steep_falling_space() -> SearchSpace:
    """Powers from -3.5 down to -6: looked at only when nothing above fits."""
    return _make_space("steep", (Growth.make(Fraction(-k, 2)) for k in range(7, 13)))


def seed001_space(
    expectation: Growth, halvings: int = 2, factors: Iterable[Fraction] = (Fraction(1),)
) -> SearchSpace:
    """Return the ruler of Shudler et al. 2019, § 2.3.

    Ticks go from 1 to E², halved ``halvings`` times, each also times the next lower class.

    ``factors`` are the exponents of the lower-class factor; the upper bound carries none. The construction
    has known holes: O(1) gives no term at all, and k^3 2^k is not among its own ticks.
    """
    ticks = 2 ** (halvings + 1)
    terms = []
    for tick in range(ticks + 1):
        share = Fraction(2 * tick, ticks)
        if expectation.kind is GrowthClass.EXPONENTIAL:
            term = Growth(exp2=expectation.exp2 * share)
        elif expectation.kind is GrowthClass.POLYNOMIAL:
            term = Growth(power=expectation.power * share)
        else:
            term = Growth(log=expectation.log * share)
        terms.append(term)
        if tick < ticks:
            terms += [
                term * lower for factor in factors if (lower := _lower(expectation.kind, factor)) is not None
            ]
    return _make_space("seed001", terms)


def _lower(kind: GrowthClass, exponent: Fraction) -> Growth | None:
    """Return the factor of the next lower class."""
    if kind is GrowthClass.EXPONENTIAL:
        return Growth(power=exponent)
    return Growth(log=exponent) if kind is GrowthClass.POLYNOMIAL else None


@cache
def mpi_study_space() -> SearchSpace:
    """§ 3.1.3 of Shudler et al. 2019: log to 0 and 1, p to multiples of ¼ and ⅓ up to 2."""
    powers = {Fraction(k, d) for d in (3, 4) for k in range(2 * d + 1)}
    return _make_space("mpi-study", (Growth.make(i, j) for i in powers for j in (0, 1)))


@cache
def wide_space() -> SearchSpace:
    """``mpi-study`` with log² and p up to 3, which Table 6 of Shudler et al. 2019 needs."""
    powers = {Fraction(k, d) for d in (3, 4) for k in range(3 * d + 1)}
    return _make_space("wide", (Growth.make(i, j) for i in powers for j in (0, 1, 2)))


@cache
def default_space(expectation: Growth | None = None, *, parameters: int = 1) -> SearchSpace:
    """Return the grid that so many parameters allow.

    Where there is an expectation, its own grid and its lower-class factors to ±2 are added.
    """
    coarse = parameters > 1
    grids = {1: dense_space, 2: coarse_space, 3: small_space}
    terms = list(grids.get(parameters, tiny_space)().terms)
    if expectation is not None and not expectation.is_constant:
        if not coarse or expectation.kind is not GrowthClass.POLYNOMIAL:
            terms += [
                t for t in seed001_space(expectation).terms if expectation.kind is not GrowthClass.LOGARITHMIC
            ]
        steps = [Fraction(k, 2) for k in range(-4, 5)]
        neighbours = [lower for s in steps if (lower := _lower(expectation.kind, s)) is not None]
        terms += [term for factor in neighbours if (term := expectation * factor) > CONSTANT]
        terms.append(expectation)
        if expectation < CONSTANT:
            terms += falling_space().terms
    return msgspec.structs.replace(_make_space("default", terms, expectation), open=True)


def user_space(terms: Iterable[str], parameter: str) -> SearchSpace:
    """Return the user's own terms, as big-O texts.

    Raises
    ------
    UsageError
        No term but the constant is left, or one cannot be read.
    """
    growths = [parse_growth(text, parameter) for text in terms]
    space = _make_space("user", growths)
    if not space.terms:
        raise UsageError(
            f"the search space {list(terms)} has no growing term", hint='write terms, as in "log p", "p^0.5"'
        )
    return space


@lru_cache(maxsize=64)
def drop_exponentials(space: SearchSpace) -> SearchSpace:
    """Return the space without terms that grow exponentially."""
    pairs = [(t, w) for t, w in zip(space.terms, space.weights, strict=True) if t.exp2 <= 0]
    return SearchSpace(space.name, tuple(t for t, _ in pairs), tuple(w for _, w in pairs), open=space.open)


@lru_cache(maxsize=64)
def union(name: str, *spaces: SearchSpace) -> SearchSpace:
    """All terms of the spaces, each with its largest weight."""
    weights: dict[Growth, float] = {}
    for space in spaces:
        for term, weight in zip(space.terms, space.weights, strict=True):
            weights[term] = max(weight, weights.get(term, 0.0))
    ordered = tuple(sorted(weights))
    return SearchSpace(
        name, ordered, tuple(weights[term] for term in ordered), open=any(space.open for space in spaces)
    )
