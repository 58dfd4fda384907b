"""Answers of ``efficiency``, and their document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from steelyard.core.units import Scalar
from steelyard.results.document import Format
from steelyard.results.interval import Interval

Scaling = Literal["strong", "weak"]


class EfficiencyPoint(msgspec.Struct, frozen=True):
    """One scale of a series.

    Attributes
    ----------
    at : float
    launches : int
    value : float
        The mean, in the unit of the metric.
    speedup : float
        Relative to the base; of weak scaling with the work that grew (Gustafson).
    efficiency : float
        Speedup over the scale, relative to the base: 1 is ideal.
    interval : Interval or None
        95 % interval of the efficiency; ``None`` of the base, and where one value has no spread.
    cost : float or None
        Scale × time: node-seconds, where the scale counts nodes; ``None`` of a rate.
    of_peak : float or None
        The rate over that of so many units at their peak; ``None`` where no peak is known.
    """

    at: float
    launches: int
    value: float
    speedup: float
    efficiency: float
    interval: Interval | None
    cost: float | None
    of_peak: float | None = None


class EfficiencySeries(msgspec.Struct, frozen=True):
    """Speedup and efficiency of one function.

    Attributes
    ----------
    is_rate : bool
        The values are rates, of which higher is better.
    least : float
        The efficiency that is asked for.
    up_to : float or None
        The largest scale that has it, as all smaller ones do; ``None`` where no scale beyond the base does.
    surely_up_to : float or None
        The largest scale up to which the intervals lie above it.
    peak : float
        The scale with the largest speedup.
    superlinear : tuple of float
        Scales whose interval lies above 1.
    peak_rate : float or None
        The highest possible rate of one unit of the parameter, in the unit of the metric.
    open_from : float or None
        The smallest scale at which runs failed or timed out: it and larger ones are open. ``None`` where no
        run did.
    missing : str
        Which runs those are, in words.
    """

    name: str
    metric: str
    unit: str
    labels: Mapping[str, Scalar]
    parameter: str
    scaling: Scaling
    is_rate: bool
    base: float
    least: float
    points: tuple[EfficiencyPoint, ...]
    up_to: float | None
    surely_up_to: float | None
    peak: float
    superlinear: tuple[float, ...]
    peak_rate: float | None = None
    open_from: float | None = None
    missing: str = ""


class NotComputed(msgspec.Struct, frozen=True):
    """A function without an efficiency, and why."""

    name: str
    metric: str
    reason: str


class Efficiencies(msgspec.Struct, frozen=True):
    """All functions of the data, and the name of its file."""

    series: tuple[EfficiencySeries, ...]
    not_computed: tuple[NotComputed, ...]
    data: str = ""


EFFICIENCY: Final = Format("steelyard/efficiency", 1, Efficiencies)
