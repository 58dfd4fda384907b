"""Quantiles of a histogram, with intervals that hold whatever the distribution of the values is."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Final

import msgspec

from steelyard.core.special import binomial_order
from steelyard.core.units import format_quantity, parse_float
from steelyard.extensions.exchange.importers.contents import Unit, any_unit
from steelyard.extensions.outputs.declaration import Histogram
from steelyard.extensions.outputs.rows import Row

SHOWN: Final = (0.5, 0.99, 0.999)
LEVEL: Final = 0.95


class Quantile(msgspec.Struct, frozen=True):
    """A quantile of a histogram.

    Attributes
    ----------
    p : float
    value : float
        Unit of the histogram.
    low, high : float or None
        Ends of the interval; ``None``: no value of the sample bounds it on that side.
    """

    p: float
    value: float
    low: float | None
    high: float | None


class Bin(msgspec.Struct, frozen=True):
    """Values between two ends, both included, that the tool reports as one value."""

    low: float
    value: float
    high: float
    count: int


def estimate_quantile(bins: Sequence[Bin], p: float, level: float = LEVEL) -> Quantile:
    """Return a quantile of the values in ascending bins, and its interval by ranks.

    The number of values below the quantile is binomial, so that two order statistics bound it whatever the
    distribution is (David and Nagaraja, Order Statistics, 2003, section 7.1), where values are independent.
    The interval reaches to the ends of the bins that hold these two.

    Raises
    ------
    ValueError
        The bins are empty.
    """
    cumulative = list(accumulate(entry.count for entry in bins))
    if not cumulative or cumulative[-1] < 1:
        raise ValueError("a histogram without values has no quantiles")
    n = cumulative[-1]
    tail = (1 - level) / 2
    low = int(binomial_order(tail, n, p))
    high = n + 1 - int(binomial_order(tail, n, 1 - p))
    return Quantile(
        p,
        bins[bisect_left(cumulative, max(1, math.ceil(n * p)))].value,
        bins[bisect_left(cumulative, low)].low if low >= 1 else None,
        bins[bisect_left(cumulative, high)].high if high <= n else None,
    )


def describe_quantiles(histograms: Sequence[Histogram], row: Row, title: str) -> list[str]:
    """Tell the quantiles of each histogram of a row, a sentence each histogram."""
    sentences = []
    for histogram in histograms:
        bins = make_bins(histogram, row)
        if not bins:
            continue
        unit = any_unit(histogram.unit)
        texts = [_word(estimate_quantile(bins, p), unit) for p in SHOWN]
        name = f"{title}: {histogram.metric}" if title else histogram.metric
        count = sum(entry.count for entry in bins)
        sentences.append(
            f"{name} {', '.join(texts)}, of {count:,} operations in one run, if these are independent; of"
            " other runs this interval says nothing."
        )
    return sentences


def make_bins(histogram: Histogram, row: Row) -> list[Bin]:
    """Return the bins that hold values, in ascending order; none where the row has no histogram."""
    counts = row.get(histogram.field) if isinstance(histogram.field, str) else histogram.field(row)
    if not isinstance(counts, Mapping):
        return []
    pairs = sorted(
        (value, count)
        for text, count in counts.items()
        if isinstance(count, int) and count > 0 and math.isfinite(value := parse_float(str(text)))
    )
    values = [value for value, _ in pairs]
    if histogram.width is None:
        lows = [values[0], *values[:-1]] if values else []
        return [Bin(low, value, value, count) for low, (value, count) in zip(lows, pairs, strict=True)]
    half = histogram.width / 2
    return [Bin(value * (1 - half), value, value * (1 + half), count) for value, count in pairs]


def _word(quantile: Quantile, unit: Unit) -> str:
    low, high = _format(quantile.low, unit), _format(quantile.high, unit)
    ends = (
        f"{low} to {high}"
        if low and high
        else f"at least {low}"
        if low
        else f"at most {high}"
        if high
        else "none"
    )
    return f"p{100 * quantile.p:g} {_format(quantile.value, unit)} (95 % CI {ends})"


def _format(value: float | None, unit: Unit) -> str:
    return "" if value is None else format_quantity(value * unit.scale, unit.si)
