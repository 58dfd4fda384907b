"""What ``compare`` shows and writes beside its answer, as hyperfine does."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from steelyard.core.errors import UsageError
from steelyard.files.writing import write_output
from steelyard.spec.text.placeholders import format_level

if TYPE_CHECKING:
    from steelyard.spec import Experiment
    from steelyard.store import Record

UNITS: Final = ("microsecond", "millisecond", "second")
EXPORTS: Final = ("export_json", "export_csv", "export_markdown")
"""Options that name files."""


def write_exports(
    directory: Path, exports: Mapping[str, Path], unit: str | None, names: Sequence[str]
) -> None:
    """Write the exports of a record; ``names`` stand for command lines there, as in hyperfine."""
    if not exports:
        return
    from steelyard.lab.compare.hyperfine import render_csv, render_json, render_markdown, results
    from steelyard.run.launch.typed_command import format_command
    from steelyard.store import Record

    with Record.open(directory) as record:
        commands = {
            treatment.id: format_command(record.experiment, treatment) for treatment in record.treatments
        }
        entries = results(record, _list_names(record, names) if names else commands)
    texts = {
        "export_json": render_json(entries),
        "export_csv": render_csv(entries),
        "export_markdown": render_markdown(entries, unit),
    }
    for form, file in exports.items():
        write_output(file, texts[form])


def _list_names(record: Record, names: Sequence[str]) -> dict[int, str]:
    """List the name of each treatment, with the values of parameters in place of their placeholders."""
    listed: dict[int, str] = {}
    for treatment in record.treatments:
        name = str(treatment.levels.get("command", names[0])) if len(names) > 1 else names[0]
        for parameter, level in treatment.levels.items():
            name = name.replace(f"{{{parameter}}}", format_level(level))
        listed[treatment.id] = name
    return listed


def tell_context(experiment: Experiment) -> str:
    """Say that no context is drawn, and what ``--contexts`` would add, where this machine can draw some.

    Empty where contexts are drawn, or nothing is compared.
    """
    from steelyard.design import treatments
    from steelyard.lab.run.preflight import can_draw_contexts

    if experiment.contexts or len(treatments(experiment)) < 2:
        return ""
    if not can_draw_contexts():
        return "one context: this machine cannot draw others (steelyard doctor)"
    return "one context: with --contexts, the interval covers other environment sizes"


def show_output(experiment: Experiment, *, as_json: bool) -> None:
    """Run every command once, untimed, with its output on the terminal; on stderr beside a JSON document.

    Raises
    ------
    UsageError
        It cannot be started.
    """
    from steelyard.design import treatments
    from steelyard.run.launch.typed_command import format_command

    if experiment.program.setup_once or experiment.program.cleanup_once:
        raise UsageError(
            "--show-output runs the commands once before --setup, which they may need",
            hint="leave --setup and --cleanup out, or run the command by itself to see its output",
        )
    for treatment in treatments(experiment):
        text = format_command(experiment, treatment)
        click.echo(f"{text}:", err=True)
        words = ["/bin/sh", "-c", text] if experiment.program.shell else shlex.split(text)
        try:
            stdout = sys.stderr if as_json else None
            subprocess.run(words, stdin=subprocess.DEVNULL, stdout=stdout, check=False)
        except OSError as error:
            raise UsageError(f"{words[0]}: {error.strerror}", hint="give its path, or check PATH") from error
