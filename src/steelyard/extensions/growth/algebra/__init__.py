"""The algebra of growth: terms ``x^i · log2(x)^j · 2^(k·x)`` with exact exponents, their order and rank."""

from __future__ import annotations

from steelyard.extensions.growth.algebra.expression import (
    HALF,
    Expression,
    parse,
    parse_deviation,
    parse_growth,
)
from steelyard.extensions.growth.algebra.rank import (
    Limits,
    Rank,
    default_deviation,
    half_deviation,
    limits,
    rank,
    rank_at,
)
from steelyard.extensions.growth.algebra.rule import GrowthRule, parse_rule
from steelyard.extensions.growth.algebra.term import CONSTANT, Growth, GrowthClass

__all__ = [
    "CONSTANT",
    "HALF",
    "Expression",
    "Growth",
    "GrowthClass",
    "GrowthRule",
    "Limits",
    "Rank",
    "default_deviation",
    "half_deviation",
    "limits",
    "parse",
    "parse_deviation",
    "parse_growth",
    "parse_rule",
    "rank",
    "rank_at",
]
