"""``steelyard audit``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import click

from steelyard.cli import completion
from steelyard.cli.campaign import as_a_whole, tell_records
from steelyard.cli.declared import Options, declare, declare_argument, take
from steelyard.cli.options import (
    chosen_seed,
    declare_fraction,
    ignore_failure_option,
    input_option,
    json_option,
    max_time_option,
    metric_option,
    name_metric_option,
    output_option,
    seed_option,
    timeout_option,
)
from steelyard.cli.paths import PathCommand
from steelyard.cli.terminal import show, tell_beside


def _list_contexts() -> Iterable[str]:
    from steelyard.extensions.audit.candidates import KINDS

    return KINDS


class AuditOptions(Options):
    """Options of ``steelyard audit``."""

    command: str = declare_argument("COMMAND", complete=completion.commands)
    only: tuple[str, ...] = declare(
        "Vary only this kind of context: env_bytes, aslr, affinity, … Several with commas; may be repeated.",
        metavar="NAME",
        complete=completion.complete_names(_list_contexts),
    )
    thorough: bool = declare("Visit every byte of a page of environment, however long it takes.")
    counts: bool = declare(
        "Count lengths of the environment under cachegrind first, exactly whatever else the machine does,"
        " and time only where counts differ."
    )
    max_time_s: float | None = max_time_option(
        "Limit of the whole audit, to a block: pilot, screening and replication (default: planned for 50 s;"
        " the fewest informative runs may take longer). With --thorough, the time to plan for."
    )
    least: float = declare_fraction("Smallest effect that matters.", default=0.02)
    metric: str | None = metric_option(
        "Metric to judge: wall_s, cpu_s, … (default: cpu_s of a program that computes on one CPU)."
    )
    stdin: str | None = input_option
    timeout_s: float | None = timeout_option
    ignore_failure: bool = ignore_failure_option
    seed: int | None = seed_option
    output: Path | None = output_option
    as_json: bool = json_option


@click.command(cls=PathCommand, short_help="Find which contexts move a program's time on this machine.")
@take(AuditOptions)
def command(options: AuditOptions) -> None:
    """Run COMMAND in many contexts that are usually not reported, and find which of them move its time.

    Levels are screened in randomised passes; what looks extreme is replicated in fresh blocks, and only that
    is judged: at most 1 % of audits report an effect that does not exist. To continue an audit that was
    stopped, repeat the command line with -o.

    \b
    steelyard audit './prog input'
    steelyard audit --thorough --only env_bytes './prog input'
    steelyard audit --counts --only env_bytes './prog small-input'
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    from steelyard.extensions.audit.audit import audit
    from steelyard.extensions.audit.request import MAX_TIME_S, AuditRequest
    from steelyard.extensions.audit.results import AUDIT
    from steelyard.extensions.audit.text import lines
    from steelyard.files.user_directories import propose_record

    directory = options.output or propose_record(os.environ, "audit")
    request = AuditRequest(
        command=options.command,
        only=tuple(name for names in options.only for name in names.split(",") if name),
        thorough=options.thorough,
        counts=options.counts,
        max_time_s=MAX_TIME_S if options.max_time_s is None else options.max_time_s,
        limited=options.max_time_s is not None and not options.thorough,
        least=options.least,
        metric=options.metric,
        stdin=options.stdin,
        timeout_s=options.timeout_s,
        ignore_failure=options.ignore_failure,
        seed=chosen_seed(options.seed, directory / "pilot.lab"),
    )
    with as_a_whole(options.output, directory) as line:
        tell = partial(tell_beside, line)
        with name_metric_option():
            result = audit(request, directory, watch=line.update, tell=tell)
    show(lambda: AUDIT.text(result), lambda width: lines(result, width), as_json=options.as_json)
    tell_records(directory, as_json=options.as_json)
