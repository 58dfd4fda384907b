"""What an estimate takes for granted, by the method that made it."""

from __future__ import annotations

from typing import Final

_OF_UNITS: Final = {
    "block": "blocks are independent",
    "context": "contexts are independent draws",
    "instance": "instances are independent draws of those that are meant",
    "unpaired": "launches are independent: no drift, no autocorrelation",
}
_OF_SHAPE: Final = {
    "log-ratio-sign-flip": (
        "log-ratios of {units} are symmetric about their mean, as random orders make those of equal programs"
    ),
    "log-ratio-t": "mean log-ratios of {units} are near normal",
    "log-ratio-bootstrap-t": "the {units} observed stand for their distribution",
    "means-log-delta": "means of {units} are near normal, and small against their size",
    "means-fieller": "means of {units} are near normal",
    "means-gum-s1": "means of {units} are near normal",
    "means-bootstrap-t": "the {units} observed stand for their distribution",
    "medians-log-delta": "the density about each median is smooth",
}
_BEYOND_SIGNS: Final = (
    "mean log-ratios of {units} are near normal, where p or level is below what signs reach"
)
_EXACT: Final = ("log-ratio-sign", "median-sign")


def assumptions(method: str) -> tuple[str, ...]:
    """In the words of the JSON document."""
    unit, _, kind = method.partition("-")
    if kind == "log-ratio-permutation":
        return ("launches are exchangeable: no drift, no autocorrelation",)
    if kind in _EXACT:
        return (_OF_UNITS[unit],)
    units = "launches" if unit == "unpaired" else f"{unit}s"
    shape = "mean logarithms are near normal" if method == "unpaired-log-ratio-t" else _OF_SHAPE[kind]
    beyond = (_BEYOND_SIGNS,) if kind == "log-ratio-sign-flip" else ()
    return (_OF_UNITS[unit], *(each.format(units=units) for each in (shape, *beyond)))
