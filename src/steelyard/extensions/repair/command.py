"""``steelyard recover``."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli import completion
from steelyard.cli.declared import Options, declare_argument, take
from steelyard.cli.options import json_option
from steelyard.cli.paths import InputPath, PathCommand, RecordDirectory
from steelyard.cli.terminal import show

if TYPE_CHECKING:
    from steelyard.extensions.repair.recovery import Recovered


class RecoverOptions(Options):
    """Options of ``steelyard recover``."""

    damaged: Path = declare_argument("DAMAGED.lab", type=InputPath(), complete=completion.records)
    new: Path = declare_argument("NEW.lab", type=RecordDirectory())
    as_json: bool = json_option


@click.command(cls=PathCommand, short_help="Copy what can be read of a damaged record into a new one.")
@take(RecoverOptions)
def command(options: RecoverOptions) -> None:
    """Copy every row of DAMAGED.lab that can still be read into NEW.lab, which can be analysed and continued.

    DAMAGED.lab stays as it is. Blocks that lost trials or values are left out of answers; `steelyard run
    NEW.lab` measures as many again.
    """
    from msgspec.structs import asdict

    from steelyard.extensions.repair.recovery import recover
    from steelyard.lab.run.existing_record import find_record
    from steelyard.report.text.line import Span
    from steelyard.results.document import write_json

    recovered = recover(find_record(options.damaged), options.new)
    document = {"format": "steelyard/recovery", "version": 1, **asdict(recovered)}
    show(
        lambda: write_json(document),
        lambda _: [(Span(line),) for line in _format_lines(recovered, options.new)],
        as_json=options.as_json,
    )


def _format_lines(recovered: Recovered, new: Path) -> Iterator[str]:
    """Report what was recovered, what is lost, and what can be done with it."""
    named, every = shlex.quote(str(new)), recovered.trials + recovered.lost_trials
    if not every:
        yield f"{new} has the experiment, of which no trial had ended"
    elif not recovered.lost_trials:
        yield f"{new} has all {every:,} trials that had ended"
    elif recovered.trials:
        yield (
            f"{new} has {recovered.trials:,} of {every:,} trials; {recovered.lost_trials:,} can no longer"
            " be read"
        )
    else:
        yield f"{new} has the experiment and none of its {every:,} trials: they can no longer be read"
    if recovered.spoilt_blocks == 1:
        yield "1 block lost trials or values and is left out of answers"
    elif recovered.spoilt_blocks:
        yield f"{recovered.spoilt_blocks:,} blocks lost trials or values and are left out of answers"
    if recovered.spec == "file":
        yield "its spec was lost and read from spec.toml; the identity of the program is lost"
    if recovered.trials:
        yield f"steelyard analyze {named} answers from the rest"
    if recovered.spec == "file":
        yield "it cannot be continued: whether the program is still the same is unknown"
    elif recovered.spoilt_blocks:
        yield f"steelyard run {named} measures as many blocks again"
