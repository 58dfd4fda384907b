"""``steelyard analyze``."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli import completion_values as completing
from steelyard.cli.contexts import print_contexts
from steelyard.cli.options import (
    against_option,
    details_option,
    json_option,
    protocol_option,
    record_argument,
    strict_option,
)
from steelyard.cli.run_and_answer import print_answer
from steelyard.estimand import INTERVALS, Estimand, IntervalKind


@click.command(short_help="Answer from a record: effects, intervals, verdicts.")
@record_argument
@click.option(
    "--metric",
    metavar="NAME",
    shell_complete=completing.metrics,
    help="Compare this metric instead of the one that the spec names.",
)
@protocol_option
@against_option
@click.option(
    "--estimand",
    type=click.Choice(sorted(INTERVALS)),
    help="What a speedup is; what the spec declares by default.",
)
@click.option(
    "--interval",
    type=click.Choice(sorted({kind for kinds in INTERVALS.values() for kind in kinds})),
    help="How intervals are made; the first that the estimand has by default.",
)
@details_option
@click.option("--budget", is_flag=True, help="Show what the uncertainty of each speedup is made of.")
@click.option(
    "--by-context",
    "contexts",
    is_flag=True,
    help="Figures instead: each treatment and each speedup, context by context.",
)
@json_option
@strict_option
@click.pass_context
def command(
    ctx: click.Context,
    record: Path,
    metric: str | None,
    protocol: str | None,
    against: str | None,
    estimand: Estimand | None,
    interval: IntervalKind | None,
    details: bool,
    budget: bool,
    contexts: bool,
    as_json: bool,
    strict: bool,
) -> None:
    """Answer from RECORD (a directory NAME.lab, or its spec), as far as it is.

    A running experiment may be looked at; that changes nothing.
    """
    from steelyard.lab.answer.records import find_record

    if contexts:
        print_contexts(find_record(record), as_json=as_json, metric=metric)
        return
    ctx.exit(
        print_answer(
            find_record(record),
            as_json=as_json,
            strict=strict,
            metric=metric,
            protocol=protocol,
            against=against,
            estimand=estimand,
            interval=interval,
            details=details,
            budget=budget,
        )
    )
