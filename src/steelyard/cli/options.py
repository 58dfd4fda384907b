"""Options that several commands share, and the types of their values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from steelyard.cli import completion
from steelyard.cli.paths import InputPath, InputPlace, RecordDirectory

Option = Callable[[Callable[..., Any]], Callable[..., Any]]


def fraction(value: str | float) -> float:
    """Read a number between 0 and 1, both excluded, also as a percentage: ``0.02``, ``2%``.

    Raises
    ------
    click.BadParameter
    """
    text = str(value).strip()
    try:
        number = float(text.removesuffix("%")) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise click.BadParameter(f"expected a fraction such as 0.02 or 2%, got {text!r}") from None
    if not 0 < number < 1:
        raise click.BadParameter(f"{text} is not between 0 and 1; expected a fraction such as 0.02 or 2%")
    return number


def read_duration(value: str) -> float:
    """Read seconds from ``10 s``, ``3 min``, ``0.5``.

    Raises
    ------
    UsageError
    """
    from steelyard.core.units import parse_duration

    return parse_duration(value)


def split_names(value: str) -> tuple[str, ...]:
    """Read names that are separated by commas."""
    return tuple(name for name in value.split(",") if name)


def is_given(ctx: click.Context, name: str) -> bool:
    """Whether the command line gives a parameter, even at its default value."""
    return ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def chosen_seed(seed: int | None, record: Path) -> int:
    """Take the seed that was given, or that of the record, so that it can go on, or a random one."""
    from steelyard.lab.run.existing_record import existing_seed

    if seed is None:
        seed = existing_seed(record)
    if seed is None:
        import secrets

        seed = secrets.randbits(31)
    return seed


def metric_option(text: str, default: str | None = None) -> Option:
    """``--metric NAME``."""
    return click.option(
        "--metric",
        metavar="NAME",
        default=default,
        show_default=True,
        shell_complete=completion.metrics,
        help=text,
    )


def metrics_option(text: str) -> Option:
    """``--metric NAME``, repeatable."""
    return click.option(
        "--metric", "metrics", multiple=True, metavar="NAME", shell_complete=completion.metrics, help=text
    )


def parameters_option(text: str) -> Option:
    """``-p NAME``, repeatable."""
    return click.option("-p", "--parameter", "parameters", multiple=True, metavar="NAME", help=text)


def max_time_option(text: str, default: str | None = None) -> Option:
    """``--max-time TIME``."""
    return click.option(
        "--max-time",
        "max_time_s",
        type=read_duration,
        default=default,
        show_default=True,
        metavar="TIME",
        help=text,
    )


output_option = click.option(
    "-o",
    "--output",
    type=RecordDirectory(),
    metavar="NAME.lab",
    help="Directory of the record.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
strict_option = click.option(
    "--strict",
    is_flag=True,
    help="Exit with 3 where something is not resolved or the precision is not reached.",
)
protocol_option = click.option(
    "--protocol",
    type=click.Choice(("default", "nogueira-matias-2014")),
    help="Also judge by a published protocol: all pairs of launches, or each against the baseline, if any.",
)
against_option = click.option(
    "--against",
    metavar="BASELINE",
    shell_complete=completion.baselines,
    help="Compare with this: FACTOR=LEVEL, or the label of a treatment.",
)
details_option = click.option(
    "--details",
    is_flag=True,
    help="Also show the gain of a typical run: robust ratio, fraction of blocks, effect size.",
)
input_option = click.option(
    "--input",
    "stdin",
    type=InputPath(str),
    metavar="FILE",
    help="Standard input of every run (default: empty).",
)
timeout_option = click.option(
    "--timeout",
    "timeout_s",
    type=read_duration,
    metavar="TIME",
    help="Count a run that takes longer as failed.",
)
ignore_failure_option = click.option("-i", "--ignore-failure", is_flag=True, help="Accept any exit code.")
repository_option = click.option(
    "--repo",
    type=InputPath(),
    metavar="DIR",
    default=Path(),
    help="The repository (default: the current directory).",
)
build_shell_option = click.option("-S", "--shell", is_flag=True, help="Let /bin/sh read the build command.")


def build_option(help_text: str) -> Option:
    """Return the option ``--build`` of a command that builds trees."""
    return click.option(
        "--build", default="", metavar="CMD", help=f"{help_text} Split into words, without a shell."
    )


seed_option = click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    help="Seed for the run order and whatever else is drawn (default: random; recorded).",
)
many_option = click.option("--yes", is_flag=True, help="Accept more than 10,000 treatments.")
by_option = click.option(
    "--by",
    type=click.Choice(("host", "record")),
    default="host",
    show_default=True,
    help="Tell machines of several records apart by their hosts, or take each record for one machine.",
)
records_argument = click.argument(
    "records",
    type=InputPath(),
    metavar="RECORD...",
    nargs=-1,
    required=True,
    shell_complete=completion.records,
)
places_argument = click.argument(
    "records",
    type=InputPlace(),
    metavar="RECORD|PLACE...",
    nargs=-1,
    required=True,
    shell_complete=completion.records,
)
