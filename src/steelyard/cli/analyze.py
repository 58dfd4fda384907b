"""``steelyard analyze``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.declared import Options, declare, take
from steelyard.cli.options import (
    against_option,
    by_option,
    declare_file,
    details_option,
    json_option,
    metric_option,
    places_argument,
    protocol_option,
    strict_option,
)
from steelyard.cli.paths import PathCommand
from steelyard.cli.run_and_answer import Shown, print_answer_of, tell_unjudged
from steelyard.cli.terminal import show
from steelyard.core.estimand import INTERVALS, Estimand, IntervalKind

if TYPE_CHECKING:
    from steelyard.lab.merge.machines import By
    from steelyard.store import Reading


class AnalyzeOptions(Options):
    """Options of ``steelyard analyze``."""

    records: tuple[Path | str, ...] = places_argument
    by: By = by_option
    metric: str | None = metric_option("Compare this metric instead of the primary one of the spec.")
    protocol: str | None = protocol_option
    against: str | None = against_option
    estimand: Estimand | None = declare(
        "Definition of a speedup (default: as the spec declares).", choices=sorted(INTERVALS)
    )
    interval: IntervalKind | None = declare(
        "Method of the intervals (default: the first of the estimand).",
        choices=sorted({kind for kinds in INTERVALS.values() for kind in kinds}),
    )
    details: bool = details_option
    budget: bool = declare("Break down the uncertainty of each speedup into its contributions.")
    contexts: bool = declare(
        "Plot each treatment and each speedup context by context instead.", "--by-context"
    )
    html: Path | None = declare_file("Also write the page of steelyard report.")
    as_json: bool = json_option
    strict: bool = strict_option


@click.command(cls=PathCommand, short_help="Answer from a record: effects, intervals, verdicts.")
@take(AnalyzeOptions)
@click.pass_context
def command(ctx: click.Context, options: AnalyzeOptions) -> None:
    """Answer from RECORD (a directory NAME.lab, or its spec), also while it is still running.

    Several of one spec are merged, as by steelyard merge; so are those at a PLACE, a directory or URL that
    steelyard export --to wrote.

    Exits with 1 if a claim of its spec fails; with --metric, --protocol and --by-context no claim is judged
    (steelyard check judges them).
    """
    from steelyard.lab.places.asking import opened

    with opened(options.records, options.by) as (record, is_temporary):
        if options.html is not None:
            from steelyard.cli.page import save_page

            options_of: dict[str, Any] = {
                "protocol": options.protocol,
                "against": options.against,
                "estimand": options.estimand,
                "interval": options.interval,
            }
            save_page(options.html, record, metric=options.metric, **options_of)
        if options.contexts:
            _print_contexts(record, as_json=options.as_json, metric=options.metric, is_temporary=is_temporary)
            return
        ctx.exit(
            print_answer_of(
                record,
                Shown(details=options.details),
                as_json=options.as_json,
                strict=options.strict,
                metric=options.metric,
                protocol=options.protocol,
                against=options.against,
                estimand=options.estimand,
                interval=options.interval,
                budget=options.budget,
                is_temporary=is_temporary,
            )
        )


def _print_contexts(record: Reading, *, as_json: bool, metric: str | None, is_temporary: bool) -> None:
    """Print the plots of ``--by-context``, or their data."""
    from steelyard.lab.answer.analyze import analyze_by_context
    from steelyard.report.answer.by_context import lines
    from steelyard.results.contexts import BY_CONTEXT

    context = analyze_by_context(record, metric=metric)
    tell_unjudged(record, is_temporary=is_temporary)
    show(lambda: BY_CONTEXT.text(context), lambda width: lines(context, width), as_json=as_json)
