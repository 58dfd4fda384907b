"""``steelyard plan``."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli import completion
from steelyard.cli.options import json_option, many_option
from steelyard.cli.paths import InputPath, PathCommand
from steelyard.cli.run_and_answer import show


@click.command(
    cls=PathCommand, short_help="Show what a spec would run, how long, and what it cannot separate."
)
@click.argument("spec", type=InputPath(), shell_complete=completion.specs)
@json_option
@click.option("--signs", is_flag=True, help="Show the sign table, in the order of Yates.")
@many_option
def command(spec: Path, as_json: bool, yes: bool, signs: bool) -> None:
    """Show what SPEC would run and in which order, and what it could not separate.

    Also show what would be refused on this machine. Nothing is run.
    """
    from steelyard.lab.run.existing_record import record_of_spec
    from steelyard.lab.run.plan import preview
    from steelyard.report.plan.text import document, lines
    from steelyard.spec import load

    experiment = load(spec, allow_many=yes)
    found = preview(experiment, record_of_spec(spec))
    show(
        lambda: document(found, experiment),
        lambda width: lines(found, experiment, width, signs=signs),
        as_json=as_json,
    )
