"""``BenchmarkOfSuite``: one metric of one benchmark, with its values so far and the evidence in them."""

from __future__ import annotations

import math
from typing import Final

import msgspec

from steelyard.core.arrays import Floats
from steelyard.extensions.gate.counts import count_processes_needed, repeats, weigh_exact, weigh_signs
from steelyard.extensions.gate.results import GatedMetric
from steelyard.extensions.gate.suite import (
    LEAST,
    BenchmarkEvidence,
    SideValues,
    estimate_blocks,
    look_again,
    read_values,
)
from steelyard.stats.sequential.looks import Looks

REMOVED: Final = "the clock resolves no time: the compiler or the change may have removed the work"


class Pair(msgspec.Struct, frozen=True):
    """Values of both sides in one block, and whether base ran first."""

    base: float
    head: float
    is_base_first: bool = False


class BenchmarkOfSuite(msgspec.Struct):
    """A metric of a benchmark of both sides, with what is known of it so far.

    Attributes
    ----------
    varying_margin : float
        Of a count that varies, where its metric has none.
    probes : tuple of float or None
        What the first process of base and of head reported; ``None`` where the process itself is measured.
    trouble : str or None
        Why it cannot be judged.
    """

    program: int
    name: str
    title: str
    metric: GatedMetric
    varying_margin: float
    probes: tuple[float | None, float | None]
    base: list[float] = []
    head: list[float] = []
    is_base_first: list[bool] = []
    """Of each block."""
    looks: tuple[int, ...] = ()
    closed: int | None = None
    """Blocks at the look that the budget made the last."""
    evidence: BenchmarkEvidence = BenchmarkEvidence()
    is_open: bool = True
    is_next: bool = True
    """Whether it runs until the next look: the budget may be too short for all that are open."""
    trouble: str | None = None

    @property
    def processes(self) -> tuple[list[float], list[float]]:
        """Values of base and of head, those of the first processes included."""
        base, head = ([] if value is None else [value] for value in self.probes)
        return [*base, *self.base], [*head, *self.head]

    @property
    def is_exact(self) -> bool:
        """Whether it counts, and each side had the same number in all processes."""
        return self.metric.is_count and repeats(*self.processes)

    @property
    def has_ratio(self) -> bool:
        """Whether there are blocks, and ratios of their values."""
        return bool(self.base) and min(*self.base, *self.head) > 0

    @property
    def margin(self) -> float:
        """Changes up to this are equivalent."""
        if self.is_exact or not self.metric.is_count:
            return self.metric.margin
        return self.metric.margin or self.varying_margin

    @property
    def values(self) -> SideValues:
        """Logarithms of both sides, of all blocks, above 0 as ``has_ratio`` says."""
        return read_values(self.base, self.head, is_higher_better=self.metric.better == "higher")

    def add(self, pairs: list[Pair]) -> None:
        """Add the values of more blocks."""
        self.base += [pair.base for pair in pairs]
        self.head += [pair.head for pair in pairs]
        self.is_base_first += [pair.is_base_first for pair in pairs]
        if not self.metric.is_count and pairs and not self.has_ratio:
            self.refuse(REMOVED)

    def refuse(self, trouble: str) -> None:
        """Say that it cannot be judged, and run it no more."""
        self.trouble, self.is_open = trouble, False
        self.evidence = BenchmarkEvidence()

    def look(self, *, is_last: bool) -> None:
        """Weigh the evidence of all blocks so far, if there are new ones."""
        if self.trouble is not None:
            return
        if self.is_exact:
            self.evidence = weigh_exact(*self.processes, self.metric.margin, self.metric.better)
            return
        if not self.looks and self.metric.is_count:
            # It was exact until now: what that said is taken back.
            self.evidence = BenchmarkEvidence()
        n = len(self.base)
        if not (self.is_open or not self.looks) or n < LEAST or (self.looks and n <= self.looks[-1]):
            return
        self.looks = (*self.looks, n)
        self.closed = n if is_last else None
        if self.has_ratio:
            looks = Looks(self.looks, self.closed)
            self.evidence = look_again(self.evidence, self.values, looks, self.margin)
        else:
            self.evidence = weigh_signs(
                self.base, self.head, self.margin, self.metric.better, len(self.looks)
            )

    def estimate_needed(self, open_benchmarks: int, alpha: float) -> int | None:
        """Blocks that would probably decide it; ``None`` where no number is enough, or none is known."""
        level = alpha / max(1, open_benchmarks)
        if self.is_exact:
            processes = min(map(len, self.processes))
            return max(1, count_processes_needed(level) - processes)
        return estimate_blocks(self.differences, self.margin, level) if self.has_ratio else None

    @property
    def differences(self) -> Floats:
        """Logarithms of head over base, block by block, above 0 where head is worse."""
        return self.values.differences

    @property
    def seems_worse(self) -> bool:
        """Whether its change so far is beyond the margin."""
        if self.is_exact:
            return self.evidence.worse < 1
        return self.has_ratio and float(self.differences.mean()) > math.log1p(self.margin)
