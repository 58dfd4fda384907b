"""Options that ``model`` and ``check`` share: data of any format, and expectations about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from steelyard.cli.options import metrics_option, parameters_option
from steelyard.cli.paths import InputPath
from steelyard.core.errors import UsageError
from steelyard.files.system import count_usable_cpus

if TYPE_CHECKING:
    from steelyard.core.series import Series
    from steelyard.exchange.csv_columns import CsvColumns
    from steelyard.lab.answer.model import ModelRequest
    from steelyard.scaling.question import Expectation

OPTIONS: Final = (
    click.option(
        "--at-most",
        "at_most",
        multiple=True,
        metavar="[NAME=]BIG-O",
        help="Upper bound of the growth of all functions, 'O(n log n)', or of one, 'sort=O(n log n)'."
        " Repeatable.",
    ),
    click.option(
        "--expect",
        "expect",
        multiple=True,
        metavar="[NAME=]BIG-O",
        help="Growth that is expected, and no other: 'O(log p)', 'bcast=O(log p)'. Repeatable.",
    ),
    click.option(
        "--expectations",
        type=InputPath(),
        metavar="FILE",
        help="Expectations that --accept wrote.",
    ),
    click.option(
        "--deviation",
        metavar="BIG-O",
        help="Factor within which growth is still approximately as stated (default: one logarithm); half: the"
        " leading exponent halved, as seed 001 has it.",
    ),
    parameters_option("Model over this (CSV, records); expectations are about the first. Repeatable."),
    click.option(
        "--along",
        multiple=True,
        metavar="N=P",
        help="Let parameter N of the expectations grow with P (weak scaling).",
    ),
    click.option(
        "--at",
        "scale",
        multiple=True,
        metavar="P=VALUE[,P=…]",
        help="Scale of interest: give ranks and values there too.",
    ),
    metrics_option("Only these metrics. Repeatable."),
    click.option(
        "--function",
        "functions",
        multiple=True,
        metavar="TEXT",
        help="Only functions whose name contains TEXT. Repeatable.",
    ),
    click.option(
        "--rule",
        "rules",
        multiple=True,
        metavar="RULE",
        help="Relation between functions: 'allreduce <= reduce + bcast'. Repeatable.",
    ),
    click.option(
        "--tolerance",
        type=click.FloatRange(min=0),
        metavar="SHARE",
        help="With --rule: excess of the left side that is tolerated (default: 0.05, which is 5 %).",
    ),
    click.option(
        "--litmus",
        metavar="NAME",
        help="Reference function that tells machine problems from library problems.",
    ),
    click.option("--value", metavar="COLUMN", help="CSV, JSON Lines: column or key of the metric."),
    click.option(
        "--by",
        "by",
        multiple=True,
        metavar="COLUMN",
        help="CSV, JSON Lines: columns that distinguish functions.",
    ),
    click.option(
        "--pool",
        "pool",
        multiple=True,
        metavar="COLUMN",
        help="CSV, JSON Lines: columns that differ within a function.",
    ),
    click.option("--u", "u", metavar="COLUMN", help="CSV, JSON Lines: column of the standard uncertainty."),
    click.option("--n", "n", metavar="COLUMN", help="CSV, JSON Lines: column of the number of launches."),
    click.option("--unit", default="", metavar="UNIT", help="CSV, JSON Lines: unit of the value."),
    click.option(
        "--exact",
        is_flag=True,
        help="Values have no noise (a simulated machine, counts).",
    ),
    click.option(
        "--inclusive", is_flag=True, help="CUBE: use inclusive values (a call path with its callees)."
    ),
)
"""In the order of the help."""


def data_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """All of ``OPTIONS``; a command takes them as one mapping and hands it to ``ask``."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def ask(
    data: Path,
    *,
    at_most: Sequence[str],
    expect: Sequence[str],
    expectations: Path | None,
    deviation: str | None,
    parameters: Sequence[str],
    along: Sequence[str],
    scale: Sequence[str],
    metrics: Sequence[str],
    functions: Sequence[str],
    rules: Sequence[str],
    tolerance: float | None,
    litmus: str | None,
    value: str | None,
    by: Sequence[str],
    pool: Sequence[str],
    u: str | None,
    n: str | None,
    unit: str,
    exact: bool,
    inclusive: bool,
) -> ModelRequest:
    """Read the data and the options into a request.

    Raises
    ------
    UsageError
        The file cannot be read, or an option cannot be understood.
    """
    from msgspec.structs import replace

    from steelyard.exchange.csv_columns import CsvColumns
    from steelyard.lab.answer.model import ModelRequest
    from steelyard.scaling.question import Question

    if tolerance is not None and not rules:
        raise UsageError(
            f"--tolerance {tolerance:g} without --rule", hint="add --rule 'allreduce <= reduce + bcast'"
        )
    columns = None
    if value is not None:
        if not parameters:
            raise UsageError(
                "--value without --parameter", hint="name the column that varies: --parameter COLUMN"
            )
        columns = CsvColumns(value, tuple(parameters), tuple(_split(by)), u, n, unit, tuple(_split(pool)))
    series = _get_series(data, parameters, metrics, columns, inclusive=inclusive)
    for name in metrics:
        _refuse_unknown(name, series, data)
    stated = _get_expectations(at_most, expect, expectations, deviation)
    asked = {key: one for key, one in stated.items() if _asked(key, functions, metrics)}
    Question(expectations=asked).refuse_unmet(series)
    series = tuple(
        one
        for one in series
        if (not metrics or one.metric in metrics)
        and (not functions or any(text in one.name for text in functions))
    )
    if not series:
        raise UsageError(
            f"{data}: no function matches", hint="leave out --metric or --function to see them all"
        )
    wanted = Question(expectations=stated)
    judged = (one.name == litmus or wanted.expectation(one.name, one.metric) for one in series)
    if stated and not rules and not any(judged):
        raise UsageError(
            f"{data}: nothing is expected of the functions that --function and --metric leave",
            hint=f"expectations are of: {', '.join(list(stated)[:8])}",
        )
    question = Question(
        expectations=stated,
        parameter=parameters[0] if parameters else None,
        along=dict(_pair(text, "--along") for text in along),
        scale={name: _compute_number(number, "--at") for name, number in map(_pair_at, _split(scale))},
        threads=count_usable_cpus(),
    )
    if exact:
        series = tuple(replace(one, counts=True) for one in series)
    request = ModelRequest(series, question, tuple(rules), litmus=litmus)
    return request if tolerance is None else replace(request, tolerance=tolerance)


def _asked(key: str, functions: Sequence[str], metrics: Sequence[str]) -> bool:
    """Whether an expectation is about what ``--function`` and ``--metric`` leave."""
    if key == "*":
        return True
    named = not functions or any(text in key for text in functions)
    return named and (not metrics or " " not in key or any(key.endswith(f" {name}") for name in metrics))


def _refuse_unknown(metric: str, series: Sequence[Series], data: Path) -> None:
    known = list(dict.fromkeys(one.metric for one in series))
    if known and metric not in known:
        from steelyard.spec.hints.metric_names import suggest_metric

        raise UsageError(f"{data} has no values of the metric {metric!r}", hint=suggest_metric(metric, known))


def _get_series(
    data: Path,
    parameters: Sequence[str],
    metrics: Sequence[str],
    columns: CsvColumns | None,
    *,
    inclusive: bool,
) -> tuple[Series, ...]:
    from steelyard.exchange.cube import holds_profiles

    if data.suffix == ".lab" or (data.is_dir() and not holds_profiles(data)):
        from steelyard.lab.answer.series_of_record import series_of_record
        from steelyard.lab.run.existing_record import find_record
        from steelyard.store import Record

        with Record.open(find_record(data)) as record:
            return series_of_record(record, parameters, metrics)
    from steelyard.exchange.files import read_series

    return read_series(data, columns, inclusive=inclusive)


def _get_expectations(
    at_most: Sequence[str], expect: Sequence[str], file: Path | None, deviation: str | None
) -> dict[str, Expectation]:
    from steelyard.files.reading import read_text
    from steelyard.scaling.question import expectations_of
    from steelyard.scaling.status_quo import HINT, read_accepted

    out: dict[str, Expectation] = {}
    if file is not None:
        out.update(read_accepted(read_text(file, hint=HINT), str(file)))
    return out | expectations_of(dict(map(_named, at_most)), dict(map(_named, expect)), deviation)


def _named(text: str) -> tuple[str, str]:
    """Return the function, ``"*"`` where none is named, and the big-O text."""
    name, sign, growth = text.rpartition("=")
    return (name if sign else "*"), growth.strip()


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
    value = as_float(text)
    if not 0 < value < float("inf"):
        raise UsageError(f"{option}: {text!r} is not a positive number", hint=f"write {option} p=8192")
    return value


def as_float(text: str) -> float:
    """Read a number; 0 for text that is not a number."""
    try:
        return float(text)
    except ValueError:
        return 0.0
