"""``steelyard audit``."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path

import click

from steelyard.cli import completion_values as completing
from steelyard.cli.fraction import share
from steelyard.cli.options import (
    ignore_failure_option,
    input_option,
    json_option,
    output_option,
    timeout_option,
)
from steelyard.cli.run_and_answer import as_a_whole, tell_records, terminal_width
from steelyard.errors import UsageError


@click.command(short_help="Find which contexts move a program's time on this machine.")
@click.argument("command", metavar="COMMAND", shell_complete=completing.commands)
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    shell_complete=completing.contexts,
    help="Vary this kind of context only; may be repeated (env_bytes, aslr, affinity, …).",
)
@click.option(
    "--thorough", is_flag=True, help="Visit every residue of a page of environment, however long it takes."
)
@click.option(
    "--max-time",
    metavar="TIME",
    help="Limit of the whole audit, to a block: pilot, screening and replication (default: planned for 50 s;"
    " the fewest runs that tell may take longer). With --thorough, what is planned for.",
)
@click.option(
    "--least",
    type=share,
    default=0.02,
    show_default=True,
    metavar="SHARE",
    help="Smallest effect that matters.",
)
@click.option(
    "--metric",
    metavar="NAME",
    shell_complete=completing.metrics,
    help="What is judged: wall_s, cpu_s, … (default: cpu_s of a program that computes on one CPU).",
)
@input_option
@timeout_option
@ignore_failure_option
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    help="Of the levels and of the order of runs (default: drawn, and stored).",
)
@output_option
@json_option
def command(
    command: str,
    only: tuple[str, ...],
    thorough: bool,
    max_time: str | None,
    least: float,
    metric: str | None,
    stdin: str | None,
    timeout: str | None,
    ignore_failure: bool,
    seed: int | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Run COMMAND in many contexts that nobody reports, and say which of them move its time.

    Levels are screened in randomised passes; what looks extreme is replicated in fresh blocks, and only that
    is judged: at most 1 % of audits find an effect that is none. An audit that was stopped goes on with the
    same command line and -o.

    \b
    steelyard audit './prog input'
    steelyard audit --thorough --only env_bytes './prog input'
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    from steelyard.lab.audit import Auditing, audit
    from steelyard.lab.audit.request import MAX_TIME_S
    from steelyard.lab.compare.compare import state_directory
    from steelyard.lab.compare.existing_record import earlier_seed
    from steelyard.report.audit.document import render
    from steelyard.report.audit.text import lines
    from steelyard.report.text.label import wrap
    from steelyard.report.text.line import write
    from steelyard.units import parse_duration

    directory = output or state_directory(os.environ, "audit")
    if seed is None:
        seed = earlier_seed(directory / "pilot.lab")
    asking = Auditing(
        command=command,
        only=only,
        thorough=thorough,
        max_time_s=MAX_TIME_S if max_time is None else parse_duration(max_time),
        limited=max_time is not None and not thorough,
        least=least,
        metric=metric,
        stdin=stdin,
        timeout_s=None if timeout is None else parse_duration(timeout),
        ignore_failure=ignore_failure,
        seed=secrets.randbits(31) if seed is None else seed,
    )
    with as_a_whole(output, directory) as line:

        def tell(text: str) -> None:
            line.clear()
            click.echo("\n".join(wrap(text, terminal_width(), rest="  ")), err=True)

        try:
            found = audit(asking, directory, watch=line.update, tell=tell)
        except UsageError as error:
            said = error.message.removeprefix("experiment(): ").replace("analysis.metric:", "--metric:", 1)
            raise UsageError(said, hint=error.hint) from error
    if as_json:
        click.echo(render(found), nl=False)
    else:
        write(lines(found, terminal_width()), sys.stdout)
    tell_records(directory, as_json=as_json)
