"""``steelyard model``."""

from __future__ import annotations

import gc
import math
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from steelyard.cli import completion
from steelyard.cli.declared import Options, declare, declare_argument, take
from steelyard.cli.options import declare_file, json_option, strict_option
from steelyard.cli.paths import InputPath, OutputDirectory, PathCommand
from steelyard.core.errors import UsageError
from steelyard.extensions.growth.data import GrowthOptions, ask
from steelyard.files.writing import write_output

if TYPE_CHECKING:
    from steelyard.core.series import Series
    from steelyard.extensions.growth.follow_ups import After
    from steelyard.extensions.growth.model import Modelled
    from steelyard.extensions.growth.scaling.aggregate import Aggregate
    from steelyard.extensions.growth.scaling.holdout import Holdout
    from steelyard.extensions.growth.scaling.question import Method, Question
    from steelyard.extensions.growth.scaling.versus import Versus


def _list_spaces() -> Iterable[str]:
    from steelyard.extensions.growth.scaling.question import SPACES

    return SPACES


def _list_aggregates() -> Iterable[str]:
    from steelyard.extensions.growth.scaling.aggregate import AGGREGATES

    return ("auto", *AGGREGATES)


class ModelOptions(Options):
    """Options of ``steelyard model``."""

    data: Path = declare_argument("DATA|RECORD", type=InputPath())
    method: Method = declare(
        "Method of the models; seed001 is least squares and leave-one-out, as published.",
        default="posterior",
        show_default=False,
        choices=("posterior", "seed001"),
    )
    space: tuple[str, ...] = declare(
        "Search space: default, seed001, mpi-study, wide; or terms of your own, one per option.",
        metavar="NAME|BIG-O",
        complete=completion.complete_names(_list_spaces),
    )
    aggregate: Aggregate | Literal["auto"] = declare(
        "Aggregate of repetitions: auto, mean, median, first-quartile, lower-half.",
        metavar="NAME",
        default="auto",
        show_default=False,
        complete=completion.complete_names(_list_aggregates),
    )
    accept: Path | None = declare_file("Write the models that were found as expectations.")
    limit: str | None = declare(
        "Find the scale beyond which a value exceeds this ('24 GB', 0.001).", metavar="VALUE"
    )
    versus: str | None = declare(
        "Compare functions that differ only in this label (a column of --by), each with the first.",
        metavar="LABEL",
    )
    audit: bool = declare(
        "Hold out the last points, one after the other, and predict each from those before: beside the model"
        " stand a + b/p, a power law and, if installed, Extra-P."
    )
    suggest: bool = declare("Suggest points to measure next where a rank is undecided.")
    most: float | None = declare(
        "With --suggest: no point beyond this, such as the largest machine there is.",
        "--up-to",
        metavar="N",
        type=click.FloatRange(min=0, min_open=True),
    )
    page: Path | None = declare_file(
        "Write a page with the points, models and intervals of the first functions drawn.", "--html"
    )
    figures: Path | None = declare(
        "Write these charts as SVG, PNG and PDF at the width of a column of a paper.",
        metavar="DIR",
        type=OutputDirectory(),
    )
    as_json: bool = json_option
    strict: bool = strict_option


@click.command(
    cls=PathCommand,
    short_help="Model how metrics grow with a parameter, and check them against expectations.",
)
@take(GrowthOptions, ModelOptions)
@click.pass_context
def command(ctx: click.Context, about: GrowthOptions, options: ModelOptions) -> None:
    """Model how every function of DATA grows.

    DATA is Extra-P text or JSON, JSON Lines, CSV, TSV, a directory of CUBE profiles, or a record NAME.lab.

    Exits with 1 if a rank is "none" or a rule fails; under --strict, with 3 if one is undecided or
    approximate.
    """
    # A hundred thousand models hold no cycles, and every look for some would go through all of them.
    gc.disable()
    try:
        code = _run(about, options)
    finally:
        gc.enable()
    ctx.exit(code)


def _run(about: GrowthOptions, options: ModelOptions) -> int:
    from msgspec.structs import replace

    from steelyard.extensions.growth.model import model_series
    from steelyard.extensions.growth.scaling.question import SPACES
    from steelyard.report.text.progress import Counting

    if options.most is not None and not options.suggest:
        raise UsageError(
            f"--up-to {options.most:g} needs --suggest", hint=f"--suggest --up-to {options.most:g}"
        )
    request = ask(options.data, about)
    named = len(options.space) == 1 and options.space[0] in SPACES
    question = replace(
        request.question,
        method=options.method,
        space=(options.space[0] if named else tuple(options.space)) if options.space else "default",
        aggregate=options.aggregate,
    )
    series = request.series
    with Counting("functions", sys.stderr) as counting:
        answer = model_series(replace(request, question=question), counting.update)
    after = _collect_after(
        answer,
        series,
        question,
        limit=options.limit,
        versus=options.versus,
        suggest=options.suggest,
        most=options.most,
        audit=options.audit,
    )
    _print(answer, after, as_json=options.as_json)
    if options.page is not None or options.figures is not None:
        name = options.data.name
        holdouts = after.holdouts
        _draw(answer, series, question, name, holdouts, page=options.page, figures=options.figures)
    if options.accept is not None:
        from steelyard.extensions.growth.scaling.status_quo import accept as accepted

        text, left_out = accepted(answer.models, series, question)
        write_output(options.accept, text)
        click.echo(f"accepted as expectations: {options.accept}", err=True)
        for name in left_out:
            click.echo(f"not accepted, because its growth is unknown: {name}", err=True)
    ranks = [m.validation.rank for m in answer.models if m.validation is not None]
    verdicts = [rule.outcome for rule in answer.rules]
    if "none" in ranks or "fails" in verdicts:
        return 1
    unjudged = any(
        question.expectation(modelled.name, modelled.metric) is not None for modelled in answer.failed
    )
    open_verdicts = {"not_resolved", "not_judged"} & {*verdicts}
    open_ = unjudged or {"undecided", "approximate"} & {*ranks} or open_verdicts
    return 3 if options.strict and open_ else 0


def _draw(
    modelled: Modelled,
    series: Sequence[Series],
    question: Question,
    name: str,
    holdouts: tuple[Holdout, ...],
    *,
    page: Path | None,
    figures: Path | None,
) -> None:
    """Write a page and figures of the models of one parameter.

    Raises
    ------
    UsageError
        No function has one.
    """
    from steelyard.cli.page import save_figures, save_page
    from steelyard.extensions.growth.curves import model_curves
    from steelyard.extensions.growth.page import MOST
    from steelyard.extensions.growth.results import Curve, PageModels

    curves = [Curve(*curve) for curve in model_curves(series, modelled.models, question, MOST)]
    if not curves:
        raise UsageError(
            "nothing to draw: no function of one parameter has a model",
            hint="give --parameter NAME, or leave out --html and --figures",
        )
    names = {curve.series.name for curve in curves}
    not_drawn = tuple(model.name for model in modelled.models if model.name not in names)
    models = PageModels(name, tuple(curves), not_drawn, holdouts)
    if page is not None:
        save_page(page, models)
        click.echo(f"written: {page}", err=True)
    for file in save_figures(figures, models) if figures is not None else ():
        click.echo(f"written: {file}", err=True)


def _collect_after(
    modelled: Modelled,
    series: Sequence[Series],
    question: Question,
    *,
    limit: str | None,
    versus: str | None,
    suggest: bool,
    most: float | None,
    audit: bool,
) -> After:
    """Compute the answers that were asked for beyond the models."""
    from steelyard.extensions.growth.follow_ups import After
    from steelyard.extensions.growth.scaling.holdout import hold_out
    from steelyard.extensions.growth.scaling.limit import Breaks, breaks
    from steelyard.extensions.growth.scaling.suggest import advise

    limits, suggestions = [], []
    by_key = {(function.name, function.metric): function for function in series}
    for model in modelled.models:
        function = by_key[model.name, model.metric]
        if limit is not None:
            broken = breaks(function, _compute_quantity(limit, model.unit, model.metric), question)
            if isinstance(broken, Breaks):
                limits.append((model, broken))
        if suggest and model.validation is not None and model.validation.rank == "undecided":
            suggestions.append((model, advise(function, question, most=most or math.inf)))
    holdouts = tuple(hold_out(function, question) for function in series) if audit else ()
    pairs = _get_versus(series, question, versus) if versus else ()
    return After(tuple(limits), tuple(suggestions), pairs, holdouts)


def _get_versus(series: Sequence[Series], question: Question, label: str) -> tuple[Versus, ...]:
    from steelyard.extensions.growth.scaling.versus import Versus, pair_levels, versus

    answers = (
        versus(numerator, denominator, question, question.scale)
        for numerator, denominator in pair_levels(series, label)
    )
    return tuple(answer for answer in answers if isinstance(answer, Versus))


def _print(modelled: Modelled, after: After, *, as_json: bool) -> None:
    from steelyard.cli.terminal import show
    from steelyard.extensions.growth.document import render
    from steelyard.extensions.growth.follow_ups import lines as more
    from steelyard.extensions.growth.rule_words import render_rules
    from steelyard.extensions.growth.text import lines

    models, failed, rules, causes = modelled.models, modelled.failed, modelled.rules, modelled.causes
    show(
        lambda: render(models, failed, rules, causes, after),
        lambda width: [
            *lines(models, failed, render_rules(rules, width), causes, width),
            *more(after, width),
        ],
        as_json=as_json,
    )


def _compute_quantity(text: str, unit: str, metric: str) -> float:
    """Return a limit in the metric's unit, which may stand behind it.

    Sizes and times may have one of their own, also in tables, where the name of the metric ends in its unit.
    """
    from steelyard.core.units import parse_duration, parse_size

    unit = unit or {"s": "s", "bytes": "B"}.get(metric.rpartition("_")[2], "")
    try:
        parse = {"B": parse_size, "s": parse_duration}.get(unit)
        value = parse(text) if parse else float(text.strip().removesuffix(unit))
    except (ValueError, UsageError):
        value = 0.0
    if not 0 < value < float("inf"):
        example = {"B": "'24 GB'", "s": "'5 ms'"}.get(unit, "0.001")
        raise UsageError(
            f"--limit: {text!r} is not a positive {'quantity in ' + unit if unit else 'number'}",
            hint=f"write it in the metric's unit, as in --limit {example}",
        )
    return float(value)
