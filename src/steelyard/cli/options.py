"""Options that several commands share, and the types of their values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from steelyard.cli import completion
from steelyard.cli.declared import declare, declare_argument
from steelyard.cli.paths import InputPath, InputPlace, OutputFile, RecordDirectory
from steelyard.core.errors import UsageError
from steelyard.core.extension import list_protocols


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


def read_size(value: str) -> int:
    """Read bytes from ``512 MB``, ``2 GiB``, ``65536``.

    Raises
    ------
    UsageError
    """
    from steelyard.core.units import parse_size

    return parse_size(value)


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


def declare_fraction(text: str, *flags: str, default: float | None = None) -> Any:
    """Return an option whose value is a fraction."""
    return declare(text, *flags, type=fraction, metavar="FRACTION", default=default)


def declare_file(text: str, *flags: str, metavar: str = "FILE") -> Any:
    """Return an option that names a file to write."""
    return declare(text, *flags, type=OutputFile(), metavar=metavar)


def metric_option(text: str, default: str | None = None) -> Any:
    """``--metric NAME``."""
    return declare(
        text, "--metric", metavar="NAME", default=default, show_default=True, complete=completion.metrics
    )


@contextmanager
def name_metric_option() -> Iterator[None]:
    """Let errors about the metric of an experiment name the option that gave it.

    Raises
    ------
    UsageError
    """
    try:
        yield
    except UsageError as error:
        begins = "experiment(): analysis.metric: "
        if not error.message.startswith(begins):
            raise
        raise UsageError(f"--metric: {error.message.removeprefix(begins)}", hint=error.hint) from error


def metrics_option(text: str) -> Any:
    """``--metric NAME``, repeatable."""
    return declare(text, "--metric", "metrics", multiple=True, metavar="NAME", complete=completion.metrics)


def parameters_option(text: str) -> Any:
    """``-p NAME``, repeatable."""
    return declare(text, "-p", "--parameter", "parameters", multiple=True, metavar="NAME")


def max_time_option(text: str, default: str | None = None) -> Any:
    """``--max-time TIME``."""
    return declare(
        text,
        "--max-time",
        "max_time_s",
        type=read_duration,
        default=default,
        show_default=True,
        metavar="TIME",
    )


output_option = declare(
    "Directory of the record.", "-o", "--output", type=RecordDirectory(), metavar="NAME.lab"
)
json_option = declare("Print one JSON document instead of text.", "--json", "as_json", is_flag=True)
strict_option = declare(
    "Exit with 3, not 0, where something is open: not resolved, not judged, or less precise than wanted.",
    "--strict",
    is_flag=True,
)
protocol_option = declare(
    "Also judge by a published protocol: all pairs of launches, or each against the baseline, if any.",
    "--protocol",
    choices=("default", *list_protocols()),
)
against_option = declare(
    "Compare with this: FACTOR=LEVEL, or the label of a treatment.",
    "--against",
    metavar="BASELINE",
    complete=completion.baselines,
)
details_option = declare(
    "Also show the gain of a typical run: robust ratio, fraction of blocks, effect size.",
    "--details",
    is_flag=True,
)
input_option = declare(
    "Standard input of every run (default: empty).", "--input", "stdin", type=InputPath(str), metavar="FILE"
)
timeout_option = declare(
    "Count a run that takes longer as failed.", "--timeout", "timeout_s", type=read_duration, metavar="TIME"
)
ignore_failure_option = declare("Accept any exit code.", "-i", "--ignore-failure", is_flag=True)
repository_option = declare(
    "The repository (default: the current directory).",
    "--repo",
    type=InputPath(),
    metavar="DIR",
    default=Path(),
    show_default=False,
)


def build_option(help_text: str) -> Any:
    """Return the option ``--build`` of a command that builds trees."""
    return declare(f"{help_text} Read by /bin/sh.", "--build", default="", metavar="CMD")


seed_option = declare(
    "Seed for the run order and whatever else is drawn (default: random; recorded).",
    "--seed",
    metavar="N",
    least=0,
)
many_option = declare("Accept more than 10,000 treatments.", "--yes", is_flag=True)
by_option = declare(
    "Tell machines of several records apart by their hosts, or take each record for one machine.",
    "--by",
    default="host",
    show_default=True,
    choices=("host", "record"),
)
records_argument = declare_argument(
    "RECORD...", type=InputPath(), nargs=-1, required=True, complete=completion.records
)
places_argument = declare_argument(
    "RECORD|PLACE...", type=InputPlace(), nargs=-1, required=True, complete=completion.records
)
