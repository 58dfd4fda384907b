"""What falls and levels off: whether it was seen to rise again, and what may be foretold where it was not.

Every growing term fits below a fall, since none of it shows there, and the fastest would decide what
comes. So only slow ones are searched then, and a fall that ended stays a possibility.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from steelyard.scaling.checks import Reading
from steelyard.scaling.model import ModelWarning, Prediction

FLATTER: Final = 0.5
"""Share of the steepest slope, in logarithms, below which the last one has levelled off."""
LEAST_RISE: Final = 0.03
SURE_RISE: Final = 2.5
"""A rise is seen where the last value is above the least by 3 % and by so many standard uncertainties."""
PLATEAU: Final = 3
"""Last points that agree within a rise that is not seen, from which on the fall has ended."""


def rise_is_unseen(reading: Reading) -> bool:
    """Whether a fall over one parameter levels off and is not seen to rise from its least point to its
    last.
    """
    return _levels_off(reading) and not _rises_again(reading)


def _levels_off(reading: Reading) -> bool:
    slopes = np.diff(np.log(np.maximum(reading.means, 1e-300))) / np.diff(np.log(reading.grid[:, 0]))
    return bool(slopes[-1] > FLATTER * slopes.min())


def _rises_again(reading: Reading) -> bool:
    means = reading.means.tolist()
    least = means.index(min(means))
    risen = means[-1] - means[least]
    if risen <= LEAST_RISE * means[least]:
        return False
    return bool(risen**2 > SURE_RISE**2 * (_u2(reading, least) + _u2(reading, -1)))


def _u2(reading: Reading, point: int) -> float:
    """Squared standard uncertainty of a mean, by its repetitions; 0 where there are none."""
    values = reading.values[point][np.isfinite(reading.values[point])]
    return float(values.var(ddof=1)) / len(values) if len(values) > 1 else 0.0


def guessed(growth: str) -> ModelWarning:
    """Of a formula that grows where no rise was seen."""
    return ModelWarning("hidden", f"no rise was seen: {growth} is a guess about what the fall hides")


def levelled(
    predictions: Sequence[Prediction],
    scales: Sequence[float],
    values: Sequence[float],
    variance: Sequence[float],
) -> tuple[Prediction, ...]:
    """Predictions beyond the data, with the last value in each interval; none is above a plateau."""
    reach = 2 * math.sqrt(variance[-1])
    low, high = values[-1] - reach, values[-1] + reach
    top = max(values[-PLATEAU:])
    agree = top - min(values[-PLATEAU:]) <= max(LEAST_RISE * top, 2 * reach)
    most = top if agree else math.inf

    def within(each: Prediction) -> Prediction:
        if each.at[0] <= scales[-1] or each.low is None or each.high is None:
            return each
        value = min(each.value, most)
        return replace(each, value=value, low=min(each.low, low, value), high=max(each.high, high))

    return tuple(map(within, predictions))
