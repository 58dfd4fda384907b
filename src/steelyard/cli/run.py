"""``steelyard run``."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli import completion
from steelyard.cli.options import json_option, many_option, output_option, protocol_option, strict_option
from steelyard.cli.paths import InputPath, PathCommand
from steelyard.cli.run_and_answer import Shown, pointing_to, print_answer, run_with_progress


@click.command(cls=PathCommand, short_help="Run the experiment of a spec; continue it if it was stopped.")
@click.argument("spec", type=InputPath(), metavar="SPEC|RECORD", shell_complete=completion.records)
@output_option
@protocol_option
@json_option
@strict_option
@click.option(
    "--extend",
    type=click.IntRange(min=1),
    metavar="N",
    help="Add N blocks to a finished record, which is then judged more strictly.",
)
@many_option
@click.pass_context
def command(
    ctx: click.Context,
    spec: Path,
    output: Path | None,
    protocol: str | None,
    as_json: bool,
    strict: bool,
    extend: int | None,
    yes: bool,
) -> None:
    """Run the experiment that SPEC describes, or continue it (or a RECORD) where it stopped.

    The record is the directory NAME.lab beside the spec, or the one given by --output. If the spec has
    changed since the record was made, the record is refused and the difference shown.

    Exits with 1 if a claim of the spec fails; with --protocol no claim is judged (steelyard check judges
    them).
    """
    from steelyard.lab.run.existing_record import find_record, record_of_spec
    from steelyard.spec import load, read_spec
    from steelyard.store import Record

    if spec.is_dir() or spec.name == "record.sqlite":
        directory = find_record(spec)
        with Record.open(directory) as record:
            experiment, text = record.experiment, ""
    else:
        experiment, text = load(spec, allow_many=yes), read_spec(spec)
        directory = output or record_of_spec(spec)
    with pointing_to(directory, answers=not as_json):
        run_with_progress(experiment, directory, spec_text=text, extend=extend)
        code = print_answer(directory, Shown(), as_json=as_json, strict=strict, protocol=protocol)
    ctx.exit(code)
