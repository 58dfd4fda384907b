"""What an experiment would run, without running any of it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from steelyard.design import Block, blocks_until, next_look, separability, treatments
from steelyard.factorial.signs import SignTable, sign_table
from steelyard.interventions import AFFINITY
from steelyard.lab.here import in_words
from steelyard.lab.outlook import outlook_of
from steelyard.lab.status import extent, most_blocks
from steelyard.sample import Treatment
from steelyard.spec.experiment import Experiment
from steelyard.spec.layout import layout_of
from steelyard.spec.placeholders import expand, format_level
from steelyard.spec.shell_text import expand_for_shell
from steelyard.stats.planning.outlook import Outlook
from steelyard.store import Record


@dataclass(frozen=True, slots=True)
class Preview:
    """An experiment before it runs.

    Attributes
    ----------
    blocks : tuple of Block
        Until the first look, discarded ones included.
    most_blocks : int or None
        Complete ones at the last look; ``None`` where only time limits it.
    block_s : float or None
        Mean time of a block in the record that is there already.
    inseparable : tuple of str
        Sentences: what this design cannot tell apart.
    here : tuple of str
        Sentences: what each intervention changes on this machine, and what it lacks.
    signs : SignTable or None
        Of a design with two steps of each factor.
    outlook : Outlook or None
        What the blocks could show; ``None`` where nothing is compared.
    """

    treatments: tuple[Treatment, ...]
    blocks: tuple[Block, ...]
    most_blocks: int | None
    block_s: float | None
    inseparable: tuple[str, ...]
    here: tuple[str, ...]
    signs: SignTable | None
    outlook: Outlook | None


def preview(experiment: Experiment, directory: Path) -> Preview:
    """Draw the treatments and the blocks until the first look."""
    drawn = treatments(experiment)
    first = next_look(experiment, 0) or experiment.design.blocks
    affinity = next((factor.levels for factor in experiment.factors if factor.name == AFFINITY.name), ())
    same = AFFINITY.coincidence() if {"compact", "scatter"} <= set(affinity) else None
    return Preview(
        drawn,
        blocks_until(experiment, drawn, (), first),
        most_blocks(experiment),
        _block_s(directory),
        (*separability(experiment), *([same] if same else [])),
        in_words(experiment),
        None if experiment.design.exclude else sign_table(layout_of(experiment)),
        outlook_of(experiment, drawn, first, directory),
    )


def shown_command(experiment: Experiment, treatment: Treatment) -> str:
    """The command of a treatment as one would type it; ``{build}`` and ``{trial}`` are not known yet and
    stay.
    """
    words = experiment.program.commands
    chosen = words[str(treatment.levels["command"]) if len(words) > 1 else next(iter(words))]
    known = {name: format_level(level) for name, level in treatment.levels.items()}
    known |= {"source": experiment.source, "build": "{build}", "trial": "{trial}"}
    if experiment.program.shell:
        return expand_for_shell(chosen[0], known)
    return shlex.join(expand(word, known) for word in chosen)


def _block_s(directory: Path) -> float | None:
    if not (directory / "record.sqlite").exists():
        return None
    with Record.open(directory) as record:
        known = extent(record)
    return known.spent_s / known.complete if known.complete else None
