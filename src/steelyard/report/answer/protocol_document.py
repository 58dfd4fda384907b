"""The part ``protocol`` of the document ``steelyard/comparison``: every step of every pair, the tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from steelyard.answers.undefined import REASONS, Undefined
from steelyard.report.ends import Ends, ends
from steelyard.stats.hypothesis.kolmogorov_smirnov import KolmogorovSmirnov
from steelyard.stats.hypothesis.shapiro_wilk import Normality
from steelyard.stats.protocol_2014.answer import ProtocolAnswer
from steelyard.stats.protocol_2014.checks import Checks
from steelyard.stats.protocol_2014.effects import Effects
from steelyard.stats.protocol_2014.pair import ProtocolPair
from steelyard.stats.protocol_2014.path import Test
from steelyard.stats.protocol_2014.programs import ProgramTables
from steelyard.stats.protocol_2014.rules import NAME
from steelyard.units import Scalar


class NormalityEntry(msgspec.Struct, frozen=True):
    """Shapiro-Wilk of one sample."""

    w: float
    p: float


class VariancesEntry(msgspec.Struct, frozen=True):
    """Fisher's F, baseline over treatment; p is two-sided."""

    f: float
    p: float


class ShapeEntry(msgspec.Struct, frozen=True):
    """Kolmogorov-Smirnov of two samples."""

    d: float
    p: float
    method: Literal["exact", "exact-ties", "limit"]


class RatioEntry(msgspec.Struct, frozen=True):
    """Ratio of arithmetic means, above 1 where the treatment is better."""

    value: float
    ci95: Ends | None


class ShiftEntry(msgspec.Struct, frozen=True):
    """Hodges-Lehmann, treatment minus baseline, in the metric's unit."""

    value: float
    ci95: Ends | None


class AboveEntry(msgspec.Struct, frozen=True):
    """P(baseline < treatment) + P(equal) / 2, with Newcombe's interval; p is Brunner and Munzel's, null where
    nothing overlaps.
    """

    value: float
    ci95: Ends
    p: float | None


class PairEntry(msgspec.Struct, frozen=True):
    """One pair; null is "was not done", or "does not exist". ``raw`` decides nothing."""

    baseline: int
    treatment: int
    stratum: Mapping[str, Scalar]
    labels: Mapping[str, Scalar]
    n: tuple[int, int]
    normality: tuple[NormalityEntry | None, NormalityEntry | None]
    variances: VariancesEntry | None
    raw: ShapeEntry | None
    centred: ShapeEntry | None
    path: Literal["student", "welch", "shift", "order", "degenerate", "constant"] | None
    test: Literal["student", "welch", "mann-whitney"] | None
    statistic: float | None
    nu: float | None
    method: str | None
    p: float | None
    p_holm: float | None
    family_size: int | None
    different_before: bool
    different: bool
    difference: Literal["faster", "slower", "not_resolved"]
    ratio_of_means: RatioEntry | None
    shift: ShiftEntry | None
    above: AboveEntry | None
    flags: tuple[str, ...]
    undefined: str | None


class CellEntry(msgspec.Struct, frozen=True):
    """Two treatments over all programs of a stratum."""

    treatments: tuple[str, str]
    programs: int
    before: int
    after: int
    tests: Mapping[str, int]


class TableEntry(msgspec.Struct, frozen=True):
    """The cells of a stratum, and their sums."""

    stratum: Mapping[str, Scalar]
    treatments: tuple[str, ...]
    comparisons: int
    before: int
    after: int
    tests: Mapping[str, int]
    cells: tuple[CellEntry, ...]


class ProgramEntry(msgspec.Struct, frozen=True):
    """All pairs of one program in one stratum."""

    program: str
    stratum: Mapping[str, Scalar]
    pairs: int
    before: int
    after: int
    dropped_share: float | None
    tests: Mapping[str, int]


class ProgramsEntry(msgspec.Struct, frozen=True):
    """The paper's tables: of many programs, how many show a difference, before and after Holm."""

    program: str
    tables: tuple[TableEntry, ...]
    rows: tuple[ProgramEntry, ...]


class ProtocolEntry(msgspec.Struct, frozen=True):
    """What the protocol says, with the rules that it was given."""

    name: Literal["nogueira-matias-2014"]
    alpha: float
    alternative: Literal["two-sided", "faster"]
    ks_policy: Literal["flag", "veto"]
    assumptions: tuple[str, ...]
    pairs: tuple[PairEntry, ...]
    programs: ProgramsEntry | None


ASSUMPTIONS = (
    "launches are independent: no drift, no autocorrelation",
    "student, welch: means of normal samples",
    "shift: distributions differ in place alone",
    "order: of P(baseline < treatment) alone",
)


def entry(answer: ProtocolAnswer) -> ProtocolEntry:
    """The part as an object."""
    rules = answer.rules
    return ProtocolEntry(
        name=NAME,
        alpha=rules.alpha,
        alternative=rules.direction,
        ks_policy=rules.on_shape,
        assumptions=ASSUMPTIONS,
        pairs=tuple(_pair(pair) for pair in answer.pairs),
        programs=_programs(answer.programs) if answer.programs else None,
    )


def _pair(pair: ProtocolPair) -> PairEntry:
    checks = pair.checks or Checks(None, None, None, None, None)
    effects = pair.effects or Effects(None, None, None)
    outcome = pair.outcome
    ratio, shift, above = effects.ratio_of_means, effects.shift, effects.above
    brunner_munzel = above.tested() if above else None
    return PairEntry(
        baseline=pair.baseline.id,
        treatment=pair.treatment.id,
        stratum=pair.stratum,
        labels=pair.labels,
        n=(pair.n_baseline, pair.n_treatment),
        normality=(_normality(checks.normality_baseline), _normality(checks.normality_treatment)),
        variances=VariancesEntry(checks.variances.f, checks.variances.p) if checks.variances else None,
        raw=_shape(checks.raw),
        centred=_shape(checks.centred),
        path=None if isinstance(pair.path, Undefined) else pair.path,
        test=pair.test,
        statistic=outcome.statistic if outcome else None,
        nu=outcome.nu if outcome else None,
        method=outcome.method if outcome else None,
        p=pair.p,
        p_holm=pair.p_holm,
        family_size=pair.family_size,
        different_before=pair.before,
        different=pair.after,
        difference=pair.difference,
        ratio_of_means=RatioEntry(ratio.value, ends(ratio.interval())) if ratio else None,
        shift=ShiftEntry(shift.value, ends(shift.interval)) if shift else None,
        above=AboveEntry(
            above.value,
            (above.interval().low, above.interval().high),
            brunner_munzel.p if brunner_munzel else None,
        )
        if above
        else None,
        flags=pair.flags,
        undefined=REASONS[pair.path.reason] if isinstance(pair.path, Undefined) else None,
    )


def _programs(programs: ProgramTables) -> ProgramsEntry:
    return ProgramsEntry(
        program=programs.program,
        tables=tuple(
            TableEntry(
                stratum=table.stratum,
                treatments=table.treatments,
                comparisons=table.comparisons,
                before=table.before,
                after=table.after,
                tests=_named(table.tests),
                cells=tuple(
                    CellEntry((c.first, c.second), c.programs, c.before, c.after, _named(c.tests))
                    for c in table.cells
                ),
            )
            for table in programs.tables
        ),
        rows=tuple(
            ProgramEntry(
                row.program,
                row.stratum,
                row.pairs,
                row.before,
                row.after,
                row.dropped_share,
                _named(row.tests),
            )
            for row in programs.rows
        ),
    )


def _named(tests: Mapping[Test, int]) -> Mapping[str, int]:
    return {str(test): count for test, count in tests.items()}


def _normality(found: Normality | None) -> NormalityEntry | None:
    return NormalityEntry(found.w, found.p) if found else None


def _shape(found: KolmogorovSmirnov | None) -> ShapeEntry | None:
    return ShapeEntry(found.d, found.p, found.method) if found else None
