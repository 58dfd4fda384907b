"""Options that ``model`` and ``check`` share: data of any format, and expectations about them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli.declared import DataOptions, Options, declare
from steelyard.cli.options import metrics_option, parameters_option
from steelyard.cli.paths import InputPath
from steelyard.core.errors import UsageError
from steelyard.files.system import count_usable_cpus

if TYPE_CHECKING:
    from steelyard.claims.verdict import Checked
    from steelyard.core.series import CsvColumns, Series
    from steelyard.core.units import Better
    from steelyard.extensions.growth.model import ModelRequest
    from steelyard.extensions.growth.scaling.question import Expectation


class SeriesOptions(Options):
    """Options about data: which of them, and how they are read."""

    parameters: tuple[str, ...] = parameters_option(
        "Parameter over which values vary (CSV, TSV, records); expectations are about the first. Repeatable."
    )
    metrics: tuple[str, ...] = metrics_option("Only these metrics. Repeatable.")
    functions: tuple[str, ...] = declare(
        "Only functions whose name contains TEXT. Repeatable.", "--function", metavar="TEXT"
    )
    values: tuple[str, ...] = declare(
        "CSV, JSON Lines: column or key of the metric. Repeatable.", "--value", metavar="COLUMN"
    )
    by: tuple[str, ...] = declare("CSV, JSON Lines: columns that distinguish functions.", metavar="COLUMN")
    pool: tuple[str, ...] = declare(
        "CSV, JSON Lines: columns that differ within a function.", metavar="COLUMN"
    )
    u: str | None = declare("CSV, JSON Lines: column of the standard uncertainty.", metavar="COLUMN")
    n: str | None = declare("CSV, JSON Lines: column of the number of launches.", metavar="COLUMN")
    status: str | None = declare(
        "CSV, JSON Lines: column of what became of a run, in words or exit codes (default: status, outcome,"
        " state, exit_code, …).",
        metavar="COLUMN",
    )
    ok: tuple[str, ...] = declare(
        "CSV, JSON Lines: word of that column for a run that went well. Repeatable.", metavar="WORD"
    )
    unit: str = declare(
        "CSV, JSON Lines: unit of the value; or the column that names the launch (job, node, day), whose rows"
        " are then one value (default: a column job or launch).",
        default="",
        metavar="UNIT|COLUMN",
    )
    better: Better | None = declare(
        "CSV, JSON Lines: which way is better (default: by name and unit). Rates, of which higher is better,"
        " are modelled as the time of a unit of work.",
        choices=("lower", "higher", "neither"),
    )
    exact: bool = declare("Values have no noise (a simulated machine, counts).")
    inclusive: bool = declare("CUBE: use inclusive values (a call path with its callees).")


class GrowthOptions(DataOptions, SeriesOptions):
    """Options about what is expected of data."""

    at_most: tuple[str, ...] = declare(
        "Upper bound of the growth of all functions, 'O(n log n)', or of one, 'sort=O(n log n)'. Repeatable.",
        metavar="[NAME=]BIG-O",
    )
    expect: tuple[str, ...] = declare(
        "Growth that is expected, and no other: 'O(log p)', 'bcast=O(log p)'. Repeatable.",
        metavar="[NAME=]BIG-O",
    )
    at_least: tuple[str, ...] = declare(
        "Lower bound of the growth of a rate, 'O(p)'; 'O(1)': it does not fall. Repeatable.",
        metavar="[NAME=]BIG-O",
    )
    expectations: Path | None = declare("Expectations that --accept wrote.", type=InputPath(), metavar="FILE")
    deviation: str | None = declare(
        "Factor within which growth is still approximately as stated (default: one logarithm); half: the"
        " leading exponent halved, as published (Shudler et al. 2019).",
        metavar="BIG-O",
    )
    along: tuple[str, ...] = declare(
        "Let parameter N of the expectations grow with P (weak scaling).", metavar="N=P"
    )
    scale: tuple[str, ...] = declare(
        "Scale of interest: give ranks and values there too.", "--at", metavar="P=VALUE[,P=…]"
    )
    rules: tuple[str, ...] = declare(
        "Relation between functions: 'allreduce <= reduce + bcast'. Repeatable.", "--rule", metavar="RULE"
    )
    tolerance: float | None = declare(
        "With --rule: excess of the left side that is tolerated (default: 0.05, which is 5 %).",
        type=click.FloatRange(min=0),
        metavar="SHARE",
    )
    litmus: str | None = declare(
        "Reference function that tells machine problems from library problems.", metavar="NAME"
    )
    counts: bool = declare(
        "Fit whole numbers that repetitions repeat exactly; other functions are modelled as they are."
    )


def judge(data: Path, options: GrowthOptions) -> Checked:
    """Judge the growth of data that are no record, with a line of progress; as ``ask`` and ``check_data``."""
    from steelyard.extensions.growth.check_data import check_data
    from steelyard.report.text.progress import Counting

    request = ask(data, options)
    with Counting("functions", sys.stderr) as counting:
        return check_data(data.stem, request, counting.update)


def ask(data: Path, options: GrowthOptions) -> ModelRequest:
    """Read the data and the options into a request.

    Raises
    ------
    UsageError
        The file cannot be read, or an option cannot be understood.
    """
    from msgspec.structs import replace

    from steelyard.extensions.growth.model import ModelRequest
    from steelyard.extensions.growth.scaling.question import Question

    if options.tolerance is not None and not options.rules:
        raise UsageError(
            f"--tolerance {options.tolerance:g} without --rule",
            hint="add --rule 'allreduce <= reduce + bcast'",
        )
    series = _read_series(data, options)
    stated = _get_expectations(options)
    expectations = {
        key: expectation
        for key, expectation in stated.items()
        if _is_asked(key, options.functions, options.metrics)
    }
    Question(expectations=expectations).refuse_unmet(series)
    series = _choose_series(data, series, options)
    stated_question = Question(expectations=stated)
    judged = (
        function.name == options.litmus or stated_question.expectation(function.name, function.metric)
        for function in series
    )
    if stated and not options.rules and not any(judged):
        raise UsageError(
            f"{data}: nothing is expected of the functions that --function and --metric leave",
            hint=f"expectations are of: {', '.join(list(stated)[:8])}",
        )
    question = Question(
        expectations=stated,
        parameter=options.parameters[0] if options.parameters else None,
        along=_map_once([_pair(text, "--along") for text in options.along], "--along"),
        scale={
            name: _compute_number(number, "--at")
            for name, number in _map_once([*map(_pair_at, _split(options.scale))], "--at").items()
        },
        threads=count_usable_cpus(),
    )
    if options.counts:
        from steelyard.extensions.growth.scaling.exact_models import is_exact

        if not any(map(is_exact, series)):
            raise UsageError(
                f"{data}: no function has whole numbers that its repetitions repeat, over one parameter",
                hint="leave out --counts: measured times are modelled with their noise",
            )
        series = tuple(replace(function, counts=function.counts or is_exact(function)) for function in series)
    request = ModelRequest(series, question, tuple(options.rules), litmus=options.litmus)
    return request if options.tolerance is None else replace(request, tolerance=options.tolerance)


def read_series(data: Path, options: SeriesOptions) -> tuple[Series, ...]:
    """Read the functions that the options choose.

    Raises
    ------
    UsageError
        The file cannot be read, or an option cannot be understood.
    """
    return _choose_series(data, _read_series(data, options), options)


def _read_series(data: Path, options: SeriesOptions) -> tuple[Series, ...]:
    series = _find_series(
        data,
        options.parameters,
        options.metrics,
        _name_columns(options),
        _split(options.by),
        _split(options.pool),
        inclusive=options.inclusive,
    )
    for name in options.metrics:
        _refuse_unknown(name, series, data)
    return tuple(_add_direction(function, options.better) for function in series)


def _choose_series(data: Path, series: Sequence[Series], options: SeriesOptions) -> tuple[Series, ...]:
    from msgspec.structs import replace

    chosen = tuple(
        function
        for function in series
        if (not options.metrics or function.metric in options.metrics)
        and (not options.functions or any(text in function.name for text in options.functions))
    )
    if not chosen:
        raise UsageError(
            f"{data}: no function matches", hint="leave out --metric or --function to see them all"
        )
    return tuple(replace(function, counts=True) for function in chosen) if options.exact else chosen


def _name_columns(options: SeriesOptions) -> tuple[CsvColumns, ...]:
    """Return what the columns are, for each of the metrics."""
    from steelyard.core.series import CsvColumns

    if options.values and not options.parameters:
        raise UsageError(
            "--value without --parameter", hint="name the column that varies: --parameter COLUMN"
        )
    if len(options.values) > 1 and (options.u, options.n) != (None, None):
        flag = "--u" if options.u is not None else "--n"
        raise UsageError(
            f"{flag} is about one --value, and there are {len(options.values)}",
            hint="model the columns one by one",
        )
    return tuple(
        CsvColumns(
            value,
            tuple(options.parameters),
            tuple(_split(options.by)),
            options.u,
            options.n,
            options.unit,
            tuple(_split(options.pool)),
            status=options.status,
            ok=options.ok,
        )
        for value in dict.fromkeys(options.values)
    )


def _is_asked(key: str, functions: Sequence[str], metrics: Sequence[str]) -> bool:
    """Whether an expectation is about what ``--function`` and ``--metric`` leave."""
    if key == "*":
        return True
    named = not functions or any(text in key for text in functions)
    return named and (not metrics or " " not in key or any(key.endswith(f" {name}") for name in metrics))


def _refuse_unknown(metric: str, series: Sequence[Series], data: Path) -> None:
    texts = list(dict.fromkeys(function.metric for function in series))
    if texts and metric not in texts:
        from steelyard.spec.hints.metric_names import suggest_metric

        raise UsageError(f"{data} has no values of the metric {metric!r}", hint=suggest_metric(metric, texts))


def _find_series(
    data: Path,
    parameters: Sequence[str],
    metrics: Sequence[str],
    columns: Sequence[CsvColumns],
    by: Sequence[str],
    pool: Sequence[str],
    *,
    inclusive: bool,
) -> tuple[Series, ...]:
    from steelyard.lab.answer.series_of_file import RunChoice, holds_series, series_of_file

    if data.suffix == ".lab" or (data.is_dir() and not holds_series(data)):
        from steelyard.lab.answer.series_of_record import series_of_record
        from steelyard.lab.run.existing_record import find_record
        from steelyard.store import Record

        with Record.open(find_record(data)) as record:
            record.refuse_edited()
            return series_of_record(record, parameters, metrics)
    choice = RunChoice(tuple(parameters), tuple(by), tuple(pool))
    metrics_of = [series_of_file(data, metric, choice, inclusive=inclusive) for metric in columns or (None,)]
    return tuple(function for functions in metrics_of for function in functions)


def _add_direction(series: Series, better: Better | None) -> Series:
    """Return the series with which way is better: as stated, recorded, or by its name and unit."""
    from msgspec.structs import replace

    from steelyard.core.rates import is_rate

    if better is not None:
        return replace(series, better=better)
    if series.better is None and is_rate(series.metric, series.unit):
        return replace(series, better="higher")
    return series


def _get_expectations(options: GrowthOptions) -> dict[str, Expectation]:
    from steelyard.extensions.growth.scaling.question import expectations_of
    from steelyard.extensions.growth.scaling.status_quo import HINT, read_accepted
    from steelyard.files.reading import read_text

    out: dict[str, Expectation] = {}
    if (file := options.expectations) is not None:
        out.update(read_accepted(read_text(file, hint=HINT), str(file)))
    upper, exact, lower = (
        _map_once([*map(_name, texts)], flag)
        for texts, flag in (
            (options.at_most, "--at-most"),
            (options.expect, "--expect"),
            (options.at_least, "--at-least"),
        )
    )
    return out | expectations_of(upper, exact, options.deviation, lower)


def _name(text: str) -> tuple[str, str]:
    """Return the function, ``"*"`` where none is named, and the big-O text."""
    name, sign, growth = text.rpartition("=")
    return (name if sign else "*"), growth.strip()


def _map_once(pairs: Sequence[tuple[str, str]], option: str) -> dict[str, str]:
    """Map names to values, and refuse a name with two of them.

    Raises
    ------
    UsageError
    """
    values: dict[str, str] = {}
    for name, value in pairs:
        if values.setdefault(name, value) != value:
            subject = "all functions" if name == "*" else name
            raise UsageError(
                f"{option} says {values[name]} and {value} of {subject}", hint="keep one of them"
            )
    return values


def _split(names: Sequence[str]) -> list[str]:
    return [part.strip() for name in names for part in name.split(",") if part.strip()]


def _pair(text: str, option: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not (sign and name.strip() and value.strip()):
        raise UsageError(f"{option} {text!r} is not NAME=VALUE", hint=f"write {option} p=8192")
    return name.strip(), value.strip()


def _pair_at(text: str) -> tuple[str, str]:
    return _pair(text, "--at")


def _compute_number(text: str, option: str) -> float:
    from steelyard.core.units import parse_float

    value = parse_float(text)
    if not 0 < value < float("inf"):
        raise UsageError(f"{option}: {text!r} is not a positive number", hint=f"write {option} p=8192")
    return value
