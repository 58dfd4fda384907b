"""``steelyard analyze``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.options import (
    against_option,
    by_option,
    details_option,
    json_option,
    metric_option,
    places_argument,
    protocol_option,
    strict_option,
)
from steelyard.cli.paths import OutputFile, PathCommand
from steelyard.cli.run_and_answer import Shown, print_answer_of, show, tell_unjudged
from steelyard.core.estimand import INTERVALS, Estimand, IntervalKind

if TYPE_CHECKING:
    from steelyard.lab.merge.machines import By
    from steelyard.store import Reading


@click.command(cls=PathCommand, short_help="Answer from a record: effects, intervals, verdicts.")
@places_argument
@by_option
@metric_option("Compare this metric instead of the primary one of the spec.")
@protocol_option
@against_option
@click.option(
    "--estimand",
    type=click.Choice(sorted(INTERVALS)),
    help="Definition of a speedup (default: as the spec declares).",
)
@click.option(
    "--interval",
    type=click.Choice(sorted({kind for kinds in INTERVALS.values() for kind in kinds})),
    help="Method of the intervals (default: the first of the estimand).",
)
@details_option
@click.option(
    "--budget", is_flag=True, help="Break down the uncertainty of each speedup into its contributions."
)
@click.option(
    "--by-context",
    "contexts",
    is_flag=True,
    help="Plot each treatment and each speedup context by context instead.",
)
@click.option(
    "--html",
    type=OutputFile(),
    metavar="FILE",
    help="Also write the page of steelyard report.",
)
@json_option
@strict_option
@click.pass_context
def command(
    ctx: click.Context,
    records: tuple[Path | str, ...],
    by: By,
    metric: str | None,
    protocol: str | None,
    against: str | None,
    estimand: Estimand | None,
    interval: IntervalKind | None,
    details: bool,
    budget: bool,
    contexts: bool,
    html: Path | None,
    as_json: bool,
    strict: bool,
) -> None:
    """Answer from RECORD (a directory NAME.lab, or its spec), also while it is still running.

    Several of one spec are merged, as by steelyard merge; so are those at a PLACE, a directory or URL that
    steelyard export --to wrote.

    Exits with 1 if a claim of its spec fails; with --metric, --protocol and --by-context no claim is judged
    (steelyard check judges them).
    """
    from steelyard.lab.lake.asking import opened

    with opened(records, by) as (record, is_temporary):
        if html is not None:
            from steelyard.laboratory import report

            asked: dict[str, Any] = {
                "protocol": protocol,
                "against": against,
                "estimand": estimand,
                "interval": interval,
            }
            report(record, metric=metric, **asked).save(html)
        if contexts:
            _print_contexts(record, as_json=as_json, metric=metric, is_temporary=is_temporary)
            return
        ctx.exit(
            print_answer_of(
                record,
                Shown(details=details),
                as_json=as_json,
                strict=strict,
                metric=metric,
                protocol=protocol,
                against=against,
                estimand=estimand,
                interval=interval,
                budget=budget,
                is_temporary=is_temporary,
            )
        )


def _print_contexts(record: Reading, *, as_json: bool, metric: str | None, is_temporary: bool) -> None:
    """Print the plots of ``--by-context``, or their data."""
    from steelyard.lab.answer.analyze import by_context
    from steelyard.report.answer.by_context import lines
    from steelyard.results.contexts import BY_CONTEXT

    found = by_context(record, metric=metric)
    tell_unjudged(record, is_temporary=is_temporary)
    show(lambda: BY_CONTEXT.text(found), lambda width: lines(found, width), as_json=as_json)
