"""Layouts of code that are drawn: a record for each block, before which both sides are linked again."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
from msgspec.structs import replace

from steelyard.core.errors import ProgramError, UsageError
from steelyard.extensions.gate.harnesses.harness import Harness
from steelyard.extensions.gate.request import GateRequest
from steelyard.extensions.gate.sides import LAYOUT, SIDES, GateSides
from steelyard.extensions.gate.trials import TrialBatch
from steelyard.files.plain import read_plain, write_plain
from steelyard.interventions.built import LARGEST_SEED

SEEDS: Final = 1_000_003
"""Between the seeds of blocks of one look, beyond those of looks."""


def refuse_one_layout(request: GateRequest, harness: Harness) -> None:
    """Refuse layouts where nothing links by their number.

    Raises
    ------
    UsageError
    """
    if not harness.draws_layouts and not any(LAYOUT in word for word in request.build_words):
        raise UsageError(
            f"--layout: {harness.name} has no order of code to draw, and --build has no {LAYOUT}",
            hint="a linker that shuffles: --build 'make LDFLAGS=-Wl,--shuffle-sections=*={layout}' (lld)",
        )


def split_into_blocks(batch: TrialBatch) -> list[TrialBatch]:
    """Return a batch for each block, with a seed from which its layout follows."""
    return [
        replace(
            batch,
            directory=batch.directory.with_name(f"{batch.directory.stem}-{block:03}.lab"),
            blocks=1,
            discard=0,
            seed=batch.seed + SEEDS * block,
        )
        for block in range(1, batch.blocks + 1)
    ]


def link_anew(batch: TrialBatch, request: GateRequest, sides: GateSides) -> None:
    """Link both sides in the order that is drawn for a block, equal sides each in one of its own.

    Raises
    ------
    ProgramError
        A build fails, or makes the same program as before.
    """
    drawn = np.random.default_rng(batch.seed).integers(1, LARGEST_SEED, size=len(SIDES))
    for place, side in enumerate(SIDES):
        # One number for both sides of a change; two builds of one source would be the same with it.
        layout = int(drawn[place if request.is_null else 0])
        sides.prepare(side)
        file = Path(batch.program.programs[side].words[0])
        before = file.read_bytes() if file.is_file() else b""
        # Written before: what an interruption left may be linked in this order already.
        marker = batch.directory.with_name(f"layout-{side}")
        is_begun = read_plain(marker) == str(layout).encode()
        write_plain(marker, str(layout).encode())
        tree = sides.link_anew(side, layout)
        if batch.plan.chosen.builds:
            batch.plan.chosen.find_programs(request.words, tree)
        if before and not is_begun and file.read_bytes() == before:
            raise ProgramError(
                f"{side}: --layout: the build makes the same program with another layout",
                hint="it has to link again, as after: touch main.cpp",
            )
