"""``steelyard audit``."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import click

from steelyard.cli import completion
from steelyard.cli.options import (
    chosen_seed,
    fraction,
    ignore_failure_option,
    input_option,
    json_option,
    max_time_option,
    metric_option,
    output_option,
    seed_option,
    timeout_option,
)
from steelyard.cli.paths import PathCommand
from steelyard.cli.run_and_answer import as_a_whole, show, tell_beside, tell_records
from steelyard.core.errors import UsageError


@click.command(cls=PathCommand, short_help="Find which contexts move a program's time on this machine.")
@click.argument("command", metavar="COMMAND", shell_complete=completion.commands)
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    shell_complete=completion.contexts,
    help="Vary only this kind of context: env_bytes, aslr, affinity, … May be repeated.",
)
@click.option(
    "--thorough", is_flag=True, help="Visit every byte of a page of environment, however long it takes."
)
@click.option(
    "--counts",
    is_flag=True,
    help="Count lengths of the environment under cachegrind first, exactly whatever else the machine does,"
    " and time only where counts differ.",
)
@max_time_option(
    "Limit of the whole audit, to a block: pilot, screening and replication (default: planned for 50 s; the"
    " fewest informative runs may take longer). With --thorough, the time to plan for."
)
@click.option(
    "--least",
    type=fraction,
    default=0.02,
    show_default=True,
    metavar="FRACTION",
    help="Smallest effect that matters.",
)
@metric_option("Metric to judge: wall_s, cpu_s, … (default: cpu_s of a program that computes on one CPU).")
@input_option
@timeout_option
@ignore_failure_option
@seed_option
@output_option
@json_option
def command(
    command: str,
    only: tuple[str, ...],
    thorough: bool,
    counts: bool,
    max_time_s: float | None,
    least: float,
    metric: str | None,
    stdin: str | None,
    timeout_s: float | None,
    ignore_failure: bool,
    seed: int | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Run COMMAND in many contexts that are usually not reported, and find which of them move its time.

    Levels are screened in randomised passes; what looks extreme is replicated in fresh blocks, and only that
    is judged: at most 1 % of audits report an effect that does not exist. To continue an audit that was
    stopped, repeat the command line with -o.

    \b
    steelyard audit './prog input'
    steelyard audit --thorough --only env_bytes './prog input'
    steelyard audit --counts --only env_bytes './prog small-input'
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    from steelyard.files.user_directories import propose_record
    from steelyard.lab.audit.audit import audit
    from steelyard.lab.audit.request import MAX_TIME_S, AuditRequest
    from steelyard.report.audit.text import lines
    from steelyard.results.audit import AUDIT

    directory = output or propose_record(os.environ, "audit")
    request = AuditRequest(
        command=command,
        only=only,
        thorough=thorough,
        counts=counts,
        max_time_s=MAX_TIME_S if max_time_s is None else max_time_s,
        limited=max_time_s is not None and not thorough,
        least=least,
        metric=metric,
        stdin=stdin,
        timeout_s=timeout_s,
        ignore_failure=ignore_failure,
        seed=chosen_seed(seed, directory / "pilot.lab"),
    )
    with as_a_whole(output, directory) as line:
        tell = partial(tell_beside, line)
        try:
            found = audit(request, directory, watch=line.update, tell=tell)
        except UsageError as error:
            said = error.message.removeprefix("experiment(): ").replace("analysis.metric:", "--metric:", 1)
            raise UsageError(said, hint=error.hint) from error
    show(lambda: AUDIT.text(found), lambda width: lines(found, width), as_json=as_json)
    tell_records(directory, as_json=as_json)
