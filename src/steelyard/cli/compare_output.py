"""What ``compare`` shows and writes beside its answer, as hyperfine does."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from steelyard.cli.paths import OutputFile
from steelyard.core.errors import UsageError
from steelyard.files.writing import write_output

if TYPE_CHECKING:
    from steelyard.spec import Experiment

UNITS: Final = ("microsecond", "millisecond", "second")

export_options = (
    click.option(
        "--export-json",
        type=OutputFile(),
        metavar="FILE",
        help="Write the results as hyperfine 1 does, all times included.",
    ),
    click.option(
        "--export-json-2",
        type=OutputFile(),
        metavar="FILE",
        help="Write the results as hyperfine 2 does (version 2 of its schema): every metric of every run.",
    ),
    click.option(
        "--export-csv",
        type=OutputFile(),
        metavar="FILE",
        help="Write a summary of each command as CSV, with hyperfine's columns.",
    ),
    click.option(
        "--export-markdown",
        type=OutputFile(),
        metavar="FILE",
        help="Write a summary of each command as a Markdown table.",
    ),
)


def with_exports(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--export-json`` and the options like it, which a command takes as one mapping."""
    for option in reversed(export_options):
        command = option(command)
    return command


def write_exports(directory: Path, exports: Mapping[str, Path], unit: str | None) -> None:
    """Write what ``--export-…`` asks for from the record."""
    if not exports:
        return
    from steelyard.exchange.hyperfine import as_csv, as_json, as_markdown, results, write_json_2
    from steelyard.lab.run.plan import shown_command
    from steelyard.store import Record

    with Record.open(directory) as record:
        commands = {
            treatment.id: shown_command(record.experiment, treatment) for treatment in record.treatments
        }
        found = results(record, commands)
        version_2 = write_json_2(record, commands) if "export_json_2" in exports else ""
    texts = {
        "export_json_2": version_2,
        "export_json": as_json(found),
        "export_csv": as_csv(found),
        "export_markdown": as_markdown(found, unit),
    }
    for form, file in exports.items():
        write_output(file, texts[form])


def show_output(experiment: Experiment, *, as_json: bool) -> None:
    """Run every command once, untimed, with its output on the terminal; on stderr beside a JSON document.

    Raises
    ------
    UsageError
        It cannot be started.
    """
    from steelyard.design import treatments
    from steelyard.lab.run.plan import shown_command

    if experiment.program.setup_once or experiment.program.cleanup_once:
        raise UsageError(
            "--show-output runs the commands once before --setup, which they may need",
            hint="leave --setup and --cleanup out, or run the command by itself to see its output",
        )
    for treatment in treatments(experiment):
        text = shown_command(experiment, treatment)
        click.echo(f"{text}:", err=True)
        words = ["/bin/sh", "-c", text] if experiment.program.shell else shlex.split(text)
        try:
            stdout = sys.stderr if as_json else None
            subprocess.run(words, stdin=subprocess.DEVNULL, stdout=stdout, check=False)
        except OSError as error:
            raise UsageError(f"{words[0]}: {error.strerror}", hint="give its path, or check PATH") from error
