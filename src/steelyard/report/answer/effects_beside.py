"""What the factors do to the metrics beside the primary one, where a design is about effects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from steelyard.report.answer.effect_words import called
from steelyard.report.text.digits import bounds, quantity, ratio
from steelyard.report.text.label import level_text, printable
from steelyard.report.text.line import Line, Span
from steelyard.report.text.table import Column, table

if TYPE_CHECKING:
    from steelyard.answers.analysis import Answer
    from steelyard.answers.effects import Effect, Factorial

MOST_METRICS: Final = 8
MOST_EFFECTS: Final = 4
"""Of one metric."""
_SHOWN: Final = 0.01
"""Share of the variation from which on an effect is shown; the largest is in any case."""


def lines(answer: Answer, width: int) -> list[Line]:
    """For each metric the range of its means, and below it the effects that make it, the largest first."""
    shown = answer.effects_beside[:MOST_METRICS]
    rows = [row for found in shown for row in (_Row(_heading(found, answer)), *_effects(found))]
    columns = [
        Column("also measured", [Span(row.name) for row in rows], right=False, is_name=True),
        Column("× better", [row.ratio for row in rows]),
        Column("95 % CI", [row.interval for row in rows], right=False, give_way=1),
        Column("variation", [row.share for row in rows], give_way=2),
    ]
    left = len(answer.effects_beside) - len(shown)
    more: list[Line] = [(Span(f"… and {left} more; --json has all."),)] if left else []
    return [*table(columns, width), *more]


class _Row:
    """A metric, or one of its effects."""

    def __init__(self, name: str, effect: Effect | None = None) -> None:
        self.name = name
        self.ratio = self.interval = self.share = Span("")
        if effect is not None:
            known = effect.ratio.value if effect.ratio is not None else None
            self.share = Span(f"{100 * effect.share:.1f} %")
            self.ratio = Span("–" if known is None else ratio(known, effect.ci95))
            self.interval = Span("–" if known is None or effect.ci95 is None else bounds(known, effect.ci95))


def _heading(found: Factorial, answer: Answer) -> str:
    known = {**found.stratum, **found.labels}
    where = [f"{printable(name)} = {level_text(level)}" for name, level in known.items()]
    return ", ".join([printable(found.metric.name), *where, _means(found, answer)])


def _means(found: Factorial, answer: Answer) -> str:
    """``4.59 ms to 9.18 ms``."""
    summaries = [
        each.summary
        for each in answer.samples
        if each.metric.name == found.metric.name
        and dict(each.labels) == dict(found.labels)
        and all(each.treatment.levels.get(name) == level for name, level in found.stratum.items())
    ]
    known = sorted((each.mean, each.u) for each in summaries if each.mean is not None)
    if not known:
        return "no mean"
    ends = [quantity(mean, found.metric.unit, u) for mean, u in (known[0], known[-1])]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def _effects(found: Factorial) -> Sequence[_Row]:
    axes = {axis.name: axis for axis in found.axes}
    largest = sorted(found.effects, key=lambda effect: -effect.share)
    shown = [effect for i, effect in enumerate(largest) if i == 0 or effect.share >= _SHOWN][:MOST_EFFECTS]
    return [_Row(f"  {called(effect, axes)}", effect) for effect in shown]
