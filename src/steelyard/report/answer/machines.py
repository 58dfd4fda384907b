"""A comparison by machines in words: on how many it holds, what more would gain, which ones differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from steelyard.report.text.digits import factor, percent, probability, ratio
from steelyard.report.text.label import plural, printable

if TYPE_CHECKING:
    from steelyard.report.answer.words import Names
    from steelyard.results.contexts import ContextFinding, Sides
    from steelyard.results.machines import Machine, Machines, Pace, Spread

MOST_NAMED: Final = 5
"""Machines that differ, for each comparison."""


def tell_machines(findings: Sequence[ContextFinding], called: Names) -> list[str]:
    """Tell sides and spread of each comparison, then machines that differ, then those whose values do."""
    texts: list[str] = []
    paces: tuple[Pace, ...] = ()
    for entry in findings:
        by_machine = entry.machines
        if by_machine is None:
            continue
        pair = f"{called[entry.treatment.label]} against {called[entry.baseline.label]}"
        texts.append(
            f"{pair}: {_tell_sides(by_machine, entry.across.sides)}{_tell_spread(by_machine.spread)}."
        )
        differing = [machine for machine in by_machine.members if machine.differs]
        texts += [
            f"{pair}: {_tell_difference(machine, len(by_machine.members))}."
            for machine in differing[:MOST_NAMED]
        ]
        paces = by_machine.pace
    texts += [f"{_tell_pace(entry)}." for entry in paces[:MOST_NAMED]]
    first = findings[0].machines
    if first is not None and first.spread is None and first.blocks == len(first.members):
        texts.append(
            "Each machine has only one block, so its effect cannot be separated from noise;"
            " run two blocks on each."
        )
    return texts


def _tell_sides(by_machine: Machines, sides: Sides) -> str:
    """``faster on 9 of 10 machines (8 by their own 95 % interval)``."""
    is_faster = by_machine.faster >= by_machine.slower
    count = by_machine.faster if is_faster else by_machine.slower
    alone = sides.faster_alone if is_faster else sides.slower_alone
    machines = plural(len(by_machine.members), "machine")
    text = f"{'faster' if is_faster else 'slower'} on {count} of {machines}"
    return text if alone is None else f"{text} ({alone} by their own 95 % interval)"


def _tell_spread(spread: Spread | None) -> str:
    if spread is None:
        return ""
    low, high = (f"{100 * bound:.0f}" for bound in (spread.interval.low, spread.interval.high))
    machines, blocks = spread.machines, spread.blocks
    return (
        f"; machines are {100 * spread.share:.0f} % ({low} to {high} %) of the variance of a block's ratio:"
        f" {plural(machines.further, 'more machine')} would narrow the standard error by"
        f" {percent(machines.narrower)}, {plural(blocks.further, 'more block')} on each by"
        f" {percent(blocks.narrower)}"
    )


def _tell_difference(machine: Machine, count: int) -> str:
    differs = machine.differs
    assert differs is not None  # noqa: S101 - it was looked for
    local, elsewhere = (
        ratio(value, machine.interval) for value in (machine.speedup, machine.speedup / differs.ratio)
    )
    return (
        f"{printable(machine.name)} differs from the other machines: {local} × there, {elsewhere} × on the"
        f" others ({_show_p(differs.p_holm)}, Holm over {count} machines)"
    )


def _tell_pace(pace: Pace) -> str:
    """``n7: values are 1.28 to 1.33 × those of the other machines in every treatment``."""
    place = "in every treatment" if pace.in_everything else "on average over treatments"
    low, high = factor(pace.low), factor(pace.high)
    times = low if low == high else f"{low} to {high}"
    return (
        f"{printable(pace.name)}: values are {times} × those of the other machines {place}"
        f" ({_show_p(pace.differs.p_holm)}); blocks cancel that"
    )


def _show_p(p: float) -> str:
    p_text = probability(p)
    return f"p {p_text[0]} {p_text[1:]}" if p_text.startswith("<") else f"p = {p_text}"
