"""Effects of the factors as text: a table with bars, the largest first, and sentences on interactions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from steelyard.report.answer.effect_words import called, interactions, leads, step_text
from steelyard.report.answer.words import is_speed
from steelyard.report.text.digits import bounds, probability, ratio
from steelyard.report.text.label import columns as columns_of
from steelyard.report.text.label import counted, level_text, printable, wrap
from steelyard.report.text.line import Line, Span, Style
from steelyard.report.text.table import Column, table

if TYPE_CHECKING:
    from steelyard.answers.analysis import Answer
    from steelyard.answers.effects import ContrastEffect, Effect, Factorial, LevelEffect, LogEstimate
    from steelyard.answers.interval import Interval
    from steelyard.units import Metric

MOST_ROWS: Final = 15
MOST_SENTENCES: Final = 3
_LONG_NAME: Final = 34
"""Columns of a terminal beyond which a name is shortened; before that, bars give way."""
_SHOWN: Final = 0.0005
"""Share of the variation that a line of its own is for."""
_BAR: Final = 6
"""Columns that all of the variation would take."""


def lines(answer: Answer, width: int) -> list[Line]:
    """One part for each stratum; nothing where no factors are crossed."""
    shown: list[Line] = []
    for found in answer.effects:
        if shown:
            shown.append(())
        shown += [*_caption(found, width), *_part(found, width, told=leads(answer))]
    if shown and any(not each.measured for each in answer.declared.type_b):
        shown += _wrapped("Errors declared in type_b are in speedups, and in no effect.", width)
    return shown


def _part(found: Factorial, width: int, *, told: bool) -> Iterator[Line]:
    """What is found; without the sentences that ``told`` says stand above already."""
    if found.undefined is not None:
        said = f"No effects of the factors: {found.undefined.words}."
        yield from _wrapped(said, width)
        return
    largest = sorted(found.effects, key=lambda effect: -effect.share)[:MOST_ROWS]
    yield from _table(found, largest, width)
    if len(found.effects) > MOST_ROWS:
        yield (Span(f"… and {len(found.effects) - MOST_ROWS} smaller; --json has all."),)
    for sentence in (*(() if told else interactions(found)), *_notes(found)):
        yield from _wrapped(sentence, width)
    yield from _level_table(found, width)
    yield from _contrast_table(found, width)


def _caption(found: Factorial, width: int) -> list[Line]:
    known = {**found.stratum, **found.labels}
    where = ", ".join(f"{printable(name)} = {level_text(level)}" for name, level in known.items())
    units = {"block": "block", "context": "context", "launch": "run"}[found.by]
    each = " of each" if found.by == "launch" else ""
    said = f"Effects on {printable(found.metric.name)}{f', {where}' if where else ''}"
    rest = f": {counted(found.treatments, 'treatment')}"
    if found.units:
        rest += f", {counted(found.units, units)}{each}; ratios of geometric means"
    wrapped = wrap(said + rest, width)
    return [(Span(line, "heading" if i == 0 else ""),) for i, line in enumerate(wrapped)]


def _table(found: Factorial, effects: Sequence[Effect], width: int) -> list[Line]:
    axes = {axis.name: axis for axis in found.axes}
    unassigned = "not assigned" if found.kind == "screening" else "other interactions"
    others = {"chance": found.rest, unassigned: found.unassigned}
    rest = [name for name, share in others.items() if share > _SHOWN]
    shares = [*(effect.share for effect in effects), *(others[name] for name in rest)]
    blank = [Span("") for _ in rest]
    columns = [
        Column(
            "effect",
            [*(Span(called(effect, axes)) for effect in effects), *(Span(name, "dim") for name in rest)],
            right=False,
            is_name=max(columns_of(called(effect, axes)) for effect in effects) > _LONG_NAME,
        ),
        Column(_ratio_title(found.metric), [*(_ratio(e.ratio, e.ci95) for e in effects), *blank]),
    ]
    if any(effect.ci95 for effect in effects):
        columns.append(
            Column(
                "95 % CI", [*(_interval(e.ratio, e.ci95) for e in effects), *blank], right=False, give_way=1
            )
        )
    if any(effect.p is not None for effect in effects):
        columns.append(Column("p Holm", [*(_p(e) for e in effects), *blank]))
    columns += [
        Column("variation", [Span(f"{100 * share:.1f} %") for share in shares], give_way=2),
        Column("", [Span(_bar(share), "dim") for share in shares], right=False, give_way=3),
    ]
    return table(columns, width)


def _level_table(found: Factorial, width: int) -> list[Line]:
    """Levels of factors that have more than two, against their first."""
    if not found.levels:
        return []
    axes = {axis.name: axis for axis in found.axes}

    def called(each: LevelEffect) -> str:
        axis = axes[each.factor]
        return f"{printable(axis.name)}: {step_text(axis, 0)} → {step_text(axis, each.step)}"

    shown = found.levels[:MOST_ROWS]
    columns = [
        Column("levels", [Span(called(each)) for each in shown], right=False, is_name=True),
        Column(_ratio_title(found.metric), [_ratio(each.ratio, each.ci95) for each in shown]),
        Column("95 % CI", [_interval(each.ratio, each.ci95) for each in shown], right=False, give_way=1),
    ]
    more = len(found.levels) - len(shown)
    left: list[Line] = [(Span(f"… and {more} more; --json has all."),)] if more else []
    return [(), *table(columns, width), *left]


def _contrast_table(found: Factorial, width: int) -> list[Line]:
    if not found.contrasts:
        return []

    def column(each: ContrastEffect) -> Span:
        return _ratio(each.ratio, each.ci95)

    shown = found.contrasts
    return [
        (),
        *table(
            [
                Column("contrast", [Span(printable(each.name)) for each in shown], right=False, is_name=True),
                Column("ratio", [column(each) for each in shown]),
                Column("95 % CI", [_interval(e.ratio, e.ci95) for e in shown], right=False, give_way=1),
                Column("p Holm", [_p(each) for each in shown]),
            ],
            width,
        ),
    ]


def _notes(found: Factorial) -> Iterator[str]:
    if found.censored:
        yield (
            "Nothing is judged: runs failed or timed out, so that what is missing is not missing by chance,"
            " or had more ranks than CPUs."
        )
    elif found.effects and all(effect.p is None for effect in found.effects):
        if found.units == 1:
            yield (
                "One value of each treatment leaves nothing to judge chance by: no interval, no test"
                ' (more blocks, or unreplicated = "lenth" in [analysis]).'
            )
        else:
            yield "The values do not differ between blocks: there is no error term, and nothing is tested."
    elif any(effect.method == "lenth-pseudo-se" for effect in found.effects):
        yield "Judged by Lenth's pseudo standard error, as declared: it takes most effects for nothing."
    if any(effect.confounded for effect in found.effects):
        yield "Effects joined by “or” are one contrast: this fraction cannot tell which of them it is."
    if found.kind == "screening":
        yield "A Plackett-Burman design: interactions are not estimated and hide in the main effects."
    if found.unmatched:
        lack = "lacks" if found.unmatched == 1 else "lack"
        yield f"{counted(found.unmatched, 'block')} {lack} a value of some treatment: in no effect."


def _ratio_title(metric: Metric) -> str:
    return "speedup" if is_speed(metric) else "× better"


def _ratio(found: LogEstimate | None, interval: Interval | None) -> Span:
    if found is None or found.value is None:
        return Span("–")
    return Span(ratio(found.value, interval))


def _interval(found: LogEstimate | None, interval: Interval | None) -> Span:
    if found is None or found.value is None or interval is None:
        return Span("–")
    return Span(bounds(found.value, interval))


def _p(tested: Effect | ContrastEffect) -> Span:
    style: Style = "" if tested.resolved else "open"
    return Span("–" if tested.p_holm is None else probability(tested.p_holm), style)


def _bar(share: float) -> str:
    whole, part = divmod(round(8 * _BAR * share), 8)
    return "█" * whole + ("▏▎▍▌▋▊▉"[part - 1] if part else "")


def _wrapped(text: str, width: int) -> list[Line]:
    return [(Span(line),) for line in wrap(text, width, rest="  ")]
