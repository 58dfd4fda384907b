"""``Growth``: ``x^power · log2(x)^log · 2^(exp2·x)``, exact, ordered by how fast it grows."""

from __future__ import annotations

import math
from enum import IntEnum
from fractions import Fraction
from functools import lru_cache

import msgspec


class GrowthClass(IntEnum):
    """Class of growth by its fastest factor (Shudler et al. 2019, DOI 10.1109/TPDS.2019.2896993, § 2.3)."""

    LOGARITHMIC = 1
    """O(1) too."""
    POLYNOMIAL = 2
    EXPONENTIAL = 3


class Growth(msgspec.Struct, frozen=True, cache_hash=True):
    """The growth of one parameter, without coefficient. ``<`` means "grows more slowly, for large x".

    Attributes
    ----------
    power, log, exp2 : Fraction
        The exponents of ``x``, of ``log2 x`` and, per unit of x, of 2. All zero is O(1).
    """

    power: Fraction = Fraction(0)
    log: Fraction = Fraction(0)
    exp2: Fraction = Fraction(0)

    @classmethod
    def make(
        cls, power: Fraction | int | str = 0, log: Fraction | int | str = 0, exp2: Fraction | int | str = 0
    ) -> Growth:
        """Make a term from anything that ``Fraction`` reads exactly."""
        return cls(Fraction(power), Fraction(log), Fraction(exp2))

    @property
    def kind(self) -> GrowthClass:
        """The class of the fastest factor."""
        if self.exp2:
            return GrowthClass.EXPONENTIAL
        return GrowthClass.POLYNOMIAL if self.power else GrowthClass.LOGARITHMIC

    @property
    def is_constant(self) -> bool:
        """Whether this is O(1)."""
        return _is_constant(self)

    def _make_key(self) -> tuple[Fraction, Fraction, Fraction]:
        return (self.exp2, self.power, self.log)

    def __lt__(self, growth: Growth) -> bool:
        group, two = _compute_nearly(self), _compute_nearly(growth)
        return group < two if group != two else self._make_key() < growth._make_key()

    def __le__(self, growth: Growth) -> bool:
        group, two = _compute_nearly(self), _compute_nearly(growth)
        return group <= two if group != two else self._make_key() <= growth._make_key()

    def __mul__(self, growth: Growth) -> Growth:
        return Growth(self.power + growth.power, self.log + growth.log, self.exp2 + growth.exp2)

    def __truediv__(self, growth: Growth) -> Growth:
        return Growth(self.power - growth.power, self.log - growth.log, self.exp2 - growth.exp2)

    def __pow__(self, exponent: Fraction | int) -> Growth:
        return Growth(self.power * exponent, self.log * exponent, self.exp2 * exponent)

    def at(self, x: float) -> float:
        """Return the value at ``x`` with coefficient 1; infinite where a double cannot hold it.

        Raises
        ------
        ValueError
            ``x`` is not above 0, or a logarithm is asked for where it is negative, or 0 and divided by.
        """
        return _at(self, x)

    def text(self, parameter: str = "x") -> str:
        """Write the term as a person does: ``p^0.5 log^2 p``, ``k^3 2^k``, ``1``."""
        return _format_growth(self, parameter)

    def big_o(self, parameter: str = "x") -> str:
        """``text`` inside ``O(…)``."""
        return f"O({self.text(parameter)})"


CONSTANT = Growth()
"""O(1)."""


@lru_cache(maxsize=1 << 15)
def _compute_nearly(growth: Growth) -> tuple[float, float, float]:
    """Return the exponents as doubles.

    Where these differ they are in the order of the fractions, in a tenth of the time.
    """
    return float(growth.exp2), float(growth.power), float(growth.log)


@lru_cache(maxsize=4096)
def _is_constant(growth: Growth) -> bool:
    return not (growth.power or growth.log or growth.exp2)


@lru_cache(maxsize=1 << 15)
def _at(growth: Growth, x: float) -> float:
    # A hundred thousand models have the same few growths at the same few points.
    if growth.log > 0 and x == 1:
        return 0.0
    if x <= 0 or (growth.log and x <= 1):
        raise ValueError(f"{growth.text('x')} has no value at {x}")
    exponent = float(growth.power) * math.log2(x)
    if growth.exp2:
        exponent += float(growth.exp2) * x
    if growth.log:
        exponent += float(growth.log) * math.log2(math.log2(x))
    return 2.0**exponent if exponent < 1023 else math.inf


@lru_cache(maxsize=4096)
def _format_growth(growth: Growth, name: str) -> str:
    parts = []
    if growth.power:
        parts.append(name if growth.power == 1 else f"{name}^{_format_exponent(growth.power)}")
    if growth.log:
        parts.append(f"log {name}" if growth.log == 1 else f"log^{_format_exponent(growth.log)} {name}")
    if growth.exp2:
        argument = name if growth.exp2 == 1 else f"({_format_rational(growth.exp2)}*{name})"
        parts.append(f"2^{argument}")
    return " ".join(parts) or "1"


def _format_rational(value: Fraction) -> str:
    """Return a decimal where it is exact within four digits, else a fraction."""
    if value.denominator == 1:
        return str(value.numerator)
    decimal = f"{float(value):.4f}".rstrip("0")
    return decimal if Fraction(decimal) == value else f"{value.numerator}/{value.denominator}"


def _format_exponent(value: Fraction) -> str:
    text = _format_rational(value)
    return f"({text})" if "/" in text else text
