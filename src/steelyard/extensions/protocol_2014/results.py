"""``ProtocolAnswer``: what the protocol of Nogueira and Matias (2014) says, pair by pair, and its tables."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping
from typing import ClassVar, Final, Literal

import msgspec

from steelyard.core.analysis import Analysis
from steelyard.core.sample import Treatment
from steelyard.core.units import Metric, Scalar
from steelyard.results.assumptions import ARE_LAUNCHES
from steelyard.results.comparison import AdjustedSpeedup, Difference
from steelyard.results.document import Lines, part
from steelyard.results.hypothesis import KolmogorovSmirnov, Normality, Shift, TestOutcome, VarianceRatio
from steelyard.results.interval import Interval
from steelyard.results.protocol import ProtocolResult
from steelyard.results.undefined import Undefined

NAME: Final = "nogueira-matias-2014"
Direction = Literal["two-sided", "faster"]
OnShape = Literal["flag", "veto"]
Path = Literal["student", "welch", "shift", "order", "degenerate", "constant"]
"""``shift`` and ``order`` are both Mann-Whitney: with shapes that agree it speaks of a shift, otherwise only
of which sample tends to be larger. ``degenerate``: Mann-Whitney too, since a sample has no shape.
``constant``: both samples are, and arrangements of their values are counted.
"""
Test = Literal["student", "welch", "mann-whitney"]

TEST_OF: Final[dict[Path, Test | None]] = {
    "student": "student",
    "welch": "welch",
    "shift": "mann-whitney",
    "order": "mann-whitney",
    "degenerate": "mann-whitney",
    "constant": None,
}

ASSUMPTIONS: Final = (
    ARE_LAUNCHES,
    "student, welch: means of normal samples",
    "shift: distributions differ only by a shift",
    "order: tests only P(baseline < treatment)",
)

ProtocolFlag = Literal[
    "unequal_variance",
    "non_normal",
    "shape_differs",
    "vetoed",
    "degenerate",
    "deterministic_difference",
    "too_few",
    "resolution",
    "failures_unequal",
    "timed_out",
    "crowded",
    "undefined",
]


class Rules(msgspec.Struct, frozen=True):
    """The protocol's parameters.

    Attributes
    ----------
    alpha : float
        Of every test of an assumption, of every comparison, and of the family.
    direction : {"two-sided", "faster"}
        ``faster`` tests whether the treatment is better than its baseline, and shows nothing else; it must
        have been declared before the run.
    on_shape : {"flag", "veto"}
        What becomes of a rank test between samples of different shape.
    """

    alpha: float = 0.05
    direction: Direction = "two-sided"
    on_shape: OnShape = "flag"

    @classmethod
    def make(cls, analysis: Analysis) -> Rules:
        """Return the rules that an experiment declared."""
        return cls(analysis.alpha, analysis.alternative, analysis.ks_policy)

    def least_p(self, m: int, n: int) -> float:
        """Return the smallest p that an exact test of the order of ``m`` and ``n`` values can have.

        It is one or two of C(m + n, m) arrangements.
        """
        return min(1.0, (2 if self.direction == "two-sided" else 1) / math.comb(m + n, m))

    @property
    def fewest(self) -> int:
        """Launches of each of two treatments from which on such a test can reject."""
        return next(n for n in itertools.count(1) if self.least_p(n, n) <= self.alpha)


class Checks(msgspec.Struct, frozen=True):
    """Tests of assumptions, including those that did not matter.

    Attributes
    ----------
    raw, centred : KolmogorovSmirnov
        ``raw`` tests the very difference that is looked for, and decides nothing; ``centred`` compares shapes
        about the medians.
    """

    normality_baseline: Normality | None
    normality_treatment: Normality | None
    variances: VarianceRatio | None
    raw: KolmogorovSmirnov | None
    centred: KolmogorovSmirnov | None


class Above(msgspec.Struct, frozen=True):
    """P(baseline < treatment) + P(equal) / 2.

    Attributes
    ----------
    ci95 : Interval
        Newcombe's score interval.
    p : float or None
        Brunner and Munzel's against 1/2; ``None`` where nothing overlaps.
    """

    value: float
    ci95: Interval
    p: float | None


class ProtocolEffects(msgspec.Struct, frozen=True):
    """Effect sizes of a pair, independent of the test that it took.

    Attributes
    ----------
    ratio_of_means : AdjustedSpeedup or None
        Above 1 where the treatment is better; ``None`` where a value is not positive, or there is one only.
    shift : Shift or None
        Hodges and Lehmann's, treatment minus baseline, in the metric's unit.
    above : Above or None
        How often a launch of the treatment has the larger value.
    """

    ratio_of_means: AdjustedSpeedup | None
    shift: Shift | None
    above: Above | None


class ProtocolPair(msgspec.Struct, frozen=True):
    """Everything that the protocol found about one pair.

    Attributes
    ----------
    path : str or Undefined
        The row of the decision table; ``Undefined`` where a sample has no values, or one that is not finite.
    outcome : TestOutcome or None
        Of the test chosen, baseline first. ``None`` for two constants.
    p : float or None
        Of that test; of two constants, by all arrangements of their values.
    p_holm : float or None
        Over the family; a vetoed pair counts there with 1.
    before, after : bool
        Whether the pair is called different before and after Holm.
    difference : {"faster", "slower", "not_resolved"}
        After Holm; not resolved too where runs failed unequally, unless that is declared to be ignored, and
        where they had more ranks than CPUs.
    """

    baseline: Treatment
    treatment: Treatment
    stratum: Mapping[str, Scalar]
    labels: Mapping[str, Scalar]
    n_baseline: int
    n_treatment: int
    path: Path | Undefined
    checks: Checks | None = None
    outcome: TestOutcome | None = None
    p: float | None = None
    effects: ProtocolEffects | None = None
    flags: tuple[ProtocolFlag, ...] = ()
    p_holm: float | None = None
    family_size: int | None = None
    before: bool = False
    after: bool = False
    difference: Difference = "not_resolved"
    __lines__: ClassVar[Lines] = (
        *("baseline", "treatment", "stratum", "labels", "n", "normality"),
        *("variances=checks.variances", "raw=checks.raw", "centred=checks.centred", "path=row", "test"),
        *("statistic=outcome.statistic", "nu=outcome.nu", "method=outcome.method"),
        *("p", "p_holm", "family_size", "different_before=before", "different=after", "difference"),
        part("ratio_of_means", "value", "ci95", base="effects.ratio_of_means"),
        *("shift=effects.shift", "above=effects.above", "flags", "undefined=path.undefined"),
    )

    @property
    def row(self) -> Path | None:
        """The row of the decision table; ``None`` where a sample is not usable."""
        return None if isinstance(self.path, Undefined) else self.path

    @property
    def test(self) -> Test | None:
        """The test that was chosen."""
        return None if isinstance(self.path, Undefined) else TEST_OF[self.path]

    @property
    def n(self) -> tuple[int, int]:
        """Launches of the baseline, and of the treatment."""
        return self.n_baseline, self.n_treatment

    @property
    def normality(self) -> tuple[Normality | None, Normality | None]:
        """Shapiro-Wilk of the baseline, and of the treatment."""
        checks = self.checks
        return (checks.normality_baseline, checks.normality_treatment) if checks else (None, None)


class Cell(msgspec.Struct, frozen=True):
    """One pair of treatments over all programs of a stratum.

    Attributes
    ----------
    programs : int
        That have the pair.
    before, after : int
        Of these, with a difference before and after Holm.
    tests : Mapping[Test, int]
        How often each test was used; a pair of constants used none.
    """

    first: str
    second: str
    programs: int
    before: int
    after: int
    tests: Mapping[Test, int]
    __lines__: ClassVar[Lines] = ("treatments", "programs", "before", "after", "tests")

    @property
    def dropped(self) -> bool:
        """Whether Holm left fewer: the paper's asterisk."""
        return self.after < self.before

    @property
    def treatments(self) -> tuple[str, str]:
        """Both labels."""
        return self.first, self.second


class StratumTable(msgspec.Struct, frozen=True):
    """A triangle of cells, ``treatments`` in the order of the design."""

    stratum: Mapping[str, Scalar]
    treatments: tuple[str, ...]
    cells: tuple[Cell, ...]
    __lines__: ClassVar[Lines] = (
        *("stratum", "treatments", "comparisons", "before", "after", "tests", "cells"),
    )

    @property
    def comparisons(self) -> int:
        """Comparisons over all cells and programs."""
        return sum(cell.programs for cell in self.cells)

    @property
    def before(self) -> int:
        """Comparisons with a difference before Holm."""
        return sum(cell.before for cell in self.cells)

    @property
    def after(self) -> int:
        """Comparisons with a difference after Holm."""
        return sum(cell.after for cell in self.cells)

    @property
    def tests(self) -> Mapping[Test, int]:
        """Number of uses of each test."""
        return dict(sorted(sum((Counter(cell.tests) for cell in self.cells), Counter()).items()))


class ProgramRow(msgspec.Struct, frozen=True):
    """All pairs of one program in one stratum: one family of Holm's."""

    program: str
    stratum: Mapping[str, Scalar]
    pairs: int
    before: int
    after: int
    tests: Mapping[Test, int]
    __lines__: ClassVar[Lines] = (
        *("program", "stratum", "pairs", "before", "after", "dropped_share", "tests"),
    )

    @property
    def dropped_share(self) -> float | None:
        """Share of the differences before Holm that it did not leave; ``None`` without any."""
        return (self.before - self.after) / self.before if self.before else None


class ProgramTables(msgspec.Struct, frozen=True):
    """A table for each stratum beside the program, and a row for each program in it.

    Attributes
    ----------
    program : str
        The stratum that names programs.
    factors : tuple of str
        Whose levels stand in the names of treatments, in this order.
    """

    program: str
    tables: tuple[StratumTable, ...]
    rows: tuple[ProgramRow, ...]
    factors: tuple[str, ...] = ()
    __lines__: ClassVar[Lines] = ("program", "tables", "rows")


class ProtocolAnswer(ProtocolResult, frozen=True):
    """Every pair, and the paper's tables.

    Attributes
    ----------
    pairs : tuple of ProtocolPair
        In the order of the design; Holm's families are those of one stratum.
    programs : ProgramTables or None
        Where strata are declared.
    """

    rules: Rules
    metric: Metric
    pairs: tuple[ProtocolPair, ...]
    programs: ProgramTables | None
    __lines__: ClassVar[Lines] = (
        *("name", "alpha=rules.alpha", "alternative=rules.direction", "ks_policy=rules.on_shape"),
        *("assumptions", "pairs", "programs"),
    )

    @property
    def name(self) -> Literal["nogueira-matias-2014"]:
        """The name of the protocol, as in a spec."""
        return NAME

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Assumptions of its tests."""
        return ASSUMPTIONS

    @property
    def is_resolved(self) -> bool:
        """Whether every pair has a verdict after Holm."""
        return all(pair.difference != "not_resolved" for pair in self.pairs)
