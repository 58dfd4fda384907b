"""What a probe costs, metric by metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from steelyard.answers.interval import Interval
from steelyard.stats.perturbation.tracing import Trace
from steelyard.units import Metric

Perturbation = Literal["unperturbed", "perturbed", "not_resolved"]
"""``unperturbed``: shown to lie within the margin. ``perturbed``: a difference is shown, and that it lies
within the margin is not. ``not_resolved``: neither."""

Method = Literal["block-contrast-box", "context-contrast-box", "unpaired-welch-james"]


class AnyLevel(msgspec.Struct, frozen=True):
    """Whether any of the probes changes a metric, as one test.

    Attributes
    ----------
    f, nu1, nu2, p : float
        F with its degrees of freedom, and P(F' >= F); not adjusted over metrics.
    levels : int
        The baseline among them.
    n : int
        Blocks (contexts where these return; launches of the smallest level in a sequential order).
    """

    metric: Metric
    method: Method
    f: float
    nu1: float
    nu2: float
    p: float
    levels: int
    n: int


class Change(msgspec.Struct, frozen=True):
    """One metric under one probe, against the same metric without a probe.

    Attributes
    ----------
    ratio : float
        Geometric mean over blocks of probed over unprobed.
    ci95 : Interval or None
        Of the ratio; ``None`` where it has no bounds.
    p_holm : float
        Of no difference, adjusted over the probes of the metric.
    p_within : float
        Of the hypothesis that the ratio lies beyond the margin (two one-sided tests): below 0.05 exactly
        where the 90 % interval lies inside.
    blocks : int
    """

    metric: Metric
    ratio: float
    ci95: Interval | None
    p_holm: float
    p_within: float
    perturbation: Perturbation
    blocks: int

    @property
    def percent(self) -> float:
        """The change in percent."""
        return 100 * (self.ratio - 1)


class Probed(msgspec.Struct, frozen=True):
    """One probe.

    Attributes
    ----------
    added : float or None
        Instructions that it adds to the program, as a share, counted by callgrind; ``None`` where they were
        not counted: a probe from outside adds none to the program itself.
    changes : tuple of Change
        By metric.
    differs : str or None
        How the program behaves differently under the probe; then nothing was measured.
    """

    name: str
    added: float | None
    changes: tuple[Change, ...]
    differs: str | None = None


class Correlation(msgspec.Struct, frozen=True):
    """Whether the change of one metric foretells that of another, over the probes.

    Attributes
    ----------
    rho : float
        Spearman's rank correlation.
    ci95 : Interval or None
        ``None`` with fewer than four probes.
    probes : int
    """

    metrics: tuple[str, str]
    rho: float
    ci95: Interval | None
    probes: int


class Observation(msgspec.Struct, frozen=True):
    """The whole.

    Attributes
    ----------
    typical : Mapping[str, float]
        Metric to its median without a probe.
    within : float
        The margin.
    contexts : bool
        Whether every block had a context of its own.
    outputs_compared : bool
        Whether the program prints the same each time, so that what it prints could be compared.
    any_level : tuple of AnyLevel
        By metric; none where it has no test, and none at all with a single probe.
    trace_ms : int or None
        From one reading of a trace to the next; ``None`` where nothing was traced.
    traces : tuple of Trace
        By event, then by level, the baseline first.
    """

    command: str
    probes: tuple[Probed, ...]
    correlations: tuple[Correlation, ...]
    typical: Mapping[str, float]
    within: float
    alpha: float
    blocks: int
    seed: int
    contexts: bool
    outputs_compared: bool
    any_level: tuple[AnyLevel, ...] = ()
    trace_ms: int | None = None
    traces: tuple[Trace, ...] = ()

    @property
    def metrics(self) -> Sequence[Metric]:
        """What was observed, in order."""
        return [change.metric for change in next((p.changes for p in self.probes if p.changes), ())]
