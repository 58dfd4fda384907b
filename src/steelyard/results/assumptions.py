"""Assumptions of each method, in the words of the JSON documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

Unit = Literal["block", "context", "instance", "unpaired"]
"""Unit that is counted as independent; ``unpaired``: launches, where nothing pairs them."""

Allowance = Literal["neighbours", "blocks", "tail", "looks"]
"""What p and interval of a ratio allow for: units that resemble their neighbours in time, contexts that agree
better than their blocks can, one treatment that varies more and so has the long tail of the differences, and
looks at the data before the last.
"""

ARE_LAUNCHES: Final = "launches are independent: no drift, no autocorrelation"
ONE_CONTEXT: Final = "the ratio is the same in other contexts: environment sizes, paths, link orders"
"""Where no context was drawn, and the answer is used elsewhere than where it was measured."""

_UNITS: Final[dict[Unit, str]] = {
    "block": "blocks are independent",
    "context": "contexts are independent draws",
    "instance": "instances are a random sample of the target population",
    "unpaired": ARE_LAUNCHES,
}
_SHAPES: Final = {
    "log-ratio-sign-flip": (
        "log-ratios of {units} are symmetric about their mean, as random orders make those of equal programs"
    ),
    "log-ratio-t": "mean log-ratios of {units} are near normal",
    "log-ratio-bootstrap-t": "the {units} observed represent their distribution",
    "means-log-delta": "means of {units} are near normal, and small against their size",
    "means-fieller": "means of {units} are near normal",
    "means-gum-s1": "means of {units} are near normal",
    "means-bootstrap-t": "the {units} observed represent their distribution",
    "quantile-mover": "of each treatment, {units} come from one distribution",
    "medians-log-delta": "the density about each median is smooth",
    "signed-rank-and-sign": "for ranks, log-ratios of {units} lie symmetrically about their centre",
    "rank-sum": "log values of {units} differ only by a shift",
    "contrast-t": "contrasts of {units} are near normal",
    "contrast-box": "contrasts of {units} are near normal",
}
_BEYOND_SIGNS: Final = (
    "mean log-ratios of {units} are near normal, where p or level is below what signs reach"
)
_ALIKE: Final = (
    "neighbouring {units} are alike as in a first-order autoregression, by at most what is allowed for"
)
_ALLOWED: Final[dict[Allowance, str]] = {
    "blocks": "blocks of one context are independent and equally noisy in all",
    "tail": "contributions of {units} are no more skewed than they look, and a standard error more",
    "looks": "means of {units} are near normal at each look",
}
_NORMAL_LOGARITHMS: Final = "mean logarithms are near normal"
_EXACT: Final = ("log-ratio-sign", "median-sign", "contrast-sign")
_WHOLE: Final = {
    "unpaired-log-ratio-permutation": ("launches are exchangeable: no drift, no autocorrelation",),
    "unpaired-log-ratio-t": (_UNITS["unpaired"], _NORMAL_LOGARITHMS),
    "unpaired-contrast-t": (_UNITS["unpaired"], _NORMAL_LOGARITHMS),
    "unpaired-welch-james": (_UNITS["unpaired"], _NORMAL_LOGARITHMS),
    "lenth-pseudo-se": ("most effects are negligible (effect sparsity)",),
    "no-error-term": (),
    "signed-rank": ("units are independent", "log-ratios lie symmetrically about their centre"),
    "rank-sum": (_UNITS["unpaired"], "log values differ only by a shift"),
}


def assumptions(method: str) -> tuple[str, ...]:
    """Return the assumptions of a method, by the name that stands beside an estimate."""
    if method in _WHOLE:
        return _WHOLE[method]
    unit = next(candidate for candidate in _UNITS if method.startswith(f"{candidate}-"))
    return assumptions_of(unit, method.removeprefix(f"{unit}-"))


def assumptions_with(unit: Unit, kind: str, allowances: Sequence[Allowance]) -> tuple[str, ...]:
    """Return what a kind of estimate assumes of units beyond what was allowed for."""
    plain = assumptions_of(unit, kind)
    units = "launches" if unit == "unpaired" else f"{unit}s"
    first = _ALIKE.format(units=units) if "neighbours" in allowances else plain[0]
    return (first, *plain[1:], *(_ALLOWED[a].format(units=units) for a in allowances if a in _ALLOWED))


def assumptions_of(unit: Unit, kind: str) -> tuple[str, ...]:
    """Return the assumptions of a kind of estimate from independent units."""
    if (statements := _WHOLE.get(f"{unit}-{kind}")) is not None:
        return statements
    if kind in _EXACT:
        return (_UNITS[unit],)
    if kind == "log-ratio-repeated":
        return ("runs are independent of each other",)
    units = "launches" if unit == "unpaired" else f"{unit}s"
    shapes = (_SHAPES[kind], _BEYOND_SIGNS) if kind == "log-ratio-sign-flip" else (_SHAPES[kind],)
    return (_UNITS[unit], *(shape.format(units=units) for shape in shapes))
