"""What falls and levels off: whether it was seen to rise again, and what may be predicted where it was not.

Every growing term fits below a fall, since none of it shows there, and the fastest would decide what
comes. So only slow ones are searched then, and a fall that ended stays a possibility.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import Final, Literal

import numpy as np
from msgspec.structs import replace

from steelyard.extensions.growth.scaling.checks import SeriesArrays
from steelyard.extensions.growth.scaling.model import ModelWarning, Prediction

FLATTER: Final = 0.5
"""Share of the steepest slope, in logarithms, below which the last one has levelled off."""
LEAST_RISE: Final = 0.03
SURE_RISE: Final = 2.5
"""A rise is seen where the last value is above the least by 3 % and by so many standard uncertainties."""
PLATEAU: Final = 3
"""Last points that agree within 3 % or chance, from which on the fall has ended."""
CHANCE: Final = 3.0
"""Standard uncertainties between the largest and the least of them."""

Rise = Literal["any", "slow", "none"]
"""Growing terms that are searched beside those that fall."""


def rise_of(reading: SeriesArrays) -> Rise:
    """Return the growth after a fall over one parameter.

    It is any growth where it falls to the end or is seen to rise again, slow growth where it levels off, none
    where it ends in a plateau.
    """
    if not _levels_off(reading) or _rises_again(reading):
        return "any"
    return "none" if _is_plateau(reading) else "slow"


def _is_plateau(reading: SeriesArrays) -> bool:
    last = reading.means[-PLATEAU:]
    u = math.sqrt(sum(_u2(reading, -1 - i) for i in range(PLATEAU)) / PLATEAU)
    return bool(last.max() - last.min() <= max(LEAST_RISE * last.min(), CHANCE * u))


def _levels_off(reading: SeriesArrays) -> bool:
    slopes = np.diff(np.log(np.maximum(reading.means, 1e-300))) / np.diff(np.log(reading.grid[:, 0]))
    return bool(slopes[-1] > FLATTER * slopes.min())


def _rises_again(reading: SeriesArrays) -> bool:
    means = reading.means.tolist()
    least = means.index(min(means))
    risen = means[-1] - means[least]
    if risen <= LEAST_RISE * means[least]:
        return False
    return bool(risen**2 > SURE_RISE**2 * (_u2(reading, least) + _u2(reading, -1)))


def _u2(reading: SeriesArrays, point: int) -> float:
    """Squared standard uncertainty of a mean, by its repetitions; 0 where there are none."""
    values = reading.values[point][np.isfinite(reading.values[point])]
    return float(values.var(ddof=1)) / len(values) if len(values) > 1 else 0.0


def warn_of_guess(growth: str) -> ModelWarning:
    """Of a formula that grows where no rise was seen."""
    return ModelWarning("hidden", f"no rise was observed: {growth} is a guess about what the fall hides")


def level_off(
    predictions: Sequence[Prediction],
    scales: Sequence[float],
    values: Sequence[float],
    variance: Sequence[float],
    rise: Rise,
) -> tuple[Prediction, ...]:
    """Predictions beyond the data, with the last value in each interval; a plateau goes on."""
    reach = 2 * math.sqrt(variance[-1])
    low, high = values[-1] - reach, values[-1] + reach

    def clip(prediction: Prediction) -> Prediction:
        if prediction.at[0] <= scales[-1] or prediction.low is None or prediction.high is None:
            return prediction
        value = fmean(values[-PLATEAU:]) if rise == "none" else prediction.value
        return replace(
            prediction,
            value=value,
            low=min(prediction.low, low, value),
            high=max(prediction.high, high, value),
        )

    return tuple(map(clip, predictions))
