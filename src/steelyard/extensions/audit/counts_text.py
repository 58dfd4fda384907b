"""Counts that chose which lengths of the environment were timed, in words."""

from __future__ import annotations

from typing import Final

from steelyard.extensions.audit.classes import CYCLES
from steelyard.extensions.audit.results import CountClass, Counted
from steelyard.report.text.digits import percent
from steelyard.report.text.label import plural

_MOST_CLASSES: Final = 3
"""Classes beside the largest that are described."""


def describe_counts(counts: Counted) -> list[str]:
    """Return what was counted, which classes differ most, and what counts cannot see."""
    usual, *rest = counts.classes
    many = plural(counts.population, "length")
    classes = _count_classes(len(counts.classes))
    summary = (
        f"{counts.lengths:,} of {many} of the environment by cachegrind: {classes} of counts (equal to"
        f" {percent(counts.tolerance)} of estimated cycles); timed {counts.timed:,} representatives"
    )
    texts = [summary + _name_timed(counts)]
    if counts.unseen:
        texts.append(
            "The time ended before every place of the stack was counted: counts of up to"
            f" {percent(counts.unseen)} of the lengths could be others (95 % sure); more time: --max-time"
        )
    cycles = _estimate_cycles(usual)
    rest.sort(key=lambda group: -abs(_estimate_cycles(group) - cycles))
    texts += [_describe_difference(group, usual) for group in rest[:_MOST_CLASSES]]
    texts.append(
        "Counts cannot see what real caches replace and prefetch, addresses 4 KiB apart that are taken for"
        " one another, loads that wait for stores, and what an access across two lines costs; the timed"
        " lengths of one class show it only where many have it"
    )
    return texts


def _count_classes(number: int) -> str:
    return f"{number:,} class{'' if number == 1 else 'es'}"


def _name_timed(counts: Counted) -> str:
    timed = sum(bool(group.timed) for group in counts.classes)
    return "" if timed == len(counts.classes) else f" of {_count_classes(timed)}"


def _describe_difference(group: CountClass, usual: CountClass) -> str:
    event = max(CYCLES, key=lambda event: CYCLES[event] * abs(group.counts[event] - usual.counts[event]))
    name = event.replace("_", " ")
    places = f", timed at {', '.join(f'{level:,}' for level in group.timed)} bytes" if group.timed else ""
    ratio = _estimate_cycles(group) / _estimate_cycles(usual)
    return (
        f"{plural(group.lengths, 'length')}: {ratio:.3g} × the estimated cycles of the"
        f" largest class ({group.counts[event]:,.0f} {name} against {usual.counts[event]:,.0f}){places}"
    )


def _estimate_cycles(group: CountClass) -> float:
    return sum(weight * group.counts[event] for event, weight in CYCLES.items())
