"""A comparison by machines in words: on how many it holds, what more would gain, which ones differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from steelyard.report.text.digits import percent, probability, ratio
from steelyard.report.text.label import counted, printable

if TYPE_CHECKING:
    from steelyard.answers.contexts import ContextFinding, Sides
    from steelyard.answers.machines import Machine, Machines, Pace, Spread
    from steelyard.report.answer.words import Names

MOST_NAMED: Final = 5
"""Machines that differ, for each comparison."""


def sentences(found: Sequence[ContextFinding], called: Names) -> list[str]:
    """For each comparison its sides and spread, then the machines that differ; then those whose values do."""
    said: list[str] = []
    paces: tuple[Pace, ...] = ()
    for each in found:
        its = each.machines
        if its is None:
            continue
        who = f"{called[each.treatment.label]} against {called[each.baseline.label]}"
        said.append(f"{who}: {_sides(its, each.across.sides)}{_spread(its.spread)}.")
        differing = [machine for machine in its.each if machine.differs]
        said += [f"{who}: {_differing(machine, len(its.each))}." for machine in differing[:MOST_NAMED]]
        paces = its.pace
    said += [f"{_pace(each)}." for each in paces[:MOST_NAMED]]
    first = found[0].machines
    if first is not None and first.spread is None and first.blocks == len(first.each):
        said.append(
            "Each machine has one block: what it does to the comparison cannot be told from chance;"
            " two blocks on each separate them."
        )
    return said


def _sides(its: Machines, sides: Sides) -> str:
    """``faster on 9 of 10 machines (8 by their own interval)``."""
    faster = its.faster >= its.slower
    count, alone = (its.faster, sides.faster_alone) if faster else (its.slower, sides.slower_alone)
    own = "" if alone is None else f" ({alone} by their own 95 % interval)"
    return f"{'faster' if faster else 'slower'} on {count} of {counted(len(its.each), 'machine')}{own}"


def _spread(its: Spread | None) -> str:
    if its is None:
        return ""
    low, high = (f"{100 * bound:.0f}" for bound in (its.interval.low, its.interval.high))
    return (
        f"; machines are {100 * its.share:.0f} % ({low} to {high} %) of the variance of a block's ratio:"
        f" {counted(its.machines.more, 'more machine')} would narrow the standard error by"
        f" {percent(its.machines.narrower)}, {counted(its.blocks.more, 'more block')} on each by"
        f" {percent(its.blocks.narrower)}"
    )


def _differing(machine: Machine, count: int) -> str:
    differs = machine.differs
    assert differs is not None  # noqa: S101 - it was looked for
    there, others = (
        ratio(each, machine.interval) for each in (machine.speedup, machine.speedup / differs.ratio)
    )
    return (
        f"{printable(machine.name)} differs from the other machines: {there} × there, {others} × on the"
        f" others ({_p(differs.p_holm)}, Holm over {count} machines)"
    )


def _pace(pace: Pace) -> str:
    """``n7: values are 1.28 to 1.33 × those of the other machines in every treatment``."""
    where = "in every treatment" if pace.in_everything else "on average over treatments"
    low, high = f"{pace.low:.3g}", f"{pace.high:.3g}"
    times = low if low == high else f"{low} to {high}"
    return (
        f"{printable(pace.name)}: values are {times} × those of the other machines {where}"
        f" ({_p(pace.differs.p_holm)}); blocks cancel that"
    )


def _p(p: float) -> str:
    shown = probability(p)
    return f"p {shown[0]} {shown[1:]}" if shown.startswith("<") else f"p = {shown}"
