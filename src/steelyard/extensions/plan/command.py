"""``steelyard plan``."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli import completion
from steelyard.cli.declared import Options, declare, declare_argument, take
from steelyard.cli.options import json_option, many_option
from steelyard.cli.paths import InputPath, PathCommand
from steelyard.cli.terminal import show


class PlanOptions(Options):
    """Options of ``steelyard plan``."""

    spec: Path = declare_argument(type=InputPath(), complete=completion.specs)
    as_json: bool = json_option
    signs: bool = declare("Show the sign table, in the order of Yates.")
    ask: bool = declare("Also ask the hosts of [launch], which starts the ssh that SPEC names.")
    yes: bool = many_option


@click.command(
    cls=PathCommand, short_help="Show what a spec would run, how long, and what it cannot separate."
)
@take(PlanOptions)
def command(options: PlanOptions) -> None:
    """Show what SPEC would run and in which order, and what it could not separate.

    Also show what would be refused on this machine. No command of SPEC is started.
    """
    from steelyard.extensions.plan.preview import preview
    from steelyard.extensions.plan.text import document, lines
    from steelyard.lab.run.existing_record import record_of_spec
    from steelyard.spec import load

    experiment = load(options.spec, allow_many=options.yes)
    answer = preview(experiment, record_of_spec(options.spec), ask=options.ask)
    show(
        lambda: document(answer, experiment),
        lambda width: lines(answer, experiment, width, signs=options.signs),
        as_json=options.as_json,
    )
