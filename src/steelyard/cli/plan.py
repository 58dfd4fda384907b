"""``steelyard plan``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from steelyard.cli.conducting import terminal_width
from steelyard.cli.options import json_option


@click.command(short_help="Show what a spec would run, how long, and what it cannot separate.")
@click.argument("spec", type=click.Path(path_type=Path))
@json_option
@click.option(
    "--signs", is_flag=True, help="Show the sign table of a design with more than 16 treatments too."
)
@click.option("--yes", is_flag=True, help="Accept more than 10,000 treatments.")
def command(spec: Path, as_json: bool, yes: bool, signs: bool) -> None:
    """Show what SPEC would run, in which order, and what it could not separate. Nothing is run."""
    from steelyard.design import different
    from steelyard.lab.plan import preview, shown_command
    from steelyard.lab.records import record_of_spec
    from steelyard.report.line import write
    from steelyard.report.plan import PlannedTreatment, PlanPreview, document, lines
    from steelyard.spec import load

    experiment = load(spec, allow_many=yes)
    design, stop = experiment.design, experiment.design.stop
    found = preview(experiment, record_of_spec(spec))
    labels = {treatment.id: treatment.label for treatment in found.treatments}
    counting = [block for block in found.blocks if not block.discard]
    # Where each run is a block, they are shown as one.
    first = counting if design.order == "nogueira-matias-2014" else counting[:1]
    shown = PlanPreview(
        experiment=experiment.name,
        treatments=tuple(
            PlannedTreatment(t.id, t.label, shown_command(experiment, t), t.levels) for t in found.treatments
        ),
        blocks=len(counting) // len(first),
        seed=design.seed,
        order="randomized-blocks" if design.order == "randomized" else "sequential",
        first_block=tuple(labels[each] for block in first for each in block.order),
        replicates=design.replicates,
        discard=design.discard,
        in_rows=len(first) > 1,
        contexts=different(block.context for block in counting if block.context),
        passes=experiment.contexts.passes if experiment.contexts else 1,
        most_blocks=found.most_blocks if stop else None,
        target=stop.rel_halfwidth if stop else None,
        max_time_s=stop.max_time_s if stop else None,
        estimated_s=None if found.block_s is None else found.block_s * len(found.blocks),
        inseparable=found.inseparable,
        here=found.here,
        signs=found.signs,
        outlook=found.outlook,
    )
    if as_json:
        click.echo(document(shown), nl=False)
    else:
        write(lines(shown, terminal_width(), every_sign=signs), sys.stdout)
