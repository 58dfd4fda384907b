"""``Observation``: the cost of probes, metric by metric.

Its document is ``steelyard/observation``. History: version 1, the first; ``any_level``, ``trace_ms`` and
``traces`` came later, then ``versus`` and ``contests``. Version 2: ``compared`` and ``uncompared`` replace
``compared_bytes``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, Literal

import msgspec

from steelyard.core.units import Metric
from steelyard.results.document import Format, Lines
from steelyard.results.interval import Interval

Perturbation = Literal["unperturbed", "perturbed", "not_resolved"]
"""``unperturbed``: shown to lie within the margin. ``perturbed``: a difference is shown, and that it lies
within the margin is not. ``not_resolved``: neither."""


class PartDifference(msgspec.Struct, frozen=True):
    """A part of the run under a probe against the same part without one, paired by block.

    Attributes
    ----------
    difference : float
        Mean over blocks, events per second of CPU time.
    ci95 : Interval or None
        Of it, t(n - 1); ``None`` without a spread.
    p_holm : float or None
        Of no difference, adjusted over all parts and probes of the event.
    """

    difference: float
    ci95: Interval | None
    p_holm: float | None


class TracePart(msgspec.Struct, frozen=True):
    """Events per second in an equal part of a run's CPU time: mean and standard deviation over runs."""

    rate: float
    s: float | None
    against: PartDifference | None
    __lines__: ClassVar[Lines] = (
        *("rate", "s", "difference=against.difference", "ci95=against.ci95", "p_holm=against.p_holm"),
    )


class Trace(msgspec.Struct, frozen=True):
    """One event under one level.

    Attributes
    ----------
    runs : int
        That have the event in all of their intervals.
    uncounted : int
        Runs that do not, and are left out.
    rates : tuple of float
        Mean over runs, events per second of CPU time, of equal parts of the run's CPU time.
    s : tuple of float or None
        Standard deviation over runs, of each part; ``None`` with one run.
    differences : tuple of PartDifference
        By part; empty for the baseline, and with fewer than two blocks in common.
    blocks : int
        In common with the baseline.
    """

    event: str
    level: str
    runs: int
    uncounted: int
    rates: tuple[float, ...]
    s: tuple[float, ...] | None
    differences: tuple[PartDifference, ...] = ()
    blocks: int = 0
    __lines__: ClassVar[Lines] = ("event", "level", "runs", "uncounted", "blocks", "parts")

    @property
    def parts(self) -> tuple[TracePart, ...]:
        """The same, part by part."""
        return tuple(
            TracePart(
                rate,
                self.s[i] if self.s else None,
                self.differences[i] if self.differences else None,
            )
            for i, rate in enumerate(self.rates)
        )

    def differing(self, alpha: float) -> list[int]:
        """Return the parts, from 0, that are shown to differ."""
        return [i for i, d in enumerate(self.differences) if d.p_holm is not None and d.p_holm <= alpha]


class AnyLevel(msgspec.Struct, frozen=True):
    """Whether any of the probes changes a metric, as one test.

    Attributes
    ----------
    unit : {"block", "context", "instance", "launch"}
        What is counted as independent.
    f, nu1, nu2, p : float
        F with its degrees of freedom, and P(F' >= F); not adjusted over metrics.
    levels : int
        The baseline among them.
    n : int
        Blocks (contexts where these return; launches of the smallest level in a sequential order).
    """

    metric: Metric
    unit: Literal["block", "context", "instance", "launch"]
    f: float
    nu1: float
    nu2: float
    p: float
    levels: int
    n: int
    __lines__: ClassVar[Lines] = ("metric", "method", "f", "nu1", "nu2", "p", "levels", "n")

    @property
    def method(self) -> str:
        """Box's corrected F of contrasts within units; of launches, Johansen's Welch-James test."""
        return "unpaired-welch-james" if self.unit == "launch" else f"{self.unit}-contrast-box"


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
    __lines__: ClassVar[Lines] = (
        *("metric", "unit=metric.unit", "ratio", "ci95", "p_holm", "p_within", "perturbation", "blocks"),
    )

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
    __lines__: ClassVar[Lines] = ("probe=name", "added", "differs", "changes")


class Contest(msgspec.Struct, frozen=True):
    """Two programs under one probe, or without.

    Attributes
    ----------
    probe : str
        ``none`` for the first, which the others are held against.
    ratio : float
        Geometric mean over blocks of the other program over the command.
    ci95 : Interval or None
        ``None`` where it has no bounds.
    p_holm : float or None
        Of the hypothesis that the probe leaves the order of the two as it is, adjusted over the probes;
        ``None`` without a probe.
    reversed : bool
        Whether that was rejected: what is faster without the probe is slower under it.
    """

    probe: str
    metric: Metric
    ratio: float
    ci95: Interval | None
    blocks: int
    p_holm: float | None
    reversed: bool
    __lines__: ClassVar[Lines] = (
        *("probe", "metric", "unit=metric.unit", "ratio", "ci95", "blocks", "p_holm", "reversed"),
    )


class Correlation(msgspec.Struct, frozen=True):
    """Whether the change of one metric predicts that of another, over the probes.

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
    """Cost of observing a program, probe by probe.

    Attributes
    ----------
    typical : Mapping[str, float]
        Metric to its median without a probe.
    within : float
        The margin.
    contexts : bool
        Whether every block had a context of its own.
    compared : tuple of str
        Streams and files whose every byte was compared in every run: ``stdout``, ``stderr``, names of files.
    uncompared : Mapping[str, str]
        Streams and files that were not, each with the reason.
    versus : str or None
        Command of another program, compared with the first under each probe.
    contests : tuple of Contest
        The comparison without a probe, then under each.
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
    compared: tuple[str, ...]
    uncompared: Mapping[str, str]
    any_level: tuple[AnyLevel, ...] = ()
    trace_ms: int | None = None
    traces: tuple[Trace, ...] = ()
    versus: str | None = None
    contests: tuple[Contest, ...] = ()
    __lines__: ClassVar[Lines] = (
        *(
            "command",
            "within",
            "alpha",
            "blocks",
            "seed",
            "contexts",
            "outputs_compared",
            "compared",
            "uncompared",
        ),
        *("unprobed=typical", "probes", "correlations", "any_level", "trace_ms", "traces"),
        *("versus", "contests"),
    )

    @property
    def outputs_compared(self) -> bool:
        """Whether the program prints the same each time, so that what it prints was compared."""
        return "stdout" in self.compared

    @property
    def metrics(self) -> Sequence[Metric]:
        """Metrics that were observed, in order."""
        return [change.metric for change in next((p.changes for p in self.probes if p.changes), ())]


OBSERVATION: Final = Format("steelyard/observation", 2, Observation)
