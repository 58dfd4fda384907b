"""What ``plan`` says: what would run, in which order, for how long, and what it could not separate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import msgspec

from steelyard.factorial.signs import SignTable
from steelyard.report import outlook as outlooks
from steelyard.report import signs
from steelyard.report.digits import percent
from steelyard.report.document import written
from steelyard.report.factor_columns import treatment_columns, varying
from steelyard.report.label import counted, printable, wrap
from steelyard.report.line import Line, Span, plain
from steelyard.report.table import Column, table
from steelyard.sample import Treatment
from steelyard.stats.planning.outlook import Outlook
from steelyard.units import Scalar, format_duration

MOST_TREATMENTS: Final = 20
MOST_SIGNS: Final = 16
"""Rows of a sign table that nobody has to ask for."""


@dataclass(frozen=True, slots=True)
class PlannedTreatment:
    """A treatment, and the command that it runs, as one would type it."""

    id: int
    label: str
    command: str
    levels: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PlanPreview:
    """An experiment before it runs.

    Attributes
    ----------
    blocks : int
        At the first look where a stop rule decides, else all of them; discarded ones excluded.
    most_blocks : int or None
        That a stop rule allows; ``None`` without a stop rule, or where only time limits it.
    in_rows : bool
        The runs of one treatment follow each other; ``first_block`` holds those of all, and ``discard`` runs
        come before those of each.
    target, max_time_s : float or None
        Of the stop rule: relative half-width wanted, and the time allowed.
    contexts : int
        Different ones in ``blocks``; 0 where the experiment declares none.
    first_block : tuple of str
        Labels in the order in which the first block runs, every launch of it.
    estimated_s : float or None
        For ``blocks`` and the discarded ones; ``None`` where nothing has run yet to tell.
    inseparable : tuple of str
        Sentences: what the design cannot tell apart.
    here : tuple of str
        Sentences: what each intervention changes on this machine, and what it lacks.
    signs : SignTable or None
        Where two steps of each factor are run.
    outlook : Outlook or None
        What it could show; ``None`` where nothing is compared.
    """

    experiment: str
    treatments: tuple[PlannedTreatment, ...]
    blocks: int
    seed: int
    order: Literal["randomized-blocks", "sequential"]
    first_block: tuple[str, ...]
    replicates: int = 1
    discard: int = 0
    in_rows: bool = False
    contexts: int = 0
    passes: int = 1
    most_blocks: int | None = None
    target: float | None = None
    max_time_s: float | None = None
    estimated_s: float | None = None
    inseparable: tuple[str, ...] = ()
    here: tuple[str, ...] = ()
    signs: SignTable | None = None
    outlook: Outlook | None = None

    @property
    def trials(self) -> int:
        """Launches in ``blocks`` and the discarded ones."""
        if self.in_rows:
            return len(self.first_block) + self.discard * len(self.treatments)
        return (self.blocks + self.discard) * len(self.first_block)


def render(preview: PlanPreview, width: int = 80) -> str:
    """As plain text."""
    return plain(lines(preview, width))


def lines(preview: PlanPreview, width: int = 80, *, every_sign: bool = False) -> list[Line]:
    """Line by line; the sign table where it is short, or where every sign is asked for."""
    shown: list[Line] = [(Span(printable(preview.experiment), "heading"),)]
    facts = {
        "design": _design(preview),
        "stops": _stops(preview),
        "time": _time(preview),
        "first block": _first(preview),
    }
    for title, fact in facts.items():
        if fact:
            shown += [(Span(line),) for line in wrap(fact, width, first=f"  {title:<13}", rest=" " * 15)]
    treatments = preview.treatments[:MOST_TREATMENTS]
    shown += [
        (),
        *table(
            [
                Column("id", [Span(str(each.id)) for each in treatments]),
                *treatment_columns(_as_treatments(treatments), _factors(preview), width // 2),
                Column(
                    "command",
                    [Span(printable(each.command)) for each in treatments],
                    right=False,
                    is_name=True,
                ),
            ],
            width,
        ),
    ]
    if len(preview.treatments) > MOST_TREATMENTS:
        shown.append((Span(f"… and {len(preview.treatments) - MOST_TREATMENTS:,} more"),))
    if preview.signs is not None and (every_sign or len(preview.signs.rows) <= MOST_SIGNS):
        shown += [(), *signs.lines(preview.signs, width)]
    if preview.outlook is not None:
        shown += [(), *outlooks.lines(preview.outlook, width)]
    shown += _sentences("Changed here", preview.here, width)
    return shown + _sentences("Cannot be separated", preview.inseparable, width)


def _sentences(title: str, sentences: Sequence[str], width: int) -> list[Line]:
    if not sentences:
        return []
    shown: list[Line] = [(), (Span(title, "heading"),)]
    for sentence in sentences:
        shown += [(Span(line),) for line in wrap(printable(sentence), width, first="- ", rest="  ")]
    return shown


def document(preview: PlanPreview) -> str:
    """The document ``steelyard/plan``, version 1."""
    content = {
        "format": "steelyard/plan",
        "version": 1,
        **msgspec.to_builtins(preview),
        "trials": preview.trials,
    }
    return written(content)


def _design(preview: PlanPreview) -> str:
    count = counted(len(preview.treatments), "treatment")
    if preview.order == "sequential":
        each = len(preview.first_block) * preview.blocks // max(1, len(preview.treatments))
        parts = [f"{count}, {counted(each, 'run')} of each, one treatment after the other"]
    else:
        times = f" × {preview.replicates}" if preview.replicates > 1 else ""
        parts = [f"{count}{times} in each of {counted(preview.blocks, 'block')}, in random order"]
    if preview.contexts:
        passes = f", each visited {preview.passes} times" if preview.passes > 1 else ""
        parts.append(f"{counted(preview.contexts, 'context')}{passes}")
    if preview.discard and preview.in_rows:
        parts.append(f"{counted(preview.discard, 'run')} before those of each, not used")
    elif preview.discard:
        parts.append(f"{counted(preview.discard, 'block')} before them, run and not used")
    return "; ".join([*parts, f"{counted(preview.trials, 'run')}, seed {preview.seed}"])


def _stops(preview: PlanPreview) -> str:
    if preview.target is None and preview.max_time_s is None and preview.most_blocks is None:
        return ""
    parts = []
    if preview.target is not None:
        parts.append(f"when every interval reaches at most {percent(preview.target)} to either side")
    if preview.most_blocks is not None:
        parts.append(f"after {preview.most_blocks} blocks at the latest")
    if preview.max_time_s is not None:
        parts.append(f"after {format_duration(preview.max_time_s)} at the latest")
    return ", ".join(parts)


def _time(preview: PlanPreview) -> str:
    if preview.estimated_s is None:
        return "not known before the first runs"
    return f"about {format_duration(preview.estimated_s)}"


def _as_treatments(treatments: Sequence[PlannedTreatment]) -> list[Treatment]:
    return [Treatment(each.id, each.label, each.levels) for each in treatments]


def _factors(preview: PlanPreview) -> tuple[str, ...]:
    return varying(_as_treatments(preview.treatments))


def _first(preview: PlanPreview) -> str:
    labels = [printable(label) for label in preview.first_block]
    if _factors(preview):  # labels of several factors hold commas themselves
        ids = {printable(each.label): str(each.id) for each in preview.treatments}
        labels = [ids.get(label, label) for label in labels]
        labels[0] = f"treatments {labels[0]}"
    more = f", … ({len(labels):,} runs)" if len(labels) > MOST_TREATMENTS else ""
    return ", ".join(labels[:MOST_TREATMENTS]) + more
