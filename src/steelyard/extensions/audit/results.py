"""``Audit``: which contexts move the run time of a program, and by how much.

Its document is ``steelyard/audit``. History: version 1, the first; ``warnings`` and ``counted`` came later.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from typing import ClassVar, Final, Literal

import msgspec

from steelyard.core.sample import S_PER_MAD
from steelyard.core.units import Scalar
from steelyard.results.document import Format, Lines
from steelyard.results.interval import Interval
from steelyard.results.notice import Notice

Verdict = Literal["moves", "within", "not_resolved"]
"""``moves``: a level differs by more than the least effect. ``within``: no level that was looked at again
does, and that is established. ``not_resolved``: neither."""


AS_STARTED: Final = "as_started"
"""Among kinds of context: the start from the user's own shell, which differs from the typical in several."""


COUNTED: Final = "env_bytes"
"""The kind of context whose levels can be counted before they are timed."""


class Screened(msgspec.Struct, frozen=True):
    """A level in the screening.

    Attributes
    ----------
    ratio : float
        Median over passes of its time, over the typical level's; above 1 is slower. It picks, and judges
        nothing.
    """

    level: Scalar
    ratio: float


class Replicated(msgspec.Struct, frozen=True):
    """A level that was looked at again, in fresh blocks, against typical levels.

    Attributes
    ----------
    ratio : float
        Geometric mean over blocks of its time over that of the typical levels.
    ci95 : Interval or None
        Marginal; ``None`` where it has no bounds.
    ci_family : Interval or None
        At the level at which Holm tested it: lies beyond the least effect exactly when ``moves``.
    p, p_holm : float
        Of the hypothesis that the ratio lies within the least effect of 1.
    moves : bool
        Whether that was rejected.
    """

    level: Scalar
    ratio: float
    ci95: Interval | None
    ci_family: Interval | None
    p: float
    p_holm: float
    moves: bool


class AuditedContext(msgspec.Struct, frozen=True):
    """One kind of context.

    Attributes
    ----------
    context : str
        Its name, as in a spec.
    metric : str
        What it is judged by: elapsed time for a kind that makes a program wait, where others are judged by
        CPU time.
    typical : tuple of Scalar
        The levels that the others are compared with.
    screened : tuple of Screened
        Every level that was visited, in their order.
    spread : float or None
        Standard deviation of the logarithm of time between levels, without the noise of single runs, from the
        screening; ``None`` for a choice between a few names.
    population : int
        Levels that there are; ``len(screened)`` of them were visited.
    unseen : float
        Share of them that could be of a kind that was not visited (95 %); 0 where all were. Of ``aslr``,
        share of the layouts that runs draw.
    cpu : Mapping[Scalar, float]
        By level, the ratio of CPU times, of a kind that is judged by elapsed time for its waiting.
    """

    context: str
    metric: str
    verdict: Verdict
    typical: tuple[Scalar, ...]
    screened: tuple[Screened, ...]
    replicated: tuple[Replicated, ...]
    spread: float | None
    population: int
    unseen: float
    cpu: Mapping[Scalar, float] = {}
    __lines__: ClassVar[Lines] = (
        "context",
        "metric",
        "verdict",
        "effect=extreme",
        "cpu_ratio",
        "typical",
        "population",
        "visited",
        "unseen",
        "spread",
        "replicated",
        "screened",
    )

    @property
    def visited(self) -> int:
        """Levels that were visited in the screening; all where there was none."""
        return len(self.screened) or self.population

    @property
    def extreme(self) -> Replicated:
        """The level that differs most, as replicated; of those that move the time where any does."""
        among = [replication for replication in self.replicated if replication.moves] or self.replicated
        return max(among, key=lambda finding: max(finding.ratio, 1 / finding.ratio))

    @property
    def cpu_ratio(self) -> float | None:
        """The ratio of CPU times at ``extreme``; ``None`` where the kind is judged by the audit's metric."""
        return self.cpu.get(self.extreme.level)

    def beyond(self, least: float) -> int:
        """Return the number of screened levels beyond the least effect and beyond noise.

        What noise makes of most levels is four standard deviations, from the median of the distances.
        """
        distances = [abs(math.log(screening.ratio)) for screening in self.screened]
        bound = max(math.log1p(least), 4 * S_PER_MAD * statistics.median(distances)) if distances else 0.0
        return sum(distance > bound for distance in distances)


class CountClass(msgspec.Struct, frozen=True):
    """Lengths of the environment whose counts are equal.

    Attributes
    ----------
    lengths : int
        Number of them that were counted.
    timed : tuple of int
        Lengths that were timed for it; none where there was no room.
    counts : Mapping[str, float]
        Event to the median count.
    """

    lengths: int
    timed: tuple[int, ...]
    counts: Mapping[str, float]


class Counted(msgspec.Struct, frozen=True):
    """Counts by cachegrind of lengths of the environment, before times.

    Attributes
    ----------
    lengths, population : int
        That were counted, and that there are.
    tolerance : float
        Difference in estimated cycles up to which counts are equal.
    classes : tuple of CountClass
        The largest first.
    unseen : float
        Share of the lengths whose counts could be others (95 %), where the time ended before each place of
        the stack was counted.
    """

    lengths: int
    population: int
    tolerance: float
    unseen: float
    classes: tuple[CountClass, ...]

    @property
    def timed(self) -> int:
        """Lengths that were timed."""
        return sum(len(group.timed) for group in self.classes)


class Audit(msgspec.Struct, frozen=True):
    """Findings of an audit.

    Attributes
    ----------
    findings : tuple of AuditedContext
        Those that move the time first, the largest effect first.
    left_out : Mapping[str, str]
        Kind of context to what this machine or program lacks for it.
    not_varied : tuple of str
        Kinds that could be asked for by name, and were not.
    metric, unit : str
        What "time" was here.
    typical : float
        Of the metric, at the typical levels.
    passes, blocks, runs : int
        Of the screening, of the replication, of both together.
    alpha, least : float
        Probability of one false finding or more, and the relative effect that matters.
    thorough : bool
        Whether every byte of a page was visited.
    warnings : tuple of Notice
        That something else used the CPUs during the replication.
    counted : Counted or None
        Counts that chose the lengths of the environment; ``None`` where they were drawn.
    """

    command: str
    metric: str
    unit: str
    typical: float
    alpha: float
    least: float
    thorough: bool
    passes: int
    blocks: int
    runs: int
    seed: int
    findings: tuple[AuditedContext, ...]
    left_out: Mapping[str, str]
    not_varied: tuple[str, ...] = ()
    warnings: tuple[Notice, ...] = ()
    counted: Counted | None = None


AUDIT: Final = Format("steelyard/audit", 1, Audit)
