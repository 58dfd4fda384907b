"""``steelyard efficiency``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli.declared import Options, declare, declare_argument, take
from steelyard.cli.options import declare_file, declare_fraction, json_option
from steelyard.cli.paths import InputPath, OutputDirectory, PathCommand
from steelyard.core.errors import UsageError
from steelyard.extensions.growth.data import SeriesOptions, read_series
from steelyard.files.writing import write_output

if TYPE_CHECKING:
    from steelyard.extensions.efficiency.results import Efficiencies, Scaling


class EfficiencyOptions(Options):
    """Options of ``steelyard efficiency``."""

    data: Path = declare_argument("DATA|RECORD", type=InputPath())
    weak: bool = declare("Weak scaling: the work grows with the parameter (default: strong, one problem).")
    least: float = declare_fraction("Efficiency that is asked for.", default=0.7)
    peak: float | None = declare(
        "Peak of one unit of the parameter (a node, a core), in the unit of a rate: its share is shown, and"
        " more than 100 % named.",
        type=click.FloatRange(min=0, min_open=True),
        metavar="RATE",
    )
    latex: Path | None = declare_file("Also write the tables as LaTeX (booktabs, siunitx).")
    html: Path | None = declare_file(
        "Also write a page: efficiency and speedup of the first functions, with intervals and the ideal."
    )
    figures: Path | None = declare(
        "Also write these charts as SVG, PNG and PDF at the width of a column of a paper.",
        metavar="DIR",
        type=OutputDirectory(),
    )
    as_json: bool = json_option


@click.command(
    cls=PathCommand,
    short_help="Speedup and parallel efficiency, with intervals, and up to which scale it holds.",
)
@take(EfficiencyOptions, SeriesOptions)
def command(options: EfficiencyOptions, about: SeriesOptions) -> None:
    """Print speedup and parallel efficiency of every function of DATA, relative to the smallest scale.

    DATA is what `steelyard model` reads. Of strong scaling E(p) = p0 T(p0) / (p T(p)), of weak scaling
    T(p0) / T(p), of a rate p0 X(p) / (p X(p0)).
    """
    from steelyard.cli.terminal import show
    from steelyard.extensions.efficiency.estimand import measure_efficiency
    from steelyard.extensions.efficiency.results import (
        EFFICIENCY,
        Efficiencies,
        EfficiencySeries,
        NotComputed,
    )
    from steelyard.extensions.efficiency.text import lines

    scaling: Scaling = "weak" if options.weak else "strong"
    answers = [
        measure_efficiency(series, scaling, options.least, peak_rate=options.peak)
        for series in read_series(options.data, about)
    ]
    answer = Efficiencies(
        tuple(series for series in answers if isinstance(series, EfficiencySeries)),
        tuple(series for series in answers if isinstance(series, NotComputed)),
        options.data.name,
    )
    show(lambda: EFFICIENCY.text(answer), lambda width: lines(answer, width), as_json=options.as_json)
    _write_files(answer, options)


def _write_files(answer: Efficiencies, options: EfficiencyOptions) -> None:
    """Write tables, page and figures where they are asked for.

    Raises
    ------
    UsageError
        No function has an efficiency.
    """
    if (options.latex, options.html, options.figures) == (None, None, None):
        return
    if not answer.series:
        raise UsageError(
            f"nothing to write: no function has an efficiency ({answer.not_computed[0].reason})"
            if answer.not_computed
            else "nothing to write: no function has an efficiency",
            hint="leave out --latex, --html and --figures",
        )
    if options.latex is not None:
        from steelyard.extensions.efficiency.text import format_latex

        write_output(options.latex, format_latex(answer))
        click.echo(f"written: {options.latex}", err=True)
    if options.html is not None:
        from steelyard.extensions.page.document import render

        write_output(options.html, render((answer,)))
        click.echo(f"written: {options.html}", err=True)
    if options.figures is not None:
        from steelyard.extensions.page.figures import write_figures

        for file in write_figures((answer,), options.figures):
            click.echo(f"written: {file}", err=True)
