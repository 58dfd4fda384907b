"""Explanations for tests of what is shown of them."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from steelyard.core.units import BUILTIN
from steelyard.extensions.explain.profiles import Function
from steelyard.extensions.explain.results import (
    ArmQuality,
    Contribution,
    Explanation,
    Node,
    Remainder,
    SamplerEffect,
)
from steelyard.results.interval import Interval

QUALITY = ArmQuality(samples=500.0, unnamed=0.0, rooted=0.99, lost=0)
ALIKE = SamplerEffect(0.012, 0.013, 0.001, Interval(-0.003, 0.005), 0.015, "alike")
MAIN, PARSE, COPY = (
    Function("main"),
    Function("parse_block", "", "src/parser.c", 212),
    Function("memcpy", "libc"),
)


def contribution(name: str, value: float, half: float = 0.006, **fields: Any) -> Contribution:
    """Return a function that is named."""
    usual = Contribution(
        name=name,
        place="",
        file="",
        line=0,
        old_name=None,
        presence="both",
        old_s=0.05,
        new_s=0.05 + value / 10,
        inclusive_old_s=0.06,
        inclusive_new_s=0.06 + value / 10,
        value=value,
        ci95=Interval(value - half, value + half),
        p=0.0002,
        named=True,
    )
    return replace(usual, **fields)


def explanation(**fields: Any) -> Explanation:
    """Return an explanation with two functions that are named, and one that is not."""
    usual = Explanation(
        old="./prog-old x",
        new="./prog-new x",
        metric=BUILTIN["cpu_s"],
        old_s=0.1,
        new_s=0.1061,
        change=0.061,
        ci95=Interval(0.054, 0.068),
        blocks=20,
        contributions=(
            contribution("parse_block", 0.042, file="src/parser.c", line=212),
            contribution("memcpy", 0.004, 0.003, place="libc"),
            contribution("hash", 0.001, p=0.9, named=False),
        ),
        pool=None,
        waiting=None,
        unnamed=Remainder(0.001, Interval(-0.005, 0.007)),
        remainder=Remainder(0.014, Interval(0.009, 0.019)),
        sampler=ALIKE,
        old_quality=QUALITY,
        new_quality=QUALITY,
        detectable=0.008,
        alpha=0.05,
        seed=1,
        layouts=20,
        chains=(
            Node((MAIN, PARSE), 0.05, 0.0542),
            Node((MAIN, PARSE, COPY), 0.01, 0.0104),
            Node((MAIN,), 0.04, 0.0415),
        ),
    )
    return replace(usual, **fields)
