"""``steelyard run``."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli import completion
from steelyard.cli.declared import Options, declare, declare_argument, take
from steelyard.cli.options import json_option, many_option, output_option, protocol_option, strict_option
from steelyard.cli.paths import InputPath, PathCommand
from steelyard.cli.run_and_answer import Shown, pointing_to, print_answer, run_with_progress


class RunOptions(Options):
    """Options of ``steelyard run``."""

    spec: Path = declare_argument("SPEC|RECORD", type=InputPath(), complete=completion.records)
    output: Path | None = output_option
    protocol: str | None = protocol_option
    as_json: bool = json_option
    strict: bool = strict_option
    extend: int | None = declare(
        "Add N blocks to a finished record, which is then judged more strictly.", least=1
    )
    yes: bool = many_option


@click.command(cls=PathCommand, short_help="Run the experiment of a spec; continue it if it was stopped.")
@take(RunOptions)
@click.pass_context
def command(ctx: click.Context, options: RunOptions) -> None:
    """Run the experiment that SPEC describes, or continue it (or a RECORD) where it stopped.

    The record is the directory NAME.lab beside the spec, or the one given by --output. If the spec has
    changed since the record was made, the record is refused and the difference shown.

    Exits with 1 if a claim of the spec fails; with --protocol no claim is judged (steelyard check judges
    them).
    """
    from steelyard.lab.run.existing_record import experiment_here, find_record, record_of_spec
    from steelyard.spec import load, read_spec
    from steelyard.store import Record

    if options.spec.is_dir() or options.spec.name == "record.sqlite":
        directory = find_record(options.spec)
        with Record.open(directory) as record:
            experiment, text = experiment_here(record), ""
    else:
        experiment, text = load(options.spec, allow_many=options.yes), read_spec(options.spec)
        directory = options.output or record_of_spec(options.spec)
    with pointing_to(directory, answers=not options.as_json):
        run_with_progress(experiment, directory, spec_text=text, extend=options.extend)
        code = print_answer(
            directory, Shown(), as_json=options.as_json, strict=options.strict, protocol=options.protocol
        )
    ctx.exit(code)
