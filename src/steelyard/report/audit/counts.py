"""Counts that chose which lengths of the environment were timed, in words."""

from __future__ import annotations

from typing import Final

from steelyard.answers.audit import CountClass, Counted
from steelyard.report.text.digits import percent
from steelyard.report.text.label import counted
from steelyard.stats.audit.classes import CYCLES

_MOST_CLASSES: Final = 3
"""Classes beside the largest that are described."""


def describe_counts(found: Counted) -> list[str]:
    """What was counted, which classes differ most, and what counts cannot see."""
    usual, *others = found.classes
    many = counted(found.population, "length")
    classes = _classes(len(found.classes))
    summary = (
        f"{found.lengths:,} of {many} of the environment by cachegrind: {classes} of counts (equal to"
        f" {percent(found.tolerance)} of estimated cycles); timed {found.timed:,} representatives"
    )
    texts = [summary + _left(found)]
    texts += [
        _difference(each, usual)
        for each in sorted(others, key=lambda each: -abs(_cycles(each) - _cycles(usual)))[:_MOST_CLASSES]
    ]
    texts.append(
        "Counts cannot see what real caches replace and prefetch, addresses 4 KiB apart that are taken for"
        " one another, loads that wait for stores, and what an access across two lines costs; the timed"
        " lengths of one class show it only where many have it"
    )
    return texts


def _classes(number: int) -> str:
    return f"{number:,} class{'' if number == 1 else 'es'}"


def _left(found: Counted) -> str:
    timed = sum(bool(each.timed) for each in found.classes)
    return "" if timed == len(found.classes) else f" of {_classes(timed)}"


def _difference(one: CountClass, usual: CountClass) -> str:
    event = max(CYCLES, key=lambda event: CYCLES[event] * abs(one.counts[event] - usual.counts[event]))
    name = event.replace("_", " ")
    where = f", timed at {', '.join(f'{level:,}' for level in one.timed)} bytes" if one.timed else ""
    return (
        f"{counted(one.lengths, 'length')}: {_cycles(one) / _cycles(usual):.3g} × the estimated cycles of the"
        f" largest class ({one.counts[event]:,.0f} {name} against {usual.counts[event]:,.0f}){where}"
    )


def _cycles(one: CountClass) -> float:
    return sum(weight * one.counts[event] for event, weight in CYCLES.items())
