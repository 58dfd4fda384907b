"""``steelyard model``."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.options import json_option, strict_option
from steelyard.errors import UsageError

if TYPE_CHECKING:
    from steelyard.exchange.csv_columns import Columns
    from steelyard.lab.model import Modelled
    from steelyard.report.after import After
    from steelyard.scaling.question import Expectation, Question
    from steelyard.scaling.versus import Versus
    from steelyard.series import Series


@click.command(short_help="Model how metrics grow with a parameter, and hold them to expectations.")
@click.argument("data", type=click.Path(path_type=Path), metavar="DATA|RECORD")
@click.option(
    "--expect",
    "expect",
    multiple=True,
    metavar="[NAME=]BIG-O",
    help="What functions should grow like: 'O(log p)', or 'bcast=O(log p)' for one. Repeatable.",
)
@click.option(
    "--expectations",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Expectations that --accept wrote.",
)
@click.option(
    "--deviation", metavar="BIG-O", help="How far off is approximate; by default the leading exponent halved."
)
@click.option(
    "-p",
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME",
    help="What is modelled over (CSV, records); the first is what expectations are about.",
)
@click.option(
    "--along", multiple=True, metavar="N=P", help="Parameter N of expectations grows with P (weak scaling)."
)
@click.option(
    "--at", "scale", multiple=True, metavar="P=VALUE", help="Scale of interest: ranks and values there too."
)
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Only these metrics.")
@click.option(
    "--function", "functions", multiple=True, metavar="TEXT", help="Only functions whose name has TEXT in it."
)
@click.option(
    "--rule", "rules", multiple=True, metavar="RULE", help="'allreduce <= reduce + bcast'. Repeatable."
)
@click.option(
    "--litmus", metavar="NAME", help="A function that tells the machine's fault from the library's."
)
@click.option(
    "--method",
    type=click.Choice(("posterior", "seed001")),
    default="posterior",
    help="seed001: least squares and leave-one-out, as published.",
)
@click.option(
    "--space",
    "space",
    multiple=True,
    metavar="NAME|BIG-O",
    help="default, seed001, mpi-study, wide; or your own terms, one an option.",
)
@click.option(
    "--aggregate",
    default="auto",
    metavar="NAME",
    help="What stands for repetitions: auto, mean, median, first-quartile, lower-half.",
)
@click.option("--value", metavar="COLUMN", help="CSV: the column with the metric.")
@click.option("--by", "by", multiple=True, metavar="COLUMN", help="CSV: columns that tell functions apart.")
@click.option("--u", "u", metavar="COLUMN", help="CSV: standard uncertainty of the value.")
@click.option("--n", "n", metavar="COLUMN", help="CSV: launches behind the value.")
@click.option("--unit", default="", metavar="UNIT", help="CSV: unit of the value.")
@click.option(
    "--accept", type=click.Path(path_type=Path), metavar="FILE", help="Write what was found as expectations."
)
@click.option("--limit", metavar="VALUE", help="From which scale on a value exceeds this ('24 GB', 0.001).")
@click.option(
    "--versus",
    metavar="LABEL",
    help="Compare functions that differ in this label alone, each with the first: a column of --by.",
)
@click.option("--suggest", is_flag=True, help="Which points to measure next, where a rank is undecided.")
@json_option
@strict_option
@click.pass_context
def command(ctx: click.Context, /, data: Path, **options: Any) -> None:
    """Model how every function of DATA grows: Extra-P text or JSON, JSON Lines, CSV, a directory of CUBE
    profiles, or a record NAME.lab.

    Exits with 1 where a rank is none or a rule fails, with 3 under --strict where something is undecided.
    """
    ctx.exit(_run(data, **options))


def _run(
    data: Path,
    *,
    expect: Sequence[str],
    expectations: Path | None,
    deviation: str | None,
    parameters: Sequence[str],
    along: Sequence[str],
    scale: Sequence[str],
    metrics: Sequence[str],
    functions: Sequence[str],
    rules: Sequence[str],
    litmus: str | None,
    method: str,
    space: Sequence[str],
    aggregate: str,
    value: str | None,
    by: Sequence[str],
    u: str | None,
    n: str | None,
    unit: str,
    accept: Path | None,
    limit: str | None,
    versus: str | None,
    suggest: bool,
    as_json: bool,
    strict: bool,
) -> int:
    from steelyard.exchange.csv_columns import Columns
    from steelyard.lab.model import model_series
    from steelyard.report.counting import Counting
    from steelyard.scaling.question import SPACES, Question

    columns = None
    if value is not None:
        if not parameters:
            raise UsageError(
                "--value without --parameter", hint="name the column that varies: --parameter COLUMN"
            )
        columns = Columns(value, tuple(parameters), tuple(_split(by)), u, n, unit)
    series = _series(data, parameters, metrics, columns)
    series = tuple(
        one
        for one in series
        if (not metrics or one.metric in metrics)
        and (not functions or any(text in one.name for text in functions))
    )
    if not series:
        raise UsageError(
            f"{data}: no function is left", hint="leave out --metric or --function to see what there is"
        )
    named = len(space) == 1 and space[0] in SPACES
    question = Question(
        method=method,  # type: ignore[arg-type]
        expectations=_expectations(expect, expectations, deviation),
        parameter=parameters[0] if parameters else None,
        along=dict(_pair(text, "--along") for text in along),
        scale={name: _number(number, "--at") for name, number in (_pair(text, "--at") for text in scale)},
        space=(space[0] if named else tuple(space)) if space else "default",
        aggregate=aggregate,  # type: ignore[arg-type]
        threads=len(os.sched_getaffinity(0)),
    )
    with Counting("functions", sys.stderr) as counting:
        found = model_series(series, question, rules=rules, litmus=litmus, progress=counting.update)
    after = _after(found, series, question, limit=limit, versus=versus, suggest=suggest)
    _print(found, after, as_json=as_json)
    if accept is not None:
        from steelyard.scaling.status_quo import accept as accepted

        accept.write_text(accepted(found.models), encoding="utf-8")
        click.echo(f"accepted as expectations: {accept}", err=True)
    ranks = [m.validation.rank for m in found.models if m.validation is not None]
    verdicts = [rule.verdict for rule in found.rules]
    if "none" in ranks or "fails" in verdicts:
        return 1
    return 3 if strict and ("undecided" in ranks or "not_resolved" in verdicts) else 0


def _after(
    found: Modelled,
    series: Sequence[Series],
    question: Question,
    *,
    limit: str | None,
    versus: str | None,
    suggest: bool,
) -> After:
    """The answers that are only computed when asked for."""
    from steelyard.report.after import After
    from steelyard.scaling.advise import advise
    from steelyard.scaling.limit import Breaks, breaks
    from steelyard.units import parse_size

    limits, suggestions = [], []
    by_key = {(one.name, one.metric): one for one in series}
    for model in found.models:
        own = by_key[model.name, model.metric]
        if limit is not None:
            broken = breaks(
                own, float(parse_size(limit)) if model.unit == "B" else _positive(limit), question
            )
            if isinstance(broken, Breaks):
                limits.append((model, broken))
        if suggest and model.validation is not None and model.validation.rank == "undecided":
            suggestions.append((model, advise(own, question)))
    return After(tuple(limits), tuple(suggestions), _versus(series, question, versus) if versus else ())


def _versus(series: Sequence[Series], question: Question, label: str) -> tuple[Versus, ...]:
    from steelyard.scaling.versus import Versus, across, versus

    answers = (versus(one, other, question, question.scale) for one, other in across(series, label))
    return tuple(each for each in answers if isinstance(each, Versus))


def _print(found: Modelled, after: After, *, as_json: bool) -> None:
    from steelyard.cli.conducting import terminal_width

    parts = (found.models, found.failed, found.rules, found.causes)
    if as_json:
        from steelyard.report.models_json import render

        click.echo(render(*parts, after), nl=False)
    else:
        from steelyard.report.after import lines as more
        from steelyard.report.line import write
        from steelyard.report.models import lines

        width = terminal_width()
        write([*lines(*parts, width=width), *more(after, width)], sys.stdout)


def _series(
    data: Path, parameters: Sequence[str], metrics: Sequence[str], columns: Columns | None
) -> tuple[Series, ...]:
    from steelyard.exchange.cube import holds_profiles

    if data.suffix == ".lab" or (data.is_dir() and not holds_profiles(data)):
        from steelyard.lab.records import find_record
        from steelyard.lab.series_of_record import series_of_record
        from steelyard.store import Record

        with Record.open(find_record(data)) as record:
            return series_of_record(record, parameters, metrics)
    from steelyard.exchange.files import read_series

    return read_series(data, columns)


def _expectations(stated: Sequence[str], file: Path | None, deviation: str | None) -> dict[str, Expectation]:
    from steelyard.scaling.question import Expectation
    from steelyard.scaling.status_quo import read_accepted

    out: dict[str, Expectation] = {}
    if file is not None:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                f"{file}: {error}", hint="steelyard model DATA --accept FILE writes one"
            ) from None
        out.update(read_accepted(text, str(file)))
    for text in stated:
        name, sign, growth = text.rpartition("=")
        out[name if sign else "*"] = Expectation(growth.strip(), deviation)
    return out


def _split(names: Sequence[str]) -> list[str]:
    return [part.strip() for name in names for part in name.split(",") if part.strip()]


def _pair(text: str, option: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not (sign and name.strip() and value.strip()):
        raise UsageError(f"{option} {text!r} is not NAME=VALUE", hint=f"write {option} p=8192")
    return name.strip(), value.strip()


def _number(text: str, option: str) -> float:
    value = _float(text)
    if not 0 < value < float("inf"):
        raise UsageError(f"{option}: {text!r} is not a positive number", hint=f"write {option} p=8192")
    return value


def _positive(text: str) -> float:
    value = _float(text)
    if not 0 < value < float("inf"):
        hint = "write a number in the metric's unit, as in --limit 0.001; sizes may have a unit"
        raise UsageError(f"--limit: {text!r} is not a positive number", hint=hint)
    return value


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
