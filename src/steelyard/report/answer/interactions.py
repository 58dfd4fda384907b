"""Ratios of speedups as a table and as a part of the JSON document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from steelyard.answers.undefined import REASONS, Undefined
from steelyard.report.answer.assumptions import assumptions
from steelyard.report.answer.words import Names
from steelyard.report.ends import ends
from steelyard.report.text.digits import bounds, probability, ratio
from steelyard.report.text.label import printable
from steelyard.report.text.line import Line, Span, Style
from steelyard.report.text.table import MOST_ROWS, Column, table
from steelyard.units import Scalar

if TYPE_CHECKING:
    from steelyard.stats.answer import Answer
    from steelyard.stats.compare.interaction import Change, SpeedupRatio

_STYLES: Final[dict[Change, Style]] = {"larger": "", "smaller": "", "not_resolved": "open"}


class SpeedupRatioEntry(msgspec.Struct, frozen=True):
    """The speedup at one level of a factor over that at another; ids are of treatments."""

    factor: str
    level: Scalar
    reference: Scalar
    treatment: int
    baseline: int
    reference_treatment: int
    reference_baseline: int
    labels: Mapping[str, Scalar]
    value: float | None
    ci95: tuple[float, float] | None
    ci_family: tuple[float, float] | None
    method: str | None
    nu: float | int | None
    n: int
    p: float | None
    p_holm: float | None
    change: Literal["larger", "smaller", "not_resolved"]
    assumptions: tuple[str, ...]
    undefined: str | None


def entry(each: SpeedupRatio) -> SpeedupRatioEntry:
    """One ratio as it stands in the JSON document."""
    known = None if isinstance(each.ratio, Undefined) else each.ratio
    return SpeedupRatioEntry(
        factor=each.factor,
        level=each.level,
        reference=each.reference,
        treatment=each.treatment.id,
        baseline=each.baseline.id,
        reference_treatment=each.reference_treatment.id,
        reference_baseline=each.reference_baseline.id,
        labels=each.labels,
        value=known.value if known else None,
        ci95=ends(each.ci95),
        ci_family=ends(each.ci_family),
        method=known.method if known else None,
        nu=known.nu if known else None,
        n=known.n if known else 0,
        p=known.p if known else None,
        p_holm=each.p_holm,
        change=each.change,
        assumptions=assumptions(known.method) if known else (),
        undefined=REASONS[each.ratio.reason] if isinstance(each.ratio, Undefined) else None,
    )


def lines(answer: Answer, called: Names, width: int) -> list[Line]:
    """One row for each ratio; nothing where none was declared."""
    shown = answer.speedup_ratios[:MOST_ROWS]
    if not shown:
        return []
    labels = dict.fromkeys(name for each in shown for name in each.labels)
    of = [Span(called[each.treatment.label]) for each in shown]
    over = [Span(called[each.reference_treatment.label]) for each in shown]
    cells = {name: [Span(printable(str(each.labels.get(name, "")))) for each in shown] for name in labels}
    p = [Span("–" if each.p_holm is None else probability(each.p_holm)) for each in shown]
    verdicts = [Span(each.change.replace("_", " "), _STYLES[each.change]) for each in shown]
    columns = [
        Column("speedup of", of, right=False, is_name=True),
        Column("over that of", over, right=False, is_name=True),
        *(Column(printable(name), cells[name], right=False) for name in labels),
        Column("ratio", [Span(_ratio(each)) for each in shown]),
        Column("95 % CI", [Span(_interval(each)) for each in shown], right=False, give_way=1),
        Column("p Holm", p, give_way=2),
        Column("verdict", verdicts, right=False),
    ]
    left = len(answer.speedup_ratios) - len(shown)
    more: list[Line] = [(Span(f"… and {left} more; --json has all."),)] if left else []
    return [*table(columns, width), *more]


def _ratio(each: SpeedupRatio) -> str:
    return "–" if isinstance(each.ratio, Undefined) else ratio(each.ratio.value, each.ci95)


def _interval(each: SpeedupRatio) -> str:
    if isinstance(each.ratio, Undefined) or each.ci95 is None:
        return "–"
    return bounds(each.ratio.value, each.ci95)
