"""``factorial``: the effects of the factors of an experiment, estimated, tested and adjusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

import numpy as np
from msgspec.structs import replace

from steelyard.core.analysis import Analysis
from steelyard.core.arrays import Floats
from steelyard.core.factorial import Kind, Layout
from steelyard.core.sample import Sample
from steelyard.results.analysis import Order
from steelyard.results.effects import (
    By,
    ConditionalEffect,
    ContrastEffect,
    Effect,
    Factorial,
    LevelEffect,
    LogEstimate,
    Method,
)
from steelyard.results.flags import unjudgeable
from steelyard.results.undefined import Undefined
from steelyard.stats.distributions.student import two_sided_p
from steelyard.stats.effects.cells import Cells, cells_of
from steelyard.stats.effects.estimate import estimate_cells, estimate_units, interval_of, resolvable
from steelyard.stats.effects.lenth import PseudoError, pseudo_error
from steelyard.stats.effects.omnibus import box, welch_james
from steelyard.stats.effects.over_looks import correct_for_looks
from steelyard.stats.effects.precision import asks_for_effects
from steelyard.stats.effects.structure import (
    Broken,
    EffectTerm,
    Structure,
    contrast_row,
    step_row,
    structures,
)
from steelyard.stats.effects.variation import Variation, squares_of, variation
from steelyard.stats.effects.yates import yates
from steelyard.stats.hypothesis.holm import holm
from steelyard.stats.hypothesis.sign_flip import sign_flip_p
from steelyard.stats.sequential.looks import Looks

_BOX: Final[dict[By, Method]] = {
    "block": "block-contrast-box",
    "context": "context-contrast-box",
    "instance": "instance-contrast-box",
}

Judged = TypeVar("Judged", Effect, ContrastEffect)


def factorial(
    samples: Sequence[Sample],
    layout: Layout | None,
    declared: Analysis,
    *,
    order: Order = "randomized-blocks",
    looks: Looks | None = None,
) -> tuple[Factorial, ...]:
    """Factorial analyses of the primary metric, one for each stratum and set of labels.

    There are none where fewer than two factors are crossed. With ``looks``, p-values, intervals and verdicts
    hold over all of them.
    """
    if layout is None or len(layout.varying) < 2:
        return ()
    primary = [sample for sample in samples if sample.metric.name == declared.metric and len(sample)]
    return tuple(
        _explain_broken(structure, primary[0])
        if isinstance(structure, Broken)
        else _analyse(structure, declared, order, layout.kind, looks)
        for structure in structures(primary, layout, declared)
    )


def _explain_broken(broken: Broken, sample: Sample) -> Factorial:
    return Factorial(
        stratum=broken.stratum,
        labels=broken.labels,
        metric=sample.metric,
        axes=(),
        kind="complete",
        treatments=broken.run,
        undefined=Undefined("missing_combinations"),
    )


def _analyse(
    structure: Structure, declared: Analysis, order: Order, design: Kind, looks: Looks | None
) -> Factorial:
    first = structure.samples[0]
    base = Factorial(
        stratum=structure.stratum,
        labels=structure.labels,
        metric=first.metric,
        axes=structure.axes,
        kind=structure.kind,
        design=design,
        treatments=len(structure.samples),
    )
    cells = cells_of(structure.samples, order=order)
    if isinstance(cells, Undefined):
        return replace(base, undefined=cells)
    spread = variation(cells)
    sign = 1.0 if first.metric.better == "higher" else -1.0
    values = _compute_values(structure, cells)
    effects = [
        _make_effect(structure, cells, term, value, spread, sign)
        for term, value in zip(structure.terms, values, strict=True)
    ]
    if declared.unreplicated == "lenth" and cells.units == 1:
        effects = _judge_by_lenth(effects)
    contrasts = [
        ContrastEffect(name, estimate, interval_of(estimate))
        for name, weights in declared.contrasts.items()
        if (row := contrast_row(structure, weights)) is not None
        for estimate in [_format_along(cells, sign * row)]
    ]
    censored = unjudgeable(structure.samples, ignore_failures=declared.failures == "ignore")
    judged = _judge(effects, declared.alpha, looks, censored=censored)
    return replace(
        base,
        by=cells.by,
        units=cells.units,
        blocks=cells.blocks,
        unmatched=cells.unmatched,
        effects=judged,
        levels=tuple(correct_for_looks(level, looks) for level in _compute_levels(structure, cells, sign)),
        conditional=tuple(
            correct_for_looks(conditional_effect, looks)
            for conditional_effect in _compute_conditional(structure, cells, judged, sign)
        ),
        contrasts=_judge(contrasts, declared.alpha, looks, censored=censored),
        rest=spread.rest,
        unassigned=max(0.0, 1 - spread.rest - sum(effect.share for effect in effects))
        if spread.total
        else 0.0,
        censored=censored,
    )


def _compute_values(structure: Structure, cells: Cells) -> list[Floats]:
    """Orthonormal contrasts of each term, units by contrasts.

    Where there are no units, they are those of the means of treatments.
    """
    table = cells.table if cells.paired else np.array([[float(x.mean()) for x in cells.logs]])
    if structure.kind == "complete" and all(len(axis.steps) == 2 for axis in structure.axes):
        # From the last axis fastest to the order of Yates, the first axis fastest.
        places = structure.steps @ (1 << np.arange(len(structure.axes)))
        totals = yates(table[:, np.argsort(places)]) / len(structure.samples) ** 0.5
        words = [sum(1 << axis for axis in term.axes) for term in structure.terms]
        return [totals[:, [word]] for word in words]
    return [table @ term.rows.T for term in structure.terms]


def _make_effect(
    structure: Structure, cells: Cells, term: EffectTerm, values: Floats, spread: Variation, sign: float
) -> Effect:
    df = len(term.rows)
    means = values.mean(axis=0)
    squares = squares_of(means, spread.replicates)
    effect = Effect(
        factors=tuple(structure.axes[axis].name for axis in term.axes),
        confounded=term.confounded,
        df=df,
        share=spread.share(squares),
        omega2=spread.omega2(squares, df),
    )
    if df > 1:
        test = box(values, scale=cells.largest) if cells.paired else welch_james(cells.logs, term.rows)
        if test is None:
            return effect
        method = _BOX.get(cells.by, "unpaired-welch-james")
        return replace(effect, method=method, f=test.f, nu1=test.nu1, nu2=test.nu2, p=test.p)
    half = len(structure.samples) ** -0.5
    ratio = (
        estimate_units(2 * sign * half * values[:, 0], by=cells.by, scale=cells.largest)
        if cells.paired
        else estimate_cells(cells.logs, 2 * sign * half * term.rows[0])
    )
    return replace(
        effect,
        method=ratio.method,
        q=float(means[0]) * half,
        ratio=ratio,
        ci95=interval_of(ratio),
        p=ratio.p,
        p_flips=sign_flip_p(values[:, 0]) if cells.paired and cells.units > 1 else None,
    )


def _compute_levels(structure: Structure, cells: Cells, sign: float) -> list[LevelEffect]:
    return [
        LevelEffect(axis.name, step, estimate, interval_of(estimate))
        for place, axis in enumerate(structure.axes)
        if len(axis.steps) > 2
        for step in range(1, len(axis.steps))
        for estimate in [_format_along(cells, sign * step_row(structure, place, step))]
    ]


def _compute_conditional(
    structure: Structure, cells: Cells, effects: Sequence[Effect], sign: float
) -> Iterator[ConditionalEffect]:
    """Yield simple effects for each resolved interaction of two two-level factors.

    They are those of the first factor at each step of the other.
    """
    places = {axis.name: place for place, axis in enumerate(structure.axes)}
    for effect in effects:
        if structure.kind != "complete" or not effect.resolved or len(effect.factors) != 2 or effect.df > 1:
            continue
        first, second = effect.factors
        for step in (0, 1):
            row = step_row(structure, places[first], 1, within=(places[second], step))
            estimate = _format_along(cells, sign * row)
            yield ConditionalEffect(first, second, step, estimate, interval_of(estimate))


def _format_along(cells: Cells, row: Floats) -> LogEstimate:
    if cells.paired:
        return estimate_units(cells.table @ row, by=cells.by, scale=cells.largest)
    return estimate_cells(cells.logs, row)


def _judge_by_lenth(effects: Sequence[Effect]) -> list[Effect]:
    logs = np.array([effect.ratio.log for effect in effects if effect.ratio is not None])
    error = pseudo_error(logs)
    return [_make_lenth(effect, error) if error is not None else effect for effect in effects]


def _make_lenth(effect: Effect, error: PseudoError) -> Effect:
    if effect.ratio is None:
        return effect
    p = two_sided_p(effect.ratio.log / error.se, error.nu)
    ratio = LogEstimate(effect.ratio.log, error.se, error.nu, p, "lenth-pseudo-se")
    return replace(effect, method=ratio.method, ratio=ratio, ci95=interval_of(ratio), p=p)


def _judge(
    estimated: Sequence[Judged], alpha: float, looks: Looks | None, *, censored: bool
) -> tuple[Judged, ...]:
    """Adjust over those that have a p value."""
    effects = [correct_for_looks(contrast_effect, looks) for contrast_effect in estimated]
    with_p = [
        (i, p) for i, contrast_effect in enumerate(effects) if (p := _get_p(contrast_effect)) is not None
    ]
    tested = dict(zip([i for i, _ in with_p], holm([p for _, p in with_p], alpha), strict=True))
    judged = []
    for i, effect in enumerate(effects):
        if i not in tested:
            judged.append(effect)
            continue
        ratio, level = _get_ratio(effect), tested[i].level
        level_left = level if looks is None else looks.level(level)
        judged.append(
            replace(
                effect,
                p_holm=tested[i].p_holm,
                resolved=None if censored else tested[i].rejected,
                ci_family=None if ratio is None else interval_of(ratio, level_left),
                resolvable=None if ratio is None else resolvable(ratio, level_left),
            )
        )
    return tuple(judged)


def _get_p(effect: Effect | ContrastEffect) -> float | None:
    return effect.p if isinstance(effect, Effect) else effect.ratio.p


def _get_ratio(effect: Effect | ContrastEffect) -> LogEstimate | None:
    return effect.ratio


def effects_beside(
    samples: Sequence[Sample],
    layout: Layout | None,
    declared: Sequence[Analysis],
    *,
    order: Order,
    looks: Looks | None = None,
) -> tuple[Factorial, ...]:
    """Effects on each metric that one of ``declared`` names; none where the design asks for comparisons."""
    return tuple(_drop_verdicts(samples, layout, declared, order, looks)) if layout is not None else ()


def _drop_verdicts(
    samples: Sequence[Sample],
    layout: Layout,
    declared: Sequence[Analysis],
    order: Order,
    looks: Looks | None,
) -> Iterator[Factorial]:
    for analysis in declared:
        if not asks_for_effects(layout, analysis):
            continue
        for part in factorial(samples, layout, analysis, order=order, looks=looks):
            effects = tuple(
                replace(effect, p=None, p_flips=None, p_holm=None, resolved=None, ci_family=None)
                for effect in part.effects
            )
            if effects:
                yield replace(part, effects=effects, conditional=(), contrasts=())
