"""``steelyard status``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli.conducting import terminal_width
from steelyard.cli.options import json_option, record_argument

if TYPE_CHECKING:
    from steelyard.report.status import Status
    from steelyard.store import Record


@click.command(short_help="Show how far a record is.")
@record_argument
@json_option
def command(record: Path, as_json: bool) -> None:
    """Show how far RECORD (a directory NAME.lab, or its spec) is, what failed, and who runs it."""
    from steelyard.lab.records import find_record
    from steelyard.report.line import write
    from steelyard.report.status import document, lines
    from steelyard.store import Record

    with Record.open(find_record(record)) as opened:
        status = _status(opened)
    if as_json:
        click.echo(document(status), nl=False)
    else:
        write(lines(status, terminal_width()), sys.stdout)


def _status(record: Record) -> Status:
    from steelyard.lab.status import extent
    from steelyard.report.status import Holder, Status

    experiment, runs, looks = record.experiment, record.runs(), record.looks()
    known, holder = extent(record), record.holder()
    labels = {treatment.id: treatment.label for treatment in record.treatments}
    stop = experiment.design.stop
    state = runs[-1].state if runs else "planned"
    if state == "died" or (state == "running" and holder is None):
        state = "interrupted"
    return Status(
        experiment=experiment.name,
        record=str(record.directory),
        state=state,
        treatments=len(record.treatments),
        blocks_done=known.complete,
        blocks_planned=known.most,
        trials_done=known.trials,
        spent_s=known.spent_s,
        left_s=known.left_s,
        failures={labels[key]: each for key, each in record.failures().items() if each.failed},
        stops_at_precision=stop is not None and stop.rel_halfwidth is not None,
        target=stop.rel_halfwidth if stop else None,
        reached=looks[-1].rel_halfwidth if looks else None,
        holder=Holder(holder.pid or 0, holder.host or "", holder.since or "") if holder else None,
    )
