"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli import completion_values as completing

output_option = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="NAME.lab",
    help="Directory of the record.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
strict_option = click.option(
    "--strict",
    is_flag=True,
    help="Exit with 3 where something is not resolved or the precision is not reached.",
)
protocol_option = click.option(
    "--protocol",
    type=click.Choice(("default", "nogueira-matias-2014")),
    help="Have a published protocol judge too: all pairs of launches, unless there is a baseline.",
)
against_option = click.option(
    "--against",
    metavar="BASELINE",
    shell_complete=completing.baselines,
    help="Compare with this: FACTOR=LEVEL, or the label of a treatment.",
)
details_option = click.option(
    "--details",
    is_flag=True,
    help="Also what a typical run gains: robust ratio, share of blocks, size of effect.",
)
input_option = click.option(
    "--input",
    "stdin",
    type=click.Path(),
    metavar="FILE",
    help="Standard input of every run (default: empty).",
)
timeout_option = click.option("--timeout", metavar="TIME", help="A run that takes longer has failed.")
ignore_failure_option = click.option("-i", "--ignore-failure", is_flag=True, help="Accept any exit code.")
record_argument = click.argument(
    "record", type=click.Path(path_type=Path), metavar="RECORD", shell_complete=completing.records
)
