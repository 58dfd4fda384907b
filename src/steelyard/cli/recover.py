"""``steelyard recover``."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli import completing
from steelyard.cli.options import json_option


@click.command(short_help="Copy what can be read of a damaged record into a new one.")
@click.argument(
    "damaged",
    type=click.Path(path_type=Path),
    metavar="DAMAGED.lab",
    shell_complete=completing.records,
)
@click.argument("new", type=click.Path(path_type=Path), metavar="NEW.lab")
@json_option
def command(damaged: Path, new: Path, as_json: bool) -> None:
    """Copy every row that can still be read of DAMAGED.lab into NEW.lab, which can be analysed and continued.

    DAMAGED.lab stays as it is. Blocks that lost trials or values count no more.
    """
    from msgspec.structs import asdict

    from steelyard.lab.records import find_record
    from steelyard.report.document import written
    from steelyard.store.recovery import recover

    found = recover(find_record(damaged), new)
    if as_json:
        click.echo(written({"format": "steelyard/recovery", "version": 1, **asdict(found)}), nl=False)
        return
    if found.trials:
        click.echo(f"{new} holds {found.trials:,} trials; {found.lost_trials:,} finished ones are lost")
    else:
        lost = f": all {found.lost_trials:,} finished ones are lost" if found.lost_trials else ""
        click.echo(f"{new} holds the experiment and no trial{lost}")
    if found.spec == "file":
        click.echo(
            "its spec was read from spec.toml; it can be analysed, but what program it measured is lost"
        )
    if found.spoilt_blocks:
        click.echo(f"{found.spoilt_blocks:,} complete blocks lost trials or values and count no more")
